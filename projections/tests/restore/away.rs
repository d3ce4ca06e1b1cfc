//! A pending store that does not answer.

use std::sync::Arc;

use async_trait::async_trait;
use commands::games::Games;
use commands::ports::{Link, PendingGame, PendingStore, Unavailable};
use contract::player::BySeat;
use contract::{Envelope, EventId, GameKey, Kind, WriterId};
use projections::restore::{NotYet, Report, RestoreParts, restore, restore_waiting};
use testkit::fixtures::{Game, guest};
use tokio::sync::watch;

use super::process::Process;
use super::stores::{Stores, restored};

/// The process that died.
const DEAD: WriterId = WriterId(0xdead);

/// One that is not there.
struct Away;

fn away() -> Unavailable {
    Unavailable::new("pending store", "pulled")
}

#[async_trait]
impl PendingStore for Away {
    async fn append(&self, _: &PendingGame) -> Result<(), Unavailable> {
        Err(away())
    }

    async fn trim(&self, _: GameKey, _: WriterId, _: EventId) -> Result<(), Unavailable> {
        Err(away())
    }

    async fn load(&self) -> Result<Vec<PendingGame>, Unavailable> {
        Err(away())
    }

    async fn quarantine(&self, _: GameKey, _: WriterId, _: &[EventId], _: &str) -> Result<(), Unavailable> {
        Err(away())
    }

    fn link(&self) -> watch::Receiver<Link> {
        watch::Sender::new(Link::Down).subscribe()
    }
}

#[tokio::test]
async fn while_snapshots_can_be_read_but_what_waits_cannot_no_game_is_claimed() {
    let stores = Stores::open().await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    let id = game.state().id;
    stores.append(&[started, game.play()]).await;
    stores.project().await;
    stores.copy(DEAD, &[game.play()]).await;
    let process = Process::start(&stores, stores.gated());
    let parts = stores.with_log_of(&stores, &process.games, stores.all.log());

    let without = RestoreParts {
        pending: Arc::new(Away),
        ..parts.clone()
    };
    let outcome = restore(&without, &|writer| writer == DEAD).await;
    assert!(matches!(outcome, Err(NotYet::Interrupted(_))), "{outcome:?}");
    assert!(process.games.live(id, None).is_none());
    assert_eq!(stores.logged_names(id).await, ["started", "moved"]);

    let report = restored(&parts, DEAD).await;
    assert_eq!((report.restored, report.quarantined), (1, 0), "{report:?}");
    assert_eq!(
        stores.logged_names(id).await,
        ["started", "moved", "moved", "resumed"],
        "what waited is not lost"
    );
}

#[tokio::test]
async fn what_comes_to_light_after_the_restore_is_restored_then() {
    let stores = Stores::open().await;
    let (process, parts) = restored_already(&stores).await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    let id = game.state().id;
    stores.copy(DEAD, &[started, game.play()]).await;

    let report = waiting(&parts).await.expect("a game waits");
    assert_eq!((report.restored, report.quarantined), (1, 0), "{report:?}");
    assert!(!report.waiting_is_left);
    assert!(process.games.live(id, None).is_some());
    assert_eq!(stores.logged_names(id).await, ["started", "moved", "resumed"]);
    assert!(waiting(&parts).await.is_none(), "nothing waits any more");
}

#[tokio::test]
async fn what_waits_beside_a_game_that_is_held_is_set_aside() {
    let stores = Stores::open().await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    let id = game.state().id;
    stores.append(&[started, game.play()]).await;
    let (process, parts) = restored_already(&stores).await;
    let held = process.games.live(id, None).expect("the log has it");
    stores.copy(DEAD, &[game.play()]).await;

    let report = waiting(&parts).await.expect("something waits");
    assert_eq!((report.restored, report.quarantined), (0, 1), "{report:?}");
    let still = process.games.live(id, None).expect("it is held");
    assert_eq!((still.version, still.position), (held.version, held.position));
    assert_eq!(stores.logged_names(id).await, ["started", "moved", "resumed"]);
    assert!(stores.waiting(id).await.is_empty());
}

#[tokio::test]
async fn what_waits_of_a_held_game_and_is_on_its_chain_is_dropped() {
    let stores = Stores::open().await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    let id = game.state().id;
    let moved = game.play();
    stores.append(&[started, moved.clone()]).await;
    let (_process, parts) = restored_already(&stores).await;
    stores.copy(DEAD, &[moved]).await;

    let report = waiting(&parts).await.expect("something waits");
    assert_eq!((report.restored, report.quarantined), (0, 0), "{report:?}");
    assert!(stores.waiting(id).await.is_empty());
}

#[tokio::test]
async fn of_a_held_game_and_one_that_comes_later_the_older_ends() {
    for held_is_newer in [true, false] {
        let stores = Stores::open().await;
        let (held, waits) = two_games(held_is_newer);
        let (held_id, waiting_id) = (held.0.state().id, waits.0.state().id);
        stores.append(&held.1).await;
        let (process, parts) = restored_already(&stores).await;
        stores.copy(DEAD, &waits.1).await;

        let report = waiting(&parts).await.expect("a game waits");
        assert_eq!(report.ended, 1, "{report:?}");
        let (goes_on, ends) = if held_is_newer {
            (held_id, waiting_id)
        } else {
            (waiting_id, held_id)
        };
        assert!(process.games.live(goes_on, None).is_some());
        assert_eq!(
            stores.logged_names(goes_on).await,
            ["started", "moved", "resumed"]
        );
        assert_eq!(
            stores.logged_names(ends).await,
            ["started", "moved", "resumed", "ended"]
        );
    }
}

#[tokio::test]
async fn what_waits_of_a_process_that_is_not_silent_is_left_and_said() {
    let stores = Stores::open().await;
    let (_process, parts) = restored_already(&stores).await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    stores.copy(DEAD, &[started, game.play()]).await;

    let report = restore_waiting(&parts, &|_| false).await;
    let report = report.expect("the stores answer").expect("a game waits");
    assert_eq!((report.restored, report.waiting_is_left), (0, true), "{report:?}");
    assert_eq!(stores.waiting(game.state().id).await.len(), 2);
}

/// A process that has restored what there is, and what it restores with.
async fn restored_already(stores: &Stores) -> (Process, RestoreParts) {
    let process = Process::start(stores, stores.gated());
    let parts = stores.with_log_of(stores, &process.games, stores.all.log());
    let report = restored(&parts, DEAD).await;
    assert!(!report.waiting_is_left, "{report:?}");
    (process, parts)
}

type Begun = (Game, Vec<Envelope>);

/// Two games of the same players; whether the first one began later.
fn two_games(first_is_newer: bool) -> (Begun, Begun) {
    let players = BySeat {
        player1: guest("Ayşe"),
        player2: guest("Bora"),
    };
    let begin = || {
        let (mut game, started) = Game::start_between(Kind::Mancala, DEAD, players.clone());
        let events = vec![started, game.play()];
        (game, events)
    };
    let (one, other) = (begin(), begin());
    // They begin at the same time, and then their ids decide.
    if (one.0.state().id > other.0.state().id) == first_is_newer {
        (one, other)
    } else {
        (other, one)
    }
}

async fn waiting(parts: &RestoreParts) -> Option<Report> {
    restore_waiting(parts, &|writer| writer == DEAD)
        .await
        .expect("the stores answer")
}
