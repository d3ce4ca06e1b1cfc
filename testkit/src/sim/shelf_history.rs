//! The port of the store of finished games.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, UserId, WriterId};
use projections::ports::{Checkpoint, HistoryError, HistoryStore, Page, Written};

use super::Shelf;

#[async_trait]
impl HistoryStore for Shelf {
    async fn checkpoint(&self) -> Result<Option<Checkpoint>, Unavailable> {
        let history = self.ports().history;
        self.reach("checkpoint", async move { history.checkpoint().await })
            .await
    }

    async fn acquire(&self, token: WriterId) -> Result<bool, Unavailable> {
        let history = self.ports().history;
        self.reach("acquire", async move { history.acquire(token).await })
            .await
    }

    async fn release(&self, token: WriterId) -> Result<(), Unavailable> {
        let history = self.ports().history;
        self.reach("release", async move { history.release(token).await })
            .await
    }

    async fn write(
        &self,
        token: WriterId,
        from: Option<u64>,
        to: &Checkpoint,
        games: &[FinishedGame],
    ) -> Result<Written, HistoryError> {
        let refused = games.iter().any(|game| self.refuses(game.id));
        let (history, to, games) = (self.ports().history, to.clone(), games.to_vec());
        self.reach("write", async move {
            if refused {
                return Err(HistoryError::Data("a game is refused for ever".to_owned()));
            }
            history.write(token, from, &to, &games).await
        })
        .await
    }

    async fn reset_checkpoint(&self, token: WriterId, to: &Checkpoint) -> Result<Written, Unavailable> {
        let (history, to) = (self.ports().history, to.clone());
        self.reach("reset_checkpoint", async move {
            history.reset_checkpoint(token, &to).await
        })
        .await
    }

    async fn game(&self, id: GameId) -> Result<Option<FinishedGame>, Unavailable> {
        let history = self.ports().history;
        self.reach("game", async move { history.game(id).await }).await
    }

    async fn existing(&self, ids: &[GameId]) -> Result<Vec<GameId>, Unavailable> {
        let (history, ids) = (self.ports().history, ids.to_vec());
        self.reach("existing", async move { history.existing(&ids).await })
            .await
    }

    async fn recent(&self, user: &UserId, page: Page) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        let (history, user) = (self.ports().history, user.clone());
        self.reach("recent", async move { history.recent(&user, page).await })
            .await
    }

    async fn popular(&self, limit: u32) -> Result<Vec<FinishedGameSummary>, Unavailable> {
        let history = self.ports().history;
        self.reach("popular", async move { history.popular(limit).await })
            .await
    }
}
