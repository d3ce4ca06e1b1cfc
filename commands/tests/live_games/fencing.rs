//! Another process takes a game over.

use std::sync::atomic::Ordering;

use commands::decide::{Command, Context, decide};
use commands::games::{CommandError, Games, Rejection, Watching};
use commands::ports::{EventLog, Outgoing};
use contract::frames::{CloseCode, ServerFrame};
use contract::view::GameView;
use contract::{Envelope, EventId, GameId, GameState, Spectators, WriterId};
use testkit::fixtures::outgoing;
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::service::{Service, key};

const OTHER: WriterId = WriterId(0xb0b);

/// Another process's claim on the game as it is in the log.
fn claim(game: &GameState) -> Outgoing {
    let context = Context {
        now: game.last_at,
        ran_ms: 0,
        writer: OTHER,
        spectators: Spectators::default(),
        seed: None,
    };
    let events = decide(Some(game), &Command::Resume { downtime_ms: 7 }, context);
    let event = events.expect("a live game can be claimed").remove(0);
    outgoing(&Envelope {
        id: EventId::new(game.id, game.version + 1, OTHER),
        kind: game.kind,
        previd: Some(game.last_event),
        time: game.last_at,
        traceparent: None,
        event,
    })
}

/// The claim reaches the log past the gate.
async fn taken_over(service: &Service, game: GameId) {
    taken_over_in(&*service.embedded.log(), &service.folded(game).await).await;
}

/// Another process's claim on the game reaches this log.
pub async fn taken_over_in(log: &dyn EventLog, game: &GameState) {
    let last = log.last(game.key()).await.unwrap().expect("it has started");
    log.append(&claim(game), last.seq).await.unwrap();
}

#[tokio::test]
async fn the_audience_gets_what_the_log_has_and_is_sent_away() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    taken_over(&service, game).await;
    for person in [&ann, &ben] {
        person.ear.until_closed(CloseCode::Reconnect).await;
        let resync = |frame: &ServerFrame| match frame {
            ServerFrame::Resync(resync) => resync.game.clone(),
            _ => None,
        };
        let view = person.ear.until(resync).await;
        assert!(matches!(view, GameView::Live(live) if live.version == 3 && live.position.writer == OTHER));
    }
    assert_eq!(service.fenced(), 1);
    assert!(service.games.live(game, None).is_none());
    assert!(service.games.active_game(&ann.user.user_id).is_none());
    assert_eq!(
        service.games.watch(ann.connection, game, None).await.unwrap(),
        Watching::NotHere
    );
    assert!(matches!(
        service.leave(game, &ann.user).await,
        Err(CommandError::Rejected {
            reason: Rejection::NoSuchGame,
            ..
        })
    ));
}

#[tokio::test]
async fn what_was_not_in_the_log_is_set_aside() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::Down);
    service.settle().await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    service.until_pending(game, |pending| pending.is_some()).await;
    taken_over(&service, game).await;
    service.log.set(Gate::Open);
    ben.ear.until_closed(CloseCode::Reconnect).await;
    assert_eq!(service.fenced(), 1);
    service.until_pending(game, |pending| pending.is_none()).await;
    assert_eq!(service.logged_names(game).await, ["started", "resumed"]);
}

#[tokio::test]
async fn a_move_on_its_way_has_an_unknown_outcome_and_is_never_rejected() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let before = service.log.calls().appends;
    service.log.set(Gate::Hold);
    let overtaken = async {
        service.log.until_calls(|calls| calls.appends > before).await;
        taken_over(&service, game).await;
        service.log.set(Gate::Open);
    };
    let (answer, ()) = tokio::join!(service.play(game, &ann.user, "m1", 3), overtaken);
    assert!(matches!(
        answer,
        Err(CommandError::Unavailable {
            outcome_unknown: true,
            ..
        })
    ));
    ann.ear.until_closed(CloseCode::Reconnect).await;
    assert_eq!(service.logged_names(game).await, ["started", "resumed"]);
}

#[tokio::test]
async fn its_own_claim_fences_nobody() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.games.claim(game, 0).await;
    service.until_durable(game, 2).await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    assert_eq!(service.fenced(), 0);
    assert_eq!(claims(&service), (1, 0));
}

/// How many games it set out to take over, and how many of them it lost.
fn claims(service: &Service) -> (u64, u64) {
    let counters = service.games.counters();
    (
        counters.claimed.load(Ordering::Relaxed),
        counters.claims_lost.load(Ordering::Relaxed),
    )
}

#[tokio::test]
async fn a_claim_that_comes_too_late_is_lost_and_counted() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.until_durable(game, 1).await;
    service.log.set(Gate::Down);
    service.settle().await;
    service.games.claim(game, 0).await;
    taken_over(&service, game).await;
    service.log.set(Gate::Open);
    ann.ear.until_closed(CloseCode::Reconnect).await;
    assert_eq!((service.fenced(), claims(&service)), (1, (1, 1)));
}

#[tokio::test]
async fn games_that_are_let_go_send_nothing_more() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::Down);
    service.settle().await;
    for (id, person, index) in [("m1", &ann, 3), ("m2", &ann, 4), ("m3", &ben, 7)] {
        service.play(game, &person.user, id, index).await.unwrap();
    }
    service.games.let_all_go().await;
    service.log.set(Gate::Open);
    service.settle().await;
    ben.ear.until_closed(CloseCode::Reconnect).await;
    let load = service.games.load();
    assert_eq!((load.live_games(), load.ended, load.waiting_events), (0, 0, 0));
    assert_eq!(service.logged_names(game).await, ["started"]);
    assert_eq!(service.fenced(), 0, "nobody extended it");
    let handed_over = &service.games.counters().handed_over;
    assert_eq!(handed_over.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_log_that_refuses_answers_and_other_games_go_on() {
    let service = Service::start().await;
    let mut overtaken = Vec::new();
    for n in 0..3 {
        let (game, first, _) = service.pair(&format!("ann{n}"), &format!("ben{n}")).await;
        overtaken.push((game, first));
    }
    let (other, ann, _ben) = service.pair("ann", "ben").await;
    service.log.set(Gate::HoldLooks);
    for (game, _) in &overtaken {
        // Not by a claim, which is noticed before anything is sent.
        let moved = Outgoing {
            name: "moved",
            ..claim(&service.folded(*game).await)
        };
        let log = service.embedded.log();
        let last = log.last(key(*game)).await.unwrap().expect("it has started");
        log.append(&moved, last.seq).await.unwrap();
    }
    let looks = service.log.calls().lasts;
    for (game, first) in &overtaken {
        let answer = service.play(*game, &first.user, "m1", 3).await.unwrap();
        assert!(!answer.durable);
    }
    service.log.until_calls(|calls| calls.lasts == looks + 3).await;
    assert!(service.play(other, &ann.user, "m1", 3).await.unwrap().durable);
    service.log.set(Gate::Open);
    for (_, first) in &overtaken {
        first.ear.until_closed(CloseCode::Reconnect).await;
    }
    assert_eq!(service.fenced(), 3);
}
