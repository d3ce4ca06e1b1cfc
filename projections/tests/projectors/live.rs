//! The live projector.

use bytes::Bytes;
use commands::ports::Outgoing;
use commands::snapshot::{Snapshot, Tombstone};
use contract::{EndReason, GameState, WriterId};
use projections::catch_up::ProjectorState;
use projections::ports::{
    Checkpoint, DeadLetters, HistoryStore, LiveBatch, LiveStore, SnapshotStatus, StoredSnapshot, Written,
};
use testkit::fixtures::{Game, outgoing};

use super::world::World;

const ONE: WriterId = WriterId(0xa);
const TWO: WriterId = WriterId(0xb);

fn live_game(stored: Option<StoredSnapshot>) -> GameState {
    let stored = stored.expect("it has a snapshot");
    assert_eq!(stored.status, SnapshotStatus::Live);
    Snapshot::decode(&stored.bytes).unwrap().game
}

/// The fixture does not remember commands; the fold does.
fn assert_is(folded: &GameState, game: &Game) {
    assert_eq!(
        GameState {
            commands: game.state().commands.clone(),
            ..folded.clone()
        },
        *game.state()
    );
}

/// Sets the stored checkpoint, as if the store had come back as it was then.
async fn set_checkpoint(world: &World, to: Checkpoint) {
    let store = world.stores.live();
    let from = store
        .checkpoint(0)
        .await
        .unwrap()
        .map(|checkpoint| checkpoint.seq);
    assert!(store.acquire(0, ONE).await.unwrap());
    let written = store
        .write(
            0,
            ONE,
            &LiveBatch {
                from,
                to,
                writes: Vec::new(),
            },
        )
        .await
        .unwrap();
    assert_eq!(written, Written::Done);
    store.release(0, ONE).await.unwrap();
}

#[tokio::test]
async fn a_live_game_becomes_a_snapshot_and_an_ended_one_a_tombstone() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let live = world.game(3).await;
    let mut ended = world.game(2).await;
    let last = ended.end(EndReason::Left);
    world.append(&last).await;
    world.until_caught_up(&projector).await;

    assert_is(&live_game(world.snapshot(&live).await), &live);
    let stored = world.snapshot(&ended).await.unwrap();
    assert_eq!((stored.status, stored.version), (SnapshotStatus::Tombstone, 4));
    let tombstone = Tombstone::decode(&stored.bytes).unwrap();
    assert_eq!(tombstone.ended, last.to_bytes());
    assert_is(&tombstone.game, &ended);
}

#[tokio::test]
async fn a_killed_projector_is_continued_without_loss_or_repeat() {
    let mut world = World::open().await;
    let mut game = world.game(2).await;
    let first = world.live(ONE);
    world.until_caught_up(&first).await;
    first.kill().await;
    world.play(&mut game, 2).await;
    let second = world.live(TWO);
    second.until(|s| s.state == ProjectorState::HeldElsewhere).await;
    world.clock.advance(10_001);
    let status = world.until_caught_up(&second).await;
    assert_eq!(
        (
            status.counts.applied,
            status.counts.repeated,
            status.counts.refolded
        ),
        (2, 0, 0)
    );
    assert_is(&live_game(world.snapshot(&game).await), &game);
}

#[tokio::test]
async fn a_redelivered_event_changes_nothing() {
    let mut world = World::open().await;
    let game = world.game(3).await;
    let first = world.live(ONE);
    world.until_caught_up(&first).await;
    first.stop().await;
    let before = world.snapshot(&game).await;
    set_checkpoint(&world, world.checkpoint_at(2).await).await;
    let second = world.live(ONE);
    let status = world.until_caught_up(&second).await;
    assert_eq!(
        (
            status.counts.applied,
            status.counts.repeated,
            status.counts.doubts
        ),
        (0, 2, 0)
    );
    assert_eq!(world.snapshot(&game).await, before);
}

#[tokio::test]
async fn a_game_that_the_store_lost_is_refolded_at_its_next_event() {
    let mut world = World::open().await;
    let mut game = world.game(3).await;
    let first = world.live(ONE);
    world.until_caught_up(&first).await;
    first.stop().await;
    world
        .stores
        .live()
        .quarantine(game.state().id, "the test")
        .await
        .unwrap();
    world.play(&mut game, 1).await;
    let second = world.live(ONE);
    let status = world.until_caught_up(&second).await;
    assert_eq!((status.counts.holes, status.counts.refolded), (1, 1));
    assert_is(&live_game(world.snapshot(&game).await), &game);
}

#[tokio::test]
async fn a_store_that_came_back_empty_is_filled_from_the_log() {
    let mut world = World::open().await;
    let game = world.game(3).await;
    let finished = world.finished_game(1).await;
    let projector = world.live(ONE);
    world.until_caught_up(&projector).await;
    // The next generation is as empty as a new store.
    assert!(world.stores.live().flip(0, 1).await.unwrap());
    let mut later = world.game(0).await;
    world.play(&mut later, 1).await;
    let status = projector.until(|s| s.counts.empty == 2).await;
    assert_eq!(status.counts.doubts, 0, "nothing contradicts the log");
    world.until_caught_up(&projector).await;
    assert_is(&live_game(world.snapshot(&game).await), &game);
    assert_is(&live_game(world.snapshot(&later).await), &later);
    assert_eq!(
        world.snapshot(&finished).await,
        None,
        "history is made from its own events"
    );
}

#[tokio::test]
async fn a_store_that_was_set_back_is_noticed_though_no_event_comes() {
    let mut world = World::open().await;
    world.game(4).await;
    let running = world.following(ONE).await;
    let old = world.checkpoint_at(2).await;
    set_checkpoint(&world, old).await;
    let (store, end) = (world.stores.live(), world.end().await);
    world
        .turn_until(async || {
            let stored = store.checkpoint(0).await.unwrap();
            stored.is_some_and(|stored| stored.seq == end)
        })
        .await;
    running.stop().await;
}

#[tokio::test]
async fn a_store_far_behind_is_compared_and_only_what_differs_is_refolded() {
    let mut world = World::open().await;
    let same = world.game(1).await;
    let mut other = world.game(0).await;
    let first = world.live(ONE);
    world.until_caught_up(&first).await;
    first.stop().await;
    for _ in 0..60 {
        world.finished_game(0).await;
    }
    world.play(&mut other, 1).await;
    let second = world.live(ONE);
    let status = world.until_caught_up(&second).await;
    assert_eq!((status.counts.applied, status.counts.refolded), (0, 1));
    assert_is(&live_game(world.snapshot(&same).await), &same);
    assert_is(&live_game(world.snapshot(&other).await), &other);
}

#[tokio::test]
async fn a_checkpoint_that_names_another_event_is_not_gone_on_from() {
    let mut world = World::open().await;
    let game = world.game(3).await;
    let first = world.live(ONE);
    world.until_caught_up(&first).await;
    first.stop().await;
    let wrong = Checkpoint {
        seq: 3,
        ..world.checkpoint_at(2).await
    };
    set_checkpoint(&world, wrong).await;
    let second = world.live(ONE);
    let status = world.until_caught_up(&second).await;
    assert_eq!((status.counts.doubts, status.counts.refolded), (1, 0));
    assert_is(&live_game(world.snapshot(&game).await), &game);
}

#[tokio::test]
async fn a_snapshot_ahead_of_the_log_is_left_for_its_owner() {
    let mut world = World::open().await;
    let mut game = world.game(1).await;
    let lost = world.game(1).await;
    let first = world.live(ONE);
    world.until_caught_up(&first).await;
    first.stop().await;
    // What the log never got, or lost.
    game.play();
    let store = world.stores.live();
    assert!(store.acquire(0, ONE).await.unwrap());
    let log = world.checkpoint_at(1).await.log;
    let ahead = Snapshot::new(game.state().clone(), 2, log.clone());
    let write = projections::ports::SnapshotWrite {
        key: game.state().key(),
        version: ahead.version(),
        status: SnapshotStatus::Live,
        create: false,
        force: false,
        bytes: ahead.encode(),
    };
    assert_eq!(store.heal(0, ONE, &[write]).await.unwrap(), Written::Done);
    set_checkpoint(
        &world,
        Checkpoint {
            seq: 99,
            event_id: None,
            log,
        },
    )
    .await;
    let second = world.live(ONE);
    let status = world.until_caught_up(&second).await;
    assert_eq!(
        (status.counts.doubts, status.counts.ahead, status.counts.refolded),
        (1, 1, 0)
    );
    assert_is(&live_game(world.snapshot(&game).await), &game);
    assert_is(&live_game(world.snapshot(&lost).await), &lost);
}

#[tokio::test]
async fn of_two_projectors_one_writes_until_it_stops() {
    let mut world = World::open().await;
    let mut game = world.game(1).await;
    let first = world.live(ONE);
    world.until_caught_up(&first).await;
    let second = world.live(TWO);
    second.until(|s| s.state == ProjectorState::HeldElsewhere).await;
    world.play(&mut game, 1).await;
    world.until_caught_up(&first).await;
    assert_eq!(second.progress.status().counts.applied, 0);
    first.stop().await;
    world.play(&mut game, 1).await;
    world
        .turn_until(async || second.progress.status().state == ProjectorState::Running)
        .await;
    let status = world.until_caught_up(&second).await;
    assert_eq!(status.counts.applied, 1);
    assert_is(&live_game(world.snapshot(&game).await), &game);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_a_dead_letter_and_the_others_go_on() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let broken = world.game(1).await;
    let key = broken.state().key();
    world
        .append_message(&Outgoing {
            key,
            name: "moved",
            bytes: Bytes::from_static(b"{}"),
        })
        .await;
    let whole = world.game(2).await;
    let status = world.until_caught_up(&projector).await;
    assert_eq!(status.counts.dead_letters, 1);
    let letters = world.stores.dead_letters().list(9).await.unwrap();
    assert_eq!((letters.len(), letters[0].game, letters[0].seq), (1, key.id, 3));
    assert_is(&live_game(world.snapshot(&broken).await), &broken);
    assert_is(&live_game(world.snapshot(&whole).await), &whole);
}

#[tokio::test]
async fn a_game_with_a_hole_stays_as_it_is_until_an_anchored_event() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let mut game = world.game(1).await;
    let before = game.state().clone();
    game.play();
    let after_hole = game.play();
    world.append(&after_hole).await;
    let status = world.until_caught_up(&projector).await;
    assert_eq!((status.counts.holes, status.counts.broken), (1, 1));
    assert_eq!(live_game(world.snapshot(&game).await).version, before.version);
    world.play(&mut game, 1).await;
    let status = world.until_caught_up(&projector).await;
    assert_eq!((status.counts.skipped, status.counts.anchored), (1, 0));
    let anchored = game.anchor();
    world.append(&anchored).await;
    world.play(&mut game, 1).await;
    let status = world.until_caught_up(&projector).await;
    assert_eq!((status.counts.skipped, status.counts.anchored), (1, 1));
    assert_is(&live_game(world.snapshot(&game).await), &game);
}

#[tokio::test]
async fn a_game_that_newer_code_wrote_is_left_untouched() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let mut game = world.game(1).await;
    world.until_caught_up(&projector).await;
    let before = world.snapshot(&game).await;
    let moved = outgoing(&game.play());
    let newer = String::from_utf8(moved.bytes.to_vec())
        .unwrap()
        .replace("moved.v1", "moved.v7");
    world
        .append_message(&Outgoing {
            bytes: newer.into(),
            ..moved
        })
        .await;
    let next = game.play();
    world.append(&next).await;
    let status = world.until_caught_up(&projector).await;
    assert_eq!((status.counts.parked, status.counts.dead_letters), (1, 0));
    assert_eq!(status.counts.skipped, 2, "both events are passed over");
    assert_eq!(world.snapshot(&game).await, before);
}

#[tokio::test]
async fn a_game_with_a_row_gets_no_tombstone_but_its_snapshot_becomes_one() {
    let mut world = World::open().await;
    let first = world.following(ONE).await;
    let mut known = world.game(1).await;
    world.until_caught_up(&first).await;
    first.stop().await;
    // While the live projector is away history gets the ends before it.
    let last = known.end(EndReason::Left);
    world.append(&last).await;
    let game = world.finished_game(1).await;
    let history = world.history(TWO, world.stores.history(), None);
    world.until_caught_up(&history).await;
    for game in [&known, &game] {
        let row = world.stores.history().game(game.state().id).await.unwrap();
        assert!(row.is_some());
    }

    let second = world.live(ONE);
    let status = world.until_caught_up(&second).await;
    assert_eq!((status.counts.applied, status.counts.refolded), (4, 0));
    assert_eq!(world.snapshot(&game).await, None);
    let stored = world.snapshot(&known).await.map(|stored| stored.status);
    assert_eq!(stored, Some(SnapshotStatus::Tombstone));
}
