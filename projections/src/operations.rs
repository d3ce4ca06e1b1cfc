//! What operators do with log and stores: make a projection anew ([`rebuild`]), compare everything with the log
//! ([`verify`]), put single games right ([`mend`]), try dead letters again ([`retry`]), forget a person ([`erase`]).
//!
//! **Belongs here:** what each of these does, while the service runs and through its own crash. **Does not:** how an
//! operator asks and is answered (the service), how a store does it (adapters).
//!
//! Each is [`Work`]: it says how far it is, and stops when told to. None of them touches a game in memory or sends a
//! client anything.

use std::sync::Arc;

use commands::ports::{Clock, EventLog, LogEntry, Unavailable};
use contract::{GameId, GameKey, Kind, Millis, Seq, WriterId};
use serde::{Deserialize, Serialize};

use crate::ports::{Cache, DeadLetters, HistoryRepair, LiveRepair, LogEraser, LogReader};

mod ends;
pub mod erase;
pub mod mend;
mod patient;
pub mod rebuild;
pub mod retry;
pub mod verify;
mod work;

pub use patient::Patient;
pub use work::{Amount, Stopped, Work};

/// What operators' work is done with.
#[derive(Clone)]
pub struct OperationParts {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Its reader.
    pub reader: Arc<dyn LogReader>,
    /// What removes messages from it.
    pub eraser: Arc<dyn LogEraser>,
    /// The snapshots; best a [`Patient`] one.
    pub live: Arc<dyn LiveRepair>,
    /// The rows.
    pub history: Arc<dyn HistoryRepair>,
    /// Cached lists.
    pub cache: Arc<dyn Cache>,
    /// Dead letters.
    pub dead_letters: Arc<dyn DeadLetters>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// By whose right this work writes: another one for each, so that two of one process exclude each other too.
    pub token: WriterId,
}

/// Which games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    /// Only this one.
    #[serde(default)]
    pub game: Option<GameId>,
    /// Only those that lie behind this point as a whole.
    #[serde(default)]
    pub from: Option<Since>,
}

/// A point in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Since {
    /// From this sequence on.
    Seq(Seq),
    /// From this time on, by the events' own times.
    Time(Millis),
}

impl Since {
    /// Whether something at this sequence and time lies behind the point.
    fn includes(self, seq: Seq, at: Millis) -> bool {
        match self {
            Self::Seq(from) => seq >= from,
            Self::Time(from) => at >= from,
        }
    }

    /// Where reading may begin.
    fn before(self) -> Seq {
        match self {
            Self::Seq(from) => from.saturating_sub(1),
            Self::Time(_) => 0,
        }
    }
}

/// A game's messages, whichever kind it is; none if the log has none.
async fn find(log: &dyn EventLog, id: GameId) -> Result<Option<(GameKey, Vec<LogEntry>)>, Unavailable> {
    for kind in Kind::ALL {
        let key = GameKey { kind: *kind, id };
        let entries = log.read_game(key, 0).await?;
        if !entries.is_empty() {
            return Ok(Some((key, entries)));
        }
    }
    Ok(None)
}

/// Whether the log has anything of a game, whichever kind it is.
async fn has_any(log: &dyn EventLog, id: GameId) -> Result<bool, Unavailable> {
    for kind in Kind::ALL {
        if log.last(GameKey { kind: *kind, id }).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A game that an operator named and nobody knows.
fn no_such_game(id: GameId) -> Stopped {
    Stopped::Refused(format!("the log has nothing of game {id}"))
}
