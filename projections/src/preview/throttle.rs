//! When the next frame may be sent: pure.

use commands::ports::Monotonic;

/// At most one frame in each period.
#[derive(Debug)]
pub(super) struct Throttle {
    period_ms: i64,
    last: Option<Monotonic>,
}

impl Throttle {
    pub(super) fn every(period_ms: i64) -> Self {
        Self {
            period_ms,
            last: None,
        }
    }

    /// How long to wait at `now` before sending.
    pub(super) fn wait_ms(&self, now: Monotonic) -> u64 {
        self.last
            .map_or(0, |last| (self.period_ms - now.since(last)).max(0) as u64)
    }

    /// A frame was sent at `now`.
    pub(super) fn sent(&mut self, now: Monotonic) {
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_goes_at_once_and_the_next_a_period_later() {
        let mut throttle = Throttle::every(1_000);
        assert_eq!(throttle.wait_ms(Monotonic(7)), 0);
        throttle.sent(Monotonic(7));
        assert_eq!(throttle.wait_ms(Monotonic(7)), 1_000);
        assert_eq!(throttle.wait_ms(Monotonic(600)), 407);
        assert_eq!(throttle.wait_ms(Monotonic(1_007)), 0);
        assert_eq!(throttle.wait_ms(Monotonic(9_000)), 0);
    }
}
