//! Games with clocks: what is charged, what is given back, and that a flag falls at its instant, once.

use std::collections::BTreeSet;

use commands::games::{CommandError, Games, PlayerCommand, Rejection, Role, Sought};
use commands::live::Adopted;
use commands::ports::{Clock, EventLog};
use commands::publish::queue::Acked;
use contract::frames::ServerFrame;
use contract::frames::server::Change;
use contract::{Clocks, Durability, EndReason, Event, GameId, Outcome, Running, Seat, TimeControl};
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::ears::Ear;
use crate::service::{Person, STEP_MS, Service, client, invitation, key, pit, user};

/// Ten seconds, and two for each move.
const BLITZ: TimeControl = TimeControl::Fischer {
    initial_s: 10,
    increment_s: 2,
};

/// Leaves the turn to the other player, and gives the mover another one.
const PLAIN: u8 = 0;
const AGAIN: u8 = 3;

async fn ended(ear: &Ear) -> (Option<Outcome>, EndReason) {
    ear.until(|frame| match frame {
        ServerFrame::OnGameEnded(ended) => Some((ended.result, ended.end_reason)),
        _ => None,
    })
    .await
}

fn clocks(service: &Service, game: GameId) -> Clocks {
    service.live(game).clocks.expect("it has clocks")
}

fn remaining(service: &Service, game: GameId) -> (i64, i64) {
    let left = clocks(service, game).remaining_ms;
    (left.player1, left.player2)
}

fn reason<T: std::fmt::Debug>(answer: Result<T, CommandError>) -> Rejection {
    match answer {
        Err(CommandError::Rejected { reason, .. }) => reason,
        other => panic!("it is rejected, not {other:?}"),
    }
}

#[tokio::test]
async fn the_flag_falls_at_the_millisecond() {
    let service = Service::start().await;
    let (game, _ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    let began = service.now();
    service.pass(9_999).await;
    assert_eq!(remaining(&service, game), (1, 10_000));
    service.pass(1).await;
    assert_eq!(ended(&ben.ear).await, (Some(Outcome::Player2), EndReason::Flag));
    let record = service.games.just_finished(game).expect("it has just ended");
    assert_eq!(record.ended_at, began.plus(10_000));
    let end = service.folded(game).await.clocks.expect("it has clocks");
    assert_eq!((end.remaining_ms.player1, end.running), (0, None));
}

#[tokio::test]
async fn a_move_costs_its_time_and_whoever_looks_is_told_what_is_left_now() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    service.pass(1_500).await;
    service.play(game, &ann.user, "m1", AGAIN).await.unwrap();
    assert_eq!(remaining(&service, game), (10_500, 10_000));
    service.pass(4_000).await;
    service.play(game, &ann.user, "m2", 5).await.unwrap();
    service.pass(700).await;
    assert_eq!(remaining(&service, game), (8_500, 9_300));
    let running = clocks(&service, game).running;
    let now = service.now();
    assert_eq!(
        running,
        Some(Running {
            seat: Seat::Player2,
            since: now
        })
    );
    let told = ben
        .ear
        .until(|frame| match frame {
            ServerFrame::OnGameUpdate(update) if update.at.version == 3 => Some(update.change.clone()),
            _ => None,
        })
        .await;
    let contract::frames::server::Change::Moved { clocks, .. } = told else {
        panic!("it is a move");
    };
    let clocks = clocks.expect("it has clocks");
    assert_eq!(clocks.remaining_ms.player1, 8_500);
    assert_eq!(
        clocks.running,
        Some(Running {
            seat: Seat::Player2,
            since: now.plus(-700)
        })
    );
}

#[tokio::test]
async fn a_move_stops_the_clock_when_it_is_received_however_long_it_waits_then() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    service.pass(9_000).await;
    let received = service.clock.moment();
    let command = PlayerCommand::Move {
        id: client("m1"),
        position: service.live(game).position,
        mv: pit(PLAIN),
        offer_draw: false,
    };
    service.pass(900).await;
    let accepted = service.games.command_received(game, &ann.user, command, received);
    accepted.await.unwrap();
    // Both clocks: the next one runs from there, too.
    assert_eq!(remaining(&service, game), (3_000, 9_100));
    let moved = service.folded(game).await.moves[0].clone();
    assert_eq!((moved.think_ms, moved.at), (Some(9_000), received.now));
    service.pass(9_100).await;
    assert_eq!(ended(&ben.ear).await.1, EndReason::Flag);
}

#[tokio::test]
async fn a_move_that_is_refused_costs_time() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    for n in 0..9 {
        service.pass(1_000).await;
        let refused = service.play(game, &ann.user, &format!("m{n}"), 8).await;
        assert!(matches!(reason(refused), Rejection::Illegal(_)));
    }
    assert_eq!(remaining(&service, game), (1_000, 10_000));
    service.pass(1_000).await;
    assert_eq!(ended(&ben.ear).await.1, EndReason::Flag);
}

#[tokio::test]
async fn an_absent_mover_loses_by_their_clock_and_not_before() {
    let hours = TimeControl::SuddenDeath { initial_s: 900 };
    let service = Service::start().await;
    let (game, ann, ben) = service.pair_with("ann", "ben", hours).await;
    let ear = Ear::socket();
    let spectator = service.games.connect(None, ear.clone());
    service.games.watch(spectator, game, None).await.unwrap();
    service.games.disconnect(ann.connection);
    let there = service.live(game).connections.expect("it is held here");
    assert_eq!(there.player1.forfeit_at, None);
    service.pass(400_000).await;
    service.games.disconnect(ben.connection);
    service.pass(499_999).await;
    assert!(service.games.live(game, None).is_some());
    service.pass(1).await;
    assert_eq!(ended(&ear).await, (Some(Outcome::Player2), EndReason::Flag));
}

/// At one instant both players leave and the one to move moves, in every order. What the game's end is depends on who
/// came first; that there is one does not.
#[tokio::test]
async fn a_flag_two_leavers_and_a_move_at_one_instant_make_one_end() {
    for before_ms in [1, 0] {
        for first in 0..3 {
            let service = Service::start().await;
            let (game, ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
            service.pass(9_990).await;
            let position = service.live(game).position;
            service.clock.advance(10 - before_ms);
            let (ann, ben) = (&ann.user, &ben.user);
            let moves = async || service.play_from(game, ann, "m", PLAIN, position).await.is_ok();
            let ann_leaves = async || service.leave(game, ann).await.is_ok();
            let ben_leaves = async || service.leave(game, ben).await.is_ok();
            let accepted = match first {
                0 => tokio::join!(moves(), ann_leaves(), ben_leaves()),
                1 => {
                    let (a, b, m) = tokio::join!(ann_leaves(), ben_leaves(), moves());
                    (m, a, b)
                }
                _ => {
                    let (b, m, a) = tokio::join!(ben_leaves(), moves(), ann_leaves());
                    (m, a, b)
                }
            };
            service.pass(10).await;
            let names = service.logged_names(game).await;
            let end = service.folded(game).await.ending.expect("it has ended");
            assert_eq!(names.iter().filter(|name| **name == "ended").count(), 1);
            let (moved, ann_left, ben_left) = accepted;
            if before_ms == 0 {
                assert_eq!(end.reason, EndReason::Flag);
                assert_eq!(end.result, Some(Outcome::Player2));
                assert_eq!(accepted, (false, false, false), "all came too late");
            } else {
                assert_eq!(end.reason, EndReason::Left);
                assert!(ann_left != ben_left, "one of them left: {accepted:?}");
                assert!(first != 0 || moved, "the move came first");
            }
        }
    }
}

/// The game goes to another process, which reads it from the log.
async fn taken_over(service: &Service, game: GameId, downtime_ms: i64) {
    service.games.set_role(Role::Standby);
    service.games.let_all_go().await;
    service.clock.advance(downtime_ms as u64);
    service.settle().await;
    let last = service.embedded.log().last(key(game)).await.unwrap();
    let state = service.folded(game).await;
    let place = state.last_event;
    let adopted = service.games.adopt(Adopted {
        game: state,
        acked: last.map(|last| Acked { place, seq: last.seq }),
        waiting: Vec::new(),
        last: None,
    });
    assert!(adopted, "it is not held");
    service.games.claim(game, downtime_ms).await;
    service.until_durable(game, service.live(game).version).await;
    service.games.set_role(Role::Active);
}

#[tokio::test]
async fn a_restart_keeps_the_clocks_and_gives_the_downtime_back() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair_with("ann", "ben", BLITZ).await;
    service.pass(1_500).await;
    service.play(game, &ann.user, "m1", PLAIN).await.unwrap();
    service.pass(2_000).await;
    taken_over(&service, game, 60_000).await;
    assert_eq!(remaining(&service, game), (10_500, 8_000));
    let logged = service.logged(game).await;
    let Some(Event::Resumed(resumed)) = logged.last().map(|last| &last.event) else {
        panic!("it was taken over");
    };
    assert_eq!(resumed.downtime_ms, 60_000);
    assert_eq!(service.folded(game).await.clocks, resumed.clocks);
    service.pass(7_999).await;
    assert!(service.games.live(game, None).is_some());
    service.pass(1).await;
    service.until_ended(game).await;
    assert_eq!(
        service
            .folded(game)
            .await
            .ending
            .map(|end| (end.result, end.reason)),
        Some((Some(Outcome::Player1), EndReason::Flag))
    );
}

#[tokio::test]
async fn nobodys_flag_falls_because_the_service_stood_still() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    service.pass(4_000).await;
    service.clock.advance(60_000);
    service.settle().await;
    // The stall is said once the log was asked whether the game is still this process's: a move may come before that, and then
    // says itself what ran.
    service.until_logged(game, 2).await;
    let left = remaining(&service, game).0;
    assert!((6_000 - STEP_MS as i64..=6_000).contains(&left), "{left}");
    service.play(game, &ann.user, "m1", PLAIN).await.unwrap();
    assert_eq!(remaining(&service, game), (left + 2_000, 10_000));
    let thought = service.folded(game).await.moves[0].think_ms;
    assert_eq!(
        thought,
        Some(0),
        "what ran before the stall is in the event that says so"
    );
    service.pass(9_999).await;
    assert!(service.games.live(game, None).is_some());
    service.pass(1).await;
    assert_eq!(ended(&ben.ear).await, (Some(Outcome::Player1), EndReason::Flag));
}

#[tokio::test]
async fn a_command_that_comes_right_after_a_stall_is_not_charged_for_it() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair_with("ann", "ben", BLITZ).await;
    service.pass(4_000).await;
    let position = service.live(game).position;
    service.clock.advance(60_000);
    // Before any of the service's own tasks has run.
    service
        .play_from(game, &ann.user, "m1", PLAIN, position)
        .await
        .unwrap();
    let left = remaining(&service, game).0;
    assert!((8_000 - STEP_MS as i64..=8_000).contains(&left), "{left}");
}

#[tokio::test]
async fn a_stall_is_said_in_the_log_and_to_the_players() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    let (without, ..) = service.pair("cem", "deniz").await;
    service.pass(4_000).await;
    service.clock.advance(60_000);
    service.settle().await;
    let told = ben.ear.until(|frame| match frame {
        ServerFrame::OnGameUpdate(update) => match &update.change {
            Change::Resumed {
                downtime_ms, clocks, ..
            } => Some((*downtime_ms, *clocks)),
            _ => None,
        },
        _ => None,
    });
    let (given_back, told) = told.await;
    assert!(
        (60_000 - STEP_MS as i64..=60_000 + STEP_MS as i64).contains(&given_back),
        "{given_back}"
    );
    // Whoever is told that takes both for away.
    let there = ann.ear.until(|frame| match frame {
        ServerFrame::OnUserConnectionChange(change) => Some(change.connections),
        _ => None,
    });
    let there = there.await;
    assert!(there.player1.connected && there.player2.connected);
    service.until_durable(game, 2).await;
    let folded = service.folded(game).await;
    assert_eq!(folded.clocks, told);
    let left = folded.clocks.map(|clocks| clocks.remaining_ms.player1);
    assert_eq!(left, Some(10_000 - (64_000 - given_back)));
    assert_eq!(service.logged_names(game).await, ["started", "resumed"]);
    assert_eq!(
        service.logged_names(without).await,
        ["started"],
        "nobody's clock ran"
    );
    // If the process dies now, only what passed since then is in question.
    taken_over(&service, game, 30_000).await;
    assert_eq!(
        Some(clocks(&service, game).remaining_ms),
        told.map(|clocks| clocks.remaining_ms)
    );
}

async fn required(service: &Service) -> (GameId, Person, Person) {
    let (host, guest) = (service.connect("host"), service.connect("guest"));
    let invitation = commands::games::Invitation {
        time_control: BLITZ,
        ..invitation(&host.user, Durability::Required)
    };
    let joined = service.games.join(invitation, &guest.user, None).await.unwrap();
    (joined.game, host, guest)
}

#[tokio::test]
async fn in_a_game_that_waits_for_the_log_the_next_clock_starts_at_the_acknowledgement() {
    let service = Service::start().await;
    let (game, host, guest) = required(&service).await;
    let before = service.log.calls().appends;
    service.log.set(Gate::Hold);
    let slow = async {
        service.log.until_calls(|calls| calls.appends > before).await;
        service.pass(1_200).await;
        service.log.set(Gate::Open);
    };
    let (accepted, ()) = tokio::join!(service.play(game, &host.user, "m1", PLAIN), slow);
    accepted.unwrap();
    service.pass(3_000).await;
    assert_eq!(remaining(&service, game), (12_000, 7_000));
    service.play(game, &guest.user, "m2", 7).await.unwrap();
    let thought = service.folded(game).await.moves[1].think_ms;
    assert_eq!(
        thought,
        Some(3_000),
        "of the 4,200 ms since the event before, the rest is given back"
    );
}

#[tokio::test]
async fn in_a_game_that_waits_for_the_log_no_clock_runs_while_the_log_is_away() {
    let service = Service::start().await;
    let (game, host, guest) = required(&service).await;
    service.pass(4_000).await;
    service.log.set(Gate::Down);
    service.settle().await;
    service.pass(60_000).await;
    assert_eq!(remaining(&service, game), (6_000, 10_000));
    service.log.set(Gate::Open);
    service.settle().await;
    service.pass(5_999).await;
    assert!(service.games.live(game, None).is_some());
    service.play(game, &host.user, "m1", PLAIN).await.unwrap();
    service.pass(10_000).await;
    assert_eq!(ended(&guest.ear).await, (Some(Outcome::Player1), EndReason::Flag));
}

#[tokio::test]
async fn a_game_that_does_not_wait_for_the_log_is_flagged_while_the_log_is_away() {
    let service = Service::start().await;
    let (_game, _ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    service.log.set(Gate::Down);
    service.pass(10_000).await;
    assert_eq!(ended(&ben.ear).await, (Some(Outcome::Player2), EndReason::Flag));
}

#[tokio::test]
async fn a_standby_lets_no_flag_fall() {
    let service = Service::start().await;
    let (game, _ann, ben) = service.pair_with("ann", "ben", BLITZ).await;
    service.games.set_role(Role::Standby);
    service.pass(20_000).await;
    assert!(service.games.live(game, None).is_some());
    service.games.set_role(Role::Active);
    assert_eq!(ended(&ben.ear).await.1, EndReason::Flag);
}

#[tokio::test]
async fn only_those_who_want_the_same_time_are_paired() {
    let service = Service::start().await;
    let controls = [
        TimeControl::Unlimited,
        BLITZ,
        TimeControl::SuddenDeath { initial_s: 10 },
        TimeControl::PerMove { seconds: 10 },
    ];
    for (n, control) in controls.into_iter().enumerate() {
        let sought = service.seek_with(&user(&format!("u{n}")), control).await;
        assert_eq!(sought.unwrap(), Sought::Waiting);
    }
    let Sought::Paired(game) = service.seek_with(&user("ben"), BLITZ).await.unwrap() else {
        panic!("somebody wants the same");
    };
    assert_eq!(service.live(game).time_control, BLITZ);
}

#[tokio::test]
async fn a_thousand_flags_fall_at_one_instant() {
    let service = Service::start().await;
    let mut games = BTreeSet::new();
    for n in 0..1_000 {
        let (a, b) = (user(&format!("a{n}")), user(&format!("b{n}")));
        service.seek_with(&a, BLITZ).await.unwrap();
        let Sought::Paired(game) = service.seek_with(&b, BLITZ).await.unwrap() else {
            panic!("the first one waits");
        };
        games.insert(game);
    }
    service.pass(9_999).await;
    assert_eq!(service.games.load().live_games(), games.len());
    let instant = service.now().plus(1);
    service.clock.advance(1);
    for game in games {
        service.until_ended(game).await;
        let record = service.games.just_finished(game).expect("it has just ended");
        assert_eq!((record.end_reason, record.ended_at), (EndReason::Flag, instant));
    }
}
