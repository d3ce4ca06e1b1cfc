//! How long to wait, and when a silent reader is believed to be broken: pure decisions.

use commands::ports::Monotonic;
use contract::Seq;

const FIRST_BACKOFF_MS: u64 = 100;
const MOST_BACKOFF_MS: u64 = 30_000;
/// So long may a reader say nothing while the log goes on.
const STALLED_AFTER_MS: i64 = 5_000;

/// The wait after the `failures`-th failure in a row, from 0.
pub(super) fn backoff_ms(failures: u32) -> u64 {
    FIRST_BACKOFF_MS
        .saturating_mul(1 << failures.min(16))
        .min(MOST_BACKOFF_MS)
}

/// Watches a reader that may fall silent without an error, as consumers do after a server's restart.
#[derive(Debug, Default)]
pub(super) struct Stall {
    /// Where it stood behind the end, and since when.
    behind: Option<(Seq, Monotonic)>,
}

impl Stall {
    /// Whether the reader at `position` has stood still behind the log's `end` for too long.
    pub(super) fn is_stalled(&mut self, now: Monotonic, position: Seq, end: Seq) -> bool {
        if position >= end {
            self.behind = None;
            return false;
        }
        match self.behind {
            Some((at, since)) if at == position => {
                let stalled = now.since(since) >= STALLED_AFTER_MS;
                if stalled {
                    self.behind = None;
                }
                stalled
            }
            _ => {
                self.behind = Some((position, now));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_thirty_seconds() {
        let waits: Vec<_> = (0..12).map(backoff_ms).collect();
        assert_eq!(waits[..4], [100, 200, 400, 800]);
        assert!(waits.is_sorted());
        assert_eq!((backoff_ms(9), backoff_ms(u32::MAX)), (30_000, 30_000));
    }

    #[test]
    fn a_reader_that_stands_still_behind_the_end_is_stalled_after_a_while() {
        let mut stall = Stall::default();
        assert!(!stall.is_stalled(Monotonic(0), 5, 9));
        assert!(!stall.is_stalled(Monotonic(4_999), 5, 9));
        assert!(stall.is_stalled(Monotonic(5_000), 5, 12));
        assert!(
            !stall.is_stalled(Monotonic(5_001), 5, 12),
            "a new reader has its own time"
        );
    }

    #[test]
    fn a_reader_that_moves_or_is_at_the_end_is_not_stalled() {
        let mut stall = Stall::default();
        assert!(!stall.is_stalled(Monotonic(0), 5, 9));
        assert!(!stall.is_stalled(Monotonic(6_000), 6, 9));
        assert!(!stall.is_stalled(Monotonic(12_000), 9, 9));
        assert!(!stall.is_stalled(Monotonic(18_000), 9, 10));
    }
}
