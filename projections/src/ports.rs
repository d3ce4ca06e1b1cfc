//! What the read side needs from outside: readers of the log, the live store, the history store, caches, dead letters,
//! the counts of spectators elsewhere.

pub mod cache;
pub mod dead_letters;
pub mod history;
pub mod live;
pub mod pages;
pub mod reader;
pub mod repair;
pub mod spectators;

pub use cache::{Cache, CacheKey, FillToken};
pub use dead_letters::{DeadLetter, DeadLetters};
pub use history::{HistoryError, HistoryStore, Page};
pub use live::{LiveBatch, LiveSet, LiveStore, SnapshotStatus, SnapshotWrite, StoredSnapshot};
pub use pages::{LogPages, PAGE_BYTES, RawEntry, Wanted};
pub use reader::{LogCursor, LogFilter, LogReader};
pub use repair::{HistoryRepair, LiveRepair, LogEraser, Merged, Merging};
pub use spectators::{SpectatorCounts, Watched};

use commands::ports::LogIdentity;
use contract::{EventId, Seq};
use serde::{Deserialize, Serialize};

/// How far a store has come. It lives in the store and moves with the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The last sequence whose effect is in the store.
    pub seq: Seq,
    /// The id of the event there; `None` at 0.
    pub event_id: Option<EventId>,
    /// On which log.
    pub log: LogIdentity,
}

/// What became of a conditional write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Done; data and checkpoint moved together.
    Done,
    /// Another process runs this projector now.
    LostToken,
    /// The stored checkpoint is not where this batch starts: read it again.
    MovedCheckpoint,
}
