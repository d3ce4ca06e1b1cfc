//! The finished games in a batch of messages.

use commands::ports::LogEntry;
use contract::event::DecodeError;
use contract::{Envelope, Event, FinishedGame};

use super::NAME;
use crate::catch_up::Batch;
use crate::newer;
use crate::ports::DeadLetter;

/// What a batch holds for history.
#[derive(Debug, Default)]
pub(super) struct EndedGames {
    /// The records, each with the message it came in.
    pub(super) games: Vec<(LogEntry, Box<FinishedGame>)>,
    /// Letters of the messages that should hold one and cannot be read.
    pub(super) unreadable: Vec<DeadLetter>,
}

/// Finds them by the messages' names; other messages are not decoded.
pub(super) fn games_of(batch: &Batch) -> EndedGames {
    let mut found = EndedGames::default();
    for entry in batch.entries.iter().filter(|entry| entry.name == "ended") {
        match record_of(entry) {
            // A message that was appended twice makes one row.
            Ok(record) if found.games.iter().any(|(_, game)| game.id == record.id) => {}
            Ok(record) => found.games.push((entry.clone(), record)),
            Err(reason) => found.unreadable.push(unreadable(entry, reason)),
        }
    }
    found
}

/// The letter of a message without a record: of newer code's, one that this code takes up when it can be read.
fn unreadable(entry: &LogEntry, reason: String) -> DeadLetter {
    match Envelope::from_bytes(&entry.bytes) {
        Err(DecodeError::Newer(what)) => newer::letter(NAME, entry, &what),
        _ => letter(entry, reason),
    }
}

/// The record in an `ended` message, or why there is none.
pub(crate) fn record_of(entry: &LogEntry) -> Result<Box<FinishedGame>, String> {
    let envelope = Envelope::from_bytes(&entry.bytes).map_err(|error| error.to_string())?;
    match envelope.event {
        Event::Ended(ended) if ended.record.id == entry.key.id => Ok(ended.record),
        Event::Ended(ended) => Err(format!("holds the record of {}", ended.record.id)),
        other => Err(format!("is a {} under the name of an ended", other.name())),
    }
}

/// A game that the store refuses.
pub(crate) fn letter(entry: &LogEntry, reason: String) -> DeadLetter {
    DeadLetter {
        projector: NAME.to_owned(),
        game: entry.key.id,
        seq: entry.seq,
        reason,
        bytes: entry.bytes.clone(),
    }
}
