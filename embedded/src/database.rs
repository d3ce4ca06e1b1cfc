//! The one database: its connections, its schema, and how statements meet its limits.
//!
//! A file has a single connection for writes, so that writers queue for it in turn instead of meeting
//! `SQLITE_BUSY`, and several for reads, which see what is committed and hold up no write (write-ahead log). In memory
//! there is one connection for both: a shared cache would add table locks of its own, and what one connection sees
//! is as much as there is to share.

use std::time::Duration;

use commands::ports::Unavailable;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, Transaction};

use crate::EmbeddedConfig;
use crate::directory::{DataDirectory, OpenError};
use crate::pools::{Pool, Waits};
use crate::scrubbing::Scrubbing;

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations/sqlite");

/// Connections for reads of a file. `SQLite` answers most of them from memory; more would only share the same cores.
const READERS: u32 = 4;

/// How long to wait for a connection. A caller with a shorter deadline has its own.
const ACQUIRE: Duration = Duration::from_secs(5);

/// How many statements stay prepared on the connection for writes: more than there are.
const STATEMENTS: usize = 256;

/// After so many pages (16 MiB) the write-ahead file goes into the database: four times as many as usual, since most of them
/// are written again and again meanwhile, and only the last form of each is copied.
const WAL_PAGES: &str = "4000";

/// How far the write-ahead file may stay grown after a checkpoint, in bytes.
const WAL_KEPT: &str = "67108864";

/// How many variables one statement may have: `SQLite`'s limit.
const VARIABLES: usize = 32_766;

/// How many rows one statement inserts at most. More gain nothing, and hold up the reads of an in-memory database.
pub(crate) const ROWS: usize = 500;

/// The open database.
#[derive(Debug)]
pub(crate) struct Database {
    writes: SqlitePool,
    reads: SqlitePool,
    waits: Waits,
    // Last, so that the directory is given back after the connections.
    directory: Option<DataDirectory>,
}

impl Database {
    /// Opens it, with an up-to-date schema and without a lease.
    pub(crate) async fn open(config: &EmbeddedConfig) -> Result<Self, OpenError> {
        let db = match &config.data_dir {
            Some(path) => Self::on_disk(DataDirectory::lock(path)?, config.full_sync).await?,
            None => Self::in_memory().await?,
        };
        MIGRATIONS.run(&db.writes).await.map_err(|error| match error {
            MigrateError::VersionMissing(version) => OpenError::NewerSchema { version },
            other => OpenError::Migrate(other),
        })?;
        sqlx::query("DELETE FROM leases").execute(&db.writes).await?;
        Ok(db)
    }

    async fn on_disk(directory: DataDirectory, full_sync: bool) -> Result<Self, OpenError> {
        let synchronous = if full_sync {
            SqliteSynchronous::Full
        } else {
            SqliteSynchronous::Normal
        };
        let file = SqliteConnectOptions::new()
            .filename(directory.database())
            .synchronous(synchronous);
        let writer = file
            .clone()
            .create_if_missing(true)
            .statement_cache_capacity(STATEMENTS)
            .journal_mode(SqliteJournalMode::Wal)
            .pragma("wal_autocheckpoint", WAL_PAGES)
            .pragma("journal_size_limit", WAL_KEPT);
        // The writer first: it makes the file.
        let writes = lasting(1).connect_with(writer).await?;
        let reads = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(ACQUIRE)
            .connect_with(file.pragma("query_only", "ON"))
            .await?;
        Ok(Self {
            writes,
            reads,
            waits: Waits::default(),
            directory: Some(directory),
        })
    }

    async fn in_memory() -> Result<Self, OpenError> {
        let options = SqliteConnectOptions::new().statement_cache_capacity(STATEMENTS);
        let only = lasting(1).connect_with(options).await?;
        Ok(Self {
            writes: only.clone(),
            reads: only,
            waits: Waits::default(),
            directory: None,
        })
    }

    /// Connections that see all that is committed. Take one at a time: in memory there is only one.
    pub(crate) fn reads(&self) -> &SqlitePool {
        &self.reads
    }

    /// A transaction that may write; it waits for those before it, and is rolled back when dropped.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
        let begun = self.writes.begin_with("BEGIN IMMEDIATE");
        self.waits.during(begun).await
    }

    /// The connection for writes, to execute a single statement, which is a transaction of its own. Nobody else writes until
    /// it is dropped.
    pub(crate) async fn writer(&self) -> Result<PoolConnection<Sqlite>, sqlx::Error> {
        self.waits.during(self.writes.acquire()).await
    }

    /// How much the connections have to do.
    pub(crate) fn pools(&self) -> Vec<Pool> {
        let writes = Pool::of("writes", &self.writes, Some(&self.waits));
        let reads = self
            .directory
            .is_some()
            .then(|| Pool::of("reads", &self.reads, None));
        [writes].into_iter().chain(reads).collect()
    }

    /// The connection for writes, so that what it deletes is overwritten; it waits for those before it.
    pub(crate) async fn scrub(&self) -> Result<Scrubbing, sqlx::Error> {
        Scrubbing::on(self.writer().await?).await
    }

    /// Writes the whole file anew, without the pages that were in use once and are free now. Writes wait meanwhile.
    pub(crate) async fn make_anew(&self) -> Result<(), sqlx::Error> {
        let mut scrubbing = self.scrub().await?;
        scrubbing.make_anew().await?;
        scrubbing.end().await
    }

    /// Closes all connections and gives the directory back.
    pub(crate) async fn close(&self) {
        self.reads.close().await;
        self.writes.close().await;
        if let Some(directory) = &self.directory {
            directory.unlock();
        }
    }
}

/// A pool whose connections are never replaced: in memory a connection is the database.
fn lasting(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .min_connections(connections)
        .acquire_timeout(ACQUIRE)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// How many rows of so many variables one statement may have.
pub(crate) fn rows_per_statement(columns: usize) -> usize {
    (VARIABLES / columns).min(ROWS)
}

/// Executes a statement whose length differs from call to call, and so is not worth keeping prepared. Returns how many
/// rows it changed.
pub(crate) async fn execute(
    statement: &mut QueryBuilder<Sqlite>,
    connection: &mut SqliteConnection,
) -> Result<u64, sqlx::Error> {
    Ok(statement
        .build()
        .persistent(false)
        .execute(connection)
        .await?
        .rows_affected())
}

/// Says what could not be done.
pub(crate) fn cannot(what: &'static str) -> impl Fn(sqlx::Error) -> Unavailable {
    move |error| Unavailable::new("sqlite", format_args!("cannot {what}: {error}"))
}
