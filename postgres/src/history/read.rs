//! What is asked of the store.

use commands::ports::LogIdentity;
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, UserId};
use projections::ports::{Checkpoint, Page};
use sqlx::PgConnection;
use uuid::Uuid;

use super::row::Cells;
use super::{row, time};
use crate::failure::Failure;

pub async fn checkpoint(connection: &mut PgConnection) -> Result<Option<Checkpoint>, Failure> {
    let found = sqlx::query(include_str!("sql/checkpoint.sql"))
        .fetch_optional(connection)
        .await?;
    let Some(found) = found else { return Ok(None) };
    let cells = Cells {
        table: "projector_checkpoints",
        row: &found,
    };
    Ok(Some(Checkpoint {
        seq: cells.count("seq")?,
        event_id: cells.parsed_option("event_id")?,
        log: LogIdentity(cells.get("log")?),
    }))
}

pub async fn game(connection: &mut PgConnection, id: GameId) -> Result<Option<FinishedGame>, Failure> {
    let found = sqlx::query(include_str!("sql/game.sql"))
        .bind(id.0)
        .fetch_optional(connection)
        .await?;
    found.as_ref().map(row::game).transpose()
}

pub async fn existing(connection: &mut PgConnection, ids: &[GameId]) -> Result<Vec<GameId>, Failure> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let found: Vec<Uuid> = sqlx::query_scalar(include_str!("sql/existing.sql"))
        .bind(ids)
        .fetch_all(connection)
        .await?;
    Ok(found.into_iter().map(GameId).collect())
}

pub async fn recent(
    connection: &mut PgConnection,
    user: &UserId,
    page: Page,
) -> Result<Vec<FinishedGameSummary>, Failure> {
    // Postgres refuses such a text even in a question; no row has it.
    if user.as_str().contains('\0') {
        return Ok(Vec::new());
    }
    let (before, before_id) = page.before.unzip();
    let rows = sqlx::query(include_str!("sql/recent.sql"))
        .bind(user.as_str())
        .bind(before.map(time::compared))
        .bind(before_id.map(|id| id.0))
        .bind(i64::from(page.limit))
        .fetch_all(connection)
        .await?;
    rows.iter().map(row::summary).collect()
}

pub async fn popular(connection: &mut PgConnection, limit: u32) -> Result<Vec<FinishedGameSummary>, Failure> {
    let rows = sqlx::query(include_str!("sql/popular.sql"))
        .bind(i64::from(limit))
        .fetch_all(connection)
        .await?;
    rows.iter().map(row::summary).collect()
}
