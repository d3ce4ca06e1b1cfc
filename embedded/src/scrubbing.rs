//! Writing so that what is deleted is overwritten in the file, which costs more than an ordinary delete.

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, Sqlite, Transaction};

/// The connection for writes, for as long as this takes.
pub(crate) struct Scrubbing {
    connection: PoolConnection<Sqlite>,
}

impl Scrubbing {
    pub(crate) async fn on(mut connection: PoolConnection<Sqlite>) -> Result<Self, sqlx::Error> {
        sqlx::query("PRAGMA secure_delete = ON")
            .execute(&mut *connection)
            .await?;
        Ok(Self { connection })
    }

    /// A transaction that is rolled back when dropped.
    pub(crate) async fn begin(&mut self) -> Result<Transaction<'_, Sqlite>, sqlx::Error> {
        self.connection.begin_with("BEGIN IMMEDIATE").await
    }

    /// Writes all that is in use, and nothing else, anew.
    pub(crate) async fn make_anew(&mut self) -> Result<(), sqlx::Error> {
        sqlx::query("VACUUM").execute(&mut *self.connection).await?;
        Ok(())
    }

    /// Writes the log of changes, which has the old pages, into the file and empties it. A reader that is at it keeps
    /// it from being emptied; then the next change overwrites it.
    pub(crate) async fn end(mut self) -> Result<(), sqlx::Error> {
        for statement in ["PRAGMA secure_delete = OFF", "PRAGMA wal_checkpoint(TRUNCATE)"] {
            sqlx::query(statement).execute(&mut *self.connection).await?;
        }
        Ok(())
    }
}
