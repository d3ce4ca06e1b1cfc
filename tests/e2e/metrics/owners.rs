//! What is seen when games go from one process to another, and when an operator has something to do.

use super::{Figures, World, until};
use crate::kill::{Table, short_vectors};

on_every_backend!(
    a_restart_counts_the_games_that_it_takes_over,
    what_the_history_refuses_is_counted_until_an_operator_has_looked,
);

async fn a_restart_counts_the_games_that_it_takes_over(world: World) {
    let service = world.start().await;
    for (number, vector) in short_vectors(3).into_iter().enumerate() {
        Table::sit(&service.url(), number, vector).await.play_to(2).await;
    }
    service.kill().await;
    service.restart().await;
    let figures = Figures::of(&service).await;
    assert_eq!(figures.get("turnstream_claims_total", &[]), 3);
    assert_eq!(figures.get("turnstream_claims_lost_total", &[]), 0);
    assert_eq!(
        figures.get("turnstream_restored_games_total", &[("result", "restored")]),
        3
    );
    assert!(figures.measure("turnstream_restore_seconds_sum", &[]) > 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_is_seen_to_take_over_and_the_frozen_one_to_let_go() {
    let world = World::servers().await;
    let first = world.start().await;
    let mut table = Table::sit(&first.url(), 0, short_vectors(1).remove(0)).await;
    table.play_to(2).await;
    let second = world.start_unready(&[]).await;
    let role = |figures: &Figures, role| figures.get("turnstream_role", &[("role", role)]) == 1;
    until(&second, "it stands by", |f| role(f, "standby")).await;
    first.freeze();
    let taken = until(&second, "it has taken over", |f| role(f, "active")).await;
    assert_eq!(taken.get("turnstream_claims_total", &[]), 1);
    assert_eq!(taken.get("turnstream_live_games", &[]), 1);
    first.thaw();
    until(&first, "it has let its game go", |f| {
        let gone = ["turnstream_fences_total", "turnstream_games_handed_over_total"];
        let gone = gone.map(|name| f.get(name, &[]));
        role(f, "standby") && gone.iter().sum::<u64>() == 1 && f.get("turnstream_live_games", &[]) == 0
    })
    .await;
}

async fn what_the_history_refuses_is_counted_until_an_operator_has_looked(world: World) {
    let service = world.start().await;
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    until(&service, "history is there", |f| {
        f.count_if("turnstream_projector_lag_events", &[("projector", "history")]) == Some(0)
    })
    .await;
    world.refuse_rows(true).await;
    table.finish().await;
    let refused = until(&service, "it is a dead letter", |f| {
        f.count_if("turnstream_dead_letters", &[]) == Some(1)
    })
    .await;
    let effect = [("projector", "history"), ("effect", "dead-letter")];
    assert_eq!(refused.get("turnstream_projector_events_total", &effect), 1);
}
