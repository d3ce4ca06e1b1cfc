//! Projections made anew while everything runs.

use std::sync::Arc;

use commands::ports::{EventLog, Outgoing};
use commands::snapshot::Snapshot;
use contract::{EndReason, FinishedGame, GameState, WriterId};
use projections::catch_up::ProjectorState;
use projections::operations::rebuild::{HistoryRebuilt, LiveRebuilt, Request, history, live};
use projections::operations::{Scope, Since, Stopped, Work};
use projections::ports::{
    DeadLetters, HistoryRepair, HistoryStore, LiveStore, SnapshotStatus, SnapshotWrite, Written,
};
use testkit::fixtures::{Game, outgoing};
use tokio_util::sync::CancellationToken;

use super::world::World;

const PROJECTOR: WriterId = WriterId(0xa);
const REBUILD: WriterId = WriterId(0xb);
const OTHER: WriterId = WriterId(0xc);

fn work() -> Work {
    Work::new(CancellationToken::new())
}

fn all() -> Request {
    Request::default()
}

fn only(game: &Game) -> Request {
    Request {
        scope: Scope {
            game: Some(game.state().id),
            from: None,
        },
        dry_run: false,
    }
}

fn from(since: Since) -> Request {
    Request {
        scope: Scope {
            game: None,
            from: Some(since),
        },
        dry_run: false,
    }
}

/// A snapshot of what never was, at this version.
async fn wrong(world: &World, game: &Game, version: u64) -> SnapshotWrite {
    let log = world.stores.log().info().await.unwrap().identity;
    let state = GameState {
        version,
        rated: true,
        ..game.state().clone()
    };
    SnapshotWrite {
        key: state.key(),
        version,
        status: SnapshotStatus::Live,
        create: true,
        force: true,
        bytes: Snapshot::new(state, 1, log).encode(),
    }
}

/// Puts it into the generation that readers use, while nobody projects.
async fn put(world: &World, write: SnapshotWrite) {
    let store = world.stores.live();
    let generation = store.generation().await.unwrap();
    assert!(store.acquire(generation, OTHER).await.unwrap());
    assert_eq!(
        store.heal(generation, OTHER, &[write]).await.unwrap(),
        Written::Done
    );
    store.release(generation, OTHER).await.unwrap();
}

async fn rebuild_live(world: &World, request: Request) -> Result<LiveRebuilt, Stopped> {
    let parts = world.parts(REBUILD);
    world.turning(live(&parts, &request, &work())).await
}

async fn is_right(world: &World, game: &Game) {
    let stored = world.snapshot(game).await.expect("it has a snapshot");
    let state = Snapshot::decode(&stored.bytes).unwrap().game;
    assert_eq!(
        (state.version, state.rated, &state.moves),
        (game.state().version, false, &game.state().moves)
    );
}

#[tokio::test]
async fn a_rebuilt_live_store_is_what_the_log_makes_and_the_projector_goes_on_with_it() {
    let mut world = World::open().await;
    let mut games = vec![world.game(3).await, world.game(0).await];
    let projector = world.following(PROJECTOR).await;
    let ended = world.finished_game(2).await;
    world.until_caught_up(&projector).await;
    projector.stop().await;
    let version = games[0].state().version;
    put(&world, wrong(&world, &games[0], version).await).await;
    let projector = world.following(PROJECTOR).await;

    let rebuilt = rebuild_live(&world, all()).await.unwrap();
    assert_eq!((rebuilt.games, rebuilt.generation), (2, 1));
    for game in &games {
        is_right(&world, game).await;
    }
    let store = world.stores.live();
    assert_eq!(store.generation().await.unwrap(), 1);
    assert_eq!(store.checkpoint(0).await.unwrap(), None, "the old one is gone");
    assert!(world.snapshot(&ended).await.is_some(), "its row is not there yet");

    world.play(&mut games[0], 2).await;
    let end = world.end().await;
    world
        .turning(async {
            projector
                .until(|s| s.state == ProjectorState::Running && s.checkpoint == Some(end))
                .await
        })
        .await;
    is_right(&world, &games[0]).await;
}

#[tokio::test]
async fn what_is_played_during_a_rebuild_is_in_it() {
    let mut world = World::open().await;
    let mut games = Vec::new();
    for _ in 0..20 {
        games.push(world.game(1).await);
    }
    let _projector = world.following(PROJECTOR).await;
    let parts = world.parts(REBUILD);
    let work = work();
    let request = all();
    let rebuilding = live(&parts, &request, &work);
    let clock = world.clock.clone();
    let playing = async {
        for round in 0..4 {
            for game in &mut games {
                world.play(game, 1).await;
            }
            games.push(world.game(round).await);
        }
    };
    let turning = async {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            clock.advance(20);
        }
    };
    let both = async { tokio::join!(rebuilding, playing) };
    let (rebuilt, ()) = tokio::select! {
        done = both => done,
        () = turning => unreachable!("it turns for ever"),
    };
    assert_eq!(rebuilt.unwrap().generation, 1);
    let end = world.end().await;
    let caught_up = async {
        while world.stores.live().checkpoint(1).await.unwrap().map(|to| to.seq) != Some(end) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    world.turning(caught_up).await;
    for game in &games {
        is_right(&world, game).await;
    }
}

#[tokio::test]
async fn what_the_log_does_not_have_is_carried_over() {
    let mut world = World::open().await;
    let known = world.game(2).await;
    let lost = {
        let (game, _) = Game::start(contract::Kind::Mancala, WriterId(1));
        game
    };
    world.following(PROJECTOR).await.stop().await;
    let identity = world.stores.log().info().await.unwrap().identity;
    let snapshot = Snapshot::new(lost.state().clone(), 77, identity);
    put(
        &world,
        SnapshotWrite {
            bytes: snapshot.encode(),
            ..wrong(&world, &lost, 1).await
        },
    )
    .await;
    let rebuilt = rebuild_live(&world, all()).await.unwrap();
    assert_eq!((rebuilt.games, rebuilt.carried), (1, 1));
    is_right(&world, &known).await;
    is_right(&world, &lost).await;
}

#[tokio::test]
async fn a_second_rebuild_is_refused_until_the_first_one_is_done_or_dead() {
    let mut world = World::open().await;
    world.game(1).await;
    assert!(world.stores.live().acquire(1, OTHER).await.unwrap());
    let refused = rebuild_live(&world, all()).await.unwrap_err();
    assert!(matches!(refused, Stopped::Busy(_)), "{refused}");
    assert!(refused.to_string().contains("another rebuild"), "{refused}");
    assert!(world.stores.history().begin_shadow(OTHER).await.unwrap());
    let parts = world.parts(REBUILD);
    let refused = history(&parts, &all(), &work()).await.unwrap_err();
    assert!(matches!(refused, Stopped::Busy(_)), "{refused}");

    world.clock.advance(10_001);
    rebuild_live(&world, all()).await.unwrap();
    world.turning(history(&parts, &all(), &work())).await.unwrap();
}

#[tokio::test]
async fn what_a_killed_rebuild_left_is_thrown_away_by_the_next_one() {
    let mut world = World::open().await;
    let game = world.game(1).await;
    let left = world.game(0).await;
    let store = world.stores.live();
    let junk = wrong(&world, &left, 99).await;
    assert!(store.acquire(1, OTHER).await.unwrap());
    assert_eq!(store.heal(1, OTHER, &[junk]).await.unwrap(), Written::Done);
    world.clock.advance(10_001);
    rebuild_live(&world, all()).await.unwrap();
    is_right(&world, &game).await;
    is_right(&world, &left).await;
}

#[tokio::test]
async fn a_cancelled_rebuild_changes_nothing_and_leaves_nothing() {
    let mut world = World::open().await;
    world.game(1).await;
    world.finished_game(1).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let parts = world.parts(REBUILD);
    let work = Work::new(cancel);
    assert_eq!(live(&parts, &all(), &work).await, Err(Stopped::Cancelled));
    assert_eq!(history(&parts, &all(), &work).await, Err(Stopped::Cancelled));
    let store = world.stores.live();
    assert_eq!(store.generation().await.unwrap(), 0);
    assert_eq!(store.checkpoint(1).await.unwrap(), None);
    assert!(store.acquire(1, OTHER).await.unwrap(), "the right is free");
    assert!(world.stores.history().begin_shadow(OTHER).await.unwrap());
    assert_eq!(world.stores.history().ids(None, 10).await.unwrap(), []);
}

#[tokio::test]
async fn a_rebuild_that_is_cancelled_half_way_leaves_no_generation() {
    let mut world = World::open().await;
    let game = world.game(1).await;
    let cancel = CancellationToken::new();
    let parts = world.parts(REBUILD);
    let work = Work::new(cancel.clone());
    let mut amounts = work.subscribe();
    let request = all();
    let cancelling = async {
        let following = amounts
            .wait_for(|amount| amount.phase == "following" && amount.total.is_some())
            .await;
        following.expect("the work goes on");
        cancel.cancel();
    };
    let both = async { tokio::join!(live(&parts, &request, &work), cancelling) };
    let (rebuilt, ()) = world.turning(both).await;
    assert_eq!(rebuilt, Err(Stopped::Cancelled));
    let store = world.stores.live();
    assert_eq!(store.generation().await.unwrap(), 0);
    assert_eq!(store.checkpoint(1).await.unwrap(), None);
    assert_eq!(store.get_many(1, &[game.state().id]).await.unwrap(), [None]);
}

#[tokio::test]
async fn a_dry_run_of_a_part_says_what_would_change() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    world.following(PROJECTOR).await.stop().await;
    put(&world, wrong(&world, &game, 3).await).await;
    let before = world.snapshot(&game).await;
    for request in [only(&game), from(Since::Seq(1))] {
        let dry = Request {
            dry_run: true,
            ..request
        };
        let rebuilt = rebuild_live(&world, dry).await.unwrap();
        assert_eq!((rebuilt.games, rebuilt.changed), (1, 1), "{rebuilt:?}");
    }
    assert_eq!(world.snapshot(&game).await, before);
}

#[tokio::test]
async fn a_game_under_way_has_no_row_to_rebuild_and_that_is_no_error() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    let parts = world.parts(REBUILD);
    let rebuilt = history(&parts, &only(&game), &work()).await;
    assert_eq!(rebuilt, Ok(HistoryRebuilt::default()));
    let (unknown, _) = Game::start(contract::Kind::Mancala, WriterId(1));
    let refused = history(&parts, &only(&unknown), &work()).await;
    assert!(matches!(refused, Err(Stopped::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn a_part_is_not_rebuilt_beside_another_rebuild() {
    let mut world = World::open().await;
    let game = world.game(1).await;
    let ended = world.finished_game(1).await;
    assert!(world.stores.live().acquire(1, OTHER).await.unwrap());
    assert!(world.stores.history().begin_shadow(OTHER).await.unwrap());
    let parts = world.parts(REBUILD);
    for request in [only(&game), from(Since::Seq(1))] {
        let refused = rebuild_live(&world, request).await.unwrap_err();
        assert!(refused.to_string().contains("another rebuild"), "{refused}");
    }
    let refused = history(&parts, &only(&ended), &work()).await.unwrap_err();
    assert!(refused.to_string().contains("another rebuild"), "{refused}");

    world.clock.advance(10_001);
    rebuild_live(&world, only(&game)).await.unwrap();
    history(&parts, &only(&ended), &work()).await.unwrap();
    assert!(
        world.stores.live().acquire(1, OTHER).await.unwrap(),
        "the right is free"
    );
    assert!(world.stores.history().begin_shadow(OTHER).await.unwrap());
}

#[tokio::test]
async fn a_dry_run_of_the_history_puts_no_dead_letter() {
    let mut world = World::open().await;
    let mut game = world.game(1).await;
    let end = outgoing(&game.end(EndReason::Left));
    let unreadable = Outgoing {
        bytes: "?".into(),
        ..end
    };
    world.append_message(&unreadable).await;
    let parts = world.parts(REBUILD);
    let letters = world.stores.dead_letters();
    for (dry_run, expected) in [(true, 0), (false, 1)] {
        let request = Request { dry_run, ..all() };
        let rebuilt = world.turning(history(&parts, &request, &work())).await;
        assert_eq!(rebuilt.unwrap().unreadable, 1);
        assert_eq!(letters.count().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_dry_run_says_what_would_be_done_and_changes_nothing() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    world.finished_game(1).await;
    world.following(PROJECTOR).await.stop().await;
    put(&world, wrong(&world, &game, 99).await).await;
    let before = world.snapshot(&game).await;
    let dry = Request {
        dry_run: true,
        ..all()
    };
    let rebuilt = rebuild_live(&world, dry).await.unwrap();
    assert_eq!((rebuilt.games, rebuilt.generation, rebuilt.dry_run), (1, 0, true));
    assert_eq!(world.snapshot(&game).await, before);
    let parts = world.parts(REBUILD);
    let rebuilt = world.turning(history(&parts, &dry, &work())).await.unwrap();
    assert_eq!((rebuilt.games, rebuilt.merged.added), (1, 1));
    assert_eq!(world.stores.history().ids(None, 10).await.unwrap(), []);
}

#[tokio::test]
async fn one_game_is_put_right_in_place_and_the_projector_forgets_what_it_had_in_memory() {
    let mut world = World::open().await;
    let mut game = world.game(2).await;
    world.following(PROJECTOR).await.stop().await;
    let version = game.state().version;
    put(&world, wrong(&world, &game, version).await).await;
    let projector = world.following(PROJECTOR).await;
    // Now the projector has the wrong one in memory, and goes on from it.
    world.play(&mut game, 1).await;
    world.until_caught_up(&projector).await;
    let rebuilt = rebuild_live(&world, only(&game)).await.unwrap();
    assert_eq!((rebuilt.games, rebuilt.changed, rebuilt.generation), (1, 1, 0));
    is_right(&world, &game).await;
    world.play(&mut game, 1).await;
    let end = world.end().await;
    world
        .turning(async {
            projector
                .until(|s| s.state == ProjectorState::Running && s.checkpoint == Some(end))
                .await
        })
        .await;
    is_right(&world, &game).await;
    assert_eq!(rebuild_live(&world, only(&game)).await.unwrap().changed, 0);
}

#[tokio::test]
async fn a_rebuild_from_the_middle_touches_only_games_that_begin_there() {
    let mut world = World::open().await;
    let early = world.game(1).await;
    let middle = world.end().await + 1;
    let late = world.game(1).await;
    world.following(PROJECTOR).await.stop().await;
    put(&world, wrong(&world, &early, 2).await).await;
    put(&world, wrong(&world, &late, 2).await).await;
    let rebuilt = rebuild_live(&world, from(Since::Seq(middle))).await.unwrap();
    assert_eq!((rebuilt.games, rebuilt.changed), (1, 1));
    is_right(&world, &late).await;
    let stored = world.snapshot(&early).await.expect("it is as it was");
    assert!(Snapshot::decode(&stored.bytes).unwrap().game.rated);
}

/// The record of a game that the fixture ended.
fn record(game: &Game) -> FinishedGame {
    let ending = game.state().ending.as_ref().expect("it has ended");
    game.state().finished(ending, game.state().spectators)
}

#[tokio::test]
async fn a_rebuilt_history_has_what_the_log_has_and_keeps_the_rows_beyond_it() {
    let mut world = World::open().await;
    let games = [world.finished_game(3).await, world.finished_game(2).await];
    world.game(2).await;
    let beyond = {
        let (mut game, _) = Game::start(contract::Kind::Mancala, WriterId(1));
        game.end(EndReason::Inactive);
        record(&game)
    };
    let store = world.stores.history();
    store.replace(&beyond).await.unwrap();
    store
        .replace(&FinishedGame {
            rated: true,
            ..record(&games[0])
        })
        .await
        .unwrap();
    let parts = world.parts(REBUILD);
    let rebuilt = world.turning(history(&parts, &all(), &work())).await.unwrap();
    let merged = rebuilt.merged;
    assert_eq!(
        (
            rebuilt.games,
            merged.same,
            merged.replaced,
            merged.added,
            merged.carried
        ),
        (2, 0, 1, 1, 1)
    );
    for game in &games {
        assert_eq!(store.game(game.state().id).await.unwrap(), Some(record(game)));
    }
    assert_eq!(store.game(beyond.id).await.unwrap(), Some(beyond));

    let again = world.turning(history(&parts, &all(), &work())).await.unwrap();
    assert_eq!((again.merged.same, again.merged.replaced), (2, 0));
}

#[tokio::test]
async fn a_part_of_the_history_is_rebuilt_by_sequence_by_time_or_by_game() {
    let mut world = World::open().await;
    let first = world.finished_game(1).await;
    let middle = world.end().await + 1;
    let second = world.finished_game(4).await;
    let parts = world.parts(REBUILD);
    let store = world.stores.history();
    let by_sequence = world
        .turning(history(&parts, &from(Since::Seq(middle)), &work()))
        .await
        .unwrap();
    assert_eq!((by_sequence.games, by_sequence.merged.added), (1, 1));
    assert_eq!(store.ids(None, 10).await.unwrap(), [second.state().id]);
    let at = record(&second).ended_at;
    let by_time = world
        .turning(history(&parts, &from(Since::Time(at)), &work()))
        .await
        .unwrap();
    assert_eq!((by_time.games, by_time.merged.same), (1, 1));
    let by_game = history(&parts, &only(&first), &work()).await.unwrap();
    assert_eq!(by_game.merged.added, 1);
    assert_eq!(store.ids(None, 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_thrown_away_history_comes_back_from_the_log_beside_a_projector_that_is_past_it() {
    let mut world = World::open().await;
    let games = [world.finished_game(2).await, world.finished_game(3).await];
    let projector = world.history(PROJECTOR, world.stores.history(), None);
    let end = world.end().await;
    world
        .turning(async { projector.until(|s| s.checkpoint == Some(end)).await })
        .await;
    // One row is lost behind the projector's back.
    let other = FinishedGame {
        end_reason: EndReason::Timeout,
        ..record(&games[1])
    };
    world.stores.history().replace(&other).await.unwrap();
    let parts = world.parts(REBUILD);
    let rebuilt = world.turning(history(&parts, &all(), &work())).await.unwrap();
    assert_eq!((rebuilt.merged.same, rebuilt.merged.replaced), (1, 1));
    let keeper: Arc<dyn HistoryStore> = world.stores.history();
    assert_eq!(
        keeper.game(games[1].state().id).await.unwrap(),
        Some(record(&games[1]))
    );
    projector.stop().await;
}
