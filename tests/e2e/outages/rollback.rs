//! The log comes back older than it was: the directory of its store is replaced by an earlier copy of it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use testkit::services::{Program, Server};

use super::{Hall, Service, Stores, World, all_play, caught_up, converged, few_tables, until_pending};
use crate::harness::eventually;

/// Acknowledged bytes are kept for the whole test.
const KEEPS_BYTES: &str = "--nats-sync-interval-ms=600000";
/// Acknowledged bytes are as good as not kept.
const KEEPS_NOTHING: &str = "--nats-sync-interval-ms=1";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_lost_is_sent_again_from_the_kept_bytes() {
    let world = World::servers().await;
    let service = world.start_with(&[KEEPS_BYTES]).await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;
    let old = Copied::of(nats, &service).await;
    all_play(&mut hall, 4).await;
    hall.tables[0].finish().await;
    converged(&service).await;

    old.put_back(nats).await;
    // Also the games that nobody plays on.
    the_log_has_all_again(&world, &hall).await;
    converged(&service).await;
    hall.finish().await;
    let log = hall.check(&world, &service).await;
    for (id, game) in &log.games {
        assert!(
            !game.names().contains(&"anchored"),
            "{id} is complete: {:?}",
            game.names()
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_lost_and_nobody_kept_is_anchored() {
    let world = World::servers().await;
    let service = world.start_with(&[KEEPS_NOTHING]).await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;
    let old = Copied::of(nats, &service).await;
    all_play(&mut hall, 4).await;
    converged(&service).await;

    old.put_back(nats).await;
    all_play(&mut hall, 1).await;
    converged(&service).await;
    hall.finish().await;
    let log = hall.check(&world, &service).await;
    for table in &hall.tables {
        let names = log.game(&table.game).names();
        assert!(names.contains(&"anchored"), "{names:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_lost_and_nobody_kept_is_anchored_though_nobody_moves() {
    let world = World::servers().await;
    let service = world.start_with(&[KEEPS_NOTHING]).await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;
    let old = Copied::of(nats, &service).await;
    all_play(&mut hall, 4).await;
    converged(&service).await;

    old.put_back(nats).await;
    the_log_has_all_again(&world, &hall).await;
    converged(&service).await;
    // The projections, too: what nobody moved is there after a kill.
    service.kill().await;
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    hall.finish().await;
    let log = hall.check(&world, &service).await;
    for table in &hall.tables {
        let names = log.game(&table.game).names();
        assert!(names.contains(&"anchored"), "{names:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_lost_while_the_service_was_dead_is_anchored_from_the_snapshots() {
    the_service_dies_and_the_log_comes_back_older(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_lost_is_anchored_though_copies_of_it_wait() {
    the_service_dies_and_the_log_comes_back_older(true).await;
}

async fn the_service_dies_and_the_log_comes_back_older(log_goes_first: bool) {
    let world = World::servers().await;
    let service = world.start_with(&[KEEPS_BYTES]).await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let postgres = world.postgres.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;
    let old = Copied::of(nats, &service).await;
    // Without its row the finished game stays in the live store.
    postgres.kill().await.expect("it runs");
    all_play(&mut hall, 4).await;
    hall.tables[0].finish().await;
    caught_up(&service, &["live"]).await;
    if log_goes_first {
        nats.stop().await.expect("it runs");
        until_pending(&world, &hall.tables[..1]).await;
    }
    service.kill().await;

    old.put_back(nats).await;
    service.restart().await;
    let report = service.status().await["lastRestore"].clone();
    assert_eq!(report["reanchored"], hall.tables.len(), "{report}");
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    postgres.restart().await.expect("it starts");
    converged(&service).await;
    hall.finish().await;
    let log = hall.check(&world, &service).await;
    for table in &hall.tables {
        let names = log.game(&table.game).names();
        assert!(names.contains(&"anchored"), "{names:?}");
    }
}

/// Returns when the log has the last move of every game, whoever plays on.
async fn the_log_has_all_again(world: &World, hall: &Hall) {
    let stores = Stores::of(world).await;
    eventually("the log has again what it lost", async || {
        let log = stores.checked_log().await;
        let all = hall.tables.iter().all(|table| {
            let last = table.promises.last().expect("it was played");
            log.game(&table.game).has(&last.position)
        });
        all.then_some(())
    })
    .await;
}

/// A copy of the store, made while the server was down.
pub struct Copied(TempDir);

impl Copied {
    pub async fn of<P: Program>(server: &Server<P>, service: &Service) -> Self {
        converged(service).await;
        server.stop().await.expect("it runs");
        let copy = tempfile::tempdir().expect("a temporary directory");
        copy_directory(&server.store_dir(), &copy.path().join("store")).expect("the store can be read");
        server.restart().await.expect("it starts");
        converged(service).await;
        Self(copy)
    }

    pub async fn put_back<P: Program>(self, server: &Server<P>) {
        server.stop().await.expect("it runs");
        let store = server.store_dir();
        fs::remove_dir_all(&store).expect("it is a directory");
        copy_directory(&self.0.path().join("store"), &store).expect("the copy can be read");
        server.restart().await.expect("it starts");
    }
}

fn copy_directory(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_directory(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
