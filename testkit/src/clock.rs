//! A clock that only a test turns.

use std::sync::Arc;

use async_trait::async_trait;
use commands::ports::{Clock, Monotonic};
use contract::Millis;
use tokio::sync::watch;

/// Stands still until [`advance`](FakeClock::advance)d; both of its times move together.
#[derive(Debug)]
pub struct FakeClock {
    start: Millis,
    elapsed: watch::Sender<i64>,
    /// When each of those who sleep wants to be woken.
    sleepers: watch::Sender<Vec<i64>>,
}

impl FakeClock {
    /// A clock that shows `start`; its monotonic time is 0.
    pub fn at(start: Millis) -> Arc<Self> {
        Arc::new(Self {
            start,
            elapsed: watch::Sender::new(0),
            sleepers: watch::Sender::new(Vec::new()),
        })
    }

    /// Moves it on by `ms` milliseconds. Sleepers whose time has come are woken, all at once: step by the shortest
    /// length of interest if what they do in between matters.
    pub fn advance(&self, ms: u64) {
        self.elapsed.send_modify(|elapsed| *elapsed += ms as i64);
    }

    /// How many tasks sleep on it now, those included that were just woken and have not run yet.
    pub fn sleepers(&self) -> usize {
        self.sleepers.borrow().len()
    }

    /// How many of them have not run yet although their time has come.
    pub fn overdue(&self) -> usize {
        let elapsed = *self.elapsed.borrow();
        self.sleepers
            .borrow()
            .iter()
            .filter(|until| **until <= elapsed)
            .count()
    }

    /// Returns as soon as at least `count` tasks sleep on it: the way to let tasks reach their next sleep before the
    /// clock is moved again.
    pub async fn until_sleeping(&self, count: usize) {
        let mut sleepers = self.sleepers.subscribe();
        sleepers
            .wait_for(|now| now.len() >= count)
            .await
            .expect("the sender lives as long as the clock");
    }
}

#[async_trait]
impl Clock for FakeClock {
    fn now(&self) -> Millis {
        self.start.plus(*self.elapsed.borrow())
    }

    fn monotonic(&self) -> Monotonic {
        Monotonic(*self.elapsed.borrow())
    }

    async fn sleep(&self, ms: u64) {
        let mut elapsed = self.elapsed.subscribe();
        let until = *elapsed.borrow() + ms as i64;
        let _asleep = Asleep::new(&self.sleepers, until);
        elapsed
            .wait_for(|now| *now >= until)
            .await
            .expect("the sender lives as long as the clock");
    }
}

/// Counts a sleeper for as long as it sleeps, also when its future is dropped.
struct Asleep<'a> {
    sleepers: &'a watch::Sender<Vec<i64>>,
    until: i64,
}

impl<'a> Asleep<'a> {
    fn new(sleepers: &'a watch::Sender<Vec<i64>>, until: i64) -> Self {
        sleepers.send_modify(|all| all.push(until));
        Self { sleepers, until }
    }
}

impl Drop for Asleep<'_> {
    fn drop(&mut self) {
        self.sleepers.send_modify(|all| {
            if let Some(own) = all.iter().position(|until| *until == self.until) {
                all.swap_remove(own);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test]
    async fn a_sleeper_wakes_when_its_time_has_come_and_not_before() {
        let clock = FakeClock::at(Millis(1_000));
        let mut sleep = clock.sleep(20);
        assert!(sleep.as_mut().now_or_never().is_none());
        clock.advance(19);
        assert!(sleep.as_mut().now_or_never().is_none());
        assert_eq!(clock.overdue(), 0);
        clock.advance(1);
        assert_eq!(clock.overdue(), 1);
        assert!(sleep.now_or_never().is_some());
        assert_eq!(clock.overdue(), 0);
        assert_eq!((clock.now(), clock.monotonic()), (Millis(1_020), Monotonic(20)));
    }

    #[tokio::test]
    async fn a_dropped_sleeper_is_not_counted() {
        let clock = FakeClock::at(Millis(0));
        let mut sleep = clock.sleep(20);
        assert!(sleep.as_mut().now_or_never().is_none());
        clock.until_sleeping(1).await;
        drop(sleep);
        assert_eq!(clock.sleepers(), 0);
    }
}
