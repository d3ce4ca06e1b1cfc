//! Rooms of a kind that bounds each absence, and whose turns begin with a throw: dice chess.

use commands::games::{Games, Invitation, Role, Sought};
use commands::live::Adopted;
use commands::ports::EventLog;
use commands::publish::queue::Acked;
use contract::frames::ServerFrame;
use contract::{Durability, EndReason, Event, GameId, GameKey, Kind, Outcome, Seat, TimeControl, UserId};
use turnstream_commands as commands;

use crate::dice::{give_seed, pair, pair_with_dice};
use crate::ears::Ear;
use crate::service::{Person, Service, invitation, user};

/// How long a player may be away.
const AWAY_MS: u64 = 30_000;

/// What each begins with when nobody asks for anything else.
const USUAL_MS: i64 = 600_000;

async fn ended(ear: &Ear) -> (Option<Outcome>, EndReason, Option<UserId>) {
    ear.until(|frame| match frame {
        ServerFrame::OnGameEnded(ended) => Some((ended.result, ended.end_reason, ended.left_user_id.clone())),
        _ => None,
    })
    .await
}

/// Both players' sockets, in a game by an invitation that both followed without one.
async fn without_sockets(service: &Service) -> GameId {
    let host = user("host");
    let invitation = Invitation {
        kind: Kind::DiceChess,
        time_control: TimeControl::usual(Kind::DiceChess),
        ..invitation(&host, Durability::BestEffort)
    };
    let joined = service.games.join(invitation, &user("guest"), None).await;
    joined.expect("the invitation is good").game
}

async fn watched(service: &Service, game: GameId) -> Person {
    let fan = service.connect("fan");
    service.games.watch(fan.connection, game, None).await.unwrap();
    fan
}

fn forfeits(service: &Service, game: GameId) -> [Option<i64>; 2] {
    let there = service.live(game).connections.expect("it is held here");
    let now = service.now();
    [there.player1, there.player2].map(|player| player.forfeit_at.map(|at| at.since(now)))
}

#[tokio::test]
async fn who_is_away_for_thirty_seconds_loses_to_the_millisecond_whosever_turn_it_is() {
    for seat in Seat::BOTH {
        let service = Service::start().await;
        let (game, ann, ben) = pair_with_dice(&service).await;
        service.pass(700).await;
        let (gone, stays) = if seat == Seat::Player1 {
            (&ann, &ben)
        } else {
            (&ben, &ann)
        };
        service.games.disconnect(gone.connection);
        let mut expected = [None, None];
        expected[usize::from(seat == Seat::Player2)] = Some(AWAY_MS as i64);
        assert_eq!(forfeits(&service, game), expected);
        service.pass(AWAY_MS - 1).await;
        assert!(service.games.live(game, None).is_some());
        service.pass(1).await;
        let left = Some(gone.user.user_id.clone());
        assert_eq!(
            ended(&stays.ear).await,
            (Some(Outcome::win(seat.other())), EndReason::Left, left)
        );
    }
}

#[tokio::test]
async fn who_comes_back_in_time_loses_nothing() {
    let service = Service::start().await;
    let (game, ann, _ben) = pair_with_dice(&service).await;
    service.games.disconnect(ann.connection);
    service.pass(AWAY_MS - 1).await;
    let _back = service.connect("ann");
    assert_eq!(forfeits(&service, game), [None, None]);
    service.pass(2 * AWAY_MS).await;
    assert!(service.games.live(game, None).is_some());
}

#[tokio::test]
async fn who_never_connected_does_not_leave_by_being_away() {
    let service = Service::start().await;
    let game = without_sockets(&service).await;
    let fan = watched(&service, game).await;
    service.pass(10 * AWAY_MS).await;
    assert_eq!(forfeits(&service, game), [None, None]);
    assert!(service.games.live(game, None).is_some());
    service.pass(USUAL_MS as u64).await;
    assert_eq!(ended(&fan.ear).await.1, EndReason::Flag);
}

#[tokio::test]
async fn of_two_who_are_away_the_one_who_went_first_loses() {
    let service = Service::start().await;
    let (game, ann, ben) = pair_with_dice(&service).await;
    let fan = watched(&service, game).await;
    service.games.disconnect(ben.connection);
    service.pass(100).await;
    service.games.disconnect(ann.connection);
    service.pass(AWAY_MS).await;
    let left = Some(ben.user.user_id.clone());
    assert_eq!(
        ended(&fan.ear).await,
        (Some(Outcome::Player1), EndReason::Left, left)
    );
}

#[tokio::test]
async fn of_two_who_went_at_once_nobody_wins() {
    let service = Service::start().await;
    let (game, ann, ben) = pair_with_dice(&service).await;
    let fan = watched(&service, game).await;
    service.games.disconnect(ben.connection);
    service.games.disconnect(ann.connection);
    service.pass(AWAY_MS).await;
    assert_eq!(ended(&fan.ear).await, (None, EndReason::Inactive, None));
}

#[tokio::test]
async fn a_restart_costs_nobody_a_game() {
    let service = Service::start().await;
    let (game, ann, ben) = pair_with_dice(&service).await;
    service.games.set_role(Role::Standby);
    service.games.let_all_go().await;
    for person in [&ann, &ben] {
        service.games.disconnect(person.connection);
    }
    let key = GameKey {
        kind: Kind::DiceChess,
        id: game,
    };
    let entries = service.embedded.log().read_game(key, 0).await.unwrap();
    let envelopes: Vec<_> = entries
        .iter()
        .map(|entry| contract::Envelope::from_bytes(&entry.bytes).expect("only events are written"))
        .collect();
    let state = commands::fold::refold(&envelopes).unwrap().expect("it has begun");
    let acked = entries.last().map(|last| Acked {
        place: state.last_event,
        seq: last.seq,
    });
    assert!(service.games.adopt(Adopted {
        game: state,
        acked,
        waiting: Vec::new(),
        last: None,
    }));
    service.games.claim(game, 0).await;
    service.games.set_role(Role::Active);
    assert_eq!(forfeits(&service, game), [None, None]);
    service.pass(2 * AWAY_MS).await;
    assert!(service.games.live(game, None).is_some());
}

#[tokio::test]
async fn the_clock_starts_with_the_dice_and_not_before() {
    let service = Service::start().await;
    let (game, ann, ben) = pair(&service).await;
    service.pass(3_000).await;
    let clocks = service.live(game).clocks.expect("it has clocks");
    assert_eq!((clocks.running, clocks.remaining_ms.player1), (None, USUAL_MS));
    give_seed(&service, game, &ann.user).await.unwrap();
    give_seed(&service, game, &ben.user).await.unwrap();
    service.pass(1_000).await;
    let clocks = service.live(game).clocks.expect("it has clocks");
    let seat = clocks.running.expect("somebody is to move").seat;
    assert_eq!(*clocks.remaining_ms.of(seat), USUAL_MS - 1_000);
    assert_eq!(*clocks.remaining_ms.of(seat.other()), USUAL_MS);
}

#[tokio::test]
async fn without_a_clock_a_turn_may_take_two_minutes() {
    let service = Service::start().await;
    let seek = async |user| {
        let sought = service.games.seek(user, Kind::DiceChess, TimeControl::Unlimited);
        sought.await.unwrap()
    };
    let (ann, ben) = (service.connect("ann"), service.connect("ben"));
    assert_eq!(seek(&ann.user).await, Sought::Waiting);
    let Sought::Paired(game) = seek(&ben.user).await else {
        panic!("the first one waits");
    };
    for person in [&ann, &ben] {
        give_seed(&service, game, &person.user).await.unwrap();
    }
    let running = service.live(game).clocks.and_then(|clocks| clocks.running);
    let seat = running.expect("somebody is to move").seat;
    service.pass(119_999).await;
    assert!(service.games.live(game, None).is_some());
    service.pass(1).await;
    assert_eq!(
        ended(&ann.ear).await,
        (Some(Outcome::win(seat.other())), EndReason::Flag, None)
    );
}

#[tokio::test]
async fn a_forced_pass_costs_no_time_and_adds_none() {
    // About three of ten first throws allow no move.
    let mut passes = 0;
    for _ in 0..40 {
        let service = Service::start().await;
        let (game, _ann, _ben) = pair_with_dice(&service).await;
        let clocks = service.live(game).clocks.expect("it has clocks");
        assert_eq!(
            (clocks.remaining_ms.player1, clocks.remaining_ms.player2),
            (USUAL_MS, USUAL_MS)
        );
        let key = GameKey {
            kind: Kind::DiceChess,
            id: game,
        };
        service.until_durable(game, service.live(game).version).await;
        for entry in service.embedded.log().read_game(key, 0).await.unwrap() {
            let envelope = contract::Envelope::from_bytes(&entry.bytes).expect("only events are written");
            if let Event::Moved(moved) = envelope.event {
                passes += 1;
                assert!(moved.forced);
                assert_eq!(moved.think_ms, Some(0));
                assert_eq!(moved.clocks.map(|clocks| clocks.running), Some(None));
            }
        }
        if passes > 2 {
            return;
        }
    }
    panic!("forty games without three passes: {passes}");
}
