//! A batch and the checkpoint it reaches, in one transaction.

use contract::WriterId;
use projections::ports::{Checkpoint, Written};
use sqlx::{Connection as _, PgConnection};

use super::batch::Batch;
use super::{lease, read};
use crate::failure::Failure;

/// Each check is a statement of its own: the second sees what was committed while the first waited for its lock. Every
/// other end than `Done` rolls back.
pub async fn write(
    connection: &mut PgConnection,
    token: WriterId,
    from: Option<u64>,
    to: &Checkpoint,
    batch: &Batch,
) -> Result<Written, Failure> {
    let mut transaction = connection.begin().await?;
    if !lease::holds(&mut transaction, token).await? {
        return Ok(Written::LostToken);
    }
    let stored = read::checkpoint(&mut transaction).await?;
    if stored.map(|stored| stored.seq) != from {
        return Ok(Written::MovedCheckpoint);
    }
    if !batch.is_empty() {
        insert(&mut transaction, batch).await?;
    }
    move_checkpoint(&mut transaction, to).await?;
    lease::renew(&mut transaction).await?;
    transaction.commit().await?;
    Ok(Written::Done)
}

/// The checkpoint alone, from wherever it is.
pub async fn reset(
    connection: &mut PgConnection,
    token: WriterId,
    to: &Checkpoint,
) -> Result<Written, Failure> {
    let mut transaction = connection.begin().await?;
    if !lease::holds(&mut transaction, token).await? {
        return Ok(Written::LostToken);
    }
    move_checkpoint(&mut transaction, to).await?;
    lease::renew(&mut transaction).await?;
    transaction.commit().await?;
    Ok(Written::Done)
}

async fn move_checkpoint(connection: &mut PgConnection, to: &Checkpoint) -> Result<(), Failure> {
    let seq = i64::try_from(to.seq).map_err(|error| Failure::value("seq", &error))?;
    sqlx::query(include_str!("sql/move_checkpoint.sql"))
        .bind(seq)
        .bind(to.event_id.map(|id| id.to_string()))
        .bind(&to.log.0)
        .execute(connection)
        .await?;
    Ok(())
}

/// Games that have no row yet, with their players.
pub async fn insert(connection: &mut PgConnection, batch: &Batch) -> Result<(), Failure> {
    insert_by(include_str!("sql/insert_games.sql"), connection, batch).await
}

/// The same by `statement`.
pub async fn insert_by(
    statement: &'static str,
    connection: &mut PgConnection,
    batch: &Batch,
) -> Result<(), Failure> {
    let Batch { games, players } = batch;
    sqlx::query(statement)
        .bind(&games.id)
        .bind(&games.kind)
        .bind(&games.rules)
        .bind(&games.rules_version)
        .bind(&games.player1_id)
        .bind(&games.player2_id)
        .bind(&games.time_control)
        .bind(&games.durability)
        .bind(&games.origin)
        .bind(&games.rated)
        .bind(&games.result)
        .bind(&games.end_reason)
        .bind(&games.left_user_id)
        .bind(&games.started_at)
        .bind(&games.ended_at)
        .bind(&games.move_count)
        .bind(&games.final_board)
        .bind(&games.final_state)
        .bind(&games.moves)
        .bind(&games.fairness)
        .bind(&games.peak_spectators)
        .bind(&games.total_spectators)
        .bind(&players.game_id)
        .bind(&players.seat)
        .bind(&players.user_id)
        .bind(&players.name)
        .bind(&players.is_guest)
        .execute(connection)
        .await?;
    Ok(())
}
