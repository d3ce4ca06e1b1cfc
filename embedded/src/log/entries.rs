//! Reading messages from the table.

use std::collections::{HashMap, HashSet};

use commands::ports::LogEntry;
use contract::{GameId, GameKey, Seq};
use projections::ports::LogFilter;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Executor, QueryBuilder, Row, Sqlite, SqliteConnection, SqlitePool};

use crate::columns::{bytes, count, key, known_kinds};
use crate::database::rows_per_statement;

fn entry(row: &SqliteRow) -> Result<LogEntry, sqlx::Error> {
    Ok(LogEntry {
        seq: count(row, "seq")?,
        key: key(row)?,
        name: row.try_get("name")?,
        bytes: bytes(row, "bytes")?,
    })
}

fn entries(rows: &[SqliteRow]) -> Result<Vec<LogEntry>, sqlx::Error> {
    rows.iter().map(entry).collect()
}

/// The sequence that was given out last.
pub(super) async fn tail(connection: &mut SqliteConnection) -> Result<Seq, sqlx::Error> {
    let tail: Option<i64> = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'log'")
        .fetch_optional(connection)
        .await?;
    Ok(tail.unwrap_or(0) as Seq)
}

/// A game's newest message.
pub(super) async fn last(db: &SqlitePool, key: GameKey) -> Result<Option<LogEntry>, sqlx::Error> {
    sqlx::query(
        "SELECT seq, kind, game, name, bytes FROM log WHERE game = ? AND kind = ? ORDER BY seq DESC LIMIT 1",
    )
    .bind(key.id.0)
    .bind(key.kind.as_str())
    .fetch_optional(db)
    .await?
    .as_ref()
    .map(entry)
    .transpose()
}

/// The newest message of each game, in the order of `keys`.
pub(super) async fn last_of_each(
    db: &SqlitePool,
    keys: &[GameKey],
) -> Result<Vec<Option<LogEntry>>, sqlx::Error> {
    let mut found = HashMap::with_capacity(keys.len());
    for keys in keys.chunks(rows_per_statement(2)) {
        let mut query = wanted(keys.iter().copied());
        query.push(
            "SELECT log.seq, log.kind, log.game, log.name, log.bytes FROM wanted
             JOIN log ON log.seq = (SELECT max(seq) FROM log WHERE game = wanted.game AND kind = wanted.kind)",
        );
        for row in query.build().persistent(false).fetch_all(db).await? {
            let entry = entry(&row)?;
            found.insert(entry.key, entry);
        }
    }
    // Not removed from what was found: a game may be asked for twice.
    Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
}

/// The newest sequence of each game that has one.
pub(super) async fn newest_of_each(
    connection: &mut SqliteConnection,
    games: HashSet<GameKey>,
) -> Result<HashMap<GameKey, Seq>, sqlx::Error> {
    if games.is_empty() {
        return Ok(HashMap::new());
    }
    let mut query = wanted(games);
    query.push(
        "SELECT kind, game, (SELECT max(seq) FROM log WHERE game = wanted.game AND kind = wanted.kind) AS newest
         FROM wanted",
    );
    let mut newest = HashMap::new();
    for row in query.build().persistent(false).fetch_all(connection).await? {
        if let Some(seq) = row.try_get::<Option<i64>, _>("newest")? {
            newest.insert(key(&row)?, seq as Seq);
        }
    }
    Ok(newest)
}

/// `WITH wanted (kind, game) AS (…)`, for one index lookup per game.
fn wanted(games: impl IntoIterator<Item = GameKey>) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new("WITH wanted (kind, game) AS (");
    query.push_values(games, |mut row, key| {
        row.push_bind(key.kind.as_str()).push_bind(key.id.0);
    });
    query.push(") ");
    query
}

/// A game's messages above `after`, oldest first.
pub(super) async fn of_game(db: &SqlitePool, key: GameKey, after: Seq) -> Result<Vec<LogEntry>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT seq, kind, game, name, bytes FROM log WHERE game = ? AND kind = ? AND seq > ? ORDER BY seq",
    )
    .bind(key.id.0)
    .bind(key.kind.as_str())
    .bind(after as i64)
    .fetch_all(db)
    .await?;
    entries(&rows)
}

/// The newest `ended` message of a game.
pub(super) async fn ended(db: &SqlitePool, id: GameId) -> Result<Option<LogEntry>, sqlx::Error> {
    sqlx::query(
        "SELECT seq, kind, game, name, bytes FROM log WHERE name = 'ended' AND game = ? ORDER BY seq DESC LIMIT 1",
    )
    .bind(id.0)
    .fetch_optional(db)
    .await?
    .as_ref()
    .map(entry)
    .transpose()
}

/// The games that have a message and no `ended` one.
pub(super) async fn unfinished(db: &SqlitePool) -> Result<Vec<GameKey>, sqlx::Error> {
    let query = format!(
        "SELECT DISTINCT kind, game FROM log AS any_event
         WHERE kind IN {} AND NOT EXISTS (SELECT 1 FROM log WHERE name = 'ended' AND game = any_event.game)",
        known_kinds()
    );
    let rows = sqlx::query(AssertSqlSafe(query)).fetch_all(db).await?;
    rows.iter().map(key).collect()
}

/// Up to `max` messages that `filter` lets through, above `after` and not above `to`, oldest first.
pub(super) async fn between(
    db: impl Executor<'_, Database = Sqlite>,
    filter: LogFilter,
    after: Seq,
    to: Seq,
    max: usize,
) -> Result<Vec<LogEntry>, sqlx::Error> {
    let from = match filter {
        LogFilter::All => "log WHERE",
        LogFilter::Ended => "log INDEXED BY log_ended WHERE name = 'ended' AND",
    };
    matching(db, from, after, to, max).await
}

/// Up to `max` takeovers above `after` and not above `to`, oldest first.
pub(super) async fn takeovers_between(
    db: &SqlitePool,
    after: Seq,
    to: Seq,
    max: usize,
) -> Result<Vec<LogEntry>, sqlx::Error> {
    let from = "log INDEXED BY log_takeovers WHERE name IN ('started', 'resumed', 'anchored') AND";
    matching(db, from, after, to, max).await
}

/// Up to `max` messages of known kinds of those that `from` selects, above `after` and not above `to`, oldest first.
async fn matching(
    db: impl Executor<'_, Database = Sqlite>,
    from: &'static str,
    after: Seq,
    to: Seq,
    max: usize,
) -> Result<Vec<LogEntry>, sqlx::Error> {
    let query = format!(
        "SELECT seq, kind, game, name, bytes FROM {from} kind IN {} AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
        known_kinds()
    );
    let rows = sqlx::query(AssertSqlSafe(query))
        .bind(after as i64)
        .bind(to as i64)
        .bind(max as i64)
        .fetch_all(db)
        .await?;
    entries(&rows)
}
