//! The library: what anybody may read of games, wherever a game is kept.
//!
//! **Belongs here:** in which order the places are asked, what an outage means for the answer, what is cached.
//! **Does not:** who may read (everything here is public), HTTP, the places themselves.
//!
//! A single game is answered as long as any place has it; that there is none is said only when every place has
//! answered. Lists fall back to empty, within a second.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use commands::games::Games;
use commands::ports::{EventLog, Unavailable};
use commands::view::Unlisted;
use contract::view::{GameView, LiveGameSummary};
use contract::{GameId, UserId};

use crate::ports::{Cache, HistoryStore, LiveStore, SnapshotStatus, StoredSnapshot};
use crate::preview::Preview;

mod lists;
mod place;

/// How long one place, or a whole list, may take.
const BOUND: Duration = Duration::from_secs(1);

/// The places where games are.
pub struct Library {
    /// The games held here.
    pub games: Arc<dyn Games>,
    /// Live games as lists show them.
    pub preview: Arc<Preview>,
    /// Snapshots and tombstones.
    pub live: Arc<dyn LiveStore>,
    /// Rows.
    pub history: Arc<dyn HistoryStore>,
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Lists of a moment ago.
    pub cache: Arc<dyn Cache>,
}

impl Library {
    /// A game, live or finished, as `viewer` may see it; `None` only if every place answered that it has none.
    ///
    /// # Errors
    /// No place has it and at least one did not answer.
    pub async fn game(&self, id: GameId, viewer: Option<&UserId>) -> Result<Option<GameView>, Unavailable> {
        if let Some(live) = self.games.live(id, viewer) {
            return Ok(Some(GameView::Live(Box::new(live))));
        }
        let mut trouble = None;
        if let Some(record) = self.games.just_finished(id)
            && let Some(view) = note(place::finished(&record).map(Some), &mut trouble)
        {
            return Ok(Some(view));
        }
        let spectators = self.preview.spectators_of(id);
        if let Some(view) = note(self.stored(id, spectators, viewer).await, &mut trouble) {
            return Ok(Some(view));
        }
        if let Some(view) = note(self.elsewhere(id, viewer), &mut trouble) {
            return Ok(Some(view));
        }
        if let Some(view) = note(self.row(id).await, &mut trouble) {
            return Ok(Some(view));
        }
        if let Some(view) = note(self.last_ended(id).await, &mut trouble) {
            return Ok(Some(view));
        }
        trouble.map_or(Ok(None), Err)
    }

    /// The legal moves of a live game, wherever it is held; `None` if it is not known to be live.
    ///
    /// # Errors
    /// Nobody who may know it answered.
    pub async fn legal_moves(&self, id: GameId) -> Result<Option<Unlisted>, Unavailable> {
        if let Some(moves) = self.games.legal_moves(id) {
            return Ok(Some(moves));
        }
        if let Some((game, _)) = self.preview.game(id) {
            return Ok(Some(Unlisted::of(&game)));
        }
        if self.games.just_finished(id).is_some() {
            return Ok(None);
        }
        let stored = bounded("live store", self.live.get(id)).await?;
        match stored {
            Some(stored) if self.outlived(&stored).await.is_none() => place::legal_moves(&stored),
            _ => Ok(None),
        }
    }

    /// The live game that a user is in, held here or elsewhere.
    pub fn active(&self, user: &UserId) -> Option<LiveGameSummary> {
        self.games
            .active_game(user)
            .or_else(|| self.preview.game_of(user))
    }

    async fn stored(
        &self,
        id: GameId,
        spectators: u32,
        viewer: Option<&UserId>,
    ) -> Result<Option<GameView>, Unavailable> {
        let Some(stored) = bounded("live store", self.live.get(id)).await? else {
            return Ok(None);
        };
        match self.outlived(&stored).await {
            Some(finished) => Ok(Some(finished)),
            None => place::stored(&stored, spectators, viewer).map(Some),
        }
    }

    /// The finished game, if history has it already while a snapshot says that it is live: the live projector may be
    /// behind the history one, and memory has forgotten the game. A history store that does not answer leaves the
    /// snapshot as the best that is known.
    async fn outlived(&self, stored: &StoredSnapshot) -> Option<GameView> {
        if stored.status != SnapshotStatus::Live {
            return None;
        }
        self.row(stored.key.id)
            .await
            .inspect_err(|error| tracing::debug!(%error, "a snapshot was not compared with history"))
            .ok()
            .flatten()
    }

    /// A live game that another process holds, as the log has it.
    fn elsewhere(&self, id: GameId, viewer: Option<&UserId>) -> Result<Option<GameView>, Unavailable> {
        let found = self.preview.game(id);
        found
            .map(|(game, spectators)| place::live(&game, spectators, viewer))
            .transpose()
    }

    async fn row(&self, id: GameId) -> Result<Option<GameView>, Unavailable> {
        match bounded("history store", self.history.game(id)).await? {
            Some(record) => place::finished(&record).map(Some),
            None => Ok(None),
        }
    }

    async fn last_ended(&self, id: GameId) -> Result<Option<GameView>, Unavailable> {
        match bounded("log", self.log.find_ended(id)).await? {
            Some(entry) => place::ended(&entry.bytes).map(Some),
            None => Ok(None),
        }
    }
}

/// What a place answered; that it did not is remembered, and the next place is asked.
fn note(
    answer: Result<Option<GameView>, Unavailable>,
    trouble: &mut Option<Unavailable>,
) -> Option<GameView> {
    match answer {
        Ok(view) => view,
        Err(error) => {
            trouble.get_or_insert(error);
            None
        }
    }
}

async fn bounded<T>(
    what: &'static str,
    answer: impl Future<Output = Result<T, Unavailable>>,
) -> Result<T, Unavailable> {
    match tokio::time::timeout(BOUND, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(Unavailable::new(what, "no answer in time")),
    }
}
