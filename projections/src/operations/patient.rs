//! A live store that is asked again for a moment.
//!
//! Its calls have a deadline of a tenth of a second, which is right for those whom a player waits behind, and too short
//! for a work of minutes on a busy machine. Every call here may be made twice: what is not is left to the caller.

use std::sync::Arc;

use async_trait::async_trait;
use commands::ports::{Clock, Unavailable};
use contract::{GameId, WriterId};

use crate::ports::{
    Checkpoint, LiveBatch, LiveRepair, LiveSet, LiveStore, SnapshotWrite, StoredSnapshot, Written,
};

/// How often it is asked again.
const TRIES: usize = 30;

/// How long to wait in between.
const WAIT_MS: u64 = 200;

/// A live store that is asked again.
pub struct Patient {
    store: Arc<dyn LiveRepair>,
    clock: Arc<dyn Clock>,
}

impl Patient {
    /// Over a store.
    pub fn over(store: Arc<dyn LiveRepair>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { store, clock })
    }

    async fn ask<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T, Unavailable>
    where
        F: Future<Output = Result<T, Unavailable>>,
    {
        for _ in 1..TRIES {
            match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => tracing::debug!(%error, "asked again"),
            }
            self.clock.sleep(WAIT_MS).await;
        }
        call().await
    }
}

#[async_trait]
impl LiveStore for Patient {
    async fn generation(&self) -> Result<u64, Unavailable> {
        self.ask(|| self.store.generation()).await
    }

    /// Asked once: a second answer would be that of a flip that was done.
    async fn flip(&self, from: u64, to: u64) -> Result<bool, Unavailable> {
        self.store.flip(from, to).await
    }

    async fn checkpoint(&self, generation: u64) -> Result<Option<Checkpoint>, Unavailable> {
        self.ask(|| self.store.checkpoint(generation)).await
    }

    async fn acquire(&self, generation: u64, token: WriterId) -> Result<bool, Unavailable> {
        self.ask(|| self.store.acquire(generation, token)).await
    }

    async fn release(&self, generation: u64, token: WriterId) -> Result<(), Unavailable> {
        self.ask(|| self.store.release(generation, token)).await
    }

    /// Asked once: a second answer would be that the checkpoint has moved.
    async fn write(
        &self,
        generation: u64,
        token: WriterId,
        batch: &LiveBatch,
    ) -> Result<Written, Unavailable> {
        self.store.write(generation, token, batch).await
    }

    async fn heal(
        &self,
        generation: u64,
        token: WriterId,
        writes: &[SnapshotWrite],
    ) -> Result<Written, Unavailable> {
        self.ask(|| self.store.heal(generation, token, writes)).await
    }

    async fn load(&self) -> Result<LiveSet, Unavailable> {
        self.ask(|| self.store.load()).await
    }

    async fn get(&self, id: GameId) -> Result<Option<StoredSnapshot>, Unavailable> {
        self.ask(|| self.store.get(id)).await
    }

    async fn get_many(
        &self,
        generation: u64,
        ids: &[GameId],
    ) -> Result<Vec<Option<StoredSnapshot>>, Unavailable> {
        self.ask(|| self.store.get_many(generation, ids)).await
    }

    async fn tombstones(&self, generation: u64) -> Result<Vec<GameId>, Unavailable> {
        self.ask(|| self.store.tombstones(generation)).await
    }

    async fn sweep(&self, generation: u64, ids: &[GameId]) -> Result<(), Unavailable> {
        self.ask(|| self.store.sweep(generation, ids)).await
    }

    async fn quarantine(&self, id: GameId, reason: &str) -> Result<(), Unavailable> {
        self.ask(|| self.store.quarantine(id, reason)).await
    }

    async fn discard(&self, generation: u64) -> Result<(), Unavailable> {
        self.ask(|| self.store.discard(generation)).await
    }
}

#[async_trait]
impl LiveRepair for Patient {
    /// One that was done unnoticed answers that something else is there: the caller looks again then.
    async fn mend(
        &self,
        generation: u64,
        id: GameId,
        expected: Option<&StoredSnapshot>,
        to: Option<&SnapshotWrite>,
    ) -> Result<bool, Unavailable> {
        self.ask(|| self.store.mend(generation, id, expected, to)).await
    }

    async fn erase(&self, id: GameId) -> Result<(), Unavailable> {
        self.ask(|| self.store.erase(id)).await
    }

    async fn scrub(&self) -> Result<(), Unavailable> {
        self.store.scrub().await
    }
}
