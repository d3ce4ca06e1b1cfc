//! The store of finished games: which statement answers what, and within which time.

mod batch;
mod lease;
mod read;
mod repair;
mod row;
mod shadow;
mod time;
mod write;

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, UserId, WriterId};
use projections::ports::{Checkpoint, HistoryError, HistoryStore, Page, Written};
use tokio::time::timeout_at;

use crate::config::{InvalidUrl, PostgresConfig};
use crate::database::{Database, READ, WRITE};
use crate::figures::Figures;
use crate::migrate::{self, MigrateError};

use batch::Batch;

/// The history store in Postgres.
///
/// Reads are bounded by one second and writes by five, the wait for a connection included. While the server is away,
/// calls fail at once, but for one every 100 ms that looks whether it is back; the first that find it gone may take a
/// second.
pub struct PostgresHistory {
    database: Database,
}

impl PostgresHistory {
    /// Connects to nothing yet, so that the service starts without the database. Must be called within the runtime.
    pub fn new(config: &PostgresConfig) -> Result<Self, InvalidUrl> {
        Ok(Self {
            database: Database::new(config)?,
        })
    }

    /// How calls went since the start, and how many connections there are.
    pub fn figures(&self) -> Figures {
        self.database.figures()
    }

    /// Brings the schema up to date; safe to call from several processes at one time. Until it has succeeded once on a
    /// new database, every other call is [`Unavailable`].
    pub async fn migrate(&self) -> Result<(), MigrateError> {
        migrate::migrate(&self.database).await
    }
}

#[async_trait]
impl HistoryStore for PostgresHistory {
    async fn checkpoint(&self) -> Result<Option<Checkpoint>, Unavailable> {
        let mut call = self.database.lease("checkpoint", READ).await?;
        let answer = timeout_at(call.deadline(), read::checkpoint(call.connection())).await;
        Ok(call.settle(answer)?)
    }

    async fn acquire(&self, token: WriterId) -> Result<bool, Unavailable> {
        let mut call = self.database.lease("acquire", WRITE).await?;
        let answer = timeout_at(call.deadline(), lease::acquire(call.connection(), token)).await;
        Ok(call.settle(answer)?)
    }

    async fn release(&self, token: WriterId) -> Result<(), Unavailable> {
        let mut call = self.database.lease("release", WRITE).await?;
        let answer = timeout_at(call.deadline(), lease::release(call.connection(), token)).await;
        Ok(call.settle(answer)?)
    }

    async fn write(
        &self,
        token: WriterId,
        from: Option<u64>,
        to: &Checkpoint,
        games: &[FinishedGame],
    ) -> Result<Written, HistoryError> {
        let batch = Batch::of(games)?;
        let mut call = self.database.lease("write", WRITE).await?;
        let answer = timeout_at(
            call.deadline(),
            write::write(call.connection(), token, from, to, &batch),
        )
        .await;
        Ok(call.settle(answer)?)
    }

    async fn reset_checkpoint(&self, token: WriterId, to: &Checkpoint) -> Result<Written, Unavailable> {
        let mut call = self.database.lease("reset checkpoint", WRITE).await?;
        let answer = timeout_at(call.deadline(), write::reset(call.connection(), token, to)).await;
        Ok(call.settle(answer)?)
    }

    async fn game(&self, id: GameId) -> Result<Option<FinishedGame>, Unavailable> {
        let mut call = self.database.lease("game", READ).await?;
        let answer = timeout_at(call.deadline(), read::game(call.connection(), id)).await;
        Ok(call.settle(answer)?)
    }

    async fn existing(&self, ids: &[GameId]) -> Result<Vec<GameId>, Unavailable> {
        let mut call = self.database.lease("existing", READ).await?;
        let answer = timeout_at(call.deadline(), read::existing(call.connection(), ids)).await;
        Ok(call.settle(answer)?)
    }

    async fn recent(&self, user: &UserId, page: Page) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        let mut call = self.database.lease("recent", READ).await?;
        let answer = timeout_at(call.deadline(), read::recent(call.connection(), user, page)).await;
        Ok(call.settle(answer)?)
    }

    async fn popular(&self, limit: u32) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        let mut call = self.database.lease("popular", READ).await?;
        let answer = timeout_at(call.deadline(), read::popular(call.connection(), limit)).await;
        Ok(call.settle(answer)?)
    }
}
