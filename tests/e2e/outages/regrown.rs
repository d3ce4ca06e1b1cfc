//! The log comes back older than it was, and others write on until it reaches past the projectors' checkpoints: that a
//! checkpoint is within the log does not mean that it is of this log.

use contract::{EndReason, Kind};
use testkit::fixtures::{Game, append_all, outgoing, writer};

use super::rollback::Copied;
use super::{Hall, Service, Stores, World, all_play, converged, few_tables};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_grew_again_while_the_service_was_dead_is_noticed() {
    let (world, service, mut hall, old) = some_games().await;
    let reached = log_end(&service).await;
    let row = world.row(&hall.tables[0].game).await.expect("it has a row");
    service.kill().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    old.put_back(nats).await;
    let strangers = grow_past(&world, reached).await;

    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    converged(&service).await;
    assert_doubted(&service).await;
    assert_eq!(
        world.row(&hall.tables[0].game).await,
        Some(row),
        "the row of an end that the log lost"
    );
    it_goes_on(&world, &service, hall, &strangers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_grew_again_while_the_service_stood_still_is_noticed() {
    let (world, service, hall, old) = some_games().await;
    let reached = log_end(&service).await;
    let row = world.row(&hall.tables[0].game).await.expect("it has a row");
    service.freeze();
    let nats = world.nats.as_ref().expect("a world of servers");
    old.put_back(nats).await;
    let strangers = grow_past(&world, reached).await;
    service.thaw();

    converged(&service).await;
    assert_doubted(&service).await;
    assert_eq!(world.row(&hall.tables[0].game).await, Some(row));
    it_goes_on(&world, &service, hall, &strangers).await;
}

/// A service with games, and a copy of the log as it was before the last of their moves.
async fn some_games() -> (World, Service, Hall, Copied) {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 4).await;
    let old = Copied::of(nats, &service).await;
    all_play(&mut hall, 4).await;
    hall.tables[0].finish().await;
    converged(&service).await;
    (world, service, hall, old)
}

async fn log_end(service: &Service) -> u64 {
    service.status().await["log"]["last"]
        .as_u64()
        .expect("a sequence")
}

/// Others play whole games until the log is longer than it was. The games' ids.
async fn grow_past(world: &World, reached: u64) -> Vec<String> {
    let stores = Stores::of(world).await;
    let mut games = Vec::new();
    loop {
        let (mut game, started) = Game::start(Kind::Mancala, writer());
        let events = [started, game.play(), game.play(), game.end(EndReason::Left)];
        let messages = events.map(|event| outgoing(&event));
        let written = append_all(&*stores.log, &messages).await;
        games.push(game.state().id.to_string());
        if written.last().is_some_and(|last| last.seq > reached) {
            return games;
        }
    }
}

/// Both projectors have seen that their checkpoint was not the log's.
async fn assert_doubted(service: &Service) {
    let status = service.status().await;
    let projectors = status["projectors"].as_array().expect("a list");
    for name in ["live", "history"] {
        let projector = projectors.iter().find(|projector| projector["name"] == name);
        let doubts = projector.and_then(|projector| projector["counts"]["doubts"].as_u64());
        assert!(doubts >= Some(1), "{name}: {status}");
    }
}

async fn it_goes_on(world: &World, service: &Service, mut hall: Hall, strangers: &[String]) {
    for game in strangers {
        assert!(world.row(game).await.is_some(), "{game} has a row");
    }
    all_play(&mut hall, 1).await;
    hall.finish().await;
    let log = hall.check(world, service).await;
    for table in &hall.tables[1..] {
        assert!(log.game(&table.game).record.is_some());
    }
}
