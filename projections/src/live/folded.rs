//! One game as folded so far, and what the next message does to it: pure.

use bytes::Bytes;
use commands::fold::{FoldError, fold};
use commands::ports::LogEntry;
use contract::{Envelope, Event, GameState, Seq};

/// A game with the sequence of its last message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Folded {
    /// The game.
    pub(crate) game: GameState,
    /// The sequence of the message that says so.
    pub(crate) seq: Seq,
    /// The document of its `ended` event, once there is one.
    pub(crate) ended: Option<Bytes>,
}

/// What a message does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It changed the game. A new key may be made by it, if it carries the whole game.
    Applied {
        /// Whether it carries the whole game.
        whole: bool,
    },
    /// Its effect is there, from a message with a lower sequence: only the sequence is new.
    Reseated,
    /// Its effect is there.
    Repeated,
    /// The game cannot be folded on from here: it must be refolded.
    Refold,
}

/// Folds one message. Unless it is applied or reseated, the game stays as it is.
pub(crate) fn step(folded: &mut Option<Folded>, entry: &LogEntry, envelope: &Envelope) -> Step {
    let known = match folded.as_mut().map(|known| relation(known, entry, envelope)) {
        Some(Relation::Next) => folded.take().map(|known| known.game),
        Some(Relation::Known(step)) => return step,
        None => None,
    };
    match fold(known, envelope) {
        Ok(game) => {
            *folded = Some(Folded {
                game,
                seq: entry.seq,
                ended: ended_bytes(entry, envelope),
            });
            Step::Applied {
                whole: is_whole(envelope),
            }
        }
        // Without a game, whatever does not carry the whole one. With a game the relation has ruled it out.
        Err(FoldError::Old { .. } | FoldError::Hole { .. } | FoldError::OtherChain { .. }) => Step::Refold,
    }
}

/// How a message stands to a game.
enum Relation {
    /// It continues the game.
    Next,
    /// It does not.
    Known(Step),
}

fn relation(known: &mut Folded, entry: &LogEntry, envelope: &Envelope) -> Relation {
    let (place, have) = (envelope.place(), known.game.version);
    if place.version > have {
        let follows = place.version == have + 1 && envelope.previd == Some(known.game.last_event);
        return if follows || is_anchored(envelope) {
            Relation::Next
        } else {
            Relation::Known(Step::Refold)
        };
    }
    if !known.game.chain.has_event(place, have) {
        return Relation::Known(Step::Refold);
    }
    if place.version == have && entry.seq > known.seq {
        known.seq = entry.seq;
        return Relation::Known(Step::Reseated);
    }
    Relation::Known(Step::Repeated)
}

/// Whether an event carries the whole game, so that it needs nothing before it.
pub(crate) fn is_whole(envelope: &Envelope) -> bool {
    matches!(envelope.event, Event::Started(_) | Event::Anchored(_))
}

/// Whether an event carries the whole game in place of others.
pub(crate) fn is_anchored(envelope: &Envelope) -> bool {
    matches!(envelope.event, Event::Anchored(_))
}

/// Whether the event before this one is missing.
pub(crate) fn is_behind_a_hole(known: Option<&Folded>, envelope: &Envelope) -> bool {
    envelope.place().version > known.map_or(0, |known| known.game.version) + 1
}

/// The document, if it is an `ended` event's.
pub(crate) fn ended_bytes(entry: &LogEntry, envelope: &Envelope) -> Option<Bytes> {
    matches!(envelope.event, Event::Ended(_)).then(|| entry.bytes.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::refold::tests::{entries, folded, game};
    use contract::{EndReason, WriterId};
    use testkit::fixtures::{entry, outgoing};

    fn steps(folded: &mut Option<Folded>, events: &[Envelope]) -> Vec<Step> {
        entries(events)
            .iter()
            .zip(events)
            .map(|(entry, envelope)| step(folded, entry, envelope))
            .collect()
    }

    #[test]
    fn events_in_order_are_applied_and_only_the_first_carries_the_whole_game() {
        let (mut game, mut events) = game(1);
        events.push(game.end(EndReason::Left));
        let mut folded = None;
        assert_eq!(
            steps(&mut folded, &events),
            [
                Step::Applied { whole: true },
                Step::Applied { whole: false },
                Step::Applied { whole: false }
            ]
        );
        let folded = folded.unwrap();
        assert_eq!((folded.game.version, folded.ended.is_some()), (3, true));
    }

    #[test]
    fn a_redelivered_event_changes_nothing() {
        let (_, events) = game(2);
        let mut folded = Some(folded(&events));
        let before = folded.clone();
        assert_eq!(steps(&mut folded, &events), [Step::Repeated; 3]);
        assert_eq!(folded, before);
    }

    #[test]
    fn the_last_event_at_a_later_place_gives_the_game_that_place() {
        let (mut game, events) = game(1);
        let mut folded = Some(folded(&events));
        let anchored = game.anchor();
        let at_nine = entry(9, &outgoing(&anchored));
        assert_eq!(step(&mut folded, &at_nine, &anchored), Step::Reseated);
        assert_eq!(folded.map(|folded| folded.seq), Some(9));
    }

    #[test]
    fn a_hole_and_an_unknown_game_are_refolded() {
        let (_, events) = game(3);
        let last = entry(4, &outgoing(&events[3]));
        assert_eq!(step(&mut None, &last, &events[3]), Step::Refold);
        let mut folded = Some(folded(&events[..2]));
        let before = folded.clone();
        assert_eq!(step(&mut folded, &last, &events[3]), Step::Refold);
        assert_eq!(folded, before);
    }

    #[test]
    fn an_event_of_another_chain_is_refolded_at_any_version() {
        let (mut game, mut events) = game(2);
        let mut other = game.clone();
        events.push(game.play());
        let foreign = [other.resume(WriterId(2)), other.play()];
        for event in &foreign {
            let mut folded = Some(folded(&events));
            assert_eq!(
                step(&mut folded, &entry(9, &outgoing(event)), event),
                Step::Refold
            );
        }
    }

    #[test]
    fn an_anchored_event_closes_a_hole() {
        let (mut game, events) = game(3);
        let mut folded = Some(folded(&events[..2]));
        let anchored = game.anchor();
        assert_eq!(
            step(&mut folded, &entry(9, &outgoing(&anchored)), &anchored),
            Step::Applied { whole: true }
        );
        assert_eq!(folded.map(|folded| folded.game.version), Some(4));
    }
}
