//! Lists: recent and popular games. They are empty rather than late.
//!
//! A game that ended a moment ago is in memory until history has it, and stands in the lists from there. Memory is asked
//! first: what it has forgotten by the time that the store is asked, the store has.

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
        let held = self.games.just_finished_games(Some(user));
        let held = held
            .into_iter()
            .filter(|game| before.is_none_or(|before| newest(game) < before));
        let cached = before.is_none() && limit <= CACHED;
        let games = bounded("history store", async {
            let read = |limit| self.history.recent(user, Page { limit, before });
            if cached {
                self.cached(CacheKey::Recent(user.clone()), read(CACHED)).await
            } else {
                read(limit).await
            }
        });
        together(limit, held, or_empty(games.await), newest)
    }

    /// The popular games: live ones if there are any.
    pub async fn popular(&self, limit: u32) -> PopularGames {
        let live = self.preview.top(limit as usize);
        if !live.is_empty() {
            return PopularGames::Live(live);
        }
        let held = self.games.just_finished_games(None);
        let games = bounded("history store", async {
            if limit <= CACHED {
                self.cached(CacheKey::PopularFinished, self.history.popular(CACHED))
                    .await
            } else {
                self.history.popular(limit).await
            }
        });
        PopularGames::Finished(together(limit, held, or_empty(games.await), most_watched))
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

/// The order of recent games, its last first.
fn newest(game: &FinishedGameSummary) -> (Millis, GameId) {
    (game.ended_at, game.id)
}

/// The order of popular games, its last first.
fn most_watched(game: &FinishedGameSummary) -> (u32, Millis, GameId) {
    (game.peak_spectators, game.ended_at, game.id)
}

/// The first of both, each game once.
fn together<K: Ord>(
    limit: u32,
    held: impl IntoIterator<Item = FinishedGameSummary>,
    stored: Vec<FinishedGameSummary>,
    order: impl Fn(&FinishedGameSummary) -> K,
) -> Vec<FinishedGameSummary> {
    let mut games = stored;
    for game in held {
        if games.iter().all(|known| known.id != game.id) {
            games.push(game);
        }
    }
    games.sort_by_cached_key(|game| std::cmp::Reverse(order(game)));
    games.truncate(limit as usize);
    games
}

fn or_empty<T>(games: Result<Vec<T>, Unavailable>) -> Vec<T> {
    games.unwrap_or_else(|error| {
        tracing::warn!(%error, "a list is empty for now");
        Vec::new()
    })
}
