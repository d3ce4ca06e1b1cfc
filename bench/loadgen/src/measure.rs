//! What is counted while games are played.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::time::Instant;

use crate::report::Percentiles;

/// Longer than any deadline, in microseconds.
const LONGEST_US: u64 = 60_000_000;

/// Durations, to three digits.
pub struct Durations(Mutex<Histogram<u64>>);

impl Default for Durations {
    fn default() -> Self {
        let empty = Histogram::new_with_bounds(1, LONGEST_US, 3)
            .expect("1 to 60,000,000 in three digits is possible");
        Self(Mutex::new(empty))
    }
}

impl Durations {
    /// Adds one.
    pub fn add(&self, duration: Duration) {
        let micros = (duration.as_nanos() / 1000) as u64;
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .saturating_record(micros);
    }

    /// What they are like; nothing if there are none.
    pub fn percentiles(&self) -> Option<Percentiles> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (!all.is_empty()).then(|| Percentiles {
            count: all.len(),
            p50_us: all.value_at_quantile(0.5),
            p90_us: all.value_at_quantile(0.9),
            p99_us: all.value_at_quantile(0.99),
            p999_us: all.value_at_quantile(0.999),
            max_us: all.max(),
        })
    }
}

/// A count, over all tables.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// One more.
    pub fn up(&self) {
        self.add(1);
    }

    /// So many more.
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// How many.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// All counts of a run.
#[derive(Default)]
pub struct Tally {
    /// From the send of a move until both players had it.
    pub round_trips: Durations,
    /// Those moves.
    pub moves: Count,
    /// Games that ended.
    pub finished: Count,
    /// Moves that were not sent when they were due, as the one before was not seen yet.
    pub late: Count,
    /// Frames that spectators got.
    pub delivered: Count,
    /// From the loss of a socket until its player had the game again.
    pub returns: Durations,
    /// What went wrong.
    pub errors: Errors,
}

/// What went wrong: how often, and the first of it.
#[derive(Debug, Default)]
pub struct Errors {
    count: Count,
    first: Mutex<Option<String>>,
}

impl Errors {
    /// One more.
    pub fn add(&self, error: &anyhow::Error) {
        self.count.up();
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| format!("{error:#}"));
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// The first.
    pub fn first(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The time in which moves count.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// From then on.
    pub from: Instant,
    /// Until then.
    pub to: Instant,
}

impl Window {
    /// After `warm_up` from now, so long.
    pub fn after(warm_up: Duration, length: Duration) -> Self {
        let from = Instant::now() + warm_up;
        Self {
            from,
            to: from + length,
        }
    }

    /// Whether what happened then counts.
    pub fn has(&self, then: Instant) -> bool {
        (self.from..self.to).contains(&then)
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.to
    }
}
