//! How often one address may do something.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::time::Instant;

use super::LimitError;

/// When this many addresses are remembered, those that have been quiet are forgotten.
const MANY_ADDRESSES: usize = 10_000;

/// An address as it is counted: an IPv6 user has a whole /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Neighbour(IpAddr);

impl Neighbour {
    pub(super) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

/// When to forget the quiet ones: not at each call while many are busy, or each call would look at all of them.
#[derive(Debug)]
struct Tidying(AtomicUsize);

impl Tidying {
    fn new() -> Self {
        Self(AtomicUsize::new(MANY_ADDRESSES))
    }

    fn is_due(&self, remembered: usize) -> bool {
        remembered > self.0.load(Ordering::Relaxed)
    }

    fn done(&self, remembered: usize) {
        self.0
            .store(MANY_ADDRESSES.max(2 * remembered), Ordering::Relaxed);
    }
}

/// So many times in a time, for each address.
#[derive(Debug)]
pub(super) struct AddressRate {
    limiter: DefaultKeyedRateLimiter<Neighbour>,
    tidying: Tidying,
}

impl AddressRate {
    pub(super) fn new(quota: Quota) -> Self {
        Self {
            limiter: RateLimiter::keyed(quota),
            tidying: Tidying::new(),
        }
    }

    pub(super) fn count(&self, address: IpAddr) -> Result<(), LimitError> {
        if self.tidying.is_due(self.limiter.len()) {
            self.limiter.retain_recent();
            self.tidying.done(self.limiter.len());
        }
        self.limiter
            .check_key(&Neighbour::of(address))
            .map_err(|not_until| {
                let wait = not_until.wait_time_from(DefaultClock::default().now());
                LimitError::RateLimited {
                    retry_after_ms: wait.as_millis() as u64,
                }
            })
    }
}

/// What went wrong of late, for each address: so many failures at once, then one each time that one is forgiven. Apart
/// from [`AddressRate`], since whether there is room is asked before it is known that something will fail.
#[derive(Debug)]
pub(super) struct Failures {
    most: NonZeroU32,
    /// When all is forgiven.
    forgiven: Mutex<HashMap<Neighbour, Instant>>,
    tidying: Tidying,
}

impl Failures {
    pub(super) fn new(per_minute: NonZeroU32) -> Self {
        Self {
            most: per_minute,
            forgiven: Mutex::default(),
            tidying: Tidying::new(),
        }
    }

    /// How long one failure is remembered.
    fn each(&self) -> Duration {
        Duration::from_mins(1) / self.most.get()
    }

    pub(super) fn check(&self, address: IpAddr) -> Result<(), LimitError> {
        let forgiven = self.forgiven.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = forgiven.get(&Neighbour::of(address)) else {
            return Ok(());
        };
        // Full when another failure would not fit into a minute.
        let wait = (*at + self.each()).saturating_duration_since(Instant::now() + Duration::from_mins(1));
        if wait.is_zero() {
            return Ok(());
        }
        Err(LimitError::RateLimited {
            retry_after_ms: wait.as_millis() as u64 + 1,
        })
    }

    pub(super) fn count(&self, address: IpAddr) {
        let now = Instant::now();
        let mut forgiven = self.forgiven.lock().unwrap_or_else(PoisonError::into_inner);
        if self.tidying.is_due(forgiven.len()) {
            forgiven.retain(|_, at| *at > now);
            self.tidying.done(forgiven.len());
        }
        let at = forgiven.entry(Neighbour::of(address)).or_insert(now);
        *at = now.max(*at) + self.each();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

    #[tokio::test(start_paused = true)]
    async fn failures_are_forgiven_one_after_the_other() {
        let failures = Failures::new(NonZeroU32::new(6).expect("not zero"));
        for n in 0..6 {
            assert_eq!(failures.check(HERE), Ok(()), "failure {n}");
            failures.count(HERE);
        }
        let Err(LimitError::RateLimited { retry_after_ms }) = failures.check(HERE) else {
            panic!("the seventh in a minute");
        };
        assert!((9_000..=10_001).contains(&retry_after_ms), "{retry_after_ms}");
        assert_eq!(failures.check(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2))), Ok(()));
        tokio::time::advance(Duration::from_millis(retry_after_ms)).await;
        assert_eq!(failures.check(HERE), Ok(()));
        failures.count(HERE);
        assert!(failures.check(HERE).is_err(), "only one was forgiven");
        tokio::time::advance(Duration::from_mins(1)).await;
        (0..6).for_each(|_| failures.count(HERE));
        assert!(failures.check(HERE).is_err());
    }

    #[test]
    fn addresses_that_have_been_quiet_are_forgotten_without_looking_at_all_each_time() {
        let tidying = Tidying::new();
        assert!(!tidying.is_due(MANY_ADDRESSES) && tidying.is_due(MANY_ADDRESSES + 1));
        tidying.done(MANY_ADDRESSES + 1);
        assert!(
            !tidying.is_due(MANY_ADDRESSES + 2),
            "nearly all of them were busy"
        );
        tidying.done(3);
        assert!(tidying.is_due(MANY_ADDRESSES + 1));
    }
}
