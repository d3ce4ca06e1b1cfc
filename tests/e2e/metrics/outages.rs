//! What is seen of servers that go away and come back.

use super::{Figures, World, grown, until};
use crate::kill::{Table, short_vectors};

fn is_up(figures: &Figures, server: &str) -> bool {
    figures.get("turnstream_server_up", &[("server", server)]) == 1
}

fn state(figures: &Figures, projector: &str) -> [bool; 2] {
    ["running", "waiting"].map(|state| {
        let labels = [("projector", projector), ("state", state)];
        figures.get("turnstream_projector_state", &labels) == 1
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_nats_the_queue_is_seen_to_grow_and_to_drain() {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    table.play_to(2).await;
    let before = until(&service, "all is well", |f| is_up(f, "nats")).await;
    nats.kill().await.expect("it runs");
    until(&service, "the log is away", |f| !is_up(f, "nats")).await;
    table.play_to(4).await;
    let away = Figures::of(&service).await;
    assert_eq!(away.get("turnstream_publish_queue_events", &[]), 2);
    assert_eq!(away.get("turnstream_publish_queue_games", &[]), 1);
    assert!(away.get("turnstream_publish_queue_bytes", &[]) > 500);
    let undurable = [("command", "move"), ("outcome", "undurable")];
    assert_eq!(grown(&before, &away, "turnstream_commands_total", &undurable), 2);
    assert_eq!(
        away.of_labels("turnstream_projector_lag_events", &[]),
        None,
        "what is not known has no value"
    );
    assert_eq!(away.of_labels("turnstream_log_last_sequence", &[]), None);
    nats.restart().await.expect("it starts");
    let back = until(&service, "the queue is drained", |f| {
        is_up(f, "nats")
            && f.get("turnstream_publish_queue_events", &[]) == 0
            && f.get("turnstream_copies_due", &[]) == 0
            && f.count_if("turnstream_projector_lag_events", &[]) == Some(0)
    })
    .await;
    assert_eq!(back.get("turnstream_log_last_sequence", &[]), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_valkey_and_postgres_the_projectors_are_seen_to_wait_and_to_lag() {
    let world = World::servers().await;
    let service = world.start().await;
    let (valkey, postgres) = (world.valkey.as_ref(), world.postgres.as_ref());
    let (valkey, postgres) = (valkey.expect("it is there"), postgres.expect("it is there"));
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    table.play_to(2).await;
    let live = [("projector", "live")];
    let before = until(&service, "all is well", |f| {
        is_up(f, "valkey")
            && is_up(f, "postgres")
            && state(f, "live") == [true, false]
            && f.get("turnstream_log_last_sequence", &[]) == 3
            && f.count_if("turnstream_projector_lag_events", &live) == Some(0)
    })
    .await;
    valkey.kill().await.expect("it runs");
    postgres.kill().await.expect("it runs");
    table.play_to(4).await;
    let away = until(&service, "both are away", |f| {
        let waits = |projector| state(f, projector) == [false, true];
        !is_up(f, "valkey") && !is_up(f, "postgres") && waits("live") && waits("history")
    })
    .await;
    for store in ["valkey", "postgres"] {
        let failed = [("store", store), ("outcome", "failed")];
        assert!(
            grown(&before, &away, "turnstream_store_calls_total", &failed) > 0,
            "{store}"
        );
    }
    assert_eq!(away.get("turnstream_projector_lag_events", &live), 2);
    assert!(away.measure("turnstream_projector_lag_seconds", &live) > 0.0);
    valkey.restart_empty().await.expect("it starts");
    postgres.restart().await.expect("it starts");
    let back = until(&service, "all is well again", |f| {
        let is_level = |projector| {
            let lag = ["events", "seconds"].map(|unit| {
                f.count_if(
                    &format!("turnstream_projector_lag_{unit}"),
                    &[("projector", projector)],
                )
            });
            state(f, projector)[0] && lag == [Some(0); 2]
        };
        is_up(f, "valkey") && is_up(f, "postgres") && is_level("live") && is_level("history")
    })
    .await;
    assert!(grown(&before, &back, "turnstream_projector_doubts_total", &live) >= 1);
    assert!(grown(&before, &back, "turnstream_projector_refolds_total", &live) >= 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restores_that_cannot_be_done_are_counted_until_one_can() {
    let world = World::servers().await;
    let service = world.start().await;
    let (nats, valkey) = (world.nats.as_ref(), world.valkey.as_ref());
    let (nats, valkey) = (nats.expect("it is there"), valkey.expect("it is there"));
    service.kill().await;
    nats.kill().await.expect("it runs");
    valkey.kill().await.expect("it runs");
    service.restart_unready().await;
    let restores =
        |figures: &Figures, outcome| figures.get("turnstream_restores_total", &[("outcome", outcome)]);
    let away = until(&service, "it has tried twice", |f| restores(f, "failed") > 1).await;
    assert_eq!(restores(&away, "completed"), 0);
    assert_eq!(away.get("turnstream_restore_seconds_count", &[]), 0);
    assert_eq!(away.get("turnstream_role", &[("role", "starting")]), 1);
    nats.restart().await.expect("it starts");
    valkey.restart().await.expect("it starts");
    service.ready().await;
    let back = Figures::of(&service).await;
    assert!(restores(&back, "completed") >= 1);
    assert_eq!(back.get("turnstream_role", &[("role", "active")]), 1);
}
