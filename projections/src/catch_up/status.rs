//! How a projector is doing, for `status`, metrics, and whoever waits for it.

use contract::Seq;
use serde::Serialize;
use tokio::sync::watch;

/// What a projector is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(tag = "state", content = "why", rename_all = "camelCase")]
pub enum ProjectorState {
    /// It has not begun.
    #[default]
    Starting,
    /// It reads and writes.
    Running,
    /// Another process runs it.
    HeldElsewhere,
    /// The log or the store is away, or it failed; it tries again.
    Waiting(String),
    /// It was told to stop.
    Stopped,
}

/// What a projector met since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Events that changed something.
    pub applied: u64,
    /// Events whose effect was there already.
    pub repeated: u64,
    /// Events that were passed over: of games that are parked or do not fold, and what cannot be read.
    pub skipped: u64,
    /// Events that came without the one before them.
    pub holes: u64,
    /// Events that carry the whole state in place of others.
    pub anchored: u64,
    /// Games that were refolded from their own messages: holes, other chains, stores that came back older.
    pub refolded: u64,
    /// Snapshots that lay on another chain than the log's and were put aside.
    pub other_chains: u64,
    /// Snapshots ahead of the log, left for their owner to anchor.
    pub ahead: u64,
    /// Games whose own messages do not fold: left as they are.
    pub broken: u64,
    /// Games that newer code wrote: left untouched.
    pub parked: u64,
    /// Events that went to the dead letters.
    pub dead_letters: u64,
    /// Times that the store had no checkpoint: it was new, or came back empty.
    pub empty: u64,
    /// Checkpoints that were not the log's.
    pub doubts: u64,
    /// Readers that fell silent.
    pub reopened: u64,
}

/// How a projector is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectorStatus {
    /// What it is doing.
    #[serde(flatten)]
    pub state: ProjectorState,
    /// The last sequence whose effect is in its store; not known before the store was asked.
    pub checkpoint: Option<Seq>,
    /// The log's end when it last asked.
    pub end: Seq,
    /// What it met.
    pub counts: Counts,
}

impl ProjectorStatus {
    /// How many messages it is behind; not known before it has begun.
    pub fn lag(&self) -> Option<u64> {
        Some(self.end.saturating_sub(self.checkpoint?))
    }
}

/// The status, as it changes.
#[derive(Debug)]
pub struct Progress {
    name: &'static str,
    status: watch::Sender<ProjectorStatus>,
}

impl Progress {
    /// Of the projector called `name`.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            status: watch::Sender::default(),
        }
    }

    /// The projector's name, as in dead letters.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The status now.
    pub fn status(&self) -> ProjectorStatus {
        self.status.borrow().clone()
    }

    /// The status from now on.
    pub fn subscribe(&self) -> watch::Receiver<ProjectorStatus> {
        self.status.subscribe()
    }

    pub(crate) fn is_now(&self, state: ProjectorState) {
        self.status.send_if_modified(|status| {
            let changed = status.state != state;
            status.state = state;
            changed
        });
    }

    /// The store has come to `checkpoint`, of a log that ends at `end`.
    pub(crate) fn reached(&self, checkpoint: Seq, end: Seq) {
        self.status.send_modify(|status| {
            status.checkpoint = Some(checkpoint);
            status.end = end.max(checkpoint);
        });
    }

    /// The store has come to `checkpoint`.
    pub(crate) fn stored(&self, checkpoint: Seq) {
        self.status.send_modify(|status| {
            status.checkpoint = Some(checkpoint);
            status.end = status.end.max(checkpoint);
        });
    }

    pub(crate) fn end_is(&self, end: Seq) {
        self.status.send_modify(|status| status.end = end);
    }

    pub(crate) fn count(&self, add: impl FnOnce(&mut Counts)) {
        self.status.send_modify(|status| add(&mut status.counts));
    }
}
