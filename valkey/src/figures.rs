//! How calls went, for operators.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What came of all calls since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Calls that were answered.
    pub answered: u64,
    /// Calls that were not, or not in time, or by an error.
    pub failed: u64,
    /// How long they took, all together.
    pub took: Duration,
}

/// The sums. Relaxed: they are only ever read as figures.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    answered: AtomicU64,
    failed: AtomicU64,
    took_micros: AtomicU64,
}

impl Tally {
    /// Adds a call.
    pub(crate) fn add(&self, answered: bool, took: Duration) {
        let calls = if answered { &self.answered } else { &self.failed };
        calls.fetch_add(1, Ordering::Relaxed);
        self.took_micros
            .fetch_add(took.as_micros() as u64, Ordering::Relaxed);
    }

    /// The sums so far.
    pub(crate) fn figures(&self) -> Figures {
        Figures {
            answered: self.answered.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            took: Duration::from_micros(self.took_micros.load(Ordering::Relaxed)),
        }
    }
}
