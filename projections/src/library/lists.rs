//! Lists: recent and popular games. They are empty rather than late.

use bytes::Bytes;
use commands::ports::Unavailable;
use contract::api::PopularGames;
use contract::view::FinishedGameSummary;
use contract::{GameId, Millis, UserId};

use super::{Library, bounded};
use crate::ports::{CacheKey, FillToken, Page};

/// How many games a cached list holds; longer ones and further pages are read from the store.
const CACHED: u32 = 20;

impl Library {
    /// A user's finished games, newest end first; those after `before`, if it is given. Empty when the store is away.
    pub async fn recent(
        &self,
        user: &UserId,
        limit: u32,
        before: Option<(Millis, GameId)>,
    ) -> Vec<FinishedGameSummary> {
        let cached = before.is_none() && limit <= CACHED;
        let games = bounded("history store", async {
            let read = |limit| self.history.recent(user, Page { limit, before });
            if cached {
                self.cached(CacheKey::Recent(user.clone()), read(CACHED)).await
            } else {
                read(limit).await
            }
        });
        first(limit, or_empty(games.await))
    }

    /// The popular games: live ones if there are any.
    pub async fn popular(&self, limit: u32) -> PopularGames {
        let live = self.preview.top(limit as usize);
        if !live.is_empty() {
            return PopularGames::Live(live);
        }
        let games = bounded("history store", async {
            if limit <= CACHED {
                self.cached(CacheKey::PopularFinished, self.history.popular(CACHED))
                    .await
            } else {
                self.history.popular(limit).await
            }
        });
        PopularGames::Finished(first(limit, or_empty(games.await)))
    }

    /// The cached list, or what `read` gives, which is cached then. A cache that is away is a miss.
    async fn cached(
        &self,
        key: CacheKey,
        read: impl Future<Output = Result<Vec<FinishedGameSummary>, Unavailable>>,
    ) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        let token = match self.cache.get(&key).await {
            Ok(Ok(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(games) => return Ok(games),
                // Another version's: it lapses by itself.
                Err(_) => None,
            },
            Ok(Err(token)) => Some(token),
            Err(_) => None,
        };
        let games = read.await?;
        if let Some(token) = token {
            self.fill(&key, token, &games).await;
        }
        Ok(games)
    }

    async fn fill(&self, key: &CacheKey, token: FillToken, games: &[FinishedGameSummary]) {
        let value = serde_json::to_vec(games).expect("a summary has string keys and finite numbers only");
        if let Err(error) = self.cache.fill(key, token, Bytes::from(value)).await {
            tracing::debug!(%error, "a list was not cached");
        }
    }
}

fn first<T>(limit: u32, mut games: Vec<T>) -> Vec<T> {
    games.truncate(limit as usize);
    games
}

fn or_empty<T>(games: Result<Vec<T>, Unavailable>) -> Vec<T> {
    games.unwrap_or_else(|error| {
        tracing::warn!(%error, "a list is empty for now");
        Vec::new()
    })
}
