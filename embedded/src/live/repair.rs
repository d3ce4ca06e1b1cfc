//! [`LiveRepair`]: single snapshots put right, or removed for good.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::GameId;
use projections::ports::{LiveRepair, SnapshotWrite, StoredSnapshot};

use super::{SqliteLive, current, snapshots, store};
use crate::database::cannot;
use crate::progress;

#[async_trait]
impl LiveRepair for SqliteLive {
    async fn mend(
        &self,
        generation: u64,
        id: GameId,
        expected: Option<&StoredSnapshot>,
        to: Option<&SnapshotWrite>,
    ) -> Result<bool, Unavailable> {
        self.mend_one(generation, id, expected, to)
            .await
            .map_err(cannot("mend a live snapshot"))
    }

    async fn erase(&self, id: GameId) -> Result<(), Unavailable> {
        self.erase_one(id)
            .await
            .map_err(cannot("erase what is kept of an ended game"))
    }

    async fn scrub(&self) -> Result<(), Unavailable> {
        self.db
            .make_anew()
            .await
            .map_err(cannot("overwrite what was deleted"))
    }
}

impl SqliteLive {
    async fn mend_one(
        &self,
        generation: u64,
        id: GameId,
        expected: Option<&StoredSnapshot>,
        to: Option<&SnapshotWrite>,
    ) -> Result<bool, sqlx::Error> {
        let mut tx = self.db.write().await?;
        let stored = snapshots::one(&mut tx, generation, id).await?;
        if current(&mut *tx).await? != generation || stored.as_ref() != expected {
            return Ok(false);
        }
        snapshots::delete(&mut tx, generation, id).await?;
        if let Some(write) = to {
            let write = SnapshotWrite {
                create: true,
                ..write.clone()
            };
            snapshots::write(&mut tx, generation, &[write]).await?;
        }
        progress::take_lease_away(&mut tx, &store(generation)).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn erase_one(&self, id: GameId) -> Result<(), sqlx::Error> {
        let mut scrubbing = self.db.scrub().await?;
        let mut tx = scrubbing.begin().await?;
        let generation = current(&mut *tx).await?;
        snapshots::delete_tombstones(&mut tx, generation, &[id]).await?;
        snapshots::delete_quarantined(&mut tx, id).await?;
        tx.commit().await?;
        scrubbing.end().await
    }
}
