//! Live snapshots and tombstones. A batch, its checkpoint and its lease are one transaction, and a batch is one
//! statement for every few hundred games.

mod newer;
mod repair;
mod snapshots;

use std::sync::Arc;

use async_trait::async_trait;
use commands::ports::{Clock, Unavailable};
use contract::{GameId, WriterId};
use projections::ports::{Checkpoint, LiveBatch, LiveSet, LiveStore, SnapshotWrite, StoredSnapshot, Written};
use sqlx::{Executor, Sqlite};

use crate::database::{Database, cannot};
use crate::progress;

/// The live store.
pub struct SqliteLive {
    db: Arc<Database>,
    clock: Arc<dyn Clock>,
}

/// What a generation is called among the projections.
fn store(generation: u64) -> String {
    format!("live:{generation}")
}

async fn current<'c>(connection: impl Executor<'c, Database = Sqlite>) -> Result<u64, sqlx::Error> {
    let current: i64 = sqlx::query_scalar("SELECT current FROM live_generation")
        .fetch_one(connection)
        .await?;
    Ok(current as u64)
}

impl SqliteLive {
    pub(crate) fn new(db: Arc<Database>, clock: Arc<dyn Clock>) -> Self {
        Self { db, clock }
    }

    async fn flip_if(&self, from: u64, to: u64) -> Result<bool, sqlx::Error> {
        let mut tx = self.db.write().await?;
        let flipped = sqlx::query("UPDATE live_generation SET current = ? WHERE current = ?")
            .bind(to as i64)
            .bind(from as i64)
            .execute(&mut *tx)
            .await?
            .rows_affected()
            == 1;
        if flipped && from != to {
            snapshots::delete_all(&mut tx, from).await?;
            progress::forget(&mut tx, &store(from)).await?;
        }
        tx.commit().await?;
        Ok(flipped)
    }

    async fn acquire_lease(&self, generation: u64, token: WriterId) -> Result<bool, sqlx::Error> {
        let mut writer = self.db.writer().await?;
        progress::acquire(&mut writer, &store(generation), token, self.clock.monotonic()).await
    }

    async fn release_lease(&self, generation: u64, token: WriterId) -> Result<(), sqlx::Error> {
        let mut writer = self.db.writer().await?;
        progress::release(&mut writer, &store(generation), token).await
    }

    async fn write_batch(
        &self,
        generation: u64,
        token: WriterId,
        batch: &LiveBatch,
    ) -> Result<Written, sqlx::Error> {
        let store = store(generation);
        let mut tx = self.db.write().await?;
        match progress::admit(&mut tx, &store, token, batch.from, self.clock.monotonic()).await? {
            Written::Done => {}
            refused => return Ok(refused),
        }
        snapshots::write(&mut tx, generation, &batch.writes).await?;
        progress::set_checkpoint(&mut tx, &store, &batch.to).await?;
        tx.commit().await?;
        Ok(Written::Done)
    }

    async fn write_heal(
        &self,
        generation: u64,
        token: WriterId,
        writes: &[SnapshotWrite],
    ) -> Result<Written, sqlx::Error> {
        let mut tx = self.db.write().await?;
        if !progress::renew(&mut tx, &store(generation), token, self.clock.monotonic()).await? {
            return Ok(Written::LostToken);
        }
        snapshots::write(&mut tx, generation, writes).await?;
        tx.commit().await?;
        Ok(Written::Done)
    }

    /// In one transaction, so that the checkpoint is that of the snapshots.
    async fn load_current(&self) -> Result<LiveSet, sqlx::Error> {
        let mut tx = self.db.reads().begin().await?;
        let generation = current(&mut *tx).await?;
        let checkpoint = progress::checkpoint(&mut *tx, &store(generation)).await?;
        let snapshots = snapshots::all(&mut tx, generation).await?;
        tx.commit().await?;
        Ok(LiveSet {
            generation,
            checkpoint,
            snapshots,
            // A game's name and what is kept of it are one row.
            missing: Vec::new(),
        })
    }

    async fn sweep_tombstones(&self, generation: u64, ids: &[GameId]) -> Result<(), sqlx::Error> {
        let mut tx = self.db.write().await?;
        snapshots::delete_tombstones(&mut tx, generation, ids).await?;
        tx.commit().await
    }

    async fn move_aside(&self, id: GameId, reason: &str) -> Result<(), sqlx::Error> {
        let mut tx = self.db.write().await?;
        let generation = current(&mut *tx).await?;
        snapshots::quarantine(&mut tx, generation, id, reason, self.clock.now()).await?;
        tx.commit().await
    }

    /// False when it is the generation in use.
    async fn discard_unused(&self, generation: u64) -> Result<bool, sqlx::Error> {
        let mut tx = self.db.write().await?;
        if current(&mut *tx).await? == generation {
            return Ok(false);
        }
        snapshots::delete_all(&mut tx, generation).await?;
        progress::forget(&mut tx, &store(generation)).await?;
        tx.commit().await?;
        Ok(true)
    }
}

#[async_trait]
impl LiveStore for SqliteLive {
    async fn generation(&self) -> Result<u64, Unavailable> {
        current(self.db.reads())
            .await
            .map_err(cannot("read the live generation"))
    }

    async fn flip(&self, from: u64, to: u64) -> Result<bool, Unavailable> {
        self.flip_if(from, to)
            .await
            .map_err(cannot("flip the live generation"))
    }

    async fn checkpoint(&self, generation: u64) -> Result<Option<Checkpoint>, Unavailable> {
        progress::checkpoint(self.db.reads(), &store(generation))
            .await
            .map_err(cannot("read the live checkpoint"))
    }

    async fn acquire(&self, generation: u64, token: WriterId) -> Result<bool, Unavailable> {
        self.acquire_lease(generation, token)
            .await
            .map_err(cannot("take the live lease"))
    }

    async fn release(&self, generation: u64, token: WriterId) -> Result<(), Unavailable> {
        self.release_lease(generation, token)
            .await
            .map_err(cannot("give the live lease back"))
    }

    async fn write(
        &self,
        generation: u64,
        token: WriterId,
        batch: &LiveBatch,
    ) -> Result<Written, Unavailable> {
        self.write_batch(generation, token, batch)
            .await
            .map_err(cannot("write live snapshots"))
    }

    async fn heal(
        &self,
        generation: u64,
        token: WriterId,
        writes: &[SnapshotWrite],
    ) -> Result<Written, Unavailable> {
        self.write_heal(generation, token, writes)
            .await
            .map_err(cannot("heal live snapshots"))
    }

    async fn load(&self) -> Result<LiveSet, Unavailable> {
        self.load_current()
            .await
            .map_err(cannot("load the live snapshots"))
    }

    async fn get(&self, id: GameId) -> Result<Option<StoredSnapshot>, Unavailable> {
        snapshots::one_current(self.db.reads(), id)
            .await
            .map_err(cannot("read a live snapshot"))
    }

    async fn get_many(
        &self,
        generation: u64,
        ids: &[GameId],
    ) -> Result<Vec<Option<StoredSnapshot>>, Unavailable> {
        snapshots::many(self.db.reads(), generation, ids)
            .await
            .map_err(cannot("read live snapshots"))
    }

    async fn tombstones(&self, generation: u64) -> Result<Vec<GameId>, Unavailable> {
        snapshots::tombstones(self.db.reads(), generation)
            .await
            .map_err(cannot("read the tombstones"))
    }

    async fn sweep(&self, generation: u64, ids: &[GameId]) -> Result<(), Unavailable> {
        self.sweep_tombstones(generation, ids)
            .await
            .map_err(cannot("sweep tombstones"))
    }

    async fn quarantine(&self, id: GameId, reason: &str) -> Result<(), Unavailable> {
        self.move_aside(id, reason)
            .await
            .map_err(cannot("quarantine a live snapshot"))
    }

    async fn discard(&self, generation: u64) -> Result<(), Unavailable> {
        if self
            .discard_unused(generation)
            .await
            .map_err(cannot("discard a live generation"))?
        {
            Ok(())
        } else {
            Err(Unavailable::new(
                "sqlite",
                format_args!("generation {generation} is in use"),
            ))
        }
    }
}
