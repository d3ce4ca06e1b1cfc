//! What operators' work needs of the stores, beyond what projectors do: single games put right, a shadow of the history,
//! personal data removed.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::{FinishedGame, GameId, GameKey, Seq, WriterId};

use super::{HistoryError, HistoryStore, LiveStore, SnapshotWrite, StoredSnapshot, Written};

/// Repairs in the live store.
#[async_trait]
pub trait LiveRepair: LiveStore {
    /// Puts `to` (or nothing) in the place of a game's snapshot, if readers use `generation` and the snapshot there is
    /// still `expected`; whether it was. Needs no token: instead, whoever holds that of the generation loses it, since
    /// what it keeps in memory may be what was replaced.
    async fn mend(
        &self,
        generation: u64,
        id: GameId,
        expected: Option<&StoredSnapshot>,
        to: Option<&SnapshotWrite>,
    ) -> Result<bool, Unavailable>;

    /// Deletes the tombstone of a game and whatever of it is in quarantine. A live snapshot is left.
    async fn erase(&self, id: GameId) -> Result<(), Unavailable>;

    /// Overwrites what was replaced or deleted before, where the store keeps it: snapshots are, all the time. It may take
    /// as long as there is data.
    async fn scrub(&self) -> Result<(), Unavailable>;
}

/// What a merge did, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Merged {
    /// Rows that were as the shadow has them.
    pub same: u64,
    /// Rows that were otherwise, and are as the shadow has them now.
    pub replaced: u64,
    /// Rows that were not there.
    pub added: u64,
    /// Rows that the shadow does not have, left as they are.
    pub carried: u64,
}

/// What became of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// Done, in one step.
    Done(Merged),
    /// Nothing was done: the store has come to this sequence, further than the shadow.
    Behind(Seq),
    /// Nothing was done: another one has the shadow by now, or wrote the same rows. It may be tried again if it is the
    /// latter.
    LostShadow,
}

/// Repairs in the history store, and its shadow: a second set of rows that nobody reads. One at a time has the shadow,
/// by a right that lapses ten seconds after it was last renewed.
#[async_trait]
pub trait HistoryRepair: HistoryStore {
    /// Writes a game in the place of whatever row it has, in one transaction.
    async fn replace(&self, game: &FinishedGame) -> Result<(), HistoryError>;

    /// The ids of the games that have a row, ascending, those above `after`, at most `max`.
    async fn ids(&self, after: Option<GameId>, max: u32) -> Result<Vec<GameId>, Unavailable>;

    /// Makes an empty shadow in the place of one that was left behind; false while another one's right has not lapsed.
    async fn begin_shadow(&self, token: WriterId) -> Result<bool, Unavailable>;

    /// Renews the right; false if it is lost.
    async fn keep_shadow(&self, token: WriterId) -> Result<bool, Unavailable>;

    /// Adds games to the shadow (one that is there stays as it is) and renews the right. [`Written::LostToken`] if that
    /// is lost; never [`Written::MovedCheckpoint`].
    async fn fill_shadow(&self, token: WriterId, games: &[FinishedGame]) -> Result<Written, HistoryError>;

    /// Makes the rows like the shadow, which has what the log has up to `through`, in one transaction: rows that differ
    /// are replaced, missing ones added, all others left. With `dry` it only counts. The shadow stays.
    async fn merge_shadow(&self, token: WriterId, through: Seq, dry: bool) -> Result<Merging, Unavailable>;

    /// Drops the shadow and gives the right back, if it is `token`'s.
    async fn drop_shadow(&self, token: WriterId) -> Result<(), Unavailable>;
}

/// Removes messages from the log for good: for personal data, and for nothing else.
#[async_trait]
pub trait LogEraser: Send + Sync + 'static {
    /// Deletes a game's messages with a sequence below `below`, and overwrites them where they were kept; how many.
    /// Sequences are not given out anew.
    async fn erase_below(&self, key: GameKey, below: Seq) -> Result<u64, Unavailable>;
}
