//! The edge's ports over the read side.

use std::sync::Arc;

use async_trait::async_trait;
use commands::games::{ConnectionId, Listener};
use commands::ports::Unavailable;
use commands::view::Unlisted;
use contract::api::PopularGames;
use contract::view::{FinishedGameSummary, GameView, LiveGameSummary};
use contract::{GameId, Millis, UserId};
use projections::library::Library;
use projections::preview::Preview;

use crate::ports::{LiveList, Reads};

#[async_trait]
impl Reads for Library {
    async fn game(&self, id: GameId, viewer: Option<&UserId>) -> Result<Option<GameView>, Unavailable> {
        Self::game(self, id, viewer).await
    }

    async fn legal_moves(&self, id: GameId) -> Result<Option<Unlisted>, Unavailable> {
        Self::legal_moves(self, id).await
    }

    async fn recent(
        &self,
        user: &UserId,
        limit: u32,
        before: Option<(Millis, GameId)>,
    ) -> Vec<FinishedGameSummary> {
        Self::recent(self, user, limit, before).await
    }

    async fn popular(&self, limit: u32) -> PopularGames {
        Self::popular(self, limit).await
    }
}

impl LiveList for Preview {
    fn active(&self, user: &UserId) -> Option<LiveGameSummary> {
        self.game_of(user)
    }

    fn subscribe(&self, connection: ConnectionId, user: Option<UserId>, listener: Arc<dyn Listener>) {
        Self::subscribe(self, connection, user, listener);
    }

    fn unsubscribe(&self, connection: ConnectionId) {
        Self::unsubscribe(self, connection);
    }
}
