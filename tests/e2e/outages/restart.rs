//! The service starts while a server is away.

use super::{World, all_play, caught_up, converged, few_tables, short_vectors, until_pending};
use crate::harness::eventually;
use crate::kill::Table;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_starts_without_nats_is_ready_with_what_waited() {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;
    caught_up(&service, &["live"]).await;
    nats.kill().await.expect("it runs");
    all_play(&mut hall, 4).await;
    let begun = Table::sit(&service.url(), 100, short_vectors(1).remove(0)).await;
    hall.tables.push(begun);
    hall.tables[0].finish().await;
    let counts: Vec<usize> = hall.tables.iter().map(Table::played).collect();
    until_pending(&world, &hall.tables).await;

    service.kill().await;
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "what waited is there: {found:?}");
    let now: Vec<usize> = hall.tables.iter().map(Table::played).collect();
    assert!(now >= counts, "{now:?} {counts:?}");
    assert_eq!(all_play(&mut hall, 2).await, (false, true), "nothing is durable");

    nats.restart().await.expect("it starts");
    converged(&service).await;
    assert_eq!(
        all_play(&mut hall, 1).await,
        (true, false),
        "everything is durable"
    );
    hall.finish().await;
    hall.check(&world, &service).await;
}

/// Valkey hangs while the service restores: what waits there is looked at when it answers again, and not at the next start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_in_a_valkey_that_hangs_at_the_start_comes_when_it_answers() {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let valkey = world.valkey.as_ref().expect("a world of servers");
    nats.kill().await.expect("it runs");
    let mut hall = few_tables(&service, 2).await;
    assert_eq!(all_play(&mut hall, 2).await, (false, true), "nothing is durable");
    until_pending(&world, &hall.tables).await;

    valkey.freeze().expect("it runs");
    service.kill().await;
    nats.restart().await.expect("it starts");
    service.restart().await;
    valkey.thaw().expect("it runs");
    eventually("the games are held", async || {
        (service.status().await["lastRestore"]["restored"] == 2).then_some(())
    })
    .await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "what waited is there: {found:?}");
    converged(&service).await;
    assert_eq!(
        all_play(&mut hall, 1).await,
        (true, false),
        "everything is durable"
    );
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_copied_to_a_valkey_that_missed_what_came_between() {
    let world = World::servers().await;
    // What is acknowledged is not kept: the copy must go on without it.
    let service = world.start_with(&["--nats-sync-interval-ms=1"]).await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let valkey = world.valkey.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 3).await;
    caught_up(&service, &["live"]).await;
    nats.kill().await.expect("it runs");
    all_play(&mut hall, 2).await;
    until_pending(&world, &hall.tables).await;
    valkey.stop().await.expect("it runs");
    nats.restart().await.expect("it starts");
    eventually("the log has what waited", async || {
        (service.status().await["pendingPublishes"] == 0).then_some(())
    })
    .await;
    assert_eq!(
        all_play(&mut hall, 2).await,
        (true, false),
        "everything is durable"
    );
    nats.kill().await.expect("it runs");
    all_play(&mut hall, 2).await;
    valkey.restart().await.expect("it starts");
    until_pending(&world, &hall.tables).await;

    service.kill().await;
    nats.restart().await.expect("it starts");
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "what waited is there: {found:?}");
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_copied_at_once_to_a_valkey_that_went_after_nats_and_comes_back_empty() {
    valkey_comes_back_empty_while_nats_is_away(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_copied_at_once_to_a_valkey_that_went_before_nats_and_comes_back_empty() {
    valkey_comes_back_empty_while_nats_is_away(false).await;
}

/// The service is killed with the log still away, and before anybody moves again.
async fn valkey_comes_back_empty_while_nats_is_away(log_goes_first: bool) {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let valkey = world.valkey.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 4).await;
    caught_up(&service, &["live"]).await;
    if log_goes_first {
        nats.kill().await.expect("it runs");
        all_play(&mut hall, 2).await;
        until_pending(&world, &hall.tables).await;
        valkey.kill().await.expect("it runs");
    } else {
        valkey.kill().await.expect("it runs");
        assert_eq!(
            all_play(&mut hall, 2).await,
            (true, false),
            "everything is durable"
        );
        nats.kill().await.expect("it runs");
    }
    assert_eq!(all_play(&mut hall, 2).await, (false, true), "nothing is durable");
    let mut begun = Table::sit(&service.url(), 100, short_vectors(1).remove(0)).await;
    begun.play_to(2).await;
    hall.tables.push(begun);
    valkey.restart_empty().await.expect("it starts");
    until_pending(&world, &hall.tables).await;

    service.kill().await;
    service.restart_unready().await;
    nats.restart().await.expect("it starts");
    service.ready().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "what waited is there: {found:?}");
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_had_is_there_when_it_returns_though_the_snapshots_were_older() {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let valkey = world.valkey.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 4).await;
    caught_up(&service, &["live"]).await;
    // Valkey stops in good order: it has exactly what it was given so far.
    valkey.stop().await.expect("it runs");
    assert_eq!(
        all_play(&mut hall, 3).await,
        (true, false),
        "everything is durable"
    );
    let mut begun = Table::sit(&service.url(), 100, short_vectors(1).remove(0)).await;
    begun.play_to(3).await;
    hall.tables.push(begun);
    service.kill().await;
    nats.kill().await.expect("it runs");

    valkey.restart().await.expect("it starts");
    service.restart().await;
    nats.restart().await.expect("it starts");
    until_all_are_there(&hall.tables).await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_starts_without_valkey_has_its_games_from_the_log() {
    let world = World::servers().await;
    let service = world.start().await;
    let valkey = world.valkey.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 4).await;
    valkey.kill().await.expect("it runs");
    service.kill().await;
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    all_play(&mut hall, 2).await;
    valkey.restart().await.expect("it starts");
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_starts_without_postgres_is_ready_and_writes_the_rows_later() {
    let world = World::servers().await;
    let service = world.start().await;
    let postgres = world.postgres.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 4).await;
    postgres.kill().await.expect("it runs");
    hall.tables[0].finish().await;
    service.kill().await;
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    hall.tables[0].check_record().await;
    hall.tables[1].finish().await;
    postgres.restart().await.expect("it starts");
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_log_and_snapshots_a_service_waits_and_never_starts_empty() {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let valkey = world.valkey.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 2).await;
    service.kill().await;
    nats.kill().await.expect("it runs");
    valkey.kill().await.expect("it runs");
    service.restart_unready().await;
    let waits = "waiting for the log";
    eventually("the service says what it waits for", async || {
        let role = service.status().await["role"].to_string();
        role.contains(waits).then_some(())
    })
    .await;
    let refused = hall.tables[0]
        .play_next()
        .await
        .expect_err("no game is there yet");
    assert_eq!((refused.status, refused.kind.as_str()), (503, "unavailable"));
    nats.restart().await.expect("it starts");
    service.ready().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    valkey.restart().await.expect("it starts");
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

/// Returns when the service shows every move that was promised.
async fn until_all_are_there(tables: &[Table]) {
    for table in tables {
        eventually("what the log had is there again", async || {
            let (status, game) = table.players[0].get(&format!("/game/{}", table.game)).await;
            let moves = game["history"].as_array().map_or(0, Vec::len);
            let held = table.players[0].get("/games/me/active").await.1;
            let held = held["game"]["id"] == table.game.as_str();
            (status == 200 && moves == table.played() && held).then_some(())
        })
        .await;
    }
}
