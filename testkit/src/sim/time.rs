//! The time of the simulation, and of each process in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{Clock, Monotonic};
use contract::Millis;
use tokio::time::Instant;

use super::Life;

/// The runtime's paused time, as milliseconds. It is also a [`Clock`] for whoever runs on another thread: as of the last
/// [`show`](Time::show).
#[derive(Debug)]
pub struct Time {
    start: Millis,
    origin: Instant,
    shown: AtomicI64,
}

impl Time {
    /// It is `start` now. To be called in the simulation's runtime.
    pub fn from(start: Millis) -> Arc<Self> {
        Arc::new(Self {
            start,
            origin: Instant::now(),
            shown: AtomicI64::new(0),
        })
    }

    /// Milliseconds since the start.
    pub fn elapsed(&self) -> i64 {
        self.origin.elapsed().as_millis() as i64
    }

    /// Lets other threads see what time it is.
    pub fn show(&self) {
        self.shown.store(self.elapsed(), Ordering::Relaxed);
    }
}

#[async_trait]
impl Clock for Time {
    fn now(&self) -> Millis {
        self.start.plus(self.shown.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Monotonic {
        Monotonic(self.shown.load(Ordering::Relaxed))
    }

    /// Never returns: no adapter waits for a time.
    async fn sleep(&self, _ms: u64) {
        std::future::pending::<()>().await;
    }
}

/// The clock of one process: it goes on while the process is frozen, and wakes nobody meanwhile.
#[derive(Debug)]
pub struct LifeClock {
    time: Arc<Time>,
    life: Life,
}

impl LifeClock {
    /// The clock of the process of that life.
    pub fn new(time: Arc<Time>, life: Life) -> Arc<Self> {
        Arc::new(Self { time, life })
    }
}

#[async_trait]
impl Clock for LifeClock {
    fn now(&self) -> Millis {
        self.time.start.plus(self.time.elapsed())
    }

    fn monotonic(&self) -> Monotonic {
        Monotonic(self.time.elapsed())
    }

    async fn sleep(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        self.life.pass().await;
    }
}
