//! The log in pages, as it lies there: for those who hand it on and do not play.

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::{LogInfo, Unavailable};
use contract::{GameId, Millis, Seq};

/// Bytes of one page: more than the largest message, and little enough to hold a few of.
pub const PAGE_BYTES: usize = 16 * 1024 * 1024;

/// Which messages are wanted; whatever is `None` is not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Of games of this kind, by its name. It may be a kind that only newer code knows.
    pub kind: Option<String>,
    /// Of this game.
    pub game: Option<GameId>,
    /// Of this name, such as `moved`. It may be one that only newer code knows.
    pub name: Option<String>,
}

/// A message, read without understanding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEntry {
    /// Its place in the log.
    pub seq: Seq,
    /// The kind of the game, as its subject names it.
    pub kind: String,
    /// The game, as its subject names it.
    pub game: String,
    /// The event's name, as its subject names it.
    pub name: String,
    /// The `CloudEvents` document, to the byte.
    pub bytes: Bytes,
}

/// Reads without leaving a trace, and without being in anybody's way.
#[async_trait]
pub trait LogPages: Send + Sync + 'static {
    /// Identity and ends.
    async fn info(&self) -> Result<LogInfo, Unavailable>;

    /// The wanted messages at or above `from`, in order and without a hole, at most `max` and about [`PAGE_BYTES`] of
    /// them. There are none only if the log has none now.
    async fn page(&self, from: Seq, wanted: &Wanted, max: usize) -> Result<Vec<RawEntry>, Unavailable>;

    /// Where to begin so that nothing is left out that was written at or after `time`; behind the log's end if nothing
    /// was.
    async fn at(&self, time: Millis) -> Result<Seq, Unavailable>;

    /// Another number whenever the log may have been replaced since it was last read.
    fn connection(&self) -> u64;
}
