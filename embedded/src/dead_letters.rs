//! Events that a projector can never apply, in a table of their own.

use std::sync::Arc;

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::Seq;
use projections::ports::{DeadLetter, DeadLetters};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::columns::{bytes, count, game};
use crate::database::{Database, cannot};

/// The table.
#[derive(Debug)]
pub struct SqliteDeadLetters {
    db: Arc<Database>,
}

impl SqliteDeadLetters {
    pub(crate) fn new(db: Arc<Database>) -> Self {
        Self { db }
    }

    async fn insert(&self, letter: &DeadLetter) -> Result<(), sqlx::Error> {
        let mut tx = self.db.write().await?;
        sqlx::query(
            "INSERT INTO dead_letters (projector, seq, game, reason, bytes) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (projector, seq) DO NOTHING",
        )
        .bind(&letter.projector)
        .bind(letter.seq as i64)
        .bind(letter.game.0)
        .bind(&letter.reason)
        .bind(&letter.bytes[..])
        .execute(&mut *tx)
        .await?;
        tx.commit().await
    }

    async fn select(&self, max: usize) -> Result<Vec<DeadLetter>, sqlx::Error> {
        let rows =
            sqlx::query("SELECT projector, seq, game, reason, bytes FROM dead_letters ORDER BY n LIMIT ?")
                .bind(i64::try_from(max).unwrap_or(i64::MAX))
                .fetch_all(self.db.reads())
                .await?;
        rows.iter().map(letter).collect()
    }

    async fn one(&self, projector: &str, seq: Seq) -> Result<Option<DeadLetter>, sqlx::Error> {
        sqlx::query(
            "SELECT projector, seq, game, reason, bytes FROM dead_letters WHERE projector = ? AND seq = ?",
        )
        .bind(projector)
        .bind(seq as i64)
        .fetch_optional(self.db.reads())
        .await?
        .as_ref()
        .map(letter)
        .transpose()
    }

    /// Overwritten in the file, as it may be what somebody wants to be forgotten.
    async fn delete(&self, projector: &str, seq: Seq) -> Result<bool, sqlx::Error> {
        let mut scrubbing = self.db.scrub().await?;
        let mut tx = scrubbing.begin().await?;
        let deleted = sqlx::query("DELETE FROM dead_letters WHERE projector = ? AND seq = ?")
            .bind(projector)
            .bind(seq as i64)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        tx.commit().await?;
        scrubbing.end().await?;
        Ok(deleted > 0)
    }
}

fn letter(row: &SqliteRow) -> Result<DeadLetter, sqlx::Error> {
    Ok(DeadLetter {
        projector: row.try_get("projector")?,
        game: game(row, "game")?,
        seq: count(row, "seq")?,
        reason: row.try_get("reason")?,
        bytes: bytes(row, "bytes")?,
    })
}

#[async_trait]
impl DeadLetters for SqliteDeadLetters {
    async fn put(&self, letter: &DeadLetter) -> Result<(), Unavailable> {
        self.insert(letter).await.map_err(cannot("keep a dead letter"))
    }

    async fn count(&self) -> Result<u64, Unavailable> {
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM dead_letters")
            .fetch_one(self.db.reads())
            .await
            .map_err(cannot("count the dead letters"))?;
        Ok(count as u64)
    }

    async fn list(&self, max: usize) -> Result<Vec<DeadLetter>, Unavailable> {
        self.select(max).await.map_err(cannot("list the dead letters"))
    }

    async fn find(&self, projector: &str, seq: Seq) -> Result<Option<DeadLetter>, Unavailable> {
        self.one(projector, seq)
            .await
            .map_err(cannot("find a dead letter"))
    }

    async fn remove(&self, projector: &str, seq: Seq) -> Result<bool, Unavailable> {
        self.delete(projector, seq)
            .await
            .map_err(cannot("forget a dead letter"))
    }
}
