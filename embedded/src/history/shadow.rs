//! The shadow: tables like those of the rows, which a rebuild fills and merges into them in one transaction.

use std::collections::HashSet;

use commands::ports::Monotonic;
use contract::{FinishedGame, Seq, WriterId};
use projections::ports::{Merged, Merging, Written};
use sqlx::{AssertSqlSafe, QueryBuilder, Row, Sqlite, SqliteConnection};
use uuid::Uuid;

use super::finished::Documents;
use super::{STORE, games};
use crate::database::{Database, execute, rows_per_statement};
use crate::progress;

/// What the right to have a shadow is called among the leases.
const SHADOW: &str = "history-shadow";

/// What the names of its tables begin with.
const PREFIX: &str = "shadow_";

pub(super) async fn begin(db: &Database, token: WriterId, now: Monotonic) -> Result<bool, sqlx::Error> {
    let mut tx = db.write().await?;
    if !progress::acquire(&mut tx, SHADOW, token, now).await? {
        return Ok(false);
    }
    drop_tables(&mut tx).await?;
    for table in ["games", "game_players"] {
        let made: String =
            sqlx::query_scalar("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
                .bind(table)
                .fetch_one(&mut *tx)
                .await?;
        sqlx::raw_sql(AssertSqlSafe(like(&made, table)))
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    Ok(true)
}

/// The statement that makes a table of the shadow, from the one that made its model.
fn like(made: &str, table: &str) -> String {
    made.replacen(table, &format!("{PREFIX}{table}"), 1)
        .replace("REFERENCES games", "REFERENCES shadow_games")
}

pub(super) async fn keep(db: &Database, token: WriterId, now: Monotonic) -> Result<bool, sqlx::Error> {
    let mut tx = db.write().await?;
    let kept = progress::renew(&mut tx, SHADOW, token, now).await?;
    tx.commit().await?;
    Ok(kept)
}

pub(super) async fn fill(
    db: &Database,
    token: WriterId,
    now: Monotonic,
    games: &[(&FinishedGame, Documents)],
) -> Result<Written, sqlx::Error> {
    let mut tx = db.write().await?;
    if !progress::renew(&mut tx, SHADOW, token, now).await? {
        return Ok(Written::LostToken);
    }
    games::insert(&mut tx, PREFIX, games).await?;
    tx.commit().await?;
    Ok(Written::Done)
}

/// Compared without holding up those who write; then only what differs is written. What a projector writes in between is
/// what the log has, as the shadow is: it is replaced by the same.
pub(super) async fn merge(
    db: &Database,
    token: WriterId,
    now: Monotonic,
    through: Seq,
    dry: bool,
) -> Result<Merging, sqlx::Error> {
    if !keep(db, token, now).await? {
        return Ok(Merging::LostShadow);
    }
    let mut reading = db.reads().begin().await?;
    let reached = progress::checkpoint(&mut *reading, STORE).await?;
    if let Some(reached) = reached.filter(|reached| reached.seq > through) {
        return Ok(Merging::Behind(reached.seq));
    }
    let differing = differing(&mut reading).await?;
    let merged = count(&mut reading, &differing).await?;
    reading.commit().await?;
    if !dry && !write(db, token, now, &differing).await? {
        return Ok(Merging::LostShadow);
    }
    Ok(Merging::Done(merged))
}

/// The games of the shadow whose row is missing or otherwise, each with whether it has one.
async fn differing(reading: &mut SqliteConnection) -> Result<Vec<(Uuid, bool)>, sqlx::Error> {
    let columns = columns(reading, "games").await?;
    let same: Vec<String> = columns
        .iter()
        .map(|column| format!("games.{column} IS shadow.{column}"))
        .collect();
    let statement = format!(
        "SELECT shadow.id AS id, games.id IS NOT NULL AS is_there
         FROM shadow_games AS shadow LEFT JOIN games ON games.id = shadow.id
         WHERE NOT ({}) OR EXISTS (
             SELECT seat, user_id, name, is_guest, ended_at FROM shadow_game_players WHERE game_id = shadow.id
             EXCEPT
             SELECT seat, user_id, name, is_guest, ended_at FROM game_players WHERE game_id = shadow.id)",
        same.join(" AND ")
    );
    let rows = sqlx::query(AssertSqlSafe(statement)).fetch_all(reading).await?;
    rows.iter()
        .map(|row| Ok((row.try_get("id")?, row.try_get("is_there")?)))
        .collect()
}

/// The names of a table's columns, as the schema has them now.
async fn columns(reading: &mut SqliteConnection, table: &str) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT name FROM pragma_table_info(?)")
        .bind(table)
        .fetch_all(reading)
        .await
}

async fn count(reading: &mut SqliteConnection, differing: &[(Uuid, bool)]) -> Result<Merged, sqlx::Error> {
    let row = sqlx::query(
        "SELECT (SELECT count(*) FROM shadow_games) AS shadows, (SELECT count(*) FROM games) AS games",
    )
    .fetch_one(reading)
    .await?;
    let (shadows, games) = (
        row.try_get::<i64, _>("shadows")? as u64,
        row.try_get::<i64, _>("games")? as u64,
    );
    let replaced = differing.iter().filter(|(_, is_there)| *is_there).count() as u64;
    let added = differing.len() as u64 - replaced;
    Ok(Merged {
        same: shadows - replaced - added,
        replaced,
        added,
        carried: games - (shadows - added),
    })
}

/// Writes the differing ones; false if the shadow is another's by now.
async fn write(
    db: &Database,
    token: WriterId,
    now: Monotonic,
    differing: &[(Uuid, bool)],
) -> Result<bool, sqlx::Error> {
    let mut tx = db.write().await?;
    if !progress::renew(&mut tx, SHADOW, token, now).await? {
        return Ok(false);
    }
    let ids: HashSet<Uuid> = differing.iter().map(|(id, _)| *id).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    for ids in ids.chunks(rows_per_statement(1)) {
        for statement in [
            "DELETE FROM games WHERE id IN (",
            "INSERT INTO games SELECT * FROM shadow_games WHERE id IN (",
            "INSERT INTO game_players SELECT * FROM shadow_game_players WHERE game_id IN (",
        ] {
            execute(&mut among(statement, ids), &mut tx).await?;
        }
    }
    tx.commit().await?;
    Ok(true)
}

fn among(statement: &str, ids: &[Uuid]) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(statement);
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
    query.push(")");
    query
}

pub(super) async fn end(db: &Database, token: WriterId, now: Monotonic) -> Result<(), sqlx::Error> {
    let mut tx = db.write().await?;
    if progress::renew(&mut tx, SHADOW, token, now).await? {
        drop_tables(&mut tx).await?;
        progress::release(&mut tx, SHADOW, token).await?;
    }
    tx.commit().await
}

async fn drop_tables(tx: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql("DROP TABLE IF EXISTS shadow_game_players; DROP TABLE IF EXISTS shadow_games")
        .execute(tx)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_the_shadow_is_made_as_its_model_was() {
        assert_eq!(
            like("CREATE TABLE games (id BLOB, games_more TEXT)", "games"),
            "CREATE TABLE shadow_games (id BLOB, games_more TEXT)"
        );
        assert_eq!(
            like(
                "CREATE TABLE game_players (game_id BLOB REFERENCES games (id))",
                "game_players"
            ),
            "CREATE TABLE shadow_game_players (game_id BLOB REFERENCES shadow_games (id))"
        );
    }
}
