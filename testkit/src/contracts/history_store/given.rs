//! What all cases write and read with.

use commands::ports::LogIdentity;
use contract::view::FinishedGameSummary;
use contract::{EventId, FinishedGame, GameId, UserId, WriterId};
use projections::ports::{Checkpoint, HistoryError, HistoryStore, Page, Written};
use std::collections::HashSet;

use super::games::id;

pub(super) const TOKEN: WriterId = WriterId(0xa);

pub(super) const OTHER: WriterId = WriterId(0xb);

/// A checkpoint at `seq`, of the event by which game `seq` ended.
pub fn checkpoint(seq: u64) -> Checkpoint {
    Checkpoint {
        seq,
        event_id: Some(EventId::new(id(seq as u32), 40, WriterId(0xffff_0000_1234_abcd))),
        log: LogIdentity("GAMES@2026-01-01T00:00:00.123456789Z".to_owned()),
    }
}

/// Takes the token, and writes `games` in one batch from the stored checkpoint to the next sequence.
pub async fn write(store: &dyn HistoryStore, games: &[FinishedGame]) {
    assert!(store.acquire(TOKEN).await.unwrap(), "the token is free");
    let from = store.checkpoint().await.unwrap().map(|stored| stored.seq);
    let to = checkpoint(from.unwrap_or(0) + 1);
    assert_eq!(store.write(TOKEN, from, &to, games).await.unwrap(), Written::Done);
}

/// The user's whole list.
pub(super) async fn all_of(store: &dyn HistoryStore, user: &str) -> Vec<FinishedGameSummary> {
    let page = Page {
        limit: 1_000,
        before: None,
    };
    store.recent(&UserId::new(user), page).await.unwrap()
}

pub(super) fn ids(list: &[FinishedGameSummary]) -> Vec<GameId> {
    list.iter().map(|game| game.id).collect()
}

pub(super) fn set(ids: impl IntoIterator<Item = GameId>) -> HashSet<GameId> {
    ids.into_iter().collect()
}

/// [`HistoryError`] cannot be compared; its text can.
pub(super) fn outcome(result: Result<Written, HistoryError>) -> Result<Written, String> {
    result.map_err(|error| error.to_string())
}

pub(super) async fn comes_back(store: &dyn HistoryStore, game: &FinishedGame) {
    assert_eq!(store.game(game.id).await.unwrap().as_ref(), Some(game));
}
