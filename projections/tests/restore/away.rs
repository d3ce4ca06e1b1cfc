//! A pending store that does not answer.

use std::sync::Arc;

use async_trait::async_trait;
use commands::games::Games;
use commands::ports::{Link, PendingGame, PendingStore, Unavailable};
use contract::{EventId, GameKey, Kind, WriterId};
use projections::restore::{NotYet, RestoreParts, restore};
use testkit::fixtures::Game;
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
