//! Whether the log answers. While it does not, nothing is sent but one probe: an unanswered publish costs the client
//! memory for ever, and everything that was sent may still land.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// After this many unanswered publishes in a row nothing more is sent.
const UNANSWERED_LIMIT: u32 = 3;

/// What is known of the log's health.
#[derive(Debug, Default)]
pub struct Health {
    up: AtomicBool,
    unanswered: AtomicU32,
    held_back: AtomicBool,
}

impl Health {
    /// Whether events may be sent.
    pub fn is_open(&self) -> bool {
        self.up.load(Ordering::Acquire)
            && self.unanswered.load(Ordering::Acquire) < UNANSWERED_LIMIT
            && !self.held_back.load(Ordering::Acquire)
    }

    /// Keeps everything back, however healthy the log is.
    pub fn hold_back(&self, held_back: bool) {
        self.held_back.store(held_back, Ordering::Release);
    }

    /// Whether there is a connection.
    pub fn is_up(&self) -> bool {
        self.up.load(Ordering::Acquire)
    }

    /// The connection came or went.
    pub fn set_up(&self, up: bool) {
        self.up.store(up, Ordering::Release);
        self.unanswered.store(0, Ordering::Release);
    }

    /// The log answered something. True if nothing was sent before because it did not: the queues that stopped must be
    /// moved again.
    pub fn answered(&self) -> bool {
        self.unanswered.swap(0, Ordering::AcqRel) >= UNANSWERED_LIMIT
    }

    /// A call had no answer.
    pub fn unanswered(&self) {
        // Saturating is not needed: the count stops at the limit, since nothing is sent any more.
        self.unanswered.fetch_add(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_unanswered_calls_close_it_and_one_answer_opens_it() {
        let health = Health::default();
        assert!(!health.is_open());
        health.set_up(true);
        for _ in 0..3 {
            assert!(health.is_open());
            health.unanswered();
        }
        assert!(!health.is_open());
        assert!(health.answered());
        assert!(health.is_open());
        assert!(!health.answered());
        health.set_up(false);
        assert!(!health.is_open());
    }
}
