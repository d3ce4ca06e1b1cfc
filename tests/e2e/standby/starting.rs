//! Who becomes active, and who does not start at all.

use std::collections::BTreeSet;

use testkit::services::Nats;

use super::{finish, is_standby, move_to, tables, takeovers};
use crate::harness::player::get;
use crate::harness::{Service, World, eventually};
use crate::kill::caught_up;

async fn is_active(service: &Service) -> bool {
    get(&format!("{}/readyz", service.url())).await.0 == 200
}

/// Which of two services became active: the index.
pub async fn the_active_one(services: &[Service; 2]) -> usize {
    let [first, second] = services;
    let one = async || match (is_active(first).await, is_active(second).await) {
        (true, true) => panic!("both are active"),
        (true, false) => is_standby(&second.url()).await.then_some(0),
        (false, true) => is_standby(&first.url()).await.then_some(1),
        (false, false) => None,
    };
    eventually("one is active and the other one a standby", one).await
}

async fn of_two_that_start_at_the_same_moment_one_holds_all_games(world: World) {
    let first = world.start().await;
    let mut tables = tables(&first, 6).await;
    first.kill().await;
    let (one, other) = tokio::join!(world.start_unready(&[]), world.start_unready(&[]));
    let services = [one, other];
    let active = the_active_one(&services).await;
    assert_eq!(services[active].status().await["liveGames"], 6);
    assert_eq!(services[1 - active].status().await["liveGames"], 0);
    move_to(&mut tables, &services[active]).await;
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), 6, "each game was taken over once");
    for game in log.games.values() {
        let writers: BTreeSet<_> = game.events.iter().map(|event| event.id.writer).collect();
        assert_eq!(writers.len(), 2, "the first one and one of the two");
    }
}

on_one_node_and_on_three!(of_two_that_start_at_the_same_moment_one_holds_all_games);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_was_killed_on_this_machine_is_not_waited_for() {
    let world = World::servers().await;
    let first = world.start().await;
    let mut tables = tables(&first, 2).await;
    let writer = first.status().await["writer"]
        .as_str()
        .expect("a writer")
        .to_owned();
    first.kill().await;
    // Its key never lapses: only that it is seen to be dead lets another one begin.
    world.keep_service_key(&writer).await;
    first.restart().await;
    for table in &mut tables {
        table.come_back().await;
    }
    finish(&world, &mut tables).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_of_another_log_does_not_start_on_a_live_store_in_use() {
    let world = World::servers().await;
    let first = world.start().await;
    let mut tables = tables(&first, 2).await;
    let other = Nats::start().await.expect("NATS");
    let log = world
        .start_refused(&[&format!("--nats-url={}", other.url())])
        .await;
    assert!(log.contains("the live store belongs to"), "{log}");
    first.ready().await;
    for table in &mut tables {
        table.play_to(5).await;
    }
    finish(&world, &mut tables).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_without_projectors_restores_from_the_log_and_shows_what_is_finished() {
    let world = World::servers().await;
    let first = world.start_with(&["--no-projectors"]).await;
    let mut tables = tables(&first, 4).await;
    tables[0].finish().await;
    first.kill().await;
    first.restart().await;
    // Nobody has written a snapshot or a row: the log is all there is.
    tables[0].check_record().await;
    for table in &mut tables[1..] {
        table.come_back().await;
        table.play_to(6).await;
    }
    // Another process projects.
    let projecting = super::start_standby(&world, &[]).await;
    caught_up(&projecting, &["live", "history"]).await;
    tables[0].check_record().await;
    assert_eq!(world.rows().await, 1);
    // The first one hears how far the other one has come.
    caught_up(&first, &["history"]).await;
    first.kill().await;
    projecting.ready().await;
    move_to(&mut tables[1..], &projecting).await;
    for table in &mut tables[1..] {
        table.finish().await;
        table.check_record().await;
    }
}
