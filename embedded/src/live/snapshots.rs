//! The table of snapshots.

use std::collections::HashMap;

use contract::{GameId, Millis, Version};
use projections::ports::{SnapshotStatus, SnapshotWrite, StoredSnapshot};
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, QueryBuilder, Row, Sqlite, SqliteConnection, SqlitePool};

use super::newer::newer;
use crate::columns::{bytes, corrupt, count, game, key, known_kinds};
use crate::database::{execute, rows_per_statement};

/// The text that is in no column `status`.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is neither live nor tombstone")]
struct UnknownStatus(String);

fn name(status: SnapshotStatus) -> &'static str {
    match status {
        SnapshotStatus::Live => "live",
        SnapshotStatus::Tombstone => "tombstone",
    }
}

fn status(row: &SqliteRow) -> Result<SnapshotStatus, sqlx::Error> {
    match row.try_get("status")? {
        "live" => Ok(SnapshotStatus::Live),
        "tombstone" => Ok(SnapshotStatus::Tombstone),
        other => Err(corrupt("status", UnknownStatus(other.to_owned()))),
    }
}

fn snapshot(row: &SqliteRow) -> Result<StoredSnapshot, sqlx::Error> {
    Ok(StoredSnapshot {
        key: key(row)?,
        version: count(row, "version")?,
        status: status(row)?,
        bytes: bytes(row, "bytes")?,
    })
}

/// Writes what is newer than what is stored.
pub(super) async fn write(
    tx: &mut SqliteConnection,
    generation: u64,
    writes: &[SnapshotWrite],
) -> Result<(), sqlx::Error> {
    let stored = versions(tx, generation, writes).await?;
    for rows in newer(writes, stored).chunks(rows_per_statement(6)) {
        let mut statement = QueryBuilder::new(
            "INSERT OR REPLACE INTO live_snapshots (generation, game, kind, version, status, bytes) ",
        );
        statement.push_values(rows, |mut row, write| {
            row.push_bind(generation as i64)
                .push_bind(write.key.id.0)
                .push_bind(write.key.kind.as_str())
                .push_bind(write.version as i64)
                .push_bind(name(write.status))
                .push_bind(&write.bytes[..]);
        });
        execute(&mut statement, tx).await?;
    }
    Ok(())
}

async fn versions(
    tx: &mut SqliteConnection,
    generation: u64,
    writes: &[SnapshotWrite],
) -> Result<HashMap<GameId, Version>, sqlx::Error> {
    let mut stored = HashMap::with_capacity(writes.len());
    for writes in writes.chunks(rows_per_statement(1)) {
        let mut query = QueryBuilder::new("SELECT game, version FROM live_snapshots");
        push_games(&mut query, generation, writes.iter().map(|write| write.key.id));
        for row in query.build().persistent(false).fetch_all(&mut *tx).await? {
            stored.insert(game(&row, "game")?, count(&row, "version")?);
        }
    }
    Ok(stored)
}

/// ` WHERE generation = … AND game IN (…)`
fn push_games(query: &mut QueryBuilder<Sqlite>, generation: u64, ids: impl Iterator<Item = GameId>) {
    query
        .push(" WHERE generation = ")
        .push_bind(generation as i64)
        .push(" AND game IN (");
    let mut games = query.separated(", ");
    for id in ids {
        games.push_bind(id.0);
    }
    query.push(")");
}

/// All snapshots of a generation.
pub(super) async fn all(
    tx: &mut SqliteConnection,
    generation: u64,
) -> Result<Vec<StoredSnapshot>, sqlx::Error> {
    let query = format!(
        "SELECT kind, game, version, status, bytes FROM live_snapshots WHERE generation = ? AND kind IN {}",
        known_kinds()
    );
    let rows = sqlx::query(AssertSqlSafe(query))
        .bind(generation as i64)
        .fetch_all(tx)
        .await?;
    rows.iter().map(snapshot).collect()
}

/// One game of the generation in use.
pub(super) async fn one_current(db: &SqlitePool, id: GameId) -> Result<Option<StoredSnapshot>, sqlx::Error> {
    sqlx::query(
        "SELECT kind, game, version, status, bytes FROM live_snapshots
         WHERE generation = (SELECT current FROM live_generation) AND game = ?",
    )
    .bind(id.0)
    .fetch_optional(db)
    .await?
    .as_ref()
    .map(snapshot)
    .transpose()
}

/// One game of a generation.
pub(super) async fn one(
    tx: &mut SqliteConnection,
    generation: u64,
    id: GameId,
) -> Result<Option<StoredSnapshot>, sqlx::Error> {
    sqlx::query(
        "SELECT kind, game, version, status, bytes FROM live_snapshots WHERE generation = ? AND game = ?",
    )
    .bind(generation as i64)
    .bind(id.0)
    .fetch_optional(tx)
    .await?
    .as_ref()
    .map(snapshot)
    .transpose()
}

/// Deletes one game of a generation.
pub(super) async fn delete(
    tx: &mut SqliteConnection,
    generation: u64,
    id: GameId,
) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM live_snapshots WHERE generation = ? AND game = ?")
        .bind(generation as i64)
        .bind(id.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Deletes what an operator would find of a game.
pub(super) async fn delete_quarantined(tx: &mut SqliteConnection, id: GameId) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM quarantine WHERE game = ?")
        .bind(id.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Several games of a generation, in the order of `ids`.
pub(super) async fn many(
    db: &SqlitePool,
    generation: u64,
    ids: &[GameId],
) -> Result<Vec<Option<StoredSnapshot>>, sqlx::Error> {
    let mut found = HashMap::with_capacity(ids.len());
    for ids in ids.chunks(rows_per_statement(1)) {
        let mut query = QueryBuilder::new("SELECT kind, game, version, status, bytes FROM live_snapshots");
        push_games(&mut query, generation, ids.iter().copied());
        for row in query.build().persistent(false).fetch_all(db).await? {
            let snapshot = snapshot(&row)?;
            found.insert(snapshot.key.id, snapshot);
        }
    }
    Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
}

/// The tombstones of a generation.
pub(super) async fn tombstones(db: &SqlitePool, generation: u64) -> Result<Vec<GameId>, sqlx::Error> {
    let rows = sqlx::query("SELECT game FROM live_snapshots WHERE status = 'tombstone' AND generation = ?")
        .bind(generation as i64)
        .fetch_all(db)
        .await?;
    rows.iter().map(|row| game(row, "game")).collect()
}

/// Deletes those of the games that are tombstones.
pub(super) async fn delete_tombstones(
    tx: &mut SqliteConnection,
    generation: u64,
    ids: &[GameId],
) -> Result<(), sqlx::Error> {
    for ids in ids.chunks(rows_per_statement(1)) {
        let mut statement = QueryBuilder::new("DELETE FROM live_snapshots");
        push_games(&mut statement, generation, ids.iter().copied());
        statement.push(" AND status = 'tombstone'");
        execute(&mut statement, tx).await?;
    }
    Ok(())
}

/// Deletes a generation.
pub(super) async fn delete_all(tx: &mut SqliteConnection, generation: u64) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM live_snapshots WHERE generation = ?")
        .bind(generation as i64)
        .execute(tx)
        .await?;
    Ok(())
}

/// Moves a game's snapshot, if it has one, to where an operator looks.
pub(super) async fn quarantine(
    tx: &mut SqliteConnection,
    generation: u64,
    id: GameId,
    reason: &str,
    now: Millis,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO quarantine (origin, kind, game, version, reason, at, bytes)
         SELECT 'snapshot', kind, game, version, ?, ?, bytes FROM live_snapshots
         WHERE generation = ? AND game = ?",
    )
    .bind(reason)
    .bind(now.0)
    .bind(generation as i64)
    .bind(id.0)
    .execute(&mut *tx)
    .await?;
    sqlx::query("DELETE FROM live_snapshots WHERE generation = ? AND game = ?")
        .bind(generation as i64)
        .bind(id.0)
        .execute(tx)
        .await?;
    Ok(())
}
