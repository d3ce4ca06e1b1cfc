//! Finished games: each row once, batches in one transaction with the checkpoint.

mod finished;
mod games;
mod repair;
mod shadow;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{Clock, Unavailable};
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, UserId, WriterId};
use projections::ports::{Checkpoint, HistoryError, HistoryStore, Page, Written};
use tokio::time::timeout;

use crate::database::{Database, cannot};
use crate::progress;
use finished::Documents;

/// What history is called among the projections.
const STORE: &str = "history";

/// How long a list may take, the wait for a connection included.
const LIST_DEADLINE: Duration = Duration::from_secs(1);

/// The history store.
pub struct SqliteHistory {
    db: Arc<Database>,
    clock: Arc<dyn Clock>,
}

impl SqliteHistory {
    pub(crate) fn new(db: Arc<Database>, clock: Arc<dyn Clock>) -> Self {
        Self { db, clock }
    }

    async fn acquire_lease(&self, token: WriterId) -> Result<bool, sqlx::Error> {
        let mut writer = self.db.writer().await?;
        progress::acquire(&mut writer, STORE, token, self.clock.monotonic()).await
    }

    async fn release_lease(&self, token: WriterId) -> Result<(), sqlx::Error> {
        let mut writer = self.db.writer().await?;
        progress::release(&mut writer, STORE, token).await
    }

    async fn write_batch(
        &self,
        token: WriterId,
        from: Option<u64>,
        to: &Checkpoint,
        games: &[(&FinishedGame, Documents)],
    ) -> Result<Written, sqlx::Error> {
        let mut tx = self.db.write().await?;
        match progress::admit(&mut tx, STORE, token, from, self.clock.monotonic()).await? {
            Written::Done => {}
            refused => return Ok(refused),
        }
        games::insert(&mut tx, "", games).await?;
        progress::set_checkpoint(&mut tx, STORE, to).await?;
        tx.commit().await?;
        Ok(Written::Done)
    }

    async fn set_checkpoint(&self, token: WriterId, to: &Checkpoint) -> Result<Written, sqlx::Error> {
        let mut tx = self.db.write().await?;
        if !progress::renew(&mut tx, STORE, token, self.clock.monotonic()).await? {
            return Ok(Written::LostToken);
        }
        progress::set_checkpoint(&mut tx, STORE, to).await?;
        tx.commit().await?;
        Ok(Written::Done)
    }
}

async fn in_time<T>(
    what: &'static str,
    list: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, Unavailable> {
    timeout(LIST_DEADLINE, list)
        .await
        .map_err(|_| Unavailable::new("sqlite", format_args!("cannot {what} within a second")))?
        .map_err(cannot(what))
}

/// Whether the data itself is refused, or the store in trouble.
fn refusal(error: sqlx::Error) -> HistoryError {
    match error {
        sqlx::Error::Database(database) if is_about_data(database.code().as_deref()) => {
            HistoryError::Data(database.to_string())
        }
        error @ sqlx::Error::Encode(_) => HistoryError::Data(error.to_string()),
        other => cannot("write finished games")(other).into(),
    }
}

/// A value too big, a constraint, or a value of another type: `SQLite`'s primary codes 18, 19 and 20, in the low byte.
fn is_about_data(code: Option<&str>) -> bool {
    code.and_then(|code| code.parse::<u32>().ok())
        .is_some_and(|code| (18..=20).contains(&(code & 0xff)))
}

#[async_trait]
impl HistoryStore for SqliteHistory {
    async fn checkpoint(&self) -> Result<Option<Checkpoint>, Unavailable> {
        progress::checkpoint(self.db.reads(), STORE)
            .await
            .map_err(cannot("read history's checkpoint"))
    }

    async fn acquire(&self, token: WriterId) -> Result<bool, Unavailable> {
        self.acquire_lease(token)
            .await
            .map_err(cannot("take history's lease"))
    }

    async fn release(&self, token: WriterId) -> Result<(), Unavailable> {
        self.release_lease(token)
            .await
            .map_err(cannot("give history's lease back"))
    }

    async fn write(
        &self,
        token: WriterId,
        from: Option<u64>,
        to: &Checkpoint,
        games: &[FinishedGame],
    ) -> Result<Written, HistoryError> {
        let games: Vec<_> = games
            .iter()
            .map(|game| Ok((game, Documents::of(game)?)))
            .collect::<Result<_, serde_json::Error>>()
            .map_err(|error| HistoryError::Data(error.to_string()))?;
        self.write_batch(token, from, to, &games).await.map_err(refusal)
    }

    async fn reset_checkpoint(&self, token: WriterId, to: &Checkpoint) -> Result<Written, Unavailable> {
        self.set_checkpoint(token, to)
            .await
            .map_err(cannot("reset history's checkpoint"))
    }

    async fn game(&self, id: GameId) -> Result<Option<FinishedGame>, Unavailable> {
        in_time("read a finished game", games::one(self.db.reads(), id)).await
    }

    async fn existing(&self, ids: &[GameId]) -> Result<Vec<GameId>, Unavailable> {
        games::existing(self.db.reads(), ids)
            .await
            .map_err(cannot("look for finished games"))
    }

    async fn recent(&self, user: &UserId, page: Page) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        in_time("list a user's games", games::recent(self.db.reads(), user, page)).await
    }

    async fn popular(&self, limit: u32) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        in_time("list popular games", games::popular(self.db.reads(), limit)).await
    }
}
