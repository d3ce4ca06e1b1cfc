//! The store of finished games.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, Millis, UserId, WriterId};

use super::{Checkpoint, Written};

/// Why a batch was not written.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HistoryError {
    /// The store is away, or out of some resource: try again later, with the same batch.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The data itself is refused (SQLSTATE classes 22 and 23): bisect the batch; a single game goes to the dead letters.
    #[error("the data is refused: {0}")]
    Data(String),
}

/// Which part of a user's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// At most this many.
    pub limit: u32,
    /// Only games that come after this one in the list (ended before it; ids break ties).
    pub before: Option<(Millis, GameId)>,
}

/// The history store. Lists are bounded by one second, the wait for a connection included.
#[async_trait]
pub trait HistoryStore: Send + Sync + 'static {
    /// How far it has come.
    async fn checkpoint(&self) -> Result<Option<Checkpoint>, Unavailable>;

    /// Takes or renews the right to write, for ten seconds; false while another's has not lapsed.
    async fn acquire(&self, token: WriterId) -> Result<bool, Unavailable>;

    /// Gives it back.
    async fn release(&self, token: WriterId) -> Result<(), Unavailable>;

    /// Writes games (each once: a row that is there stays as it is) and the checkpoint in one transaction. `from` is the
    /// sequence of the stored checkpoint that this continues, `None` when there must be none; `to` may be before it.
    async fn write(
        &self,
        token: WriterId,
        from: Option<u64>,
        to: &Checkpoint,
        games: &[FinishedGame],
    ) -> Result<Written, HistoryError>;

    /// Sets the checkpoint back or forward without writing games (after a log was replaced or rolled back).
    async fn reset_checkpoint(&self, token: WriterId, to: &Checkpoint) -> Result<Written, Unavailable>;

    /// One game.
    async fn game(&self, id: GameId) -> Result<Option<FinishedGame>, Unavailable>;

    /// Which of these games have a row.
    async fn existing(&self, ids: &[GameId]) -> Result<Vec<GameId>, Unavailable>;

    /// A user's games, newest end first, ids descending at equal times.
    async fn recent(&self, user: &UserId, page: Page) -> Result<Vec<FinishedGameSummary>, Unavailable>;

    /// Games by peak spectators, then newest end.
    async fn popular(&self, limit: u32) -> Result<Vec<FinishedGameSummary>, Unavailable>;
}
