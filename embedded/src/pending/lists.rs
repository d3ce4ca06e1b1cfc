//! The tables of lists and items.

use std::collections::HashMap;

use commands::ports::{PendingGame, PendingItem};
use contract::{EventId, GameId, GameKey, Millis, WriterId};
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, QueryBuilder, Row, SqliteConnection};

use super::appending::StoredList;
use crate::columns::{bytes, game, key, known_kinds, parsed, parsed_or_null};
use crate::database::{execute, rows_per_statement};

/// Who wrote a game's list.
pub(super) async fn writer(tx: &mut SqliteConnection, id: GameId) -> Result<Option<WriterId>, sqlx::Error> {
    let row = sqlx::query("SELECT writer FROM pending_games WHERE game = ?")
        .bind(id.0)
        .fetch_optional(tx)
        .await?;
    row.map(|row| parsed(&row, "writer")).transpose()
}

/// A game's list. Its items come without their documents.
pub(super) async fn head(tx: &mut SqliteConnection, id: GameId) -> Result<Option<StoredList>, sqlx::Error> {
    let row = sqlx::query("SELECT writer, base FROM pending_games WHERE game = ?")
        .bind(id.0)
        .fetch_optional(&mut *tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let items = sqlx::query(
        "SELECT id, place, previd, anchored, name, x'' AS bytes FROM pending_items WHERE game = ?
         ORDER BY version, anchored",
    )
    .bind(id.0)
    .fetch_all(tx)
    .await?;
    Ok(Some(StoredList {
        writer: parsed(&row, "writer")?,
        base: parsed_or_null(&row, "base")?,
        items: items.iter().map(item).collect::<Result<_, sqlx::Error>>()?,
    }))
}

/// Adds items to a list, which is made if the game has none and has this base from now on.
pub(super) async fn insert(
    tx: &mut SqliteConnection,
    key: GameKey,
    writer: WriterId,
    base: Option<EventId>,
    items: &[&PendingItem],
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO pending_games (game, kind, writer, base) VALUES (?, ?, ?, ?)
         ON CONFLICT (game) DO UPDATE SET base = excluded.base",
    )
    .bind(key.id.0)
    .bind(key.kind.as_str())
    .bind(writer.to_string())
    .bind(base.map(|id| id.to_string()))
    .execute(&mut *tx)
    .await?;
    for rows in items.chunks(rows_per_statement(8)) {
        let mut statement = QueryBuilder::new(
            "INSERT INTO pending_items (game, id, place, version, previd, anchored, name, bytes) ",
        );
        statement.push_values(rows, |mut row, item| {
            row.push_bind(key.id.0)
                .push_bind(item.id.to_string())
                .push_bind(item.place.to_string())
                .push_bind(item.place.version as i64)
                .push_bind(item.previd.map(|id| id.to_string()))
                .push_bind(item.anchored)
                .push_bind(item.name.as_str())
                .push_bind(&item.bytes[..]);
        });
        execute(&mut statement, tx).await?;
    }
    Ok(())
}

/// Deletes a game's list.
pub(super) async fn delete(tx: &mut SqliteConnection, id: GameId) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM pending_games WHERE game = ?")
        .bind(id.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Deletes the items of a list whose `column`, an id or a place, is one of these.
pub(super) async fn delete_items(
    tx: &mut SqliteConnection,
    id: GameId,
    column: &'static str,
    events: &[EventId],
) -> Result<(), sqlx::Error> {
    for events in events.chunks(rows_per_statement(1)) {
        let mut statement = QueryBuilder::new("DELETE FROM pending_items WHERE game = ");
        statement.push_bind(id.0).push(" AND ").push(column).push(" IN (");
        let mut list = statement.separated(", ");
        for event in events {
            list.push_bind(event.to_string());
        }
        statement.push(")");
        execute(&mut statement, tx).await?;
    }
    Ok(())
}

/// Drops the items up to `place`, which becomes the base if there were any; a list without items is no list.
pub(super) async fn trim(tx: &mut SqliteConnection, id: GameId, place: EventId) -> Result<(), sqlx::Error> {
    // By version: a list is one writer's, and an acknowledged place stands for all before it.
    let dropped = sqlx::query("DELETE FROM pending_items WHERE game = ? AND version <= ?")
        .bind(id.0)
        .bind(place.version as i64)
        .execute(&mut *tx)
        .await?
        .rows_affected();
    if dropped > 0 {
        sqlx::query("UPDATE pending_games SET base = ? WHERE game = ?")
            .bind(place.to_string())
            .bind(id.0)
            .execute(&mut *tx)
            .await?;
    }
    sqlx::query(
        "DELETE FROM pending_games WHERE game = ?1
         AND NOT EXISTS (SELECT 1 FROM pending_items WHERE game = ?1)",
    )
    .bind(id.0)
    .execute(tx)
    .await?;
    Ok(())
}

/// All lists.
pub(super) async fn all(tx: &mut SqliteConnection) -> Result<Vec<PendingGame>, sqlx::Error> {
    let mut items: HashMap<GameId, Vec<PendingItem>> = HashMap::new();
    let rows = sqlx::query(
        "SELECT game, id, place, previd, anchored, name, bytes FROM pending_items ORDER BY version, anchored",
    )
    .fetch_all(&mut *tx)
    .await?;
    for row in &rows {
        items.entry(game(row, "game")?).or_default().push(item(row)?);
    }
    let query = format!(
        "SELECT kind, game, writer, base FROM pending_games WHERE kind IN {}",
        known_kinds()
    );
    let rows = sqlx::query(AssertSqlSafe(query)).fetch_all(tx).await?;
    rows.iter()
        .map(|row| {
            let key = key(row)?;
            Ok(PendingGame {
                key,
                writer: parsed(row, "writer")?,
                base: parsed_or_null(row, "base")?,
                items: items.remove(&key.id).unwrap_or_default(),
            })
        })
        .collect()
}

fn item(row: &SqliteRow) -> Result<PendingItem, sqlx::Error> {
    Ok(PendingItem {
        place: parsed(row, "place")?,
        id: parsed(row, "id")?,
        previd: parsed_or_null(row, "previd")?,
        anchored: row.try_get("anchored")?,
        name: row.try_get("name")?,
        bytes: bytes(row, "bytes")?,
    })
}

/// Moves a game's list, but for the places in `keep_out`, to where an operator looks.
pub(super) async fn quarantine(
    tx: &mut SqliteConnection,
    key: GameKey,
    keep_out: &[EventId],
    reason: &str,
    now: Millis,
) -> Result<(), sqlx::Error> {
    delete_items(tx, key.id, "place", keep_out).await?;
    sqlx::query(
        "INSERT INTO quarantine (origin, kind, game, version, event_id, reason, at, bytes)
         SELECT 'pending', ?, game, version, id, ?, ?, bytes FROM pending_items WHERE game = ?
         ORDER BY version, anchored",
    )
    .bind(key.kind.as_str())
    .bind(reason)
    .bind(now.0)
    .bind(key.id.0)
    .execute(&mut *tx)
    .await?;
    delete(tx, key.id).await
}
