//! The history projector.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use bytes::Bytes;
use contract::WriterId;
use projections::catch_up::{Progress, ProjectorState};
use projections::history::{HistoryParts, HistoryProjector};
use projections::ports::{Cache, CacheKey, Checkpoint, DeadLetters, HistoryStore, Written};
use testkit::fixtures::Game;
use tokio_util::sync::CancellationToken;

use super::faulty::FaultyHistory;
use super::world::{Keeper, World};

const ONE: WriterId = WriterId(0xa);

async fn has_row(world: &World, game: &Game) -> bool {
    world
        .stores
        .history()
        .game(game.state().id)
        .await
        .unwrap()
        .is_some()
}

#[tokio::test]
async fn a_finished_game_becomes_a_row_and_its_keeper_hears_of_it() {
    let mut world = World::open().await;
    let keeper = Arc::new(Keeper::default());
    let projector = world.history(ONE, world.stores.history(), Some(keeper.clone()));
    let game = world.finished_game(2).await;
    let live = world.game(2).await;
    let status = world.until_caught_up(&projector).await;
    assert_eq!(
        (status.lag(), status.counts.applied),
        (Some(0), 1),
        "it passes events that make no rows"
    );
    assert!(has_row(&world, &game).await);
    assert!(!has_row(&world, &live).await);
    assert_eq!(keeper.through(), world.end().await);
}

#[tokio::test]
async fn a_checkpoint_that_is_not_the_logs_means_reading_again_and_no_row_changes() {
    let mut world = World::open().await;
    let games = [world.finished_game(1).await, world.finished_game(2).await];
    let first = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&first).await;
    first.stop().await;
    let before = world.stores.history().popular(9).await.unwrap();
    let store = world.stores.history();
    assert!(store.acquire(ONE).await.unwrap());
    let beyond = Checkpoint {
        seq: 999,
        event_id: None,
        ..world.checkpoint_at(1).await
    };
    store.reset_checkpoint(ONE, &beyond).await.unwrap();
    let second = world.history(ONE, world.stores.history(), None);
    let status = world.until_caught_up(&second).await;
    assert_eq!(status.counts.doubts, 1);
    assert_eq!(store.popular(9).await.unwrap(), before);
    assert_eq!(before.len(), games.len());
}

#[tokio::test]
async fn a_game_that_the_store_refuses_is_a_dead_letter_and_the_others_become_rows() {
    let mut world = World::open().await;
    let mut games = Vec::new();
    for moves in 0..5 {
        games.push(world.finished_game(moves).await);
    }
    let store = FaultyHistory::over(world.stores.history());
    store.refused.lock().unwrap().insert(games[3].state().id);
    let projector = world.history(ONE, store, None);
    let status = world.until_caught_up(&projector).await;
    assert_eq!((status.counts.applied, status.counts.dead_letters), (4, 1));
    for (index, game) in games.iter().enumerate() {
        assert_eq!(has_row(&world, game).await, index != 3);
    }
    let letters = world.stores.dead_letters().list(9).await.unwrap();
    assert_eq!(
        letters.iter().map(|letter| letter.game).collect::<Vec<_>>(),
        [games[3].state().id]
    );
}

#[tokio::test]
async fn an_outage_is_waited_through_and_nothing_is_a_dead_letter() {
    let mut world = World::open().await;
    let store = FaultyHistory::over(world.stores.history());
    store.away.store(true, SeqCst);
    let projector = world.history(ONE, store.clone(), None);
    let game = world.finished_game(1).await;
    projector
        .until(|s| matches!(s.state, ProjectorState::Waiting(_)))
        .await;
    for _ in 0..20 {
        world.clock.until_sleeping(1).await;
        world.clock.advance(30_000);
        tokio::task::yield_now().await;
    }
    store.away.store(false, SeqCst);
    world
        .turn_until(async || projector.progress.status().state == ProjectorState::Running)
        .await;
    world.until_caught_up(&projector).await;
    assert!(has_row(&world, &game).await);
    assert_eq!(world.stores.dead_letters().count().await.unwrap(), 0);
}

#[tokio::test]
async fn cached_lists_are_deleted_once_the_row_is_there() {
    let mut world = World::open().await;
    let cache = world.stores.cache();
    let game = world.finished_game(1).await;
    let players = &game.state().players;
    let keys = [
        CacheKey::PopularFinished,
        CacheKey::Recent(players.player1.user_id.clone()),
        CacheKey::Recent(players.player2.user_id.clone()),
    ];
    for key in &keys {
        let token = cache.get(key).await.unwrap().unwrap_err();
        cache.fill(key, token, Bytes::from_static(b"[]")).await.unwrap();
    }
    let projector = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&projector).await;
    // The clock stands still, so that nothing lapses.
    let gone = async {
        for key in &keys {
            while cache.get(key).await.unwrap().is_ok() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .expect("they are deleted");
}

#[tokio::test]
async fn a_process_that_does_not_project_hears_what_another_one_has_written() {
    let mut world = World::open().await;
    let keeper = Arc::new(Keeper::default());
    let cancel = CancellationToken::new();
    let listener = HistoryProjector::new(HistoryParts {
        store: world.stores.history(),
        cache: world.stores.cache(),
        dead_letters: world.stores.dead_letters(),
        keeper: Some(keeper.clone()),
        clock: world.clock.clone(),
        token: WriterId(0xb),
        progress: Arc::new(Progress::new("history")),
    });
    let (log, until) = (world.stores.log(), cancel.clone());
    world.spawn(async move { listener.only_tell(log.as_ref(), until).await });
    let projector = world.history(ONE, world.stores.history(), None);
    let game = world.finished_game(2).await;
    let end = world.end().await;
    world.turn_until(async || keeper.through() == end).await;
    assert!(has_row(&world, &game).await);
    cancel.cancel();
    projector.stop().await;
}

#[tokio::test]
async fn a_log_that_grew_again_past_the_checkpoint_is_read_from_its_beginning() {
    let mut world = World::open().await;
    let old = world.finished_game(1).await;
    let first = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&first).await;
    first.stop().await;
    let store = world.stores.history();
    // What the log has there now came after another event was read there.
    let unread = world.finished_game(2).await;
    let stale = Checkpoint {
        seq: world.end().await,
        ..world.checkpoint_at(1).await
    };
    assert!(store.acquire(ONE).await.unwrap());
    store.reset_checkpoint(ONE, &stale).await.unwrap();
    let before = store.game(old.state().id).await.unwrap();
    let second = world.history(ONE, store.clone(), None);
    let status = second.until(|status| status.counts.applied == 2).await;
    assert_eq!(status.counts.doubts, 1);
    world.until_caught_up(&second).await;
    assert!(has_row(&world, &unread).await, "it is not passed over");
    assert_eq!(store.game(old.state().id).await.unwrap(), before);
}

#[tokio::test]
async fn rows_of_games_that_the_log_does_not_have_survive_a_rebuild() {
    let (mut world, mut emptied) = (World::open().await, World::open().await);
    let mut before = Vec::new();
    for moves in 0..3 {
        let game = world.finished_game(moves).await;
        before.push(game.state().id);
    }
    let first = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&first).await;
    first.stop().await;
    let store = world.stores.history();
    let rows = store.popular(9).await.unwrap();

    // Everything is read again, from a log that has none of them.
    let newer = emptied.finished_game(2).await;
    let nothing_read = Checkpoint {
        seq: 0,
        event_id: None,
        log: emptied.checkpoint_at(1).await.log,
    };
    assert!(store.acquire(ONE).await.unwrap());
    store.reset_checkpoint(ONE, &nothing_read).await.unwrap();
    let second = emptied.history(ONE, store.clone(), None);
    emptied.until_caught_up(&second).await;
    assert!(store.game(newer.state().id).await.unwrap().is_some());
    let after = store.popular(9).await.unwrap();
    assert_eq!(after.len(), rows.len() + 1);
    for row in rows {
        assert!(after.contains(&row), "{row:?} is there as it was");
    }
    for id in before {
        assert!(store.game(id).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_history_that_is_put_back_while_nothing_happens_is_noticed_all_the_same() {
    let mut world = World::open().await;
    world.finished_game(1).await;
    let store = world.stores.history();
    let projector = world.history(ONE, store.clone(), None);
    let end = world.end().await;
    projector
        .until(|status| status.checkpoint == Some(end) && status.counts.applied == 1)
        .await;
    let beginning = Checkpoint {
        seq: 0,
        event_id: None,
        ..world.checkpoint_at(end).await
    };
    let put_back = store.reset_checkpoint(ONE, &beginning).await.unwrap();
    assert_eq!(put_back, Written::Done);
    world
        .turning(async { projector.until(|status| status.counts.applied == 2).await })
        .await;
}
