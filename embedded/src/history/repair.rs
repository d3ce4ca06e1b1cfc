//! [`HistoryRepair`]: single rows put right, and the shadow.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::{FinishedGame, GameId, Seq, WriterId};
use projections::ports::{HistoryError, HistoryRepair, Merging, Written};
use uuid::Uuid;

use super::finished::Documents;
use super::{SqliteHistory, games, refusal, shadow};
use crate::database::cannot;

#[async_trait]
impl HistoryRepair for SqliteHistory {
    async fn replace(&self, game: &FinishedGame) -> Result<(), HistoryError> {
        let documents = Documents::of(game).map_err(|error| HistoryError::Data(error.to_string()))?;
        self.put(game, documents).await.map_err(refusal)
    }

    async fn ids(&self, after: Option<GameId>, max: u32) -> Result<Vec<GameId>, Unavailable> {
        self.some_ids(after, max)
            .await
            .map_err(cannot("list the finished games"))
    }

    async fn begin_shadow(&self, token: WriterId) -> Result<bool, Unavailable> {
        shadow::begin(&self.db, token, self.clock.monotonic())
            .await
            .map_err(cannot("make a shadow of the history"))
    }

    async fn keep_shadow(&self, token: WriterId) -> Result<bool, Unavailable> {
        shadow::keep(&self.db, token, self.clock.monotonic())
            .await
            .map_err(cannot("keep the shadow of the history"))
    }

    async fn fill_shadow(&self, token: WriterId, games: &[FinishedGame]) -> Result<Written, HistoryError> {
        let games: Vec<_> = games
            .iter()
            .map(|game| Ok((game, Documents::of(game)?)))
            .collect::<Result<_, serde_json::Error>>()
            .map_err(|error| HistoryError::Data(error.to_string()))?;
        shadow::fill(&self.db, token, self.clock.monotonic(), &games)
            .await
            .map_err(refusal)
    }

    async fn merge_shadow(&self, token: WriterId, through: Seq, dry: bool) -> Result<Merging, Unavailable> {
        shadow::merge(&self.db, token, self.clock.monotonic(), through, dry)
            .await
            .map_err(cannot("merge the shadow of the history"))
    }

    async fn drop_shadow(&self, token: WriterId) -> Result<(), Unavailable> {
        shadow::end(&self.db, token, self.clock.monotonic())
            .await
            .map_err(cannot("drop the shadow of the history"))
    }
}

impl SqliteHistory {
    /// What was there is overwritten in the file: it may be what somebody wants to be forgotten.
    async fn put(&self, game: &FinishedGame, documents: Documents) -> Result<(), sqlx::Error> {
        let mut scrubbing = self.db.scrub().await?;
        let mut tx = scrubbing.begin().await?;
        sqlx::query("DELETE FROM games WHERE id = ?")
            .bind(game.id.0)
            .execute(&mut *tx)
            .await?;
        games::insert(&mut tx, "", &[(game, documents)]).await?;
        tx.commit().await?;
        scrubbing.end().await
    }

    async fn some_ids(&self, after: Option<GameId>, max: u32) -> Result<Vec<GameId>, sqlx::Error> {
        let after = after.map_or(Uuid::nil(), |id| id.0);
        let ids: Vec<Uuid> = sqlx::query_scalar("SELECT id FROM games WHERE id > ? ORDER BY id LIMIT ?")
            .bind(after)
            .bind(max)
            .fetch_all(self.db.reads())
            .await?;
        Ok(ids.into_iter().map(GameId).collect())
    }
}
