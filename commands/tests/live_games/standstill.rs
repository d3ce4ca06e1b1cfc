//! What may happen to a game between the judgement on an absent player and its execution: after a standstill the log is
//! looked at in between.

use commands::games::Games;
use commands::ports::EventLog;
use contract::GameId;
use contract::frames::{CloseCode, ServerFrame};
use embedded::{Embedded, EmbeddedConfig};
use testkit::clock::FakeClock;
use testkit::fixtures::outgoing;
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::ears::{Ear, PATIENCE};
use crate::fencing::taken_over_in;
use crate::service::{Person, Service, key};

const AWAY_MS: u64 = 300_000;
const TICK_MS: u64 = 10_000;
const STANDSTILL_MS: u64 = 60_000;

/// The absent player's time was up just before a standstill, and the watcher's first tick is after it: whoever decides
/// on that looks into the log now, which does not answer yet.
async fn judged(service: &Service, away: &[&Person]) {
    service.pass(TICK_MS / 2).await;
    for person in away {
        service.games.disconnect(person.connection);
    }
    service.pass(AWAY_MS + 1_000).await;
    service.log.set(Gate::HoldLooks);
    let looks = service.log.calls().lasts;
    service.clock.advance(STANDSTILL_MS);
    let looked = service.log.until_calls(|calls| calls.lasts > looks);
    tokio::time::timeout(PATIENCE, looked)
        .await
        .expect("the game's end is looked at");
}

/// The log answers, and what was judged is executed or not.
async fn decided(service: &Service) {
    service.log.set(Gate::Open);
    service.settle().await;
    // One more tick, so that the one that was held up is over.
    service.pass(TICK_MS).await;
}

fn ended(ear: &Ear) -> bool {
    let ends = |frame: &ServerFrame| matches!(frame, ServerFrame::OnGameEnded(_));
    ear.frames().iter().any(|frame| ends(&frame.frame))
}

async fn goes_on(service: &Service, game: GameId) {
    assert!(service.games.live(game, None).is_some());
    assert!(!service.logged_names(game).await.contains(&"ended"));
}

#[tokio::test]
async fn who_is_still_away_loses_once_the_log_has_answered() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    judged(&service, &[&ann]).await;
    assert!(service.games.live(game, None).is_some());
    decided(&service).await;
    assert!(ended(&ben.ear));
}

#[tokio::test]
async fn who_comes_back_before_it_is_decided_loses_nothing() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    judged(&service, &[&ann]).await;
    let _back = service.connect("ann");
    decided(&service).await;
    goes_on(&service, game).await;
    assert!(!ended(&ben.ear));
}

#[tokio::test]
async fn who_plays_a_move_with_another_turn_before_it_is_decided_loses_nothing() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    judged(&service, &[&ann]).await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    assert_eq!(
        service.live(game).summary.turn_player_id,
        Some(ann.user.user_id.clone())
    );
    decided(&service).await;
    goes_on(&service, game).await;
    assert!(!ended(&ben.ear));
}

#[tokio::test]
async fn of_two_who_were_away_one_who_comes_back_keeps_the_game() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    judged(&service, &[&ann, &ben]).await;
    let _back = service.connect("ann");
    decided(&service).await;
    goes_on(&service, game).await;
}

#[tokio::test]
async fn a_game_that_another_process_took_over_meanwhile_is_not_ended() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    judged(&service, &[&ann]).await;
    // Another log, as nobody is told of what happens in it.
    let elsewhere = Embedded::open(EmbeddedConfig::default(), FakeClock::at(service.now()))
        .await
        .expect("memory can be used");
    for event in service.logged(game).await {
        elsewhere.log().append(&outgoing(&event), 0).await.unwrap();
    }
    taken_over_in(&*elsewhere.log(), &service.folded(game).await).await;
    service.log.replace(elsewhere.log());
    service.log.set(Gate::Open);
    ben.ear.until_closed(CloseCode::Reconnect).await;
    assert_eq!(service.fenced(), 1);
    assert!(!ended(&ben.ear), "nobody is told so first");
    let entries = elsewhere.log().read_game(key(game), 0).await.unwrap();
    let names: Vec<_> = entries.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["started", "resumed"]);
}
