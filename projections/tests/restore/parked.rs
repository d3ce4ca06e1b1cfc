//! What newer code wrote.

use std::sync::Arc;

use commands::ports::{Link, PendingGame, PendingStore, Unavailable};
use contract::{EventId, GameKey, Kind, WriterId};
use projections::ports::{LiveStore, SnapshotStatus, SnapshotWrite};
use testkit::fixtures::Game;
use tokio::sync::watch;

use super::process::Process;
use super::stores::{Stores, restored};

const DEAD: WriterId = WriterId(0xdead);
const NEWER: WriterId = WriterId(0x1e3);

/// A game in the log whose snapshot newer code has written since.
async fn parked(stores: &Stores) -> Game {
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    stores.append(&[started, game.play()]).await;
    stores.project().await;
    let live = stores.all.live();
    let stored = live
        .get(game.state().id)
        .await
        .unwrap()
        .expect("it was projected");
    let text = String::from_utf8(stored.bytes.to_vec()).unwrap();
    let newer = text.replacen("\"schema\":1", "\"schema\":99", 1);
    assert_ne!(newer, text);
    let write = SnapshotWrite {
        key: stored.key,
        version: stored.version,
        status: SnapshotStatus::Live,
        create: false,
        force: true,
        bytes: newer.into(),
    };
    let generation = live.generation().await.unwrap();
    assert!(live.acquire(generation, NEWER).await.unwrap());
    live.heal(generation, NEWER, &[write]).await.unwrap();
    game
}

#[tokio::test]
async fn a_game_whose_snapshot_newer_code_wrote_is_not_taken_over_though_its_events_can_be_read() {
    let stores = Stores::open().await;
    let mut game = parked(&stores).await;
    // In the tail, and waiting.
    let (tail, waits) = (game.play(), game.play());
    stores.append(&[tail]).await;
    stores.copy(DEAD, &[waits]).await;
    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!(
        (report.restored, report.parked, report.quarantined),
        (0, 1, 0),
        "{report:?}"
    );
    let id = game.state().id;
    assert_eq!(stores.logged_names(id).await, ["started", "moved", "moved"]);
    assert_eq!(stores.all.pending().load().await.unwrap().len(), 1, "it waits on");
}

#[tokio::test]
async fn nor_is_it_when_all_games_are_compared_with_the_log() {
    let stores = Stores::open().await;
    let game = parked(&stores).await;
    // The store's checkpoint is of another log.
    let regrown = Stores::open().await;
    regrown.append(&stores.logged(game.state().id).await).await;
    let process = Process::start(&regrown, regrown.gated());
    let parts = stores.with_log_of(&regrown, &process.games, regrown.all.log());
    let report = restored(&parts, DEAD).await;
    assert_eq!((report.restored, report.parked), (0, 1), "{report:?}");
    assert_eq!(regrown.logged_names(game.state().id).await, ["started", "moved"]);
}

/// Events that wait for the log are events too.
#[tokio::test]
async fn a_game_of_which_newer_code_has_an_event_waiting_is_not_taken_over_and_the_event_waits_on() {
    let stores = Stores::open().await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    stores.append(&[started, game.play()]).await;
    stores.project().await;
    let waits = game.play();
    stores.copy(DEAD, std::slice::from_ref(&waits)).await;
    let id = game.state().id;
    let process = Process::start(&stores, stores.gated());
    let mut parts = stores.with_log_of(&stores, &process.games, stores.all.log());
    parts.pending = Arc::new(Newer(stores.all.pending()));
    let report = restored(&parts, DEAD).await;
    assert_eq!(
        (report.restored, report.parked, report.quarantined),
        (0, 1, 0),
        "{report:?}"
    );
    assert_eq!(stores.logged_names(id).await, ["started", "moved"]);
    assert_eq!(stores.waiting(id).await.len(), 1, "it waits on");

    // When it can be read, it is in its place.
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!((report.restored, report.quarantined), (1, 0), "{report:?}");
    stores.until_logged(id, "resumed").await;
    let logged = stores.logged(id).await;
    assert_eq!(logged[2].id, waits.id, "{logged:?}");
}

/// The same lists, as if newer code had written what is in them.
struct Newer(Arc<dyn PendingStore>);

#[async_trait::async_trait]
impl PendingStore for Newer {
    async fn append(&self, game: &PendingGame) -> Result<(), Unavailable> {
        self.0.append(game).await
    }

    async fn trim(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), Unavailable> {
        self.0.trim(key, writer, place).await
    }

    async fn load(&self) -> Result<Vec<PendingGame>, Unavailable> {
        let mut lists = self.0.load().await?;
        for item in lists.iter_mut().flat_map(|list| &mut list.items) {
            let text = String::from_utf8(item.bytes.to_vec()).unwrap();
            item.bytes = text.replace("moved.v1", "moved.v2").into();
        }
        Ok(lists)
    }

    async fn quarantine(
        &self,
        key: GameKey,
        writer: WriterId,
        keep_out: &[EventId],
        reason: &str,
    ) -> Result<(), Unavailable> {
        self.0.quarantine(key, writer, keep_out, reason).await
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.0.link()
    }
}
