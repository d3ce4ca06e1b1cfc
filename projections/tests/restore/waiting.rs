//! Events that waited for the log while their process died.

use commands::games::Games;
use contract::{EndReason, Envelope, Event, EventId, Kind, WriterId};
use projections::ports::LiveStore;
use testkit::fixtures::{Game, long_mancala};
use testkit::gated_log::Gate;

use super::process::Process;
use super::stores::{Stores, restored};

/// The process that died.
const DEAD: WriterId = WriterId(0xdead);

/// One that did not.
const ALIVE: WriterId = WriterId(0xa11fe);

/// More moves than a queue of 64 kB holds.
const LONG: usize = 120;

/// A game's `started` and this many moves.
fn played(moves: usize) -> (Game, Vec<Envelope>) {
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    let mut events = vec![started];
    events.extend((0..moves).map(|_| game.play()));
    (game, events)
}

fn whole(event: &Envelope) -> u64 {
    match &event.event {
        Event::Anchored(anchored) => anchored.game.version,
        other => panic!("it is the whole state, not {}", other.name()),
    }
}

#[tokio::test]
async fn a_long_game_that_the_log_never_saw_comes_back_with_its_started() {
    let stores = Stores::open().await;
    let away = stores.gated();
    away.set(Gate::Down);
    let first = Process::start(&stores, away.clone());
    let table = first.table().await;
    let moves = long_mancala(1);
    for mv in &moves[..LONG] {
        assert!(!first.play(&table, mv).await.durable);
    }
    let shown = first.live(&table);
    let last = EventId::new(table.game, shown.version, first.writer);
    stores.until_waiting(table.game, last).await;
    let waiting = stores.waiting(table.game).await;
    assert_eq!((&*waiting[0].name, &*waiting[1].name), ("started", "anchored"));
    assert!(waiting.len() < LONG, "the queue collapsed");
    let dead = first.writer;
    drop(first);

    let second = Process::start(&stores, stores.gated());
    let report = stores.restore(&second.games, stores.all.log(), dead).await;
    assert_eq!((report.restored, report.quarantined), (1, 0), "{report:?}");
    let again = second.live(&table);
    assert_eq!(again.version, shown.version + 1, "one `resumed` more");
    assert_eq!(again.summary.board, shown.summary.board);
    assert_eq!(again.history, shown.history);
    let logged = stores.logged(table.game).await;
    assert_eq!(logged[0].event.name(), "started");
    assert_eq!(logged[0].version(), 1);
    assert!(whole(&logged[1]) > 1);
    assert_eq!(logged.last().map(|event| event.event.name()), Some("resumed"));

    let accepted = second.play(&table, &moves[LONG]).await;
    assert!(accepted.durable);
    assert_eq!(accepted.version, again.version + 1);
    let folded = commands::fold::refold(&stores.logged(table.game).await);
    let folded = folded.expect("there is no hole").expect("there is a game");
    assert_eq!((folded.version, folded.moves.len()), (accepted.version, LONG + 1));
}

#[tokio::test]
async fn a_game_that_the_log_lost_whole_begins_with_its_started_again() {
    let (stores, emptied) = (Stores::open().await, Stores::open().await);
    let (game, events) = played(3);
    stores.append(&events[..3]).await;
    stores.project().await;
    stores.copy(DEAD, &events).await;

    let process = Process::start(&emptied, emptied.gated());
    let parts = stores.with_log_of(&emptied, &process.games, emptied.all.log());
    let report = restored(&parts, DEAD).await;
    assert_eq!((report.restored, report.quarantined), (1, 0), "{report:?}");
    let id = game.state().id;
    assert_eq!(emptied.logged_names(id).await, ["started", "anchored", "resumed"]);
    let logged = emptied.logged(id).await;
    assert_eq!(logged[0].to_bytes(), events[0].to_bytes());
    assert_eq!((whole(&logged[1]), logged[1].previd), (4, Some(events[0].id)));
}

#[tokio::test]
async fn a_game_whose_end_the_log_lost_gets_it_again_though_a_copy_of_it_waits() {
    let (stores, rolled_back) = (Stores::open().await, Stores::open().await);
    let (mut game, mut events) = played(3);
    events.push(game.end(EndReason::Left));
    stores.append(&events[..4]).await;
    stores.project().await;
    stores.append(&events[4..]).await;
    stores.project().await;
    stores.copy(DEAD, &events[3..]).await;
    rolled_back.append(&events[..3]).await;

    let process = Process::start(&rolled_back, rolled_back.gated());
    let parts = stores.with_log_of(&rolled_back, &process.games, rolled_back.all.log());
    let report = restored(&parts, DEAD).await;
    assert_eq!((report.restored, report.quarantined), (0, 0), "{report:?}");
    let id = game.state().id;
    assert_eq!(
        rolled_back.logged_names(id).await,
        ["started", "moved", "moved", "anchored", "ended"]
    );
    let logged = rolled_back.logged(id).await;
    assert_eq!(logged[4].to_bytes(), events[4].to_bytes(), "to the byte");
    assert!(process.games.just_finished(id).is_some());
}

#[tokio::test]
async fn what_cannot_be_compared_with_the_log_goes_on_waiting() {
    let stores = Stores::open().await;
    let (mut game, mut events) = played(3);
    events.push(game.end(EndReason::Left));
    stores.append(&events[..4]).await;
    stores.project().await;
    stores.append(&events[4..]).await;
    stores.project().await;
    stores.copy(DEAD, &events[3..]).await;
    let away = stores.gated();
    away.set(Gate::Down);

    let process = Process::start(&stores, away.clone());
    let report = stores.restore(&process.games, away, DEAD).await;
    assert_eq!((report.restored, report.quarantined), (0, 0), "{report:?}");
    assert_eq!(stores.waiting(game.state().id).await.len(), 2);
}

#[tokio::test]
async fn what_waits_for_a_game_that_the_live_store_has_lost_is_not_dropped() {
    let stores = Stores::open().await;
    let (mut game, events) = played(2);
    let id = game.state().id;
    stores.append(&events).await;
    stores.project().await;
    let live = stores.all.live();
    live.quarantine(id, "this test takes it away").await.unwrap();
    assert_eq!(live.get(id).await.unwrap(), None);
    stores.copy(DEAD, &[game.play()]).await;

    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!((report.restored, report.quarantined), (1, 0), "{report:?}");
    assert_eq!(
        stores.logged_names(id).await,
        ["started", "moved", "moved", "moved", "resumed"]
    );
}

#[tokio::test]
async fn what_a_process_keeps_that_is_not_silent_is_its_own() {
    let stores = Stores::open().await;
    let (mut over, mut ended) = played(2);
    ended.push(over.end(EndReason::Left));
    let (mut behind_a_hole, events) = played(2);
    behind_a_hole.play();
    let (mut going_on, more) = played(2);
    for events in [&ended, &events, &more] {
        stores.append(events).await;
    }
    stores.project().await;
    stores.copy(ALIVE, &ended[2..]).await;
    stores.copy(ALIVE, &[behind_a_hole.play()]).await;
    stores
        .copy(ALIVE, &[going_on.resume(ALIVE), going_on.play()])
        .await;
    let ids = [over, behind_a_hole, going_on].map(|game| game.state().id);
    let mut before = Vec::new();
    for id in ids {
        before.push(stores.waiting(id).await);
    }

    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!((report.restored, report.quarantined), (2, 0), "{report:?}");
    for (id, before) in ids.into_iter().zip(before) {
        assert!(!before.is_empty());
        assert_eq!(stores.waiting(id).await, before);
    }
}

#[tokio::test]
async fn what_the_log_has_taken_waits_no_longer() {
    let stores = Stores::open().await;
    let (game, events) = played(2);
    let id = game.state().id;
    stores.append(&events).await;
    stores.project().await;
    // The process died before it could drop its copy.
    stores.copy(DEAD, &events[2..]).await;

    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!((report.restored, report.quarantined), (1, 0), "{report:?}");
    assert_eq!(
        stores.logged_names(id).await,
        ["started", "moved", "moved", "resumed"]
    );
    assert_eq!(stores.waiting(id).await, []);
}

#[tokio::test]
async fn a_log_that_takes_nothing_for_now_holds_no_restore_up() {
    let stores = Stores::open().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let (game, events) = played(2);
        stores.append(&events).await;
        ids.push(game.state().id);
    }
    stores.project().await;
    let full = stores.gated();
    full.set(Gate::Full);
    let process = Process::start(&stores, full.clone());
    let report = stores.restore(&process.games, full.clone(), DEAD).await;
    assert_eq!((report.restored, report.elsewhere), (3, 0), "{report:?}");
    full.set(Gate::Open);
    for id in ids {
        stores.until_logged(id, "resumed").await;
    }
}
