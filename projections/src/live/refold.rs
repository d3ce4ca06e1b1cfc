//! A game made anew from its own messages in the log.

use commands::fold::{FoldError, fold};
use commands::ports::LogEntry;
use contract::event::DecodeError;
use contract::{Envelope, GameState};

use super::folded::{Folded, ended_bytes, is_whole};

/// What a game's own messages make.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refolded {
    /// The game.
    Game(Box<Folded>),
    /// Nothing to begin with: the log has none of them, or no longer the first.
    Nothing,
    /// Newer code wrote one of them.
    Newer,
    /// They do not fold.
    Broken(String),
}

/// Folds all messages of one game, oldest first. What does not fold is skipped up to the next event that carries the
/// whole game: the log may reach back only so far, and an `anchored` closes a hole.
pub(crate) fn refold(entries: &[LogEntry]) -> Refolded {
    let mut folded: Option<Folded> = None;
    let mut broken = None;
    for entry in entries {
        let envelope = match Envelope::from_bytes(&entry.bytes) {
            Ok(envelope) => envelope,
            Err(DecodeError::Newer(_)) => return Refolded::Newer,
            // What it would have done is missing now: the next event says so, unless it carries the whole game.
            Err(DecodeError::Corrupt(_)) => continue,
        };
        if folded.is_none() && !is_whole(&envelope) {
            continue;
        }
        match next(folded.take(), entry, &envelope) {
            Ok(game) => folded = Some(game),
            Err(error) => broken = Some(format!("at {}: {error}", entry.seq)),
        }
    }
    match (folded, broken) {
        (Some(folded), _) => Refolded::Game(Box::new(folded)),
        (None, Some(reason)) => Refolded::Broken(reason),
        (None, None) => Refolded::Nothing,
    }
}

fn next(folded: Option<Folded>, entry: &LogEntry, envelope: &Envelope) -> Result<Folded, FoldError> {
    let game = match folded {
        Some(mut known) if envelope.place().version <= known.game.version => {
            known.seq = entry.seq;
            return Ok(known);
        }
        known => fold(known.map(|known| known.game), envelope)?,
    };
    Ok(Folded {
        game,
        seq: entry.seq,
        ended: ended_bytes(entry, envelope),
    })
}

/// Whether a game that was stored lies on another chain than the log's, so that it is lost with this refold.
pub(crate) fn is_other_chain(stored: &GameState, refolded: &GameState) -> bool {
    !refolded.chain.has_event(stored.last_event, refolded.version)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use contract::{EndReason, Kind, WriterId};
    use testkit::fixtures::{Game, entry, outgoing};

    /// The messages of these events, from sequence 1.
    pub(crate) fn entries(envelopes: &[Envelope]) -> Vec<LogEntry> {
        (1..)
            .zip(envelopes)
            .map(|(seq, envelope)| entry(seq, &outgoing(envelope)))
            .collect()
    }

    /// A game with its `started` and `moves` moves, and it folded.
    pub(crate) fn game(moves: usize) -> (Game, Vec<Envelope>) {
        let (mut game, started) = Game::start(Kind::Mancala, WriterId(1));
        let mut events = vec![started];
        events.extend((0..moves).map(|_| game.play()));
        (game, events)
    }

    /// A folded game of `moves` moves.
    pub(crate) fn played(moves: usize) -> Folded {
        folded(&game(moves).1)
    }

    pub(crate) fn folded(events: &[Envelope]) -> Folded {
        match refold(&entries(events)) {
            Refolded::Game(folded) => *folded,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_game_is_made_from_its_own_messages() {
        let (mut game, mut events) = game(3);
        events.push(game.end(EndReason::Left));
        let folded = folded(&events);
        assert_eq!((folded.game.version, folded.seq), (5, 5));
        assert_eq!(folded.ended, Some(events[4].to_bytes()));
    }

    #[test]
    fn a_message_that_is_there_twice_counts_once_and_by_its_last_place() {
        let (_, mut events) = game(2);
        events.push(events[2].clone());
        let folded = folded(&events);
        assert_eq!((folded.game.version, folded.seq), (3, 4));
    }

    #[test]
    fn a_hole_breaks_a_game_and_an_anchored_event_mends_it() {
        let (mut game, mut events) = game(4);
        events.remove(2);
        assert!(matches!(refold(&entries(&events)), Refolded::Broken(_)));
        events.push(game.anchor());
        events.push(game.play());
        assert_eq!(folded(&events).game.version, 6);
    }

    #[test]
    fn a_game_whose_beginning_the_log_has_lost_begins_with_an_anchored_event() {
        let (mut game, mut events) = game(4);
        events.remove(0);
        assert_eq!(refold(&entries(&events)), Refolded::Nothing);
        events.push(game.anchor());
        assert_eq!(folded(&events).game.version, 5);
    }

    #[test]
    fn a_game_that_newer_code_wrote_is_not_folded() {
        let (_, events) = game(1);
        let mut entries = entries(&events);
        let text = String::from_utf8(entries[1].bytes.to_vec()).unwrap();
        entries[1].bytes = text.replace("moved.v1", "moved.v9").into();
        assert_eq!(refold(&entries), Refolded::Newer);
    }

    #[test]
    fn a_game_that_went_another_way_is_on_another_chain() {
        let (mut game, _) = game(2);
        let base = game.state().clone();
        let mut other = game.clone();
        game.play();
        other.resume(WriterId(2));
        assert!(!is_other_chain(&base, other.state()));
        assert!(is_other_chain(game.state(), other.state()));
    }
}
