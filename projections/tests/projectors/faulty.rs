//! A history store that can be away, hang or refuse a game; otherwise the real one.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, UserId, WriterId};
use projections::ports::{Checkpoint, HistoryError, HistoryStore, Page, Written};

pub struct FaultyHistory {
    store: Arc<dyn HistoryStore>,
    pub away: AtomicBool,
    /// Whether lists are never answered.
    pub hangs: AtomicBool,
    pub refused: Mutex<HashSet<GameId>>,
}

impl FaultyHistory {
    pub fn over(store: Arc<dyn HistoryStore>) -> Arc<Self> {
        Arc::new(Self {
            store,
            away: AtomicBool::new(false),
            hangs: AtomicBool::new(false),
            refused: Mutex::default(),
        })
    }

    fn there(&self) -> Result<&dyn HistoryStore, Unavailable> {
        if self.away.load(SeqCst) {
            Err(Unavailable::new("history store", "pulled"))
        } else {
            Ok(self.store.as_ref())
        }
    }

    async fn answering(&self) -> Result<&dyn HistoryStore, Unavailable> {
        if self.hangs.load(SeqCst) {
            std::future::pending::<()>().await;
        }
        self.there()
    }
}

#[async_trait]
impl HistoryStore for FaultyHistory {
    async fn checkpoint(&self) -> Result<Option<Checkpoint>, Unavailable> {
        self.there()?.checkpoint().await
    }

    async fn acquire(&self, token: WriterId) -> Result<bool, Unavailable> {
        self.there()?.acquire(token).await
    }

    async fn release(&self, token: WriterId) -> Result<(), Unavailable> {
        self.there()?.release(token).await
    }

    async fn write(
        &self,
        token: WriterId,
        from: Option<u64>,
        to: &Checkpoint,
        games: &[FinishedGame],
    ) -> Result<Written, HistoryError> {
        let refused = games
            .iter()
            .any(|game| self.refused.lock().unwrap().contains(&game.id));
        if refused {
            return Err(HistoryError::Data("refused by the test".into()));
        }
        self.there()?.write(token, from, to, games).await
    }

    async fn reset_checkpoint(&self, token: WriterId, to: &Checkpoint) -> Result<Written, Unavailable> {
        self.there()?.reset_checkpoint(token, to).await
    }

    async fn game(&self, id: GameId) -> Result<Option<FinishedGame>, Unavailable> {
        self.there()?.game(id).await
    }

    async fn existing(&self, ids: &[GameId]) -> Result<Vec<GameId>, Unavailable> {
        self.there()?.existing(ids).await
    }

    async fn recent(&self, user: &UserId, page: Page) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        self.answering().await?.recent(user, page).await
    }

    async fn popular(&self, limit: u32) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        self.answering().await?.popular(limit).await
    }
}
