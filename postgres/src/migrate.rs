//! Brings the schema up to date.

use std::time::Duration;

use commands::ports::Unavailable;
use sqlx::Connection as _;
use sqlx::migrate::{MigrateError as Error, Migrator};
use tokio::time::timeout;

use crate::database::Database;
use crate::failure::{Failure, class};

/// The folder's own files; the migrations of other databases are in folders below it.
static MIGRATOR: Migrator = sqlx::migrate!("../migrations");

/// Time for an index over many rows, or for another process that migrates now.
const LIMIT: Duration = Duration::from_mins(10);

/// Why the schema is not up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The database is away: try again later.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// A newer release has changed the schema. This one must not start: it would misread it.
    #[error(
        "the database's schema has version {found}, this release knows {known} and older: start a newer one"
    )]
    SchemaTooNew {
        /// The version that is not known.
        found: i64,
        /// The newest that is.
        known: i64,
    },
    /// The schema is not what the migrations have made, or one of them cannot run here: for an operator to look at.
    #[error("the database cannot be migrated: {0}")]
    Refused(String),
}

/// Runs what has not run yet.
pub async fn migrate(database: &Database) -> Result<(), MigrateError> {
    // `run` would hide from the compiler that this future may move between threads; `run_direct` is what it calls.
    // A connection of its own, closed afterwards: a migrator that fails keeps its lock for as long as it is connected.
    let mut connection = database.connect_alone().await.map_err(Unavailable::from)?;
    let run = timeout(LIMIT, MIGRATOR.run_direct(None, &mut connection, false)).await;
    let result = match run {
        Ok(result) => result.map_err(understand),
        Err(_) => Err(MigrateError::Unavailable(Failure::Deadline(LIMIT).into())),
    };
    if result.is_ok() {
        connection.close().await.map_err(unavailable)?;
    }
    result
}

fn understand(error: Error) -> MigrateError {
    let known = MIGRATOR
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or(0);
    match error {
        Error::VersionMissing(found) if found > known => MigrateError::SchemaTooNew { found, known },
        Error::Execute(error) | Error::ExecuteMigration(error, _) if may_pass(&error) => unavailable(error),
        error => MigrateError::Refused(error.to_string()),
    }
}

/// Whether it is a matter of time: the connection, resources, locks, shutdown. All other answers stay the same.
fn may_pass(error: &sqlx::Error) -> bool {
    class(error).is_none_or(|class| matches!(class.as_str(), "08" | "40" | "53" | "55" | "57" | "58"))
}

fn unavailable(error: sqlx::Error) -> MigrateError {
    MigrateError::Unavailable(Failure::from(error).into())
}
