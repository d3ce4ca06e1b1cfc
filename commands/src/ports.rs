//! What the write side needs from outside: the log, a place for events that the log could not take, the other
//! services' heartbeats, time, somebody who measures. Each is a trait here, with its contract in its docs; adapters live
//! in their own crates and pass the contract suites in `testkit`.

pub mod clock;
pub mod log;
pub mod meter;
pub mod pending;
pub mod seeds;
pub mod services;

pub use clock::{Clock, Moment, Monotonic};
pub use log::{AppendError, EventLog, Link, LogEntry, LogIdentity, LogInfo, Outgoing};
pub use meter::{Answered, Meter, Published};
pub use pending::{PendingGame, PendingItem, PendingStore};
pub use seeds::ServerSeeds;
pub use services::{Heartbeat, Heartbeats, Process, ServiceKeys};

/// A store or server could not answer. It is the operator's trouble, never the player's mistake.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{what} is not available: {why}")]
pub struct Unavailable {
    /// Which one, such as `"valkey"`.
    pub what: &'static str,
    /// What it said.
    pub why: String,
}

impl Unavailable {
    /// `what` did not answer because of `why`.
    pub fn new(what: &'static str, why: impl std::fmt::Display) -> Self {
        Self {
            what,
            why: why.to_string(),
        }
    }
}
