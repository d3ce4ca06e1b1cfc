//! Games to test with: real events, in the order in which a service would write them.
//!
//! **Belongs here:** ids that are new in every test, a game played by the rules, its events as envelopes and as
//! messages for a log. **Does not:** whether a command is allowed, clocks, presence: those are what tests of
//! `commands` are about.

use bytes::Bytes;
use commands::ports::{LogEntry, Outgoing};
use contract::{Envelope, GameId, GameKey, Kind, PlayerSummary, Seq, UserId, WriterId};
use uuid::Uuid;

mod game;
mod long_game;
mod written;

pub use game::{BEAT_MS, Game, STARTED_AT};
pub use long_game::long_mancala;
pub use written::{append_after, append_all, messages};

/// A new game's id, unlike any other.
#[expect(
    clippy::disallowed_methods,
    reason = "tests share servers: their ids must be new, not repeatable"
)]
pub fn game_id() -> GameId {
    GameId(Uuid::now_v7())
}

/// A new mancala game's key.
pub fn game_key() -> GameKey {
    GameKey {
        kind: Kind::Mancala,
        id: game_id(),
    }
}

/// A new process start.
pub fn writer() -> WriterId {
    // The second half of a version 7 id is random but for two bits.
    WriterId(game_id().0.as_u64_pair().1)
}

/// A new guest.
pub fn guest(name: &str) -> PlayerSummary {
    PlayerSummary {
        user_id: UserId::new(format!("guest:{}", game_id())),
        name: Some(name.to_owned()),
        is_guest: true,
    }
}

/// An event as a log takes it.
pub fn outgoing(envelope: &Envelope) -> Outgoing {
    Outgoing {
        key: envelope.key(),
        name: envelope.event.name(),
        bytes: envelope.to_bytes(),
    }
}

/// A message as a log gives it back.
pub fn entry(seq: Seq, message: &Outgoing) -> LogEntry {
    LogEntry {
        seq,
        key: message.key,
        name: message.name.to_owned(),
        bytes: message.bytes.clone(),
    }
}

/// The same message made `len` bytes long by spaces behind it, which JSON allows.
#[must_use]
pub fn padded(message: &Outgoing, len: usize) -> Outgoing {
    let mut bytes = message.bytes.to_vec();
    bytes.resize(len.max(bytes.len()), b' ');
    Outgoing {
        bytes: Bytes::from(bytes),
        ..message.clone()
    }
}
