//! A cluster of three loses its quorum and gets it back.

use super::{World, all_play, converged, few_tables};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_cluster_has_no_quorum_play_goes_on_and_then_it_has_everything() {
    let world = World::cluster().await;
    let service = world.start().await;
    let cluster = world.cluster.as_ref().expect("a world with a cluster");
    let mut hall = few_tables(&service, 4).await;
    for gone in [[0, 1], [1, 2]] {
        for node in gone {
            cluster.nodes()[node].kill().await.expect("it runs");
        }
        assert_eq!(
            all_play(&mut hall, 3).await,
            (false, true),
            "one of three decides nothing"
        );
        for node in gone {
            cluster.nodes()[node].restart().await.expect("it starts");
        }
        cluster.settle().await.expect("they agree again");
        converged(&service).await;
        all_play(&mut hall, 1).await;
    }
    converged(&service).await;
    hall.finish().await;
    let log = hall.check(&world, &service).await;
    for table in &hall.tables {
        for promise in &table.promises {
            assert!(log.game(&table.game).has(&promise.position), "{promise:?}");
        }
    }
}
