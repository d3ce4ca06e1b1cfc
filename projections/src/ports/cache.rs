//! Short-lived copies of lists.

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::Unavailable;
use contract::{Players, UserId};

/// What is cached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CacheKey {
    /// The popular finished games, twenty of them.
    PopularFinished,
    /// A user's last twenty games.
    Recent(UserId),
}

impl CacheKey {
    /// The lists that a finished game of these players is in.
    pub fn of_players(players: &Players) -> Vec<Self> {
        let users = [&players.player1.user_id, &players.player2.user_id];
        std::iter::once(Self::PopularFinished)
            .chain(users.into_iter().cloned().map(Self::Recent))
            .collect()
    }
}

/// Says when a fill began, so that one begun before a deletion is discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillToken(pub u64);

/// The cache. Calls are bounded by 100 ms and fail at once while it is disconnected; a failure is a miss.
#[async_trait]
pub trait Cache: Send + Sync + 'static {
    /// The value, or the token to fill it with.
    async fn get(&self, key: &CacheKey) -> Result<Result<Bytes, FillToken>, Unavailable>;

    /// Keeps a value for ten seconds, unless the key was deleted since the token was given.
    async fn fill(&self, key: &CacheKey, token: FillToken, value: Bytes) -> Result<(), Unavailable>;

    /// Forgets keys, and fills of them that have begun.
    async fn delete(&self, keys: &[CacheKey]) -> Result<(), Unavailable>;
}
