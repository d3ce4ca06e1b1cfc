//! Who watches gets the game from where they are.

use std::sync::Arc;

use commands::fold::refold;
use commands::games::{ConnectionId, Games, Watching};
use contract::frames::server::SpectatorCount;
use contract::frames::{CloseCode, ServerFrame};
use contract::view::GameView;
use contract::{Envelope, GameId, Position, Spectators, WriterId};
use testkit::fixtures::game_id;
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::ears::Ear;
use crate::fencing::taken_over_in;
use crate::outages::{never_asking, older_log};
use crate::service::{Service, key};

/// An anonymous socket.
fn anonymous(service: &Service) -> (Arc<Ear>, ConnectionId) {
    let ear = Ear::socket();
    let connection = service.games.connect(None, ear.clone());
    (ear, connection)
}

/// What an anonymous socket that comes back with `since` is given.
async fn come_back(service: &Service, game: GameId, since: Option<Position>) -> Arc<Ear> {
    let (ear, connection) = anonymous(service);
    let watching = service.games.watch(connection, game, since).await.unwrap();
    assert_eq!(watching, Watching::Here);
    ear
}

fn only_resync(ear: &Ear) -> Option<GameView> {
    match ear.frames().as_slice() {
        [only] => match &only.frame {
            ServerFrame::Resync(resync) => resync.game.clone(),
            other => panic!("it is a resync, not {other:?}"),
        },
        others => panic!("it is one frame, not {}", others.len()),
    }
}

#[tokio::test]
async fn who_comes_anew_gets_the_whole_game_and_what_follows() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    let ear = come_back(&service, game, None).await;
    assert!(matches!(
        &ear.frames()[..],
        [first] if matches!(&first.frame, ServerFrame::OnGameStart(live) if live.version == 2)
    ));
    service.play(game, &ann.user, "m2", 4).await.unwrap();
    assert_eq!(ear.versions(game), [3]);
}

#[tokio::test]
async fn who_comes_back_gets_exactly_what_they_missed() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    let start = service.live(game).position;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    let second = service.live(game).position;
    service.play(game, &ann.user, "m2", 4).await.unwrap();
    service.play(game, &ben.user, "m3", 7).await.unwrap();
    let now = service.live(game).position;
    assert_eq!(
        come_back(&service, game, Some(start)).await.versions(game),
        [2, 3, 4]
    );
    assert_eq!(
        come_back(&service, game, Some(second)).await.versions(game),
        [3, 4]
    );
    assert!(come_back(&service, game, Some(now)).await.frames().is_empty());
}

#[tokio::test]
async fn a_long_gap_is_read_from_the_log() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let start = service.live(game).position;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    for _ in 0..80 {
        service.games.claim(game, 0).await;
    }
    service.until_durable(game, 82).await;
    let ear = come_back(&service, game, Some(start)).await;
    assert_eq!(ear.versions(game), (2..=82).collect::<Vec<_>>());
    service.play(game, &ann.user, "m2", 4).await.unwrap();
    assert_eq!(ear.versions(game).last(), Some(&83));
}

#[tokio::test]
async fn a_long_gap_that_cannot_be_read_is_the_whole_game() {
    let service = Service::start().await;
    let (game, ..) = service.pair("ann", "ben").await;
    let start = service.live(game).position;
    for _ in 0..80 {
        service.games.claim(game, 0).await;
    }
    service.log.set(Gate::Down);
    let ear = come_back(&service, game, Some(start)).await;
    assert!(matches!(only_resync(&ear), Some(GameView::Live(live)) if live.version == 81));
}

#[tokio::test]
async fn of_a_long_gap_nobody_gets_what_another_process_wrote() {
    let service = Service::with(never_asking()).await;
    let (game, ..) = service.pair("ann", "ben").await;
    let start = service.live(game).position;
    // The frames since the fourth event are in memory; the second and the third must come from the log.
    for _ in 0..66 {
        service.games.claim(game, 0).await;
    }
    service.until_durable(game, 67).await;
    let (_older, log) = older_log(&service, game, 2).await;
    let entries = log.read_game(key(game), 0).await.unwrap();
    let events: Vec<_> = entries
        .iter()
        .map(|entry| Envelope::from_bytes(&entry.bytes).expect("only events are written"))
        .collect();
    let older = refold(&events).unwrap().expect("it has started");
    taken_over_in(&*log, &older).await;
    service.log.replace(log);
    let ear = come_back(&service, game, Some(start)).await;
    assert!(matches!(only_resync(&ear), Some(GameView::Live(live)) if live.version == 67));
}

#[tokio::test]
async fn a_position_that_is_not_on_the_chain_gets_the_whole_game() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    let now = service.live(game).position;
    let foreign = Position {
        writer: WriterId(0xb0b),
        ..now
    };
    let future = Position { version: 9, ..now };
    for off_chain in [foreign, future] {
        let ear = come_back(&service, game, Some(off_chain)).await;
        assert!(matches!(only_resync(&ear), Some(GameView::Live(live)) if live.version == 2));
    }
}

#[tokio::test]
async fn a_frame_says_how_much_of_the_game_the_log_has() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.until_durable(game, 1).await;
    service.log.set(Gate::Hold);
    assert!(!service.play(game, &ann.user, "m1", 3).await.unwrap().durable);
    assert!(!service.play(game, &ann.user, "m2", 4).await.unwrap().durable);
    service.log.set(Gate::Open);
    service.until_durable(game, 3).await;
    assert!(service.play(game, &ben.user, "m3", 7).await.unwrap().durable);
    let told: Vec<_> = ben
        .ear
        .frames()
        .iter()
        .filter_map(|frame| durable_at(&frame.frame))
        .collect();
    assert_eq!(told, [(2, 1), (3, 1), (4, 3)]);
}

/// A step's version, and the version that its frame says the log has.
fn durable_at(frame: &ServerFrame) -> Option<(u64, u64)> {
    match frame {
        ServerFrame::OnGameUpdate(update) => Some((update.at.version, update.at.durable_version)),
        _ => None,
    }
}

#[tokio::test]
async fn a_game_that_ended_is_still_to_be_had() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let start = service.live(game).position;
    service.leave(game, &ann.user).await.unwrap();
    assert_eq!(come_back(&service, game, Some(start)).await.versions(game), [2]);
    let ear = come_back(&service, game, None).await;
    assert!(
        matches!(only_resync(&ear), Some(GameView::Finished { record, .. })
        if record.summary.left_user_id == Some(ann.user.user_id.clone()))
    );
}

#[tokio::test]
async fn a_game_that_is_not_held_here_is_not_here() {
    let service = Service::start().await;
    let (_, connection) = anonymous(&service);
    let nowhere = service.games.watch(connection, game_id(), None).await.unwrap();
    assert_eq!(nowhere, Watching::NotHere);
}

#[tokio::test]
async fn a_second_socket_takes_the_seat_and_an_event_stream_does_not() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let stream = Ear::stream();
    let beside = service.games.connect(Some(&ann.user), stream.clone());
    service.games.watch(beside, game, None).await.unwrap();
    assert!(ann.ear.closed().is_empty());
    let second = Ear::socket();
    let connection = service.games.connect(Some(&ann.user), second.clone());
    service.games.watch(connection, game, None).await.unwrap();
    assert_eq!(ann.ear.closed(), [CloseCode::Replaced]);
    service.games.disconnect(ann.connection);
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    assert_eq!((second.versions(game), stream.versions(game)), (vec![2], vec![2]));
    assert!(ann.ear.versions(game).is_empty());
    let there = service.live(game).connections.expect("it is held here");
    assert!(there.player1.connected, "the newer socket is there");
}

#[tokio::test]
async fn spectators_are_counted_once_each_and_told_each_second() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let fan = [service.connect("fan"), service.connect("fan")];
    for connection in [fan[0].connection, fan[1].connection, anonymous(&service).1] {
        service.games.watch(connection, game, None).await.unwrap();
    }
    assert_eq!(service.live(game).summary.spectator_count, 2);
    service.games.disconnect(fan[0].connection);
    assert_eq!(service.live(game).summary.spectator_count, 2);
    service.games.disconnect(fan[1].connection);
    assert_eq!(service.live(game).summary.spectator_count, 1);
    service.pass(1_000).await;
    let told = |frame: &ServerFrame| match frame {
        ServerFrame::OnSpectators(count) => Some(count.clone()),
        _ => None,
    };
    let count = ann.ear.until(told).await;
    let figures = Spectators { peak: 2, total: 2 };
    assert_eq!(
        count,
        SpectatorCount {
            game_id: game,
            durable_version: 1,
            now: 1,
            figures
        }
    );
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    assert_eq!(service.folded(game).await.spectators, figures);
}

#[tokio::test]
async fn who_unwatches_gets_nothing_more() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let (ear, connection) = anonymous(&service);
    service.games.watch(connection, game, None).await.unwrap();
    service.games.unwatch(connection, game);
    ear.clear();
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    assert!(ear.frames().is_empty());
    assert_eq!(service.live(game).summary.spectator_count, 0);
}
