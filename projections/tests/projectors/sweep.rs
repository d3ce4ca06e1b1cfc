//! The sweeper.

use std::sync::Arc;

use bytes::Bytes;
use contract::WriterId;
use projections::ports::{HistoryStore, LiveStore, SnapshotStatus, SnapshotWrite, Written};
use projections::sweep::{SeenRows, Sweeper};

use super::faulty::FaultyHistory;
use super::world::World;

const ONE: WriterId = WriterId(0xa);

fn sweeper(world: &World, history: Arc<dyn HistoryStore>) -> Sweeper {
    Sweeper {
        live: world.stores.live(),
        history,
        clock: world.clock.clone(),
        seen: SeenRows::default(),
    }
}

#[tokio::test]
async fn a_tombstone_is_swept_a_minute_after_history_has_the_game() {
    let mut world = World::open().await;
    let live = world.following(ONE).await;
    let game = world.finished_game(1).await;
    let running = world.game(1).await;
    world.until_caught_up(&live).await;
    let sweeper = sweeper(&world, world.stores.history());
    world.clock.advance(600_000);
    assert_eq!(sweeper.sweep().await.unwrap(), 0, "there is no row yet");
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    assert_eq!(sweeper.sweep().await.unwrap(), 0, "the row has only been seen");
    world.clock.advance(59_999);
    assert_eq!(sweeper.sweep().await.unwrap(), 0);
    world.clock.advance(1);
    assert_eq!(sweeper.sweep().await.unwrap(), 1);
    assert_eq!(world.snapshot(&game).await, None);
    assert_eq!(
        world.snapshot(&running).await.map(|stored| stored.status),
        Some(SnapshotStatus::Live)
    );
}

#[tokio::test]
async fn a_tombstone_that_cannot_be_read_stays() {
    let mut world = World::open().await;
    let live = world.following(ONE).await;
    let (spoiled, other) = (world.finished_game(1).await, world.finished_game(1).await);
    world.until_caught_up(&live).await;
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let stored = world.snapshot(&spoiled).await.unwrap();
    let write = SnapshotWrite {
        key: stored.key,
        version: stored.version,
        status: stored.status,
        create: false,
        force: true,
        bytes: Bytes::from_static(b"of newer code"),
    };
    let healed = world.stores.live().heal(0, ONE, &[write]).await.unwrap();
    assert_eq!(healed, Written::Done);

    let sweeper = sweeper(&world, world.stores.history());
    assert_eq!(sweeper.sweep().await.unwrap(), 0);
    world.clock.advance(60_000);
    assert_eq!(sweeper.sweep().await.unwrap(), 1);
    assert_eq!(world.snapshot(&other).await, None);
    assert!(world.snapshot(&spoiled).await.is_some());
}

#[tokio::test]
async fn nothing_is_swept_while_history_is_away() {
    let mut world = World::open().await;
    let live = world.following(ONE).await;
    world.finished_game(1).await;
    world.until_caught_up(&live).await;
    world.clock.advance(100_000);
    let history = FaultyHistory::over(world.stores.history());
    history.away.store(true, std::sync::atomic::Ordering::SeqCst);
    let sweeper = sweeper(&world, history);
    assert!(sweeper.sweep().await.is_err());
    assert_eq!(world.stores.live().tombstones(0).await.unwrap().len(), 1);
}
