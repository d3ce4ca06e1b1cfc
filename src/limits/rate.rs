//! What one socket may send: so many frames a second, and for those who do not listen, an end.

use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

use crate::config::LimitsConfig;

/// Pings and protocol frames cost nothing of a socket's own allowance, but are not endless either.
const ALL_FRAMES_FACTOR: u32 = 5;

/// What to do with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Take it.
    Take,
    /// Tell its sender that it was too many.
    Refuse,
    /// Close the socket: it goes on and on.
    Close,
}

type Bucket<C> = RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// A socket's allowance.
pub struct SocketRate<C: Clock = DefaultClock> {
    commands: Bucket<C>,
    all: Bucket<C>,
    refusals: Bucket<C>,
}

impl SocketRate {
    /// The allowance as configured.
    pub fn new(config: &LimitsConfig) -> Self {
        Self::with_clock(config, &DefaultClock::default())
    }
}

impl<C: Clock + Clone> SocketRate<C> {
    /// The same on another clock.
    pub fn with_clock(config: &LimitsConfig, clock: &C) -> Self {
        let bucket = |factor: u32| {
            let times = |n: NonZeroU32| n.saturating_mul(NonZeroU32::new(factor).unwrap_or(NonZeroU32::MIN));
            let quota =
                Quota::per_second(times(config.frames_per_second)).allow_burst(times(config.frames_burst));
            RateLimiter::direct_with_clock(quota, clock.clone())
        };
        Self {
            commands: bucket(1),
            all: bucket(ALL_FRAMES_FACTOR),
            refusals: bucket(1),
        }
    }

    /// A ping or a frame of the protocol itself came.
    pub fn free_frame(&self) -> Verdict {
        self.judge(self.all.check().is_ok())
    }

    /// Any other frame came.
    pub fn frame(&self) -> Verdict {
        self.judge(self.all.check().is_ok() && self.commands.check().is_ok())
    }

    fn judge(&self, allowed: bool) -> Verdict {
        match allowed {
            true => Verdict::Take,
            false if self.refusals.check().is_ok() => Verdict::Refuse,
            false => Verdict::Close,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests_support::limits;
    use governor::clock::FakeRelativeClock;
    use std::time::Duration;

    fn verdicts(rate: &SocketRate<FakeRelativeClock>, n: usize) -> Vec<Verdict> {
        (0..n).map(|_| rate.frame()).collect()
    }

    #[test]
    fn a_burst_is_taken_then_refused_then_closed() {
        let rate = SocketRate::with_clock(&limits(), &FakeRelativeClock::default());
        let seen = verdicts(&rate, 81);
        assert!(seen[..40].iter().all(|v| *v == Verdict::Take));
        assert!(seen[40..80].iter().all(|v| *v == Verdict::Refuse));
        assert_eq!(seen[80], Verdict::Close);
    }

    #[test]
    fn whoever_keeps_to_the_rate_is_never_refused() {
        let clock = FakeRelativeClock::default();
        let rate = SocketRate::with_clock(&limits(), &clock);
        for _ in 0..1000 {
            assert_eq!(rate.frame(), Verdict::Take);
            clock.advance(Duration::from_millis(50));
        }
    }

    #[test]
    fn pings_cost_nothing_of_the_allowance_but_are_not_endless() {
        let rate = SocketRate::with_clock(&limits(), &FakeRelativeClock::default());
        assert!((0..100).all(|_| rate.free_frame() == Verdict::Take));
        assert!(verdicts(&rate, 40).iter().all(|v| *v == Verdict::Take));
        assert!((0..200).any(|_| rate.free_frame() == Verdict::Close));
    }
}
