//! A server hangs for some seconds: its connections stay open, and nothing answers.

use super::{Hall, Service, World, all_play, converged, few_tables, lists_are_answered};
use crate::harness::eventually;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_nats_hangs_play_goes_on() {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 6).await;
    nats.freeze().expect("it runs");
    assert_eq!(all_play(&mut hall, 4).await, (false, true), "nothing is durable");
    lists_are_answered(&hall.tables[0]).await;
    eventually("a log that hangs counts as down", async || {
        let why = service.status().await["log"]["notAvailable"].to_string();
        why.contains("not connected").then_some(())
    })
    .await;
    assert_eq!(all_play(&mut hall, 2).await, (false, true), "nothing is durable");
    nats.thaw().expect("it runs");
    it_goes_on(&world, &service, hall).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_valkey_hangs_play_goes_on() {
    let world = World::servers().await;
    let service = world.start().await;
    let valkey = world.valkey.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 6).await;
    valkey.freeze().expect("it runs");
    assert_eq!(
        all_play(&mut hall, 4).await,
        (true, false),
        "everything is durable"
    );
    hall.tables[0].finish().await;
    hall.tables[0].check_record().await;
    lists_are_answered(&hall.tables[0]).await;
    valkey.thaw().expect("it runs");
    it_goes_on(&world, &service, hall).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_postgres_hangs_play_goes_on() {
    let world = World::servers().await;
    let service = world.start().await;
    let postgres = world.postgres.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 6).await;
    postgres.freeze().expect("it runs");
    assert_eq!(
        all_play(&mut hall, 4).await,
        (true, false),
        "everything is durable"
    );
    hall.tables[0].finish().await;
    hall.tables[0].check_record().await;
    lists_are_answered(&hall.tables[0]).await;
    postgres.thaw().expect("it runs");
    it_goes_on(&world, &service, hall).await;
}

async fn it_goes_on(world: &World, service: &Service, mut hall: Hall) {
    converged(service).await;
    all_play(&mut hall, 1).await;
    hall.finish().await;
    hall.check(world, service).await;
}
