//! [`HistoryRepair`]: single rows put right, and the shadow.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::{FinishedGame, GameId, Seq, WriterId};
use projections::ports::{HistoryError, HistoryRepair, Merging, Written};
use sqlx::{Connection as _, PgConnection};
use tokio::time::{timeout, timeout_at};
use uuid::Uuid;

use super::batch::Batch;
use super::{PostgresHistory, shadow, write};
use crate::database::{READ, WRITE};
use crate::failure::Failure;

#[async_trait]
impl HistoryRepair for PostgresHistory {
    async fn replace(&self, game: &FinishedGame) -> Result<(), HistoryError> {
        let batch = Batch::of(std::slice::from_ref(game))?;
        let mut call = self.database.lease("replace", WRITE).await?;
        let answer = timeout_at(call.deadline(), replace(call.connection(), game.id, &batch)).await;
        Ok(call.settle(answer)?)
    }

    async fn ids(&self, after: Option<GameId>, max: u32) -> Result<Vec<GameId>, Unavailable> {
        let mut call = self.database.lease("ids", READ).await?;
        let answer = timeout_at(call.deadline(), ids(call.connection(), after, max)).await;
        Ok(call.settle(answer)?)
    }

    async fn begin_shadow(&self, token: WriterId) -> Result<bool, Unavailable> {
        let mut call = self.database.lease("begin shadow", WRITE).await?;
        let answer = timeout_at(call.deadline(), shadow::begin(call.connection(), token)).await;
        Ok(call.settle(answer)?)
    }

    async fn keep_shadow(&self, token: WriterId) -> Result<bool, Unavailable> {
        let mut call = self.database.lease("keep shadow", WRITE).await?;
        let answer = timeout_at(call.deadline(), shadow::keep(call.connection(), token)).await;
        Ok(call.settle(answer)?)
    }

    async fn fill_shadow(&self, token: WriterId, games: &[FinishedGame]) -> Result<Written, HistoryError> {
        let batch = Batch::of(games)?;
        let mut call = self.database.lease("fill shadow", WRITE).await?;
        let answer = timeout_at(call.deadline(), shadow::fill(call.connection(), token, &batch)).await;
        Ok(call.settle(answer)?)
    }

    async fn merge_shadow(&self, token: WriterId, through: Seq, dry: bool) -> Result<Merging, Unavailable> {
        // Outside of the pool and its bounds: it takes as long as there are rows.
        let mut connection = self.database.connect_alone().await?;
        let merging = timeout(shadow::MERGE, shadow::merge(&mut connection, token, through, dry)).await;
        let merged = merging.unwrap_or(Err(Failure::Deadline(shadow::MERGE)))?;
        connection.close().await.map_err(Failure::from)?;
        Ok(merged)
    }

    async fn drop_shadow(&self, token: WriterId) -> Result<(), Unavailable> {
        let mut call = self.database.lease("drop shadow", WRITE).await?;
        let answer = timeout_at(call.deadline(), shadow::drop_tables(call.connection(), token)).await;
        Ok(call.settle(answer)?)
    }
}

async fn replace(connection: &mut PgConnection, id: GameId, batch: &Batch) -> Result<(), Failure> {
    let mut transaction = connection.begin().await?;
    sqlx::query(include_str!("sql/delete_game.sql"))
        .bind(id.0)
        .execute(&mut *transaction)
        .await?;
    write::insert(&mut transaction, batch).await?;
    transaction.commit().await?;
    Ok(())
}

async fn ids(connection: &mut PgConnection, after: Option<GameId>, max: u32) -> Result<Vec<GameId>, Failure> {
    let found: Vec<Uuid> = sqlx::query_scalar(include_str!("sql/ids.sql"))
        .bind(after.map(|id| id.0))
        .bind(i64::from(max))
        .fetch_all(connection)
        .await?;
    Ok(found.into_iter().map(GameId).collect())
}
