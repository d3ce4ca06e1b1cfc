//! Everything compared with the log, and put right.

use commands::ports::{LogIdentity, Outgoing};
use commands::snapshot::Snapshot;
use contract::{EndReason, Event, FinishedGame, GameId, GameState, Kind, WriterId};
use projections::operations::verify::audit::{Audited, Auditor};
use projections::operations::verify::{Place, Request, Verified, verify};
use projections::operations::{Stopped, Work};
use projections::ports::{HistoryRepair, HistoryStore, LiveRepair, LiveStore, SnapshotStatus, SnapshotWrite};
use testkit::fixtures::{Game, game_id, outgoing};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::world::World;

const PROJECTOR: WriterId = WriterId(0xa);
const TOKEN: WriterId = WriterId(0xb);

async fn verified(world: &World, request: Request) -> Verified {
    let parts = world.parts(TOKEN);
    let work = Work::new(CancellationToken::new());
    world.turning(verify(&parts, &request, &work)).await.unwrap()
}

async fn all(world: &World) -> Verified {
    verified(world, Request::default()).await
}

async fn repaired(world: &World) -> Verified {
    let request = Request {
        repair: true,
        ..Request::default()
    };
    verified(world, request).await
}

/// Both stores have what the log has.
async fn project(world: &World) {
    let end = world.end().await;
    let history = world.history(PROJECTOR, world.stores.history(), None);
    world
        .turning(async { history.until(|s| s.checkpoint == Some(end)).await })
        .await;
    history.stop().await;
    world.following(PROJECTOR).await.stop().await;
}

fn record(game: &Game) -> FinishedGame {
    let ending = game.state().ending.as_ref().expect("it has ended");
    game.state().finished(ending, game.state().spectators)
}

/// What another hand did to a snapshot.
async fn spoil(world: &World, game: &Game, bytes: Option<&[u8]>) {
    let store = world.stores.live();
    let stored = store
        .get(game.state().id)
        .await
        .unwrap()
        .expect("it has a snapshot");
    let write = bytes.map(|bytes| SnapshotWrite {
        key: stored.key,
        version: stored.version,
        status: stored.status,
        create: true,
        force: true,
        bytes: bytes.to_vec().into(),
    });
    assert!(
        store
            .mend(0, game.state().id, Some(&stored), write.as_ref())
            .await
            .unwrap()
    );
}

fn places(verified: &Verified) -> Vec<(GameId, Place)> {
    let mut places: Vec<_> = verified
        .differences
        .iter()
        .map(|difference| (difference.game, difference.place))
        .collect();
    places.sort_unstable_by_key(|(id, _)| *id);
    places
}

#[tokio::test]
async fn where_nobody_interfered_nothing_differs() {
    let mut world = World::open().await;
    let mut taken = world.game(3).await;
    let resumed = taken.resume(WriterId(7));
    world.append(&resumed).await;
    world.play(&mut taken, 1).await;
    let anchored = taken.anchor();
    world.append(&anchored).await;
    world.game(0).await;
    world.finished_game(5).await;
    project(&world).await;
    let found = all(&world).await;
    let expected = Verified {
        games: 3,
        live: 2,
        ..Verified::default()
    };
    assert_eq!(found, expected);
    assert_eq!(
        all(&World::open().await).await,
        Verified::default(),
        "of an empty log"
    );
}

#[tokio::test]
async fn every_kind_of_difference_is_named_and_repaired() {
    let mut world = World::open().await;
    let live = [
        world.game(3).await,
        world.game(2).await,
        world.game(1).await,
        world.game(0).await,
    ];
    let ended = [world.finished_game(3).await, world.finished_game(4).await];
    project(&world).await;
    let history = world.stores.history();
    let wrong = FinishedGame {
        rated: true,
        ..record(&ended[0])
    };
    history.replace(&wrong).await.unwrap();
    let state = GameState {
        rated: true,
        ..live[0].state().clone()
    };
    let identity = world.stores.live().load().await.unwrap().checkpoint.unwrap().log;
    let spoiled = Snapshot::new(state, 4, identity).encode();
    spoil(&world, &live[0], Some(&spoiled)).await;
    spoil(&world, &live[1], Some(b"?")).await;
    spoil(&world, &live[2], None).await;

    let found = all(&world).await;
    let mut expected = vec![
        (live[0].state().id, Place::Live),
        (live[1].state().id, Place::Live),
        (live[2].state().id, Place::Live),
        (ended[0].state().id, Place::History),
    ];
    expected.sort_unstable_by_key(|(id, _)| *id);
    assert_eq!(places(&found), expected, "{found:?}");
    assert_eq!((found.different, found.repaired), (4, 0));
    assert!(!found.is_well());
    assert_eq!(
        history.game(wrong.id).await.unwrap(),
        Some(wrong),
        "nothing was repaired"
    );

    let found = repaired(&world).await;
    assert_eq!((found.different, found.repaired), (4, 4), "{found:?}");
    assert!(found.is_well());
    let found = all(&world).await;
    assert_eq!(found.different, 0, "{found:?}");
    assert_eq!(
        history.game(ended[0].state().id).await.unwrap(),
        Some(record(&ended[0]))
    );
}

#[tokio::test]
async fn a_row_that_is_missing_behind_the_projector_is_a_difference_and_one_before_it_is_not() {
    let mut world = World::open().await;
    let first = world.finished_game(1).await;
    let later = world.finished_game(2).await;
    let found = all(&world).await;
    assert_eq!(
        (found.not_yet, found.different),
        (2, 0),
        "nobody has projected: {found:?}"
    );

    // A store that says that it has come further than it has.
    let history = world.stores.history();
    assert!(history.acquire(TOKEN).await.unwrap());
    let end = world.checkpoint_at(world.end().await).await;
    history.reset_checkpoint(TOKEN, &end).await.unwrap();
    let found = repaired(&world).await;
    assert_eq!(
        (found.not_yet, found.different, found.repaired),
        (0, 2, 2),
        "{found:?}"
    );
    for game in [&first, &later] {
        assert_eq!(history.game(game.state().id).await.unwrap(), Some(record(game)));
    }
}

#[tokio::test]
async fn what_is_wrong_in_the_log_is_told_and_nothing_is_repaired_from_it() {
    let mut world = World::open().await;
    let (mut game, started) = Game::start(Kind::Mancala, WriterId(1));
    let (_lost, second) = (game.play(), game.play());
    world.append(&started).await;
    world.append(&second).await;
    let mut forged = world.game(2).await;
    let end = forged.end(EndReason::Left);
    let message = outgoing(&end);
    let text = String::from_utf8(message.bytes.to_vec()).unwrap();
    let forgery = text.replace("\"rated\":false", "\"rated\":true");
    assert_ne!(forgery, text);
    world
        .append_message(&Outgoing {
            bytes: forgery.into(),
            ..message
        })
        .await;
    let found = repaired(&world).await;
    let mut expected = vec![(game.state().id, Place::Log), (forged.state().id, Place::Log)];
    expected.sort_unstable_by_key(|(id, _)| *id);
    assert_eq!(places(&found), expected, "{found:?}");
    assert_eq!(found.repaired, 0);
}

#[tokio::test]
async fn rows_that_the_log_has_no_end_of_are_counted_and_left() {
    let mut world = World::open().await;
    world.finished_game(1).await;
    project(&world).await;
    let (mut game, _) = Game::start(Kind::Mancala, WriterId(1));
    game.end(EndReason::Inactive);
    world.stores.history().replace(&record(&game)).await.unwrap();
    let found = repaired(&world).await;
    assert_eq!((found.beyond_log, found.different), (1, 0), "{found:?}");
    assert_eq!(
        world.stores.history().game(game.state().id).await.unwrap(),
        Some(record(&game))
    );
}

#[tokio::test]
async fn a_row_of_a_game_that_the_log_has_as_live_is_a_difference() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    project(&world).await;
    let mut over = game.clone();
    over.end(EndReason::Inactive);
    world.stores.history().replace(&record(&over)).await.unwrap();
    let id = game.state().id;
    let alone = Request {
        game: Some(id),
        repair: true,
    };
    for found in [repaired(&world).await, verified(&world, alone).await] {
        assert_eq!(places(&found), [(id, Place::History)], "{found:?}");
        assert_eq!(
            (found.beyond_log, found.repaired),
            (0, 0),
            "no row is ever dropped"
        );
    }
}

#[tokio::test]
async fn nothing_is_repaired_from_a_game_whose_messages_are_against_the_rules() {
    let mut world = World::open().await;
    let mut games = [world.game(1).await, world.game(1).await];
    for game in &mut games {
        let mut moved = game.play();
        let Event::Moved(played) = &mut moved.event else {
            panic!("it is a move")
        };
        played.seat = played.seat.other();
        world.append(&moved).await;
    }
    let [live, ended] = &mut games;
    let end = ended.end(EndReason::Left);
    world.append(&end).await;
    project(&world).await;
    let other = FinishedGame {
        rated: true,
        ..record(ended)
    };
    world.stores.history().replace(&other).await.unwrap();
    spoil(&world, live, Some(b"?")).await;

    let found = repaired(&world).await;
    let mut differing = places(&found);
    differing.retain(|(_, place)| *place != Place::Log);
    let mut expected = vec![(live.state().id, Place::Live), (other.id, Place::History)];
    expected.sort_unstable_by_key(|(id, _)| *id);
    assert_eq!(differing, expected, "{found:?}");
    assert_eq!(found.repaired, 0, "{found:?}");
    assert_eq!(world.snapshot(live).await.unwrap().bytes, "?");
    let row = world.stores.history().game(other.id).await.unwrap();
    assert_eq!(row, Some(other));
}

#[tokio::test]
async fn a_snapshot_of_a_game_that_the_log_does_not_know_is_a_difference_that_stays() {
    let world = World::open().await;
    let (game, _) = Game::start(Kind::Mancala, WriterId(1));
    let write = SnapshotWrite {
        key: game.state().key(),
        version: 1,
        status: SnapshotStatus::Live,
        create: true,
        force: false,
        bytes: Snapshot::new(game.state().clone(), 9, LogIdentity("another".into())).encode(),
    };
    let store = world.stores.live();
    assert!(store.mend(0, game.state().id, None, Some(&write)).await.unwrap());
    let found = repaired(&world).await;
    assert_eq!(places(&found), [(game.state().id, Place::Live)]);
    assert_eq!(found.repaired, 0, "its owner may still anchor it");
    assert!(store.get(game.state().id).await.unwrap().is_some());
}

#[tokio::test]
async fn one_game_may_be_verified_alone() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    let other = world.game(2).await;
    let ended = world.finished_game(2).await;
    project(&world).await;
    spoil(&world, &game, None).await;
    spoil(&world, &other, None).await;
    let of = |id| Request {
        game: Some(id),
        repair: true,
    };
    let found = verified(&world, of(game.state().id)).await;
    assert_eq!(
        (found.games, found.different, found.repaired),
        (1, 1, 1),
        "{found:?}"
    );
    assert!(world.snapshot(&other).await.is_none());
    let found = verified(&world, of(ended.state().id)).await;
    assert_eq!((found.games, found.different), (1, 0), "{found:?}");
    let parts = world.parts(TOKEN);
    let work = Work::new(CancellationToken::new());
    let unknown = verify(&parts, &of(game_id()), &work).await;
    assert!(matches!(unknown, Err(Stopped::Refused(_))), "{unknown:?}");
}

#[tokio::test]
async fn the_audit_counts_games_and_names_the_one_that_differs() {
    let mut world = World::open().await;
    let game = world.game(2).await;
    world.game(1).await;
    project(&world).await;
    let audited = watch::Sender::new(Audited::default());
    let auditor = |below: u64| Auditor {
        parts: world.parts(TOKEN),
        below: Box::new(move |_| below),
        audited: audited.clone(),
    };
    world.turning(auditor(0).audit()).await;
    let expected = Audited {
        games: 1,
        ..Audited::default()
    };
    assert_eq!(*audited.borrow(), expected);
    spoil(&world, &game, Some(b"?")).await;
    world.turning(auditor(3).audit()).await;
    assert_eq!(audited.borrow().differences, 0, "that is the other game");
    world.turning(auditor(1).audit()).await;
    let found = *audited.borrow();
    assert_eq!((found.games, found.differences), (3, 1));
    assert_eq!(found.last_different, Some(game.state().id));
    assert_eq!(
        world.snapshot(&game).await.unwrap().bytes,
        "?",
        "an operator decides"
    );
}
