//! What the edge needs of the read side and of the process it runs in. The composition root implements these.

use std::sync::Arc;

use async_trait::async_trait;
use commands::games::{ConnectionId, Listener};
use commands::ports::Unavailable;
use commands::view::Unlisted;
use contract::api::PopularGames;
use contract::view::{FinishedGameSummary, GameView, LiveGameSummary};
use contract::{GameId, Millis, UserId};

use crate::metrics::Figures;

/// Reads of games and lists.
#[async_trait]
pub trait Reads: Send + Sync + 'static {
    /// A game, live or finished, wherever it is held. `None` when there is none; it is never `None` between a game's
    /// end and its row.
    async fn game(&self, id: GameId, viewer: Option<&UserId>) -> Result<Option<GameView>, Unavailable>;

    /// The legal moves of a live game that another process holds; `None` where that cannot be told.
    async fn legal_moves(&self, _id: GameId) -> Result<Option<Unlisted>, Unavailable> {
        Ok(None)
    }

    /// A user's finished games, newest first, at most `limit`, those after `before` in that order. Empty during an
    /// outage.
    async fn recent(
        &self,
        user: &UserId,
        limit: u32,
        before: Option<(Millis, GameId)>,
    ) -> Vec<FinishedGameSummary>;

    /// Live games if there are any, else finished ones. Empty during an outage.
    async fn popular(&self, limit: u32) -> PopularGames;
}

/// The list of live games, in memory.
pub trait LiveList: Send + Sync + 'static {
    /// The live game a user is in, wherever it is held.
    fn active(&self, user: &UserId) -> Option<LiveGameSummary>;

    /// The connection gets `on_live_games` now and whenever it changes, at most once a second.
    fn subscribe(&self, connection: ConnectionId, user: Option<UserId>, listener: Arc<dyn Listener>);

    /// It gets it no longer. Unknown connections are ignored.
    fn unsubscribe(&self, connection: ConnectionId);
}

/// What operators see of the process, on the administration port.
#[async_trait]
pub trait Status: Send + Sync + 'static {
    /// Everything, as a JSON object.
    async fn status(&self) -> serde_json::Value;

    /// Figures of the parts behind the edge. What takes too long is left out.
    async fn figures(&self) -> Figures {
        Figures::default()
    }
}
