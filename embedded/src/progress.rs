//! Checkpoints and leases of the projections, beside the data that they are about.
//!
//! Everything here runs in the caller's transaction, so that data, checkpoint and lease move together; taking a lease and
//! giving it back are a statement each and need none. Leases are measured on the clock that never goes back; they are emptied when the database is opened.

use commands::ports::{LogIdentity, Monotonic};
use contract::{Seq, WriterId};
use projections::ports::{Checkpoint, Written};
use sqlx::{Executor, Row, Sqlite, SqliteConnection};

use crate::columns::{count, parsed_or_null};

/// How long the right to write lasts after it was taken or renewed.
const LEASE_MS: i64 = 10_000;

/// How far `store` has come.
pub(crate) async fn checkpoint<'c>(
    connection: impl Executor<'c, Database = Sqlite>,
    store: &str,
) -> Result<Option<Checkpoint>, sqlx::Error> {
    let row = sqlx::query("SELECT seq, event_id, log FROM checkpoints WHERE store = ?")
        .bind(store)
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        Ok(Checkpoint {
            seq: count(&row, "seq")?,
            event_id: parsed_or_null(&row, "event_id")?,
            log: LogIdentity(row.try_get("log")?),
        })
    })
    .transpose()
}

/// Stores how far `store` has come.
pub(crate) async fn set_checkpoint(
    connection: &mut SqliteConnection,
    store: &str,
    to: &Checkpoint,
) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT OR REPLACE INTO checkpoints (store, seq, event_id, log) VALUES (?, ?, ?, ?)")
        .bind(store)
        .bind(to.seq as i64)
        .bind(to.event_id.map(|id| id.to_string()))
        .bind(&to.log.0)
        .execute(connection)
        .await?;
    Ok(())
}

/// Takes or renews the right to write `store`; false while another's has not lapsed.
pub(crate) async fn acquire(
    connection: &mut SqliteConnection,
    store: &str,
    token: WriterId,
    now: Monotonic,
) -> Result<bool, sqlx::Error> {
    let taken = sqlx::query(
        "INSERT INTO leases (store, holder, until) VALUES (?1, ?2, ?3 + ?4)
         ON CONFLICT (store) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE leases.holder = excluded.holder OR leases.until <= ?3",
    )
    .bind(store)
    .bind(token.to_string())
    .bind(now.0)
    .bind(LEASE_MS)
    .execute(connection)
    .await?;
    Ok(taken.rows_affected() == 1)
}

/// Gives the right back, if `token` has it.
pub(crate) async fn release(
    connection: &mut SqliteConnection,
    store: &str,
    token: WriterId,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM leases WHERE store = ? AND holder = ?")
        .bind(store)
        .bind(token.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Renews the right of `token`; false if it does not have it. One that lapsed and that nobody took is still its own.
pub(crate) async fn renew(
    connection: &mut SqliteConnection,
    store: &str,
    token: WriterId,
    now: Monotonic,
) -> Result<bool, sqlx::Error> {
    let renewed = sqlx::query("UPDATE leases SET until = ?3 + ?4 WHERE store = ?1 AND holder = ?2")
        .bind(store)
        .bind(token.to_string())
        .bind(now.0)
        .bind(LEASE_MS)
        .execute(connection)
        .await?;
    Ok(renewed.rows_affected() == 1)
}

/// Whether `token` may write a batch that continues the checkpoint `from`; its right is renewed if so.
pub(crate) async fn admit(
    connection: &mut SqliteConnection,
    store: &str,
    token: WriterId,
    from: Option<Seq>,
    now: Monotonic,
) -> Result<Written, sqlx::Error> {
    if !renew(connection, store, token, now).await? {
        return Ok(Written::LostToken);
    }
    let stored = checkpoint(connection, store)
        .await?
        .map(|checkpoint| checkpoint.seq);
    Ok(if stored == from {
        Written::Done
    } else {
        Written::MovedCheckpoint
    })
}

/// Takes the right from whoever has it.
pub(crate) async fn take_lease_away(
    connection: &mut SqliteConnection,
    store: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM leases WHERE store = ?")
        .bind(store)
        .execute(connection)
        .await?;
    Ok(())
}

/// Forgets checkpoint and lease of `store`.
pub(crate) async fn forget(connection: &mut SqliteConnection, store: &str) -> Result<(), sqlx::Error> {
    for statement in [
        "DELETE FROM checkpoints WHERE store = ?",
        "DELETE FROM leases WHERE store = ?",
    ] {
        sqlx::query(statement)
            .bind(store)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
