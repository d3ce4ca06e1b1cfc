//! Events that a projector can never apply.

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::Unavailable;
use contract::{GameId, Seq};

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// Which projector gave up.
    pub projector: String,
    /// The game.
    pub game: GameId,
    /// Where the event is in the log.
    pub seq: Seq,
    /// Why.
    pub reason: String,
    /// The event's document.
    pub bytes: Bytes,
}

/// Where they go.
#[async_trait]
pub trait DeadLetters: Send + Sync + 'static {
    /// Keeps it; the same projector and sequence once only.
    async fn put(&self, letter: &DeadLetter) -> Result<(), Unavailable>;

    /// How many there are.
    async fn count(&self) -> Result<u64, Unavailable>;

    /// All of them, oldest first, at most `max`.
    async fn list(&self, max: usize) -> Result<Vec<DeadLetter>, Unavailable>;

    /// The one that `projector` gave up at `seq`.
    async fn find(&self, projector: &str, seq: Seq) -> Result<Option<DeadLetter>, Unavailable>;

    /// Forgets it; whether it was there.
    async fn remove(&self, projector: &str, seq: Seq) -> Result<bool, Unavailable>;
}
