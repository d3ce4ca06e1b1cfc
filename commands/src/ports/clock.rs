//! Time as an input, so that tests can turn it.

use async_trait::async_trait;
use contract::Millis;

/// Milliseconds on a clock that never goes back; its zero has no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Monotonic(pub i64);

impl Monotonic {
    /// Milliseconds from `earlier` to `self`.
    pub fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }
}

/// An instant on both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The time of day: what events are dated with.
    pub now: Millis,
    /// The time for measuring lengths.
    pub monotonic: Monotonic,
}

/// The clock of the service. Deadlines of I/O use the runtime's timer instead; rules and loops use this.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// The time of day.
    fn now(&self) -> Millis;

    /// The time for measuring lengths.
    fn monotonic(&self) -> Monotonic;

    /// Both.
    fn moment(&self) -> Moment {
        Moment {
            now: self.now(),
            monotonic: self.monotonic(),
        }
    }

    /// Returns when `ms` milliseconds have passed on this clock.
    async fn sleep(&self, ms: u64);
}
