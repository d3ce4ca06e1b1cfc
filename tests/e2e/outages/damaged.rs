//! Part of what the live store kept is damaged while nobody looks.

use redis::AsyncCommands;

use super::{World, all_play, caught_up, converged, few_tables};

const PREFIX: &str = "turnstream:live:0";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_whose_snapshot_alone_is_gone_is_made_anew_from_the_log() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 3).await;
    caught_up(&service, &["live"]).await;
    service.kill().await;
    let gone = format!("{PREFIX}:{}", hall.tables[1].game);
    let deleted: u64 = valkey(&world).await.del(gone).await.expect("it answers");
    assert_eq!(deleted, 1);

    service.restart().await;
    assert_eq!(service.status().await["lastRestore"]["refolded"], 1);
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_that_cannot_be_read_is_mended() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 3).await;
    caught_up(&service, &["live"]).await;
    service.kill().await;
    let checkpoint = format!("{PREFIX}:checkpoint");
    let mut server = valkey(&world).await;
    let () = server
        .hset(checkpoint, "event", "rubbish")
        .await
        .expect("it answers");

    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    all_play(&mut hall, 1).await;
    caught_up(&service, &["live"]).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

async fn valkey(world: &World) -> redis::aio::MultiplexedConnection {
    let server = world.valkey.as_ref().expect("a world of servers");
    let client = redis::Client::open(server.url()).expect("a URL");
    client
        .get_multiplexed_async_connection()
        .await
        .expect("it answers")
}
