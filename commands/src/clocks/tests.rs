use contract::event::{Ended, Moved};
use contract::{CommandHash, EndReason, Envelope, Event, GameState, Outcome};
use proptest::prelude::*;

use super::*;
use crate::decide::fixtures::{context, run, start_with};
use crate::decide::{Command, Context, decide};
use crate::fold::refold;
use crate::games::Rejection;

const MINUTE: TimeControl = TimeControl::Fischer {
    initial_s: 60,
    increment_s: 2,
};

fn game_with(control: TimeControl) -> GameState {
    run(None, &start_with(control), context(0)).1
}

fn after(now: i64, ran_ms: i64) -> Context {
    Context {
        ran_ms,
        ..context(now)
    }
}

fn a_move(game: &GameState, choice: usize) -> Command {
    let legal = game.state.legal_moves();
    Command::Move {
        seat: game.to_move().expect("a move is left"),
        hash: CommandHash(game.version),
        position: game.position(),
        mv: legal[choice % legal.len()].clone(),
        offer_draw: false,
    }
}

/// What a command that takes `ran_ms` makes of the game.
fn play(game: GameState, choice: usize, ran_ms: i64) -> (Vec<Envelope>, GameState) {
    let command = a_move(&game, choice);
    let now = game.last_at.0 + ran_ms;
    run(Some(game), &command, after(now, ran_ms))
}

fn clocks_of(game: &GameState) -> Clocks {
    game.clocks.expect("it has clocks")
}

fn remaining(game: &GameState) -> (i64, i64) {
    let BySeat { player1, player2 } = clocks_of(game).remaining_ms;
    (player1, player2)
}

fn runs(game: &GameState) -> Option<(Seat, i64)> {
    clocks_of(game)
        .running
        .map(|running| (running.seat, running.since.0))
}

fn ended(events: &[Envelope]) -> &Ended {
    match events.last().map(|envelope| &envelope.event) {
        Some(Event::Ended(ended)) => ended,
        other => panic!("the last event is an end, not {other:?}"),
    }
}

#[test]
fn a_game_without_a_time_control_has_no_clocks() {
    assert_eq!(game_with(TimeControl::Unlimited).clocks, None);
}

#[test]
fn the_first_clock_runs_from_the_start() {
    let game = game_with(MINUTE);
    assert_eq!(remaining(&game), (60_000, 60_000));
    assert_eq!(runs(&game), Some((Seat::Player1, 0)));
}

#[test]
fn a_turn_costs_what_its_clock_ran_and_adds_the_increment() {
    // The first pit leaves the turn to the other player.
    let (events, game) = play(game_with(MINUTE), 0, 1_500);
    assert_eq!(remaining(&game), (60_500, 60_000));
    assert_eq!(runs(&game), Some((Seat::Player2, 1_500)));
    let Event::Moved(Moved { think_ms, .. }) = &events[0].event else {
        panic!("it is a move");
    };
    assert_eq!((*think_ms, game.moves[0].think_ms), (Some(1_500), Some(1_500)));
}

#[test]
fn another_turn_of_the_same_player_is_a_turn_like_any_other() {
    // The fourth pit ends in the mover's store.
    let (_, game) = play(game_with(MINUTE), 3, 1_500);
    assert_eq!(remaining(&game), (60_500, 60_000));
    assert_eq!(runs(&game), Some((Seat::Player1, 1_500)));
}

#[test]
fn a_time_per_move_is_whole_again_after_each() {
    let (_, game) = play(game_with(TimeControl::PerMove { seconds: 10 }), 0, 9_999);
    assert_eq!(remaining(&game), (10_000, 10_000));
}

#[test]
fn the_last_millisecond_is_in_time_and_the_next_is_too_late() {
    let game = game_with(TimeControl::SuddenDeath { initial_s: 10 });
    let flag = Command::Flag { seat: Seat::Player1 };
    assert_eq!(
        decide(Some(&game), &flag, after(9_999, 9_999)),
        Err(Rejection::TimeIsLeft)
    );
    let (_, played) = play(game.clone(), 0, 9_999);
    assert_eq!(remaining(&played), (1, 10_000));
    let late = after(10_000, 10_000);
    assert_eq!(
        decide(Some(&game), &a_move(&game, 0), late),
        Err(Rejection::TimeIsUp)
    );
    let (events, game) = run(Some(game), &flag, late);
    let ended = ended(&events);
    assert_eq!(
        (ended.result, ended.reason),
        (Some(Outcome::Player2), EndReason::Flag)
    );
    assert_eq!((ended.left_user_id.clone(), ended.command), (None, None));
    assert_eq!((remaining(&game), runs(&game)), ((0, 10_000), None));
}

#[test]
fn only_the_clock_that_runs_can_run_out() {
    let game = game_with(TimeControl::SuddenDeath { initial_s: 10 });
    let flag = Command::Flag { seat: Seat::Player2 };
    assert_eq!(
        decide(Some(&game), &flag, after(10_000, 10_000)),
        Err(Rejection::TimeIsLeft)
    );
    let without = game_with(TimeControl::Unlimited);
    let flag = Command::Flag { seat: Seat::Player1 };
    assert_eq!(
        decide(Some(&without), &flag, after(10_000, 10_000)),
        Err(Rejection::TimeIsLeft)
    );
}

#[test]
fn when_time_is_up_nobody_can_leave_to_lose_otherwise_or_to_be_blamed() {
    let game = game_with(TimeControl::SuddenDeath { initial_s: 10 });
    for seat in Seat::BOTH {
        let hash = CommandHash(7);
        let leave = Command::Leave { seat, hash };
        assert_eq!(
            decide(Some(&game), &leave, after(10_000, 10_000)),
            Err(Rejection::TimeIsUp)
        );
    }
}

#[test]
fn an_absent_player_loses_as_if_they_had_left() {
    let game = game_with(MINUTE);
    let absent = Command::Absent { seat: Seat::Player2 };
    let (events, game) = run(Some(game), &absent, after(30_000, 30_000));
    let ended = ended(&events);
    assert_eq!(
        (ended.result, ended.reason),
        (Some(Outcome::Player1), EndReason::Left)
    );
    assert_eq!(ended.left_user_id.as_ref(), Some(&game.players.player2.user_id));
    assert_eq!((remaining(&game), runs(&game)), ((30_000, 60_000), None));
}

#[test]
fn downtime_is_given_back_and_what_went_before_it_is_charged() {
    let game = game_with(MINUTE);
    let (_, game) = run(
        Some(game),
        &Command::Resume { downtime_ms: 40_000 },
        context(45_000),
    );
    assert_eq!(remaining(&game), (55_000, 60_000));
    assert_eq!(runs(&game), Some((Seat::Player1, 45_000)));
    let more_than_all = Command::Resume {
        downtime_ms: i64::MAX,
    };
    let (_, game) = run(Some(game), &more_than_all, context(90_000));
    assert_eq!(remaining(&game), (55_000, 60_000));
}

#[test]
fn what_is_no_move_lets_the_same_clock_run_on() {
    let clocks = game_with(MINUTE).clocks;
    let same = after_other(clocks, 5_000, Some(Seat::Player1), Millis(5_000));
    assert_eq!(same, clocks);
    let nobody = after_other(clocks, 5_000, None, Millis(5_000)).expect("it has clocks");
    assert_eq!((nobody.remaining_ms.player1, nobody.running), (55_000, None));
    let again = after_other(Some(nobody), 0, Some(Seat::Player1), Millis(9_000)).expect("it has clocks");
    assert_eq!(again.remaining_ms.player1, 55_000);
    assert_eq!(
        again.running,
        Some(Running {
            seat: Seat::Player1,
            since: Millis(9_000)
        })
    );
}

#[test]
fn a_move_for_which_nobody_was_waited_costs_nothing_and_adds_nothing() {
    let mut game = game_with(MINUTE);
    game.clocks = at_end(game.clocks, 0);
    let passed = after_move(&game, Seat::Player1, 0, Some(Seat::Player2), Millis(1)).expect("it has clocks");
    assert_eq!(passed.remaining_ms.player1, 60_000);
    assert_eq!(think_ms(game.clocks.as_ref(), Seat::Player1, 5), None);
}

#[test]
fn a_time_per_move_is_whole_again_after_a_move_that_was_not_chosen() {
    let mut game = game_with(TimeControl::PerMove { seconds: 10 });
    // The answer to an offer took most of it, and then the dice left no choice.
    game.clocks = after_other(game.clocks, 8_000, None, Millis(8_000));
    assert_eq!(remaining(&game), (2_000, 10_000));
    let passed = after_move(&game, Seat::Player1, 0, Some(Seat::Player2), Millis(8_000));
    assert_eq!(passed.map(|clocks| clocks.remaining_ms.player1), Some(10_000));
}

#[test]
fn a_client_is_told_what_is_left_now() {
    let told = as_of(clocks_of(&game_with(MINUTE)), 1_500, Millis(70_000));
    assert_eq!(told.remaining_ms.player1, 58_500);
    assert_eq!(
        told.running,
        Some(Running {
            seat: Seat::Player1,
            since: Millis(70_000)
        })
    );
}

fn any_control() -> impl Strategy<Value = TimeControl> {
    prop_oneof![
        (10..=10_800u32).prop_map(|initial_s| TimeControl::SuddenDeath { initial_s }),
        (10..=120u32, 0..=180u32).prop_map(|(initial_s, increment_s)| TimeControl::Fischer {
            initial_s,
            increment_s
        }),
        (10..=60u32).prop_map(|seconds| TimeControl::PerMove { seconds }),
    ]
}

/// One thing that happens: a move, or a restart, after some time.
#[derive(Debug, Clone)]
enum Beat {
    Move { choice: usize, ran_ms: i64 },
    Restart { ran_ms: i64, downtime_ms: i64 },
}

fn any_beat() -> impl Strategy<Value = Beat> {
    prop_oneof![
        9 => (0..6usize, 0..20_000i64).prop_map(|(choice, ran_ms)| Beat::Move { choice, ran_ms }),
        1 => (0..20_000i64, 0..99_000i64)
            .prop_map(|(ran_ms, downtime_ms)| Beat::Restart { ran_ms, downtime_ms }),
    ]
}

/// What each seat must have: the whole account, kept apart from the code.
struct Account {
    budget: Budget,
    left: BySeat<i64>,
}

impl Account {
    fn of(control: TimeControl) -> Self {
        let budget = Budget::of(Kind::Mancala, control).expect("it has clocks");
        let (Budget::Game { initial_ms: ms, .. } | Budget::Turn { ms }) = budget;
        let left = BySeat {
            player1: ms,
            player2: ms,
        };
        Self { budget, left }
    }

    fn moved(&mut self, seat: Seat, ran_ms: i64) {
        let left = self.left.of_mut(seat);
        match self.budget {
            Budget::Game { increment_ms, .. } => *left += increment_ms - ran_ms,
            Budget::Turn { ms } => *left = ms,
        }
    }
}

/// What stands before an `ended` in a log that lost the rest must end in the same way.
#[test]
fn before_an_end_the_clock_that_it_stopped_has_what_was_left() {
    let begun = game_with(MINUTE);
    let (_, game) = play(begun, 0, 5_000);
    let (seat, left_ms) = left(&clocks_of(&game)).expect("a player is waited for");
    let flag = Command::Flag { seat };
    let leave = Command::Leave {
        seat,
        hash: CommandHash(77),
    };
    for (command, ran_ms) in [(flag, left_ms), (leave, 4_000)] {
        let at = game.last_at.0 + ran_ms;
        let (events, over) = run(Some(game.clone()), &command, after(at, ran_ms));
        let before = over.before_end().expect("it ended");
        assert_eq!(clocks_of(&before), as_of(clocks_of(&game), ran_ms, Millis(at)));
        let (_, again) = run(Some(before), &command, after(at, 0));
        assert_eq!(clocks_of(&again), clocks_of(&over));
        assert_eq!(
            again.ending.map(|ending| (ending.result, ending.reason)),
            Some((ended(&events).result, ended(&events).reason))
        );
    }
}

proptest! {
    /// No clock gains time but by increments, none is at nothing after a move, late moves are refused, time is up at the
    /// millisecond, what a restart costs is what ran before it, and the events alone give the same clocks.
    #[test]
    fn every_millisecond_is_accounted_for(
        control in any_control(),
        beats in proptest::collection::vec(any_beat(), 0..60),
    ) {
        let (mut all, mut game) = run(None, &start_with(control), context(0));
        let mut account = Account::of(control);
        for beat in beats {
            let Some(seat) = game.to_move() else { break };
            let left_ms = *clocks_of(&game).remaining_ms.of(seat);
            let (envelopes, next) = match beat {
                Beat::Move { choice, ran_ms } if ran_ms < left_ms => {
                    account.moved(seat, ran_ms);
                    let (envelopes, next) = play(game, choice, ran_ms);
                    prop_assert!(*clocks_of(&next).remaining_ms.of(seat) > 0);
                    (envelopes, next)
                }
                Beat::Move { choice, ran_ms } => {
                    let at = after(game.last_at.0 + ran_ms, ran_ms);
                    prop_assert_eq!(decide(Some(&game), &a_move(&game, choice), at), Err(Rejection::TimeIsUp));
                    *account.left.of_mut(seat) = 0;
                    run(Some(game), &Command::Flag { seat }, at)
                }
                Beat::Restart { ran_ms, downtime_ms } => {
                    let at = context(game.last_at.0 + ran_ms + downtime_ms);
                    let left = account.left.of_mut(seat);
                    *left = (*left - ran_ms).max(0);
                    run(Some(game), &Command::Resume { downtime_ms }, at)
                }
            };
            game = next;
            all.extend(envelopes);
            prop_assert_eq!(clocks_of(&game).remaining_ms, account.left);
            prop_assert_eq!(runs(&game).map(|(seat, _)| seat), game.to_move());
        }
        prop_assert_eq!(refold(&all), Ok(Some(game)));
    }
}
