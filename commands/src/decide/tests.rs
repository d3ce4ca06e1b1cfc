//! Decisions as sentences.

use contract::event::{Anchored, Ended};
use contract::{ClientId, FinishedGame};
use proptest::prelude::*;
use rules::mancala;

use super::fixtures::{WRITER, context, live_game, players, run, start};
use super::*;
use crate::fold::{FoldError, fold, refold};
use contract::{Envelope, EventId};

mod dice;

/// Ends in the mover's store: another turn.
const EXTRA_TURN: u8 = 3;

fn hash(n: u64) -> CommandHash {
    CommandHash(n)
}

fn pit(index: u8) -> Move {
    mancala::Move(index).into()
}

fn move_at(position: Position, seat: Seat, n: u64, index: u8) -> Command {
    Command::Move {
        seat,
        hash: hash(n),
        position,
        mv: pit(index),
        offer_draw: false,
    }
}

fn move_of(game: &GameState, n: u64, index: u8) -> Command {
    let seat = game.to_move().expect("the game is not over");
    move_at(game.position(), seat, n, index)
}

fn reject(game: &GameState, command: &Command) -> Rejection {
    decide(Some(game), command, context(1_000)).expect_err("it is rejected")
}

fn ended(envelopes: &[Envelope]) -> &Ended {
    match envelopes.last().map(|envelope| &envelope.event) {
        Some(Event::Ended(ended)) => ended,
        other => panic!("the last event is an end, not {other:?}"),
    }
}

/// A game played by `choices` to its end (by leaving, if they do not reach one), with its events.
fn play_out(choices: &[usize]) -> (Vec<Envelope>, GameState) {
    let (mut all, mut game) = run(None, &start(), context(0));
    for (n, choice) in choices.iter().enumerate() {
        let Some(seat) = game.to_move() else { break };
        let legal = game.state.legal_moves();
        let command = Command::Move {
            seat,
            hash: hash(n as u64),
            position: game.position(),
            mv: legal[choice % legal.len()].clone(),
            offer_draw: false,
        };
        let (events, after) = run(Some(game), &command, context(n as i64));
        all.extend(events);
        game = after;
    }
    if game.is_live() {
        let (events, after) = run(Some(game), &leave(Seat::Player2), context(1_000));
        all.extend(events);
        game = after;
    }
    (all, game)
}

fn leave(seat: Seat) -> Command {
    Command::Leave {
        seat,
        hash: hash(0x1eaf),
    }
}

/// A game one move before its end, and that move.
fn before_the_last_move() -> (GameState, Command) {
    let mut game = live_game();
    for n in 0.. {
        let command = Command::Move {
            seat: game.to_move().expect("the game is not over"),
            hash: hash(n),
            position: game.position(),
            mv: game.state.legal_moves()[0].clone(),
            offer_draw: false,
        };
        let (events, after) = run(Some(game.clone()), &command, context(n as i64));
        if events.len() == 2 {
            return (game, command);
        }
        game = after;
    }
    unreachable!("every game ends");
}

/// A game whose last move was played, without an `ended`.
fn without_its_end() -> GameState {
    let (game, last) = before_the_last_move();
    let seat = game.to_move().expect("a move is left");
    let moved = decide(Some(&game), &last, context(5_000))
        .expect("it is legal")
        .remove(0);
    let envelope = Envelope {
        id: EventId::new(game.id, game.version + 1, WRITER),
        kind: game.kind,
        previd: Some(game.last_event),
        time: Millis(5_000),
        traceparent: None,
        event: moved,
    };
    let after = fold(Some(game), &envelope).expect("it follows");
    assert_eq!(after.to_move(), None, "{seat} played the last move");
    after
}

#[test]
fn a_default_aggregate_is_no_such_game() {
    for command in [
        leave(Seat::Player1),
        Command::GoOn,
        Command::Resume { downtime_ms: 0 },
    ] {
        assert_eq!(decide(None, &command, context(0)), Err(Rejection::NoSuchGame));
    }
}

#[test]
fn a_game_starts_once() {
    assert_eq!(reject(&live_game(), &start()), Rejection::SeatTaken);
}

#[test]
fn a_started_game_is_what_was_agreed() {
    let game = live_game();
    assert_eq!((game.version, game.turn_version), (1, 1));
    assert_eq!(
        (game.players.clone(), game.rules.as_str()),
        (players(), "mangala")
    );
    assert_eq!(game.to_move(), Some(Seat::Player1));
}

#[test]
fn the_joiners_command_is_remembered() {
    let id: ClientId = "join".parse().expect("it is short");
    let by = CommandHash::of(Seat::Player2, &id);
    let Command::Start(mut begin) = start() else {
        panic!("it is a start");
    };
    begin.command = Some(by);
    let (_, game) = run(None, &Command::Start(begin), context(0));
    assert_eq!(game.version_of(Seat::Player2, by), Some(1));
}

#[test]
fn a_move_needs_its_turn_its_position_and_the_rules() {
    let game = live_game();
    let at = game.position();
    assert_eq!(
        reject(&game, &move_at(at, Seat::Player2, 1, 7)),
        Rejection::NotYourTurn
    );
    assert_eq!(
        reject(&game, &move_at(at, Seat::Player1, 1, 8)),
        Rejection::Illegal(rules::IllegalMove::NotYourPit)
    );
    let ahead = Position { version: 2, ..at };
    assert_eq!(
        reject(&game, &move_at(ahead, Seat::Player1, 1, 0)),
        Rejection::Stale
    );
    let foreign = Position {
        writer: WriterId(1),
        ..at
    };
    assert_eq!(
        reject(&game, &move_at(foreign, Seat::Player1, 1, 0)),
        Rejection::Stale
    );
}

#[test]
fn a_resumed_event_makes_no_position_stale() {
    let game = live_game();
    let seen = game.position();
    let (_, game) = run(Some(game), &Command::Resume { downtime_ms: 9 }, context(1));
    let (_, game) = run(Some(game), &Command::Resume { downtime_ms: 9 }, context(2));
    assert_eq!((game.version, game.turn_version), (3, 1));
    assert!(decide(Some(&game), &move_at(seen, Seat::Player1, 1, 0), context(3)).is_ok());
}

#[test]
fn the_movers_own_extra_turn_makes_the_position_stale() {
    let game = live_game();
    let seen = game.position();
    let (_, game) = run(Some(game.clone()), &move_of(&game, 1, EXTRA_TURN), context(1));
    assert_eq!(game.to_move(), Some(Seat::Player1), "another turn");
    assert_eq!(
        reject(&game, &move_at(seen, Seat::Player1, 2, 4)),
        Rejection::Stale
    );
    assert_eq!(
        reject(&game, &move_at(seen, Seat::Player1, 1, EXTRA_TURN)),
        Rejection::Stale,
        "the same one is not played again"
    );
    assert!(decide(Some(&game), &move_of(&game, 2, 4), context(2)).is_ok());
}

#[test]
fn a_stale_position_is_told_before_the_turn() {
    let game = live_game();
    let seen = game.position();
    let (_, game) = run(Some(game.clone()), &move_of(&game, 1, 0), context(1));
    assert_eq!(game.to_move(), Some(Seat::Player2));
    assert_eq!(
        reject(&game, &move_at(seen, Seat::Player1, 2, 1)),
        Rejection::Stale
    );
}

#[test]
fn the_last_sixteen_commands_of_each_seat_are_remembered() {
    const REMEMBERED: usize = 16;
    let mut game = live_game();
    let mut played: [Vec<(CommandHash, u64)>; 2] = Default::default();
    let mut n = 0;
    while game.to_move().is_some() && played.iter().any(|moves| moves.len() <= REMEMBERED) {
        n += 1;
        let seat = game.to_move().expect("it is not over");
        // The last legal move: it makes a long game.
        let mv = game.state.legal_moves().pop().expect("there is one");
        let command = Command::Move {
            seat,
            hash: hash(n),
            position: game.position(),
            mv,
            offer_draw: false,
        };
        game = run(Some(game), &command, context(n as i64)).1;
        played[seat.index()].push((hash(n), game.version));
    }
    for seat in Seat::BOTH {
        let moves = &played[seat.index()];
        let kept = moves.len().min(REMEMBERED);
        let (forgotten, remembered) = moves.split_at(moves.len() - kept);
        for (hash, version) in remembered {
            assert_eq!(game.version_of(seat, *hash), Some(*version));
            assert_eq!(game.version_of(seat.other(), *hash), None);
        }
        for (hash, _) in forgotten {
            assert_eq!(game.version_of(seat, *hash), None);
        }
    }
    assert!(
        played.iter().any(|moves| moves.len() > REMEMBERED),
        "something was forgotten"
    );
}

#[test]
fn the_last_move_ends_the_game_in_the_same_decision() {
    let (game, last) = before_the_last_move();
    let seat = game.to_move().expect("a move is left");
    let (events, after) = run(Some(game.clone()), &last, context(7_000));
    assert_eq!(
        events.iter().map(|e| e.event.name()).collect::<Vec<_>>(),
        ["moved", "ended"]
    );
    let Event::Moved(moved) = &events[0].event else {
        panic!("the first is the move");
    };
    assert_eq!(moved.next_seat, None);
    let ended = ended(&events);
    assert_eq!(
        (ended.reason, ended.result),
        (EndReason::Completed, moved.state.outcome())
    );
    let hash = moved.command.expect("a player moved");
    assert_eq!(ended.command, Some(CommandBy { seat, hash }));
    assert_eq!(
        after.version_of(seat, hash),
        Some(after.version),
        "one command, its last version"
    );
    assert_eq!(reject(&after, &last), Rejection::GameOver);
}

#[test]
fn an_ended_event_carries_the_whole_record() {
    let (events, game) = play_out(&[]);
    let FinishedGame {
        id,
        players: both,
        moves,
        final_state,
        ended_at,
        started_at,
        left_user_id,
        ..
    } = (*ended(&events).record).clone();
    assert_eq!((id, both, moves), (game.id, players(), game.moves.clone()));
    assert_eq!(
        (final_state, started_at, ended_at),
        (game.state.clone(), Millis(0), Millis(1_000))
    );
    assert_eq!(left_user_id, Some(players().player2.user_id));
}

#[test]
fn the_leaver_loses_whoevers_turn_it_is() {
    for seat in Seat::BOTH {
        let (events, game) = run(Some(live_game()), &leave(seat), context(9));
        let ended = ended(&events);
        assert_eq!(ended.result, Some(Outcome::win(seat.other())));
        assert_eq!((ended.reason, game.is_live()), (EndReason::Left, false));
        assert_eq!(game.version_of(seat, hash(0x1eaf)), Some(2));
        assert_eq!(reject(&game, &leave(seat)), Rejection::GameOver);
    }
}

#[test]
fn only_the_seat_to_move_times_out_and_the_other_one_wins() {
    let game = live_game();
    assert_eq!(
        reject(&game, &Command::Timeout { seat: Seat::Player2 }),
        Rejection::NotYourTurn
    );
    let (events, _) = run(Some(game), &Command::Timeout { seat: Seat::Player1 }, context(9));
    let ended = ended(&events);
    assert_eq!(
        (ended.result, ended.reason),
        (Some(Outcome::Player2), EndReason::Timeout)
    );
    assert_eq!((ended.left_user_id.clone(), ended.command), (None, None));
}

#[test]
fn nobody_wins_an_inactive_game() {
    let inactive = Command::Inactive { ended_at: Millis(4) };
    let (events, game) = run(Some(live_game()), &inactive, context(9));
    assert_eq!(
        (ended(&events).result, ended(&events).reason),
        (None, EndReason::Inactive)
    );
    assert_eq!(ended(&events).record.ended_at, Millis(4));
    assert_eq!(game.last_at, Millis(9));
}

#[test]
fn completing_ends_a_game_as_of_its_last_move() {
    let game = without_its_end();
    assert_eq!(
        decide(Some(&live_game()), &Command::GoOn, context(0)),
        Ok(Vec::new())
    );
    let (events, after) = run(Some(game), &Command::GoOn, context(99_000));
    assert_eq!(events[0].time, Millis(99_000), "its time is now");
    assert_eq!(
        ended(&events).record.ended_at,
        Millis(5_000),
        "but the game ended with its last event"
    );
    assert_eq!(ended(&events).reason, EndReason::Completed);
    assert_eq!(reject(&after, &Command::GoOn), Rejection::GameOver);
}

#[test]
fn a_game_whose_last_move_was_played_can_only_be_taken_over_and_completed() {
    let game = without_its_end();
    let ended_at = Millis(9_000);
    for command in [
        leave(Seat::Player1),
        leave(Seat::Player2),
        Command::Timeout { seat: Seat::Player1 },
        Command::Inactive { ended_at },
        move_at(game.position(), Seat::Player1, 1, EXTRA_TURN),
    ] {
        assert_eq!(reject(&game, &command), Rejection::GameOver, "{command:?}");
    }
    let (_, claimed) = run(Some(game), &Command::Resume { downtime_ms: 1 }, context(8_000));
    let (events, _) = run(Some(claimed), &Command::GoOn, context(9_000));
    assert_eq!(ended(&events).reason, EndReason::Completed);
    assert_eq!(
        ended(&events).record.ended_at,
        Millis(5_000),
        "it ended with its last move, not when it was taken over"
    );
}

#[test]
fn nothing_happens_in_a_game_that_is_over() {
    let (_, game) = play_out(&[]);
    for command in [
        Command::Resume { downtime_ms: 0 },
        Command::Timeout { seat: Seat::Player1 },
        Command::Inactive { ended_at: Millis(0) },
        move_at(game.position(), Seat::Player1, 1, 0),
    ] {
        assert_eq!(reject(&game, &command), Rejection::GameOver);
    }
}

#[test]
fn an_event_is_never_earlier_than_the_one_before_it() {
    let (_, game) = run(
        Some(live_game()),
        &Command::Resume { downtime_ms: 0 },
        context(500),
    );
    assert_eq!(
        event_time(Some(&game), Millis(100)),
        Millis(500),
        "the clock went back"
    );
    assert_eq!(event_time(Some(&game), Millis(501)), Millis(501));
    assert_eq!(event_time(None, Millis(100)), Millis(100));
    let left = decide(Some(&game), &leave(Seat::Player1), context(100)).expect("it is allowed");
    let Event::Ended(ended) = &left[0] else {
        panic!("it ends");
    };
    assert_eq!(ended.record.ended_at, Millis(500));
}

#[test]
fn what_is_known_of_spectators_never_shrinks() {
    let watched = Context {
        spectators: Spectators { peak: 5, total: 9 },
        ..context(1)
    };
    let game = live_game();
    let (_, game) = run(Some(game.clone()), &move_of(&game, 1, EXTRA_TURN), watched);
    let (events, game) = run(Some(game.clone()), &move_of(&game, 2, 4), context(2));
    assert_eq!(game.spectators, Spectators { peak: 5, total: 9 });
    assert_eq!(events[0].event.spectators(), Spectators { peak: 5, total: 9 });
}

fn anchor(game: &GameState) -> Envelope {
    Envelope {
        id: EventId {
            anchor: Some(1),
            ..game.last_event
        },
        kind: game.kind,
        previd: None,
        time: game.last_at,
        traceparent: None,
        event: Event::Anchored(Anchored {
            stands_for: game.last_event,
            game: Box::new(game.clone()),
        }),
    }
}

#[test]
fn a_fold_refuses_holes_repeats_and_other_chains() {
    let (events, _) = play_out(&[]);
    let (first, second) = (&events[0], &events[1]);
    let game = fold(None, first).expect("it starts");
    assert_eq!(fold(None, second), Err(FoldError::Hole { have: 0, found: 2 }));
    assert_eq!(
        fold(Some(game.clone()), first),
        Err(FoldError::Old { have: 1, found: 1 })
    );
    let foreign = Envelope {
        previd: Some(EventId::new(game.id, 1, WriterId(1))),
        ..second.clone()
    };
    assert!(matches!(
        fold(Some(game), &foreign),
        Err(FoldError::OtherChain { .. })
    ));
}

#[test]
fn a_hole_is_an_error_unless_an_anchored_closes_it() {
    let (events, game) = play_out(&[0; 6]);
    let live = refold(&events[..5]).expect("it is whole").expect("it started");
    let mut holed = events.clone();
    holed.remove(2);
    assert!(matches!(refold(&holed), Err(FoldError::Hole { .. })));
    holed.insert(4, anchor(&live));
    assert_eq!(refold(&holed), Ok(Some(game)));
}

proptest! {
    #[test]
    fn a_fold_of_repeated_events_is_the_game(
        choices in prop::collection::vec(0usize..6, 0..60),
        again in any::<prop::sample::Index>(),
    ) {
        let (events, game) = play_out(&choices);
        prop_assert_eq!(refold(&events), Ok(Some(game.clone())));
        let twice: Vec<_> = events[..=again.index(events.len())].iter().chain(&events).cloned().collect();
        prop_assert_eq!(refold(&twice), Ok(Some(game)));
    }

    #[test]
    fn a_game_anchored_at_any_version_goes_on_the_same(
        choices in prop::collection::vec(0usize..6, 0..60),
        at in any::<prop::sample::Index>(),
    ) {
        let (events, game) = play_out(&choices);
        let at = at.index(events.len());
        let until = refold(&events[..=at]).expect("it is whole").expect("it started");
        let rest: Vec<_> = std::iter::once(anchor(&until)).chain(events[at + 1..].iter().cloned()).collect();
        prop_assert_eq!(refold(&rest), Ok(Some(game)));
    }

    #[test]
    fn the_state_before_the_end_and_the_end_make_the_game(
        choices in prop::collection::vec(0usize..6, 0..60),
    ) {
        let (events, game) = play_out(&choices);
        let before = game.before_end().expect("it ended");
        prop_assert!(before.is_live());
        let ended = events.last().expect("it ended").clone();
        prop_assert_eq!(refold(&[anchor(&before), ended]), Ok(Some(game)));
    }

    #[test]
    fn versions_are_gapless_and_each_event_names_the_one_before(
        choices in prop::collection::vec(0usize..6, 0..60),
    ) {
        let (events, game) = play_out(&choices);
        for (n, pair) in events.windows(2).enumerate() {
            prop_assert_eq!(pair[1].previd, Some(pair[0].id));
            prop_assert_eq!(pair[1].version(), n as u64 + 2);
            prop_assert!(pair[0].time <= pair[1].time);
        }
        prop_assert_eq!(game.chain.ranges().len(), 1);
        prop_assert_eq!(game.position(), Position { version: game.version, writer: WRITER });
    }
}
