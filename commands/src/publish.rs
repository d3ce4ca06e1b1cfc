//! How a game's events reach the log: a pure state machine per game ([`queue`]), whether the log answers ([`health`]),
//! and the task that moves one game's queue ([`driver`]).

pub mod health;
pub mod queue;

pub use queue::{Next, PublishQueue, Queued, Resolved};
