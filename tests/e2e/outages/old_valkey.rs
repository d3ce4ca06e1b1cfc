//! Valkey comes back as it was some time ago: its file is replaced by an earlier copy of it.

use testkit::services::Valkey;

use super::rollback::Copied;
use super::{Hall, Service, World, all_play, converged, few_tables};

/// Some games, and a copy of Valkey's file from before their last moves, a game's end, and a game's beginning.
async fn some_games() -> (World, Service, Hall, Copied) {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 4).await;
    let old = Copied::of(valkey(&world), &service).await;
    all_play(&mut hall, 3).await;
    hall.tables[0].finish().await;
    hall.tables.extend(few_tables(&service, 1).await.tables);
    converged(&service).await;
    (world, service, hall, old)
}

fn valkey(world: &World) -> &Valkey {
    world.valkey.as_ref().expect("a world of servers")
}

async fn ends_well(world: World, service: Service, mut hall: Hall) {
    converged(&service).await;
    all_play(&mut hall, 1).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_valkey_that_comes_back_old_under_the_service_is_brought_up_to_date() {
    let (world, service, hall, old) = some_games().await;
    old.put_back(valkey(&world)).await;
    ends_well(world, service, hall).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_starts_on_an_old_valkey_has_the_rest_from_the_log() {
    let (world, service, mut hall, old) = some_games().await;
    service.kill().await;
    old.put_back(valkey(&world)).await;
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    ends_well(world, service, hall).await;
}
