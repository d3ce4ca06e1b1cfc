//! How far a long work is, and whether it shall stop.

use commands::ports::Unavailable;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Amount {
    /// What it is doing, in a word or two.
    pub phase: &'static str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is, where that is known.
    pub total: Option<u64>,
}

/// Why a work ended before it was done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Stopped {
    /// It was told to.
    #[error("stopped, as it was told to")]
    Cancelled,
    /// Another one is at it, or came in between.
    #[error("{0}")]
    Busy(String),
    /// What was asked for cannot be done.
    #[error("{0}")]
    Refused(String),
    /// The log or a store is away.
    #[error("{0}")]
    Unavailable(String),
}

impl From<Unavailable> for Stopped {
    fn from(error: Unavailable) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// A work under way.
#[derive(Debug)]
pub struct Work {
    amount: watch::Sender<Amount>,
    cancel: CancellationToken,
}

impl Work {
    /// One that stops when `cancel` is cancelled.
    pub fn new(cancel: CancellationToken) -> Self {
        Self {
            amount: watch::Sender::default(),
            cancel,
        }
    }

    /// Cancelled when it shall stop.
    pub fn cancelled(&self) -> CancellationToken {
        self.cancel.clone()
    }

    /// How far it is, from now on.
    pub fn subscribe(&self) -> watch::Receiver<Amount> {
        self.amount.subscribe()
    }

    /// Begins another part of it.
    pub(super) fn phase(&self, phase: &'static str, total: Option<u64>) {
        self.amount.send_replace(Amount {
            phase,
            done: 0,
            total,
        });
    }

    /// The part has become, or is known to be, so long.
    pub(super) fn is_of(&self, total: u64) {
        self.amount.send_modify(|amount| amount.total = Some(total));
    }

    /// So much of the part is done.
    pub(super) fn is_at(&self, done: u64) {
        self.amount.send_modify(|amount| amount.done = done);
    }

    /// So much more of it is.
    pub(super) fn did(&self, more: u64) {
        self.amount.send_modify(|amount| amount.done += more);
    }

    /// Asked between two steps, each of which leaves everything in order.
    pub(super) fn go_on(&self) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            Err(Stopped::Cancelled)
        } else {
            Ok(())
        }
    }
}
