//! Events that the log could not take yet, kept where they outlive the process.

use async_trait::async_trait;
use bytes::Bytes;
use contract::{EventId, GameKey, WriterId};
use tokio::sync::watch;

use super::{Link, Unavailable};

/// One waiting event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingItem {
    /// The event, as comparisons read it (an `anchored` by what it stands for).
    pub place: EventId,
    /// Its own id.
    pub id: EventId,
    /// The event before it.
    pub previd: Option<EventId>,
    /// Whether it is an `anchored`: it stands for everything up to its version.
    pub anchored: bool,
    /// Its name, such as `moved`.
    pub name: String,
    /// The document.
    pub bytes: Bytes,
}

/// What waits for one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingGame {
    /// The game.
    pub key: GameKey,
    /// Who wrote the list.
    pub writer: WriterId,
    /// The event that the first item follows: the last one that the log had acknowledged. `None` before the first.
    pub base: Option<EventId>,
    /// The items, oldest first.
    pub items: Vec<PendingItem>,
}

/// A list per game.
///
/// All calls are bounded by 100 ms where the store is a server, and fail at once while it is disconnected.
#[async_trait]
pub trait PendingStore: Send + Sync + 'static {
    /// Adds items in order, atomically per game. An item is appended only if its `previd` is the `place` of the item
    /// before it (an empty list: if its `previd` is `base`); items already there (same id) are skipped. A list of another
    /// writer is replaced whole. `base` is stored when the list is empty.
    ///
    /// An `anchored` item takes the place of the items up to the version that it stands for, and what is above stays
    /// behind it. But `started` and `ended` never disappear into one: a `started` at the head stays there, and an
    /// `anchored` that would take the place of an `ended` is skipped. So is one that what is above does not follow: it
    /// comes late.
    ///
    /// A `started` that is not there goes to the head of a list that is not empty, which then has no base: the log lost
    /// the whole game.
    async fn append(&self, game: &PendingGame) -> Result<(), Unavailable>;

    /// Drops the items of `writer` up to and including `place`, and makes it the base. The list of another writer is left.
    async fn trim(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), Unavailable>;

    /// Everything that waits.
    async fn load(&self) -> Result<Vec<PendingGame>, Unavailable>;

    /// Moves the game's list, if it is still `writer`'s, aside for an operator to look at, with the reason; items whose
    /// place is in `keep_out` are dropped instead (they are on the game's chain). Nothing is left waiting.
    async fn quarantine(
        &self,
        key: GameKey,
        writer: WriterId,
        keep_out: &[EventId],
        reason: &str,
    ) -> Result<(), Unavailable>;

    /// Whether it can be reached, now and from now on. After each new connection it may have less than it was given: what
    /// it should have must be copied again.
    fn link(&self) -> watch::Receiver<Link>;
}
