//! [`LogEraser`]: messages removed for good.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::{GameKey, Seq};
use projections::ports::LogEraser;

use super::SqliteLog;
use crate::database::cannot;

#[async_trait]
impl LogEraser for SqliteLog {
    async fn erase_below(&self, key: GameKey, below: Seq) -> Result<u64, Unavailable> {
        self.delete_below(key, below)
            .await
            .map_err(cannot("erase a game's events"))
    }
}

impl SqliteLog {
    async fn delete_below(&self, key: GameKey, below: Seq) -> Result<u64, sqlx::Error> {
        let mut scrubbing = self.db.scrub().await?;
        let mut tx = scrubbing.begin().await?;
        let deleted = sqlx::query("DELETE FROM log WHERE game = ? AND kind = ? AND seq < ?")
            .bind(key.id.0)
            .bind(key.kind.as_str())
            .bind(below as i64)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        tx.commit().await?;
        self.recent.forget();
        scrubbing.end().await?;
        Ok(deleted)
    }
}
