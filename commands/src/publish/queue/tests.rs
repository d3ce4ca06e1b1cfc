//! The queue against a model of the log.
//!
//! The model loses messages and answers, lands messages late (also after the queue looked and gave up on them), refuses what
//! expects another end, forgets its own newest messages, and takes events of another process. Whatever happened, as soon
//! as it answers again:
//!
//! * The queue is fenced, and then another process did extend the game; or else the log's fold is the committed game.
//!   There is no hole in it that no `anchored` closes, and no repeat that changes it.
//! * What was acknowledged is in the log, to the byte, as long as the log forgot nothing; if it did, the bytes are there
//!   again or an `anchored` stands for them.
//! * No version has two events.
//! * `started` is there unless the log forgot it after its bytes had been given up, and `ended`, to the byte, always.

use proptest::prelude::*;

use super::*;
use crate::decide::Command;
use crate::decide::fixtures::{WRITER, context, live_game, run, start};
use contract::{CommandHash, Seat};

mod model;

use model::{Doing, Outcome, Rules, World};

fn fate() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => Just(Outcome::Answered),
        2 => Just(Outcome::AnswerLost),
        1 => Just(Outcome::MessageLost),
        2 => Just(Outcome::Late),
    ]
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        6 => (any::<prop::sample::Index>(), prop::bool::weighted(0.3))
            .prop_map(|(choice, large)| Doing::Play { choice, large }),
        1 => Just(Doing::Leave),
        12 => Just(Doing::Send),
        10 => fate().prop_map(Doing::Answer),
        6 => prop::bool::weighted(0.8).prop_map(|answered| Doing::Look { answered }),
        3 => any::<prop::sample::Index>().prop_map(Doing::LateLands),
        1 => Just(Doing::OtherGame),
        1 => Just(Doing::Anchor),
        2 => (0i64..4_000).prop_map(Doing::TimePasses),
        1 => Just(Doing::Reconnect),
        2 => (0usize..8, 0i64..10_000).prop_map(|(lost, ms)| Doing::Outage { lost, ms }),
    ]
}

fn doing_of_two() -> impl Strategy<Value = Doing> {
    prop_oneof![30 => doing(), 1 => Just(Doing::Claim)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn one_writer_brings_its_game_into_any_log(doings in prop::collection::vec(doing(), 1..80)) {
        World::new(Rules { late_survives_outage: true }).live_through(&doings)?;
    }

    #[test]
    fn of_two_writers_one_is_fenced(doings in prop::collection::vec(doing_of_two(), 1..80)) {
        World::new(Rules { late_survives_outage: false }).live_through(&doings)?;
    }
}

fn key() -> GameKey {
    live_game().key()
}

fn message(next: Next) -> (Outgoing, Seq) {
    match next {
        Next::Send(message, expected) => (message, expected),
        other => panic!("there is something to send, not {other:?}"),
    }
}

/// A game of `moves` first legal moves with its queue; nothing is sent yet.
fn waiting(moves: u64) -> (PublishQueue, GameState, Vec<Envelope>) {
    let (mut all, mut game) = run(None, &start(), context(0));
    let mut queue = PublishQueue::new(key(), WRITER);
    queue.push(Queued::of(&all[0]), &game);
    for n in 1..=moves {
        let (envelopes, after) = run(Some(game.clone()), &first_move(&game, n), context(n as i64));
        for envelope in &envelopes {
            queue.push(Queued::of(envelope), &after);
        }
        all.extend(envelopes);
        game = after;
    }
    (queue, game, all)
}

fn first_move(game: &GameState, hash: u64) -> Command {
    Command::Move {
        seat: game.to_move().expect("the game is not over"),
        hash: CommandHash(hash),
        position: game.position(),
        mv: game.state.legal_moves()[0].clone(),
        offer_draw: false,
    }
}

fn leave() -> Command {
    Command::Leave {
        seat: Seat::Player1,
        hash: CommandHash(0x1eaf),
    }
}

/// Acknowledges everything, with sequences from `seq` on.
fn drain(queue: &mut PublishQueue, mut seq: Seq) -> Seq {
    while !queue.is_empty() {
        message(queue.step());
        queue.acknowledge(seq, Monotonic(0));
        seq += 1;
    }
    seq
}

fn at(envelope: &Envelope, seq: Seq) -> LastMessage {
    LastMessage {
        place: envelope.place(),
        seq,
    }
}

fn names(queue: &PublishQueue) -> Vec<&'static str> {
    queue.waiting().map(|event| event.name).collect()
}

#[test]
fn one_event_is_in_flight_at_most() {
    let (mut queue, ..) = waiting(2);
    let (first, expected) = message(queue.step());
    assert_eq!((first.name, expected), ("started", 0));
    assert_eq!(queue.step(), Next::Nothing);
    queue.acknowledge(7, Monotonic(0));
    let (second, expected) = message(queue.step());
    assert_eq!((second.name, expected), ("moved", 7));
}

#[test]
fn an_event_without_an_answer_is_looked_for_before_anything_is_sent() {
    let (mut queue, game, all) = waiting(1);
    message(queue.step());
    queue.unknown();
    assert_eq!(queue.step(), Next::Look);
    assert_eq!(queue.resolve(None, &game, Monotonic(0)), Resolved::GoOn);
    let (again, _) = message(queue.step());
    assert_eq!(again.bytes, all[0].to_bytes(), "the same bytes");
    queue.unknown();
    assert_eq!(
        queue.resolve(Some(at(&all[0], 3)), &game, Monotonic(0)),
        Resolved::GoOn
    );
    assert_eq!(queue.durable_version(), 1);
    assert_eq!(message(queue.step()).1, 3);
}

#[test]
fn another_writers_event_fences() {
    let (mut queue, game, all) = waiting(1);
    drain(&mut queue, 1);
    queue.verify();
    let foreign = EventId::new(game.id, 3, WriterId(0xb0b));
    let last = LastMessage {
        place: foreign,
        seq: 3,
    };
    assert_eq!(queue.resolve(Some(last), &game, Monotonic(0)), Resolved::Fenced);
    let instead = EventId::new(game.id, 2, WriterId(0xb0b));
    let last = LastMessage {
        place: instead,
        seq: 2,
    };
    assert_eq!(queue.resolve(Some(last), &game, Monotonic(0)), Resolved::Fenced);
    assert_eq!(
        queue.resolve(Some(at(&all[1], 2)), &game, Monotonic(0)),
        Resolved::GoOn
    );
}

#[test]
fn a_lost_tail_is_sent_again_from_the_kept_bytes() {
    let (mut queue, game, all) = waiting(3);
    drain(&mut queue, 1);
    assert!(queue.verify());
    assert_eq!(
        queue.resolve(Some(at(&all[1], 2)), &game, Monotonic(0)),
        Resolved::TailLost
    );
    let (third, expected) = message(queue.step());
    assert_eq!((third.bytes, expected), (all[2].to_bytes(), 2));
    queue.acknowledge(3, Monotonic(0));
    assert_eq!(message(queue.step()).0.bytes, all[3].to_bytes());
}

#[test]
fn bytes_are_kept_until_somebody_has_looked_whether_they_are_lost() {
    let (mut queue, game, all) = waiting(3);
    drain(&mut queue, 1);
    queue.verify();
    queue.forget(Monotonic(10_000), 3_000);
    assert_eq!(
        queue.resolve(Some(at(&all[2], 3)), &game, Monotonic(10_000)),
        Resolved::TailLost
    );
    assert_eq!(message(queue.step()).0.bytes, all[3].to_bytes());
}

#[test]
fn a_lost_start_comes_again_before_an_anchored() {
    // The second event landed after it was given up and collapsed away: its bytes were never acknowledged here.
    let (mut queue, game, all) = waiting(3);
    message(queue.step());
    queue.acknowledge(1, Monotonic(0));
    message(queue.step());
    queue.unknown();
    assert_eq!(
        queue.resolve(Some(at(&all[0], 1)), &game, Monotonic(0)),
        Resolved::GoOn
    );
    let (more, after) = run(Some(game.clone()), &first_move(&game, 99), context(9));
    let large = model::padded(&more[0].to_bytes(), COLLAPSE_ABOVE);
    queue.push(Queued::with_bytes(&more[0], large), &after);
    assert_eq!(names(&queue), ["anchored"]);
    queue.unknown();
    assert_eq!(
        queue.resolve(Some(at(&all[1], 2)), &after, Monotonic(0)),
        Resolved::GoOn
    );
    queue.unknown();
    assert_eq!(queue.resolve(None, &after, Monotonic(0)), Resolved::TailLost);
    assert_eq!(names(&queue), ["started", "anchored"]);
}

#[test]
fn a_lost_tail_whose_bytes_are_gone_is_anchored() {
    let (mut queue, game, all) = waiting(3);
    drain(&mut queue, 1);
    queue.forget(Monotonic(10_000), 3_000);
    assert!(!queue.verify(), "nothing was acknowledged lately");
    queue.unknown();
    assert_eq!(
        queue.resolve(Some(at(&all[1], 2)), &game, Monotonic(0)),
        Resolved::TailLost
    );
    assert_eq!(names(&queue), ["anchored"]);
    assert_eq!(
        queue.waiting().next().map(|event| event.place),
        Some(game.last_event)
    );
}

#[test]
fn an_ended_game_that_is_anchored_keeps_its_ended() {
    let (mut queue, game, all) = waiting(3);
    let (ended, game) = run(Some(game.clone()), &leave(), context(9));
    drain(&mut queue, 1);
    queue.forget(Monotonic(10_000), 3_000);
    queue.push(Queued::of(&ended[0]), &game);
    queue.unknown();
    assert_eq!(
        queue.resolve(Some(at(&all[1], 2)), &game, Monotonic(0)),
        Resolved::TailLost
    );
    assert_eq!(names(&queue), ["anchored", "ended"]);
}

#[test]
fn a_long_queue_collapses_and_keeps_started_and_ended() {
    let (mut queue, game, _) = waiting(3);
    let (ended, after) = run(Some(game.clone()), &leave(), context(9));
    let large = model::padded(&ended[0].to_bytes(), COLLAPSE_ABOVE);
    queue.push(Queued::with_bytes(&ended[0], large.clone()), &after);
    assert_eq!(names(&queue), ["started", "anchored", "ended"]);
    let collapsed: Vec<_> = queue.waiting().cloned().collect();
    assert_eq!(collapsed[1].place, game.last_event);
    assert_eq!(
        collapsed[1].previd,
        Some(collapsed[0].place),
        "it follows what stays before it"
    );
    assert_eq!(collapsed[2].bytes, large);
}

#[test]
fn a_sent_head_stays_when_the_queue_collapses() {
    let (mut queue, game, all) = waiting(3);
    message(queue.step());
    queue.acknowledge(1, Monotonic(0));
    let (head, _) = message(queue.step());
    let (more, after) = run(Some(game.clone()), &first_move(&game, 99), context(9));
    let large = model::padded(&more[0].to_bytes(), COLLAPSE_ABOVE);
    queue.push(Queued::with_bytes(&more[0], large), &after);
    assert_eq!(names(&queue), ["moved", "anchored"]);
    assert_eq!(head.bytes, all[1].to_bytes());
    queue.acknowledge(2, Monotonic(0));
    assert_eq!(queue.durable_version(), 2);
}

#[test]
fn a_message_found_behind_one_that_is_missing_is_anchored() {
    // Both were sent before the log forgot its tail; the second landed when its expectation happened to hold again.
    let (mut queue, game, all) = waiting(3);
    drain(&mut queue, 1);
    queue.verify();
    assert_eq!(
        queue.resolve(Some(at(&all[1], 2)), &game, Monotonic(0)),
        Resolved::TailLost
    );
    message(queue.step());
    queue.unknown();
    assert_eq!(
        queue.resolve(Some(at(&all[3], 5)), &game, Monotonic(0)),
        Resolved::GoOn
    );
    assert_eq!(names(&queue), ["anchored"]);
}

#[test]
fn a_halted_queue_keeps_what_waits() {
    let (mut queue, ..) = waiting(1);
    message(queue.step());
    queue.halt();
    assert_eq!(queue.step(), Next::Halted);
    assert!(!queue.has_work());
    assert_eq!(queue.waiting().count(), 2);
}

#[test]
fn an_anchored_in_the_place_of_what_the_log_has_is_written_once() {
    let (mut queue, game, _) = waiting(1);
    drain(&mut queue, 1);
    queue.anchor(&game);
    let (anchor, expected) = message(queue.step());
    assert_eq!((anchor.name, expected), ("anchored", 2));
    queue.unknown();
    let place = game.last_event;
    let lost = LastMessage { place, seq: 2 };
    assert_eq!(queue.resolve(Some(lost), &game, Monotonic(0)), Resolved::GoOn);
    assert_eq!(message(queue.step()), (anchor, 2));
    queue.unknown();
    let landed = LastMessage { place, seq: 3 };
    assert_eq!(queue.resolve(Some(landed), &game, Monotonic(0)), Resolved::GoOn);
    assert_eq!(
        (queue.step(), queue.acked()),
        (Next::Nothing, Some(Acked { place, seq: 3 }))
    );
}

#[test]
fn no_two_anchors_have_one_id() {
    let (game, writer) = (live_game(), WRITER);
    let first = anchored(&game, writer, 1, None);
    let mut queue = PublishQueue::resume(key(), writer, None, [Queued::of(&first)]);
    queue.acknowledge(1, Monotonic(0));
    queue.forget(Monotonic(10_000), 3_000);
    queue.unknown();
    assert_eq!(queue.resolve(None, &game, Monotonic(0)), Resolved::TailLost);
    assert_ne!(queue.waiting().next().map(|event| event.id), Some(first.id));
}

#[test]
fn a_queue_at_rest_looks_when_the_log_ends_elsewhere_and_only_then() {
    let (mut queue, game, envelopes) = waiting(1);
    assert!(!queue.is_at_rest());
    assert!(!queue.compare(None), "what is sent next finds out");
    let last = drain(&mut queue, 1) - 1;
    assert!(queue.is_at_rest());
    assert!(!queue.compare(Some(at(&envelopes[1], last))));
    assert_eq!(queue.step(), Next::Nothing);
    for other in [
        None,
        Some(at(&envelopes[0], last)),
        Some(at(&envelopes[1], last + 1)),
    ] {
        let mut queue = queue.clone();
        assert!(queue.compare(other), "{other:?}");
        assert_eq!(queue.step(), Next::Look);
    }
    assert!(queue.compare(None));
    assert_eq!(queue.resolve(None, &game, Monotonic(0)), Resolved::TailLost);
}
