//! There is no room left for the log.

use super::{World, all_play, converged, few_tables, lists_are_answered};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_log_is_full_play_goes_on_and_it_has_everything_once_there_is_room() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 4).await;
    converged(&service).await;
    let last = service.status().await["log"]["last"]
        .as_i64()
        .expect("a sequence");
    world.bound_log(last + 1).await;
    for _ in 0..2 {
        let (all_durable, _) = all_play(&mut hall, 2).await;
        assert!(!all_durable, "there is no room");
    }
    hall.tables[0].finish().await;
    hall.tables[0].check_record().await;
    lists_are_answered(&hall.tables[0]).await;

    world.bound_log(-1).await;
    converged(&service).await;
    hall.finish().await;
    let log = hall.check(&world, &service).await;
    for table in &hall.tables {
        for promise in &table.promises {
            assert!(log.game(&table.game).has(&promise.position), "{promise:?}");
        }
    }
}
