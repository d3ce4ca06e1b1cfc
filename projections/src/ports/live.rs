//! The store of live snapshots and tombstones, under generations.

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::Unavailable;
use contract::{GameId, GameKey, Seq, Version, WriterId};

use super::{Checkpoint, Written};

/// What a stored snapshot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SnapshotStatus {
    /// Of a live game.
    Live,
    /// A tombstone: the game ended; its bytes hold the `ended` event, until the row is written.
    Tombstone,
}

/// A snapshot to write. It is skipped unless `version` is above the stored one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotWrite {
    /// The game.
    pub key: GameKey,
    /// The version of its content. A tombstone's is that of `ended`.
    pub version: Version,
    /// Live or tombstone.
    pub status: SnapshotStatus,
    /// Whether it may make a new key (`started`, `anchored`, a refold), or only replace one.
    pub create: bool,
    /// Whether it replaces a stored one whatever the version (a refold whose content differs from the log's).
    pub force: bool,
    /// The encoded snapshot; the store does not look into it.
    pub bytes: Bytes,
}

/// A stored snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSnapshot {
    /// The game.
    pub key: GameKey,
    /// The version of its content.
    pub version: Version,
    /// Live or tombstone.
    pub status: SnapshotStatus,
    /// The encoded snapshot.
    pub bytes: Bytes,
}

/// Writes that belong together with the checkpoint they reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveBatch {
    /// The sequence of the stored checkpoint that this batch continues; `None` when there must be no checkpoint yet.
    pub from: Option<Seq>,
    /// The checkpoint after it. It is before `from` where a checkpoint in doubt is set back.
    pub to: Checkpoint,
    /// The snapshots, at most one per game.
    pub writes: Vec<SnapshotWrite>,
}

/// Everything of one generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSet {
    /// Which generation.
    pub generation: u64,
    /// How far it has come.
    pub checkpoint: Option<Checkpoint>,
    /// All snapshots and tombstones.
    pub snapshots: Vec<StoredSnapshot>,
    /// Games that the store knows by name only: what it kept of them is gone, or cannot be read.
    pub missing: Vec<GameId>,
}

/// The live store. Calls fail at once while it is disconnected, and within 100 ms when it hangs (`load` excepted: 30 s).
#[async_trait]
pub trait LiveStore: Send + Sync + 'static {
    /// The generation that readers use; 0 in an empty store.
    async fn generation(&self) -> Result<u64, Unavailable>;

    /// Makes `to` the generation that readers use, if it is `from` now. The old one's keys are deleted.
    async fn flip(&self, from: u64, to: u64) -> Result<bool, Unavailable>;

    /// How far a generation has come.
    async fn checkpoint(&self, generation: u64) -> Result<Option<Checkpoint>, Unavailable>;

    /// Takes or renews the right to write a generation, for ten seconds; false while another's has not lapsed.
    async fn acquire(&self, generation: u64, token: WriterId) -> Result<bool, Unavailable>;

    /// Gives it back.
    async fn release(&self, generation: u64, token: WriterId) -> Result<(), Unavailable>;

    /// Writes a batch and its checkpoint in one step, and renews the token's lease. Refused (nothing written) if the
    /// token is not the holder, or the stored checkpoint's sequence is not `from`.
    async fn write(
        &self,
        generation: u64,
        token: WriterId,
        batch: &LiveBatch,
    ) -> Result<Written, Unavailable>;

    /// Writes snapshots without moving the checkpoint (a heal); same token rule, same version rule.
    async fn heal(
        &self,
        generation: u64,
        token: WriterId,
        writes: &[SnapshotWrite],
    ) -> Result<Written, Unavailable>;

    /// Everything of the generation that readers use.
    async fn load(&self) -> Result<LiveSet, Unavailable>;

    /// One game of the generation that readers use.
    async fn get(&self, id: GameId) -> Result<Option<StoredSnapshot>, Unavailable>;

    /// Several games of a generation, for folding on.
    async fn get_many(
        &self,
        generation: u64,
        ids: &[GameId],
    ) -> Result<Vec<Option<StoredSnapshot>>, Unavailable>;

    /// The games that are tombstones in a generation. Those of kinds that only newer code knows may be among them.
    async fn tombstones(&self, generation: u64) -> Result<Vec<GameId>, Unavailable>;

    /// Deletes games that are tombstones (a live one is left).
    async fn sweep(&self, generation: u64, ids: &[GameId]) -> Result<(), Unavailable>;

    /// Moves a game's snapshot aside for an operator to look at, with the reason.
    async fn quarantine(&self, id: GameId, reason: &str) -> Result<(), Unavailable>;

    /// Deletes a generation that readers do not use.
    async fn discard(&self, generation: u64) -> Result<(), Unavailable>;
}
