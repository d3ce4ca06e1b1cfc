//! Every port on one machine: a `SQLite` file (or memory) for what is kept, and the process itself for what is not.
//!
//! **Belongs here:** the adapters that take the place of NATS, Valkey and Postgres where those are not configured, and
//! the file that they share. They keep the same contracts as the servers, restore after `kill -9` included.
//! **Does not:** what is kept (the bytes are the callers'), when to write it, and SQL of Postgres.
//!
//! How it is laid out: [`Embedded::open`] locks the data directory and opens one `Database`, which has a single
//! connection for writes and several for reads. [`SqliteLog`] sends its appends to one task that commits many at once;
//! the projections write through the same connection, each batch with its checkpoint in one transaction. What need not
//! outlive the process (caches, heartbeats) is in memory.
//!
//! Not for tests with paused time: `SQLite` works in threads that a paused runtime does not wait for, so that every
//! deadline would seem to pass at once. Turn the [`Clock`] instead.

mod bus;
mod cache;
mod columns;
mod database;
mod dead_letters;
mod directory;
mod history;
mod live;
mod log;
mod log_file;
mod pending;
mod pools;
mod progress;
mod scrubbing;
mod service_keys;
mod tasks;

use std::path::PathBuf;
use std::sync::Arc;

use commands::ports::{Clock, Heartbeat};
use projections::ports::Watched;

pub use bus::MemoryBus;
pub use cache::MemoryCache;
pub use dead_letters::SqliteDeadLetters;
pub use directory::OpenError;
pub use history::SqliteHistory;
pub use live::SqliteLive;
pub use log::{SqliteLog, SqliteReader};
pub use log_file::{LogFile, LogFileError};
pub use pending::SqlitePending;
pub use pools::{Pool, Pools};
pub use service_keys::MemoryServiceKeys;

use database::Database;
use tasks::Tasks;

/// Where everything is kept, and how safely.
#[derive(Debug, Clone, Default)]
pub struct EmbeddedConfig {
    /// The directory of the database and its lock, made if it is not there; `None` keeps everything in memory.
    pub data_dir: Option<PathBuf>,
    /// Whether each commit waits for the disk. Without it a killed process loses nothing, a power cut the last
    /// commits.
    pub full_sync: bool,
}

/// All adapters, on one database.
///
/// The lock on the data directory is held until this and everything that was handed out is gone, or until
/// [`close`](Self::close).
pub struct Embedded {
    db: Arc<Database>,
    tasks: Tasks,
    log: Arc<SqliteLog>,
    reader: Arc<SqliteReader>,
    live: Arc<SqliteLive>,
    pending: Arc<SqlitePending>,
    history: Arc<SqliteHistory>,
    cache: Arc<MemoryCache>,
    dead_letters: Arc<SqliteDeadLetters>,
    heartbeats: Arc<MemoryBus<Heartbeat>>,
    spectator_counts: Arc<MemoryBus<Watched>>,
    service_keys: Arc<MemoryServiceKeys>,
}

impl Embedded {
    /// Locks the directory, opens the database and brings its schema up to date.
    pub async fn open(config: EmbeddedConfig, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let db = Arc::new(Database::open(&config).await?);
        let tasks = Tasks::default();
        let log = Arc::new(SqliteLog::open(Arc::clone(&db), tasks.clone()).await?);
        Ok(Self {
            reader: Arc::new(log.reader()),
            log,
            live: Arc::new(SqliteLive::new(Arc::clone(&db), Arc::clone(&clock))),
            pending: Arc::new(SqlitePending::new(Arc::clone(&db), Arc::clone(&clock))),
            history: Arc::new(SqliteHistory::new(Arc::clone(&db), Arc::clone(&clock))),
            cache: Arc::new(MemoryCache::new(Arc::clone(&clock))),
            dead_letters: Arc::new(SqliteDeadLetters::new(Arc::clone(&db))),
            heartbeats: Arc::default(),
            spectator_counts: Arc::default(),
            service_keys: Arc::new(MemoryServiceKeys::new(clock)),
            db,
            tasks,
        })
    }

    /// The event log.
    pub fn log(&self) -> Arc<SqliteLog> {
        Arc::clone(&self.log)
    }

    /// Cursors over the log.
    pub fn reader(&self) -> Arc<SqliteReader> {
        Arc::clone(&self.reader)
    }

    /// Live snapshots.
    pub fn live(&self) -> Arc<SqliteLive> {
        Arc::clone(&self.live)
    }

    /// Events that the log could not take yet.
    pub fn pending(&self) -> Arc<SqlitePending> {
        Arc::clone(&self.pending)
    }

    /// Finished games.
    pub fn history(&self) -> Arc<SqliteHistory> {
        Arc::clone(&self.history)
    }

    /// Cached lists.
    pub fn cache(&self) -> Arc<MemoryCache> {
        Arc::clone(&self.cache)
    }

    /// Events that can never be applied.
    pub fn dead_letters(&self) -> Arc<SqliteDeadLetters> {
        Arc::clone(&self.dead_letters)
    }

    /// The bus for heartbeats, within this process.
    pub fn heartbeats(&self) -> Arc<MemoryBus<Heartbeat>> {
        Arc::clone(&self.heartbeats)
    }

    /// The bus for counts of spectators, within this process.
    pub fn spectator_counts(&self) -> Arc<MemoryBus<Watched>> {
        Arc::clone(&self.spectator_counts)
    }

    /// The services that are alive: those in this process.
    pub fn service_keys(&self) -> Arc<MemoryServiceKeys> {
        Arc::clone(&self.service_keys)
    }

    /// How much the connections have to do.
    pub fn pools(&self) -> Pools {
        Pools(Arc::clone(&self.db))
    }

    /// What is told when the task that appends to the log died: nothing would ever be appended again.
    pub fn lifeline(&self) -> impl Future<Output = ()> + Send + use<> {
        let tasks = self.tasks.clone();
        async move { tasks.died().await }
    }

    /// Writes what was asked for before, closes the database and gives the directory back. Whatever was handed out
    /// answers "not available" from then on.
    pub async fn close(self) {
        self.tasks.stop().await;
        self.db.close().await;
    }
}
