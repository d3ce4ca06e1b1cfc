//! Reading the log in order.

use async_trait::async_trait;
use commands::ports::{LogEntry, Unavailable};
use contract::Seq;

/// Which messages a cursor returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogFilter {
    /// All of them.
    All,
    /// `ended` ones.
    Ended,
}

/// Opens cursors.
#[async_trait]
pub trait LogReader: Send + Sync + 'static {
    /// A cursor over the messages with a sequence above `after`, in order, without a hole, that leaves nothing behind
    /// when it is dropped.
    async fn open(&self, after: Seq, filter: LogFilter) -> Result<Box<dyn LogCursor>, Unavailable>;
}

/// A place in the log.
#[async_trait]
pub trait LogCursor: Send {
    /// Up to `max` further messages: as soon as there is at least one, or none after `wait_ms`. An error, and a long
    /// silence while the log's end is further on, mean: open a new one.
    async fn next(&mut self, max: usize, wait_ms: u64) -> Result<Vec<LogEntry>, Unavailable>;

    /// It has read at least so far, by all that it has returned: between the last message that it returned and here there
    /// is none that it lets through. Messages of a kind that only newer code knows are let through by none.
    fn passed(&self) -> Seq {
        0
    }
}
