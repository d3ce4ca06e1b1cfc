//! From what a place keeps to what clients see: pure.

use commands::ports::Unavailable;
use commands::snapshot::{Snapshot, Tombstone};
use commands::view::{self, LiveContext, Unlisted};
use contract::view::{FinishedStatus, GameView};
use contract::{Envelope, Event, FinishedGame, GameState, UserId};

use crate::ports::{SnapshotStatus, StoredSnapshot};

/// A snapshot or a tombstone. What cannot be read counts as a place that did not answer.
pub(super) fn stored(
    stored: &StoredSnapshot,
    spectator_count: u32,
    viewer: Option<&UserId>,
) -> Result<GameView, Unavailable> {
    match stored.status {
        SnapshotStatus::Live => {
            let game = Snapshot::decode(&stored.bytes)
                .map_err(|e| Unavailable::new("snapshot", e))?
                .game;
            live(&game, spectator_count, viewer)
        }
        SnapshotStatus::Tombstone => {
            let tombstone = Tombstone::decode(&stored.bytes).map_err(|e| Unavailable::new("tombstone", e))?;
            ended(&tombstone.ended)
        }
    }
}

/// A live game of another process, from the log or from what was made of it.
pub(super) fn live(
    game: &GameState,
    spectator_count: u32,
    viewer: Option<&UserId>,
) -> Result<GameView, Unavailable> {
    // It was made from the log, so the log has all of it.
    let context = LiveContext {
        durable_version: game.version,
        spectator_count,
        connections: None,
        clock: None,
    };
    let live = view::live_game(game, context, viewer).map_err(|e| Unavailable::new("live game", e))?;
    Ok(GameView::Live(Box::new(live)))
}

/// The legal moves of a snapshot; none of a tombstone's game.
pub(super) fn legal_moves(stored: &StoredSnapshot) -> Result<Option<Unlisted>, Unavailable> {
    match stored.status {
        SnapshotStatus::Live => {
            let snapshot = Snapshot::decode(&stored.bytes).map_err(|e| Unavailable::new("snapshot", e))?;
            Ok(Some(Unlisted::of(&snapshot.game)))
        }
        SnapshotStatus::Tombstone => Ok(None),
    }
}

/// The record in an `ended` event.
pub(super) fn ended(document: &[u8]) -> Result<GameView, Unavailable> {
    let envelope = Envelope::from_bytes(document).map_err(|e| Unavailable::new("ended event", e))?;
    match envelope.event {
        Event::Ended(ended) => finished(&ended.record),
        other => Err(Unavailable::new(
            "ended event",
            format!("it is a {}", other.name()),
        )),
    }
}

/// A record.
pub(super) fn finished(game: &FinishedGame) -> Result<GameView, Unavailable> {
    let record = view::record(game).map_err(|e| Unavailable::new("record", e))?;
    Ok(GameView::Finished {
        status: FinishedStatus::Finished,
        record: Box::new(record),
    })
}
