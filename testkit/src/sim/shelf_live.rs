//! The ports of the store of running games.

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::{Heartbeat, Link, PendingGame, PendingStore, ServiceKeys, Unavailable};
use contract::{EventId, GameId, GameKey, WriterId};
use projections::ports::{
    Cache, CacheKey, Checkpoint, FillToken, LiveBatch, LiveSet, LiveStore, SnapshotWrite, StoredSnapshot,
    Written,
};
use tokio::sync::watch;

use super::Shelf;

#[async_trait]
impl LiveStore for Shelf {
    async fn generation(&self) -> Result<u64, Unavailable> {
        let live = self.ports().live;
        self.reach("generation", async move { live.generation().await })
            .await
    }

    async fn flip(&self, from: u64, to: u64) -> Result<bool, Unavailable> {
        let live = self.ports().live;
        self.reach("flip", async move { live.flip(from, to).await }).await
    }

    async fn checkpoint(&self, generation: u64) -> Result<Option<Checkpoint>, Unavailable> {
        let live = self.ports().live;
        self.reach("checkpoint", async move { live.checkpoint(generation).await })
            .await
    }

    async fn acquire(&self, generation: u64, token: WriterId) -> Result<bool, Unavailable> {
        let live = self.ports().live;
        self.reach("acquire", async move { live.acquire(generation, token).await })
            .await
    }

    async fn release(&self, generation: u64, token: WriterId) -> Result<(), Unavailable> {
        let live = self.ports().live;
        self.reach("release", async move { live.release(generation, token).await })
            .await
    }

    async fn write(
        &self,
        generation: u64,
        token: WriterId,
        batch: &LiveBatch,
    ) -> Result<Written, Unavailable> {
        let (live, batch) = (self.ports().live, batch.clone());
        self.reach(
            "write",
            async move { live.write(generation, token, &batch).await },
        )
        .await
    }

    async fn heal(
        &self,
        generation: u64,
        token: WriterId,
        writes: &[SnapshotWrite],
    ) -> Result<Written, Unavailable> {
        let (live, writes) = (self.ports().live, writes.to_vec());
        self.reach("heal", async move { live.heal(generation, token, &writes).await })
            .await
    }

    async fn load(&self) -> Result<LiveSet, Unavailable> {
        let live = self.ports().live;
        self.reach("load", async move { live.load().await }).await
    }

    async fn get(&self, id: GameId) -> Result<Option<StoredSnapshot>, Unavailable> {
        let live = self.ports().live;
        self.reach("get", async move { live.get(id).await }).await
    }

    async fn get_many(
        &self,
        generation: u64,
        ids: &[GameId],
    ) -> Result<Vec<Option<StoredSnapshot>>, Unavailable> {
        let (live, ids) = (self.ports().live, ids.to_vec());
        self.reach("get_many", async move { live.get_many(generation, &ids).await })
            .await
    }

    async fn tombstones(&self, generation: u64) -> Result<Vec<GameId>, Unavailable> {
        let live = self.ports().live;
        self.reach("tombstones", async move { live.tombstones(generation).await })
            .await
    }

    async fn sweep(&self, generation: u64, ids: &[GameId]) -> Result<(), Unavailable> {
        let (live, ids) = (self.ports().live, ids.to_vec());
        self.reach("sweep", async move { live.sweep(generation, &ids).await })
            .await
    }

    async fn quarantine(&self, id: GameId, reason: &str) -> Result<(), Unavailable> {
        let (live, reason) = (self.ports().live, reason.to_owned());
        self.reach("quarantine", async move { live.quarantine(id, &reason).await })
            .await
    }

    async fn discard(&self, generation: u64) -> Result<(), Unavailable> {
        let live = self.ports().live;
        self.reach("discard", async move { live.discard(generation).await })
            .await
    }
}

#[async_trait]
impl PendingStore for Shelf {
    async fn append(&self, game: &PendingGame) -> Result<(), Unavailable> {
        let (pending, game) = (self.ports().pending, game.clone());
        self.reach("append", async move { pending.append(&game).await })
            .await
    }

    async fn trim(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), Unavailable> {
        let pending = self.ports().pending;
        self.reach("trim", async move { pending.trim(key, writer, place).await })
            .await
    }

    async fn load(&self) -> Result<Vec<PendingGame>, Unavailable> {
        let pending = self.ports().pending;
        self.reach("load", async move { pending.load().await }).await
    }

    async fn quarantine(
        &self,
        key: GameKey,
        writer: WriterId,
        keep_out: &[EventId],
        reason: &str,
    ) -> Result<(), Unavailable> {
        let (pending, keep_out, reason) = (self.ports().pending, keep_out.to_vec(), reason.to_owned());
        self.reach("quarantine", async move {
            pending.quarantine(key, writer, &keep_out, &reason).await
        })
        .await
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.link_to()
    }
}

#[async_trait]
impl Cache for Shelf {
    async fn get(&self, key: &CacheKey) -> Result<Result<Bytes, FillToken>, Unavailable> {
        let (cache, key) = (self.ports().cache, key.clone());
        self.reach_memory("get", async move { cache.get(&key).await })
            .await
    }

    async fn fill(&self, key: &CacheKey, token: FillToken, value: Bytes) -> Result<(), Unavailable> {
        let (cache, key) = (self.ports().cache, key.clone());
        self.reach_memory("fill", async move { cache.fill(&key, token, value).await })
            .await
    }

    async fn delete(&self, keys: &[CacheKey]) -> Result<(), Unavailable> {
        let (cache, keys) = (self.ports().cache, keys.to_vec());
        self.reach_memory("delete", async move { cache.delete(&keys).await })
            .await
    }
}

#[async_trait]
impl ServiceKeys for Shelf {
    async fn renew(&self, heartbeat: &Heartbeat, ttl_ms: u64) -> Result<(), Unavailable> {
        let (keys, heartbeat) = (self.ports().keys, heartbeat.clone());
        self.reach_memory("renew", async move { keys.renew(&heartbeat, ttl_ms).await })
            .await
    }

    async fn remove(&self, writer: WriterId) -> Result<(), Unavailable> {
        let keys = self.ports().keys;
        self.reach_memory("remove", async move { keys.remove(writer).await })
            .await
    }

    async fn alive(&self) -> Result<Vec<Heartbeat>, Unavailable> {
        let keys = self.ports().keys;
        self.reach_memory("alive", async move { keys.alive().await })
            .await
    }
}
