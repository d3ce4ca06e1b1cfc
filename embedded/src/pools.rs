//! How much the connections have to do, for operators.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::sqlite::SqlitePool;
use tokio::time::Instant;

use crate::database::Database;

/// One pool, as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// What its connections are for: `writes` or `reads`. In memory there is one for both.
    pub name: &'static str,
    /// How many there are.
    pub connections: u32,
    /// Of those, the ones that nobody uses.
    pub idle: u32,
    /// The most there may be.
    pub most: u32,
    /// How many have waited for one and how long, all together; not known of reads.
    pub waits: Option<(u64, Duration)>,
}

/// The pools of an open database. It can be asked as long as anybody wants to know.
#[derive(Debug, Clone)]
pub struct Pools(pub(crate) Arc<Database>);

impl Pools {
    /// Each of them.
    pub fn now(&self) -> Vec<Pool> {
        self.0.pools()
    }
}

impl Pool {
    pub(crate) fn of(name: &'static str, pool: &SqlitePool, waits: Option<&Waits>) -> Self {
        Self {
            name,
            connections: pool.size(),
            idle: pool.num_idle() as u32,
            most: pool.options().get_max_connections(),
            waits: waits.map(Waits::so_far),
        }
    }
}

/// How long was waited. Relaxed: the sums are only ever read as figures.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    count: AtomicU64,
    micros: AtomicU64,
}

impl Waits {
    /// Waits for a connection and adds how long that took.
    pub(crate) async fn during<T>(&self, waiting: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let got = waiting.await;
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros
            .fetch_add(began.elapsed().as_micros() as u64, Ordering::Relaxed);
        got
    }

    fn so_far(&self) -> (u64, Duration) {
        let micros = self.micros.load(Ordering::Relaxed);
        (self.count.load(Ordering::Relaxed), Duration::from_micros(micros))
    }
}
