//! How calls went, for operators: what was slow about them, the wait for a connection or the statement.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What came of all calls since the start, and the connections as they are now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Connections of the pool.
    pub connections: u32,
    /// Of those, the ones that nobody uses.
    pub idle: u32,
    /// The most there may be.
    pub most: u32,
    /// Whether the server is known to be away.
    pub is_away: bool,
    /// How long calls have waited for a connection, all together.
    pub waited: Duration,
    /// How many have waited, those without success included.
    pub waits: u64,
    /// How many got no connection in time.
    pub without_connection: u64,
    /// How long statements have run, all together.
    pub ran: Duration,
    /// Calls that were answered.
    pub answered: u64,
    /// Calls that failed, or that nobody waited for until they were answered.
    pub failed: u64,
    /// Slow calls whose wait for a connection was the longer part.
    pub slow_by_pool: u64,
    /// Slow calls whose statement was the longer part.
    pub slow_by_statement: u64,
}

/// A call that is over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    /// What was asked.
    pub(crate) what: &'static str,
    /// How long it was to take at most.
    pub(crate) limit: Duration,
    /// How long it waited for a connection.
    pub(crate) waited: Duration,
    /// How long its statements ran; `None` if it got no connection.
    pub(crate) ran: Option<Duration>,
    /// Whether it was answered.
    pub(crate) answered: bool,
}

/// The sums.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    waited_micros: AtomicU64,
    waits: AtomicU64,
    without_connection: AtomicU64,
    ran_micros: AtomicU64,
    answered: AtomicU64,
    failed: AtomicU64,
    slow_by_pool: AtomicU64,
    slow_by_statement: AtomicU64,
}

impl Call {
    /// A call is slow when it takes a quarter of the time that it has.
    fn is_slow(&self) -> bool {
        self.waited + self.ran.unwrap_or_default() >= self.limit / 4
    }
}

impl Tally {
    /// Adds a call, and tells of a slow one.
    pub(crate) fn add(&self, call: &Call) {
        let ran = call.ran.unwrap_or_default();
        sum(&self.waited_micros, call.waited);
        sum(&self.ran_micros, ran);
        count(&self.waits);
        if call.ran.is_none() {
            count(&self.without_connection);
        }
        count(if call.answered {
            &self.answered
        } else {
            &self.failed
        });
        if call.is_slow() {
            self.tell(call, ran);
        }
    }

    /// Adds a call that failed at once, as the server is known to be away.
    pub(crate) fn refuse(&self) {
        count(&self.failed);
    }

    fn tell(&self, call: &Call, ran: Duration) {
        let (slow, counted) = if call.waited > ran {
            ("the wait for a connection", &self.slow_by_pool)
        } else {
            ("the statement", &self.slow_by_statement)
        };
        count(counted);
        tracing::warn!(
            call = call.what,
            waited_ms = call.waited.as_millis() as u64,
            ran_ms = ran.as_millis() as u64,
            answered = call.answered,
            "a slow call to the database: {slow} took most of the time"
        );
    }

    /// The sums so far.
    pub(crate) fn figures(&self) -> Figures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Figures {
            waited: Duration::from_micros(read(&self.waited_micros)),
            waits: read(&self.waits),
            without_connection: read(&self.without_connection),
            ran: Duration::from_micros(read(&self.ran_micros)),
            answered: read(&self.answered),
            failed: read(&self.failed),
            slow_by_pool: read(&self.slow_by_pool),
            slow_by_statement: read(&self.slow_by_statement),
            ..Figures::default()
        }
    }
}

// Relaxed: they are only ever read as figures.

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn sum(counter: &AtomicU64, time: Duration) {
    counter.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
}
