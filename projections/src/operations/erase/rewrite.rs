//! One finished game without a person: what is appended to the log in the place of all its messages. Pure.

use commands::ports::{LogEntry, Outgoing};
use contract::event::Anchored;
use contract::{
    Envelope, Event, EventId, FinishedGame, GameState, PlayerSummary, Seat, Seq, UserId, WriterId,
};

use crate::live::refold::{Refolded, refold};

/// What becomes of a game in the log.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rewritten {
    /// It was rewritten before, from this sequence on, with this name: what is below that is left to be deleted.
    Already { first: Seq, name: UserId },
    /// These are appended, and then all before them deleted.
    New(Vec<Outgoing>),
}

/// Whether a document has a person's id in it.
pub(super) fn mentions(bytes: &[u8], user: &UserId) -> bool {
    // As JSON writes it, quotes included, so that no other id is meant that begins with it.
    let id = serde_json::Value::from(user.as_str()).to_string();
    memchr(bytes, id.as_bytes())
}

fn memchr(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// Where a person sat, by the messages that say who plays.
pub(super) fn seat_in(entries: &[LogEntry], user: &UserId) -> Option<Seat> {
    entries
        .iter()
        .filter_map(|entry| Envelope::from_bytes(&entry.bytes).ok())
        .find_map(|envelope| match &envelope.event {
            Event::Started(started) => started.players.seat_of(user),
            Event::Anchored(anchored) => anchored.game.players.seat_of(user),
            Event::Ended(ended) => ended.record.players.seat_of(user),
            _ => None,
        })
}

/// Rewrites the messages, oldest first, of a game in which the person sits in `seat`, by a process called `writer`.
///
/// # Errors
/// They do not make a finished game.
pub(super) fn rewrite(
    entries: &[LogEntry],
    user: &UserId,
    seat: Seat,
    name: &UserId,
    writer: WriterId,
) -> Result<Rewritten, String> {
    if let Some(already) = already(entries, user, seat) {
        return Ok(already);
    }
    let game = match refold(entries) {
        Refolded::Game(folded) => folded.game,
        Refolded::Nothing => return Err("the log has only a part of the game".to_owned()),
        Refolded::Newer => return Err("newer code wrote the game".to_owned()),
        Refolded::Broken(why) => return Err(why),
    };
    let before = game
        .before_end()
        .ok_or_else(|| format!("game {} has not ended", game.id))?;
    let end = entries
        .iter()
        .rev()
        .filter_map(|entry| Envelope::from_bytes(&entry.bytes).ok())
        .find(|envelope| envelope.id == game.last_event)
        .ok_or_else(|| format!("game {} has no end in the log", game.id))?;
    let anchor = anchors(entries, writer) + 1;
    Ok(Rewritten::New(vec![
        outgoing(&anchored(before, user, name, writer, anchor)),
        outgoing(&ended(end, user, name)),
    ]))
}

/// A game that ends with a whole state and an end that do not mention the person.
fn already(entries: &[LogEntry], user: &UserId, seat: Seat) -> Option<Rewritten> {
    let [.., first, last] = entries else { return None };
    if mentions(&first.bytes, user) || mentions(&last.bytes, user) {
        return None;
    }
    let anchored = Envelope::from_bytes(&first.bytes).ok()?;
    let ended = Envelope::from_bytes(&last.bytes).ok()?;
    let (Event::Anchored(anchored), Event::Ended(ended)) = (&anchored.event, &ended.event) else {
        return None;
    };
    (anchored.game.players == ended.record.players).then(|| Rewritten::Already {
        first: first.seq,
        name: ended.record.players.of(seat).user_id.clone(),
    })
}

/// How many anchors of a writer there are.
fn anchors(entries: &[LogEntry], writer: WriterId) -> u32 {
    entries
        .iter()
        .filter_map(|entry| Envelope::from_bytes(&entry.bytes).ok())
        .filter(|envelope| envelope.id.writer == writer)
        .filter_map(|envelope| envelope.id.anchor)
        .max()
        .unwrap_or(0)
}

fn anchored(mut game: GameState, user: &UserId, name: &UserId, writer: WriterId, anchor: u32) -> Envelope {
    for seat in Seat::BOTH {
        if game.players.of(seat).user_id == *user
            && let Some(fairness) = &mut game.fairness
        {
            *fairness.client_seeds.of_mut(seat) = None;
        }
        replace(game.players.of_mut(seat), user, name);
    }
    let stands_for = game.last_event;
    Envelope {
        id: EventId {
            writer,
            anchor: Some(anchor),
            ..stands_for
        },
        kind: game.kind,
        previd: Some(stands_for),
        time: game.last_at,
        traceparent: None,
        event: Event::Anchored(Anchored {
            stands_for,
            game: Box::new(game),
        }),
    }
}

fn ended(mut end: Envelope, user: &UserId, name: &UserId) -> Envelope {
    if let Event::Ended(ended) = &mut end.event {
        if ended.left_user_id.as_ref() == Some(user) {
            ended.left_user_id = Some(name.clone());
        }
        record(&mut ended.record, user, name);
    }
    end
}

/// A record without the person.
pub(super) fn record(record: &mut FinishedGame, user: &UserId, name: &UserId) {
    for seat in Seat::BOTH {
        replace(record.players.of_mut(seat), user, name);
    }
    if record.left_user_id.as_ref() == Some(user) {
        record.left_user_id = Some(name.clone());
    }
    // A seed is their text, or their id. Without it the throws cannot be made again, so nothing is said of them at all.
    record.fairness = None;
}

fn replace(player: &mut PlayerSummary, user: &UserId, name: &UserId) {
    if player.user_id == *user {
        *player = PlayerSummary {
            user_id: name.clone(),
            name: None,
            is_guest: player.is_guest,
        };
    }
}

fn outgoing(envelope: &Envelope) -> Outgoing {
    Outgoing {
        key: envelope.key(),
        name: envelope.event.name(),
        bytes: envelope.to_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::EndReason;
    use testkit::fixtures;

    use crate::live::refold::tests::{entries, game};

    const ERASER: WriterId = WriterId(0xe);

    fn nobody() -> UserId {
        UserId::new("erased:1")
    }

    /// A finished game, and who sat first in it, and left.
    fn finished() -> (Vec<Envelope>, UserId) {
        let (mut game, mut events) = game(3);
        events.push(game.end(EndReason::Left));
        (events, game.state().players.player1.user_id.clone())
    }

    fn rewritten(entries: &[LogEntry], user: &UserId) -> Vec<Outgoing> {
        match rewrite(entries, user, Seat::Player1, &nobody(), ERASER) {
            Ok(Rewritten::New(messages)) => messages,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_rewritten_game_is_the_same_without_the_person() {
        let (events, user) = finished();
        let before = entries(&events);
        let messages = rewritten(&before, &user);
        let after: Vec<LogEntry> = (90..)
            .zip(&messages)
            .map(|(seq, message)| fixtures::entry(seq, message))
            .collect();
        assert!(before.iter().any(|entry| mentions(&entry.bytes, &user)));
        assert!(!after.iter().any(|entry| mentions(&entry.bytes, &user)));
        let (Refolded::Game(before), Refolded::Game(after)) = (refold(&before), refold(&after)) else {
            panic!("both fold")
        };
        let mut expected = before.game;
        replace(&mut expected.players.player1, &user, &nobody());
        let ending = expected.ending.as_mut().expect("it ended");
        ending.left_user_id = Some(nobody());
        assert_eq!(after.game, expected);
        assert_eq!(after.game.players.player1.name, None);
    }

    #[test]
    fn a_game_that_was_rewritten_and_not_yet_deleted_is_not_rewritten_again() {
        let (events, user) = finished();
        let mut all = entries(&events);
        let messages = rewritten(&all, &user);
        all.extend(
            (90..)
                .zip(&messages)
                .map(|(seq, message)| fixtures::entry(seq, message)),
        );
        let expected = Ok(Rewritten::Already {
            first: 90,
            name: nobody(),
        });
        let already = rewrite(&all, &user, Seat::Player1, &UserId::new("erased:2"), ERASER);
        assert_eq!(already, expected);
        let left = &all[events.len()..];
        let already = rewrite(left, &user, Seat::Player1, &UserId::new("erased:2"), ERASER);
        assert_eq!(already, expected, "nor when the old messages are gone");
    }

    #[test]
    fn a_rewriting_that_was_interrupted_between_its_messages_begins_anew() {
        let (events, user) = finished();
        let mut all = entries(&events);
        let first = rewritten(&all, &user).remove(0);
        all.push(fixtures::entry(90, &first));
        let again = rewritten(&all, &user);
        assert_eq!(again.len(), 2);
        assert_ne!(again[0].bytes, first.bytes, "each anchor has an id of its own");
    }

    #[test]
    fn a_game_that_goes_on_is_not_rewritten() {
        let (game, events) = game(3);
        let user = &game.state().players.player1.user_id;
        assert!(rewrite(&entries(&events), user, Seat::Player1, &nobody(), ERASER).is_err());
    }

    #[test]
    fn only_the_very_same_id_is_mentioned() {
        let (events, user) = finished();
        let bytes = events[0].to_bytes();
        assert!(mentions(&bytes, &user));
        let beginning = &user.as_str()[..user.as_str().len() - 1];
        assert!(!mentions(&bytes, &UserId::new(beginning)));
    }
}
