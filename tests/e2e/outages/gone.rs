//! One server is killed during play, and starts again; then all three.

use serde_json::json;

use super::{
    ANSWER, Dice, Duration, Hall, Service, Stores, Table, World, all_play, converged, few_tables, http,
    lists_are_answered, short_vectors, timeout,
};
use crate::harness::{Socket, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_nats_play_goes_on_and_the_log_has_it_all_afterwards() {
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;
    hall.tables[0].take_sockets().await;
    let mut fan = Socket::open(service.url(), None).await;
    fan.watch(&hall.tables[1].game, None).await;
    let mut waiting = table_that_waits(&service, 100).await;
    waiting.play_to(2).await;

    nats.kill().await.expect("it runs");
    assert_eq!(all_play(&mut hall, 5).await, (false, true), "nothing is durable");
    refused_for_now(&waiting).await;
    hall.tables[2].finish().await;
    hall.tables[2].check_record().await;
    let mut begun = Table::sit(&service.url(), 200, short_vectors(1).remove(0)).await;
    begun.play_to(4).await;
    hall.tables.push(begun);
    lists_are_answered(&hall.tables[2]).await;
    let shown = hall.tables[1].promises.last().expect("it was played").version;

    nats.restart().await.expect("it starts");
    let durable = fan
        .next_where("on_durable", |durable| {
            durable["durableVersion"].as_u64() >= Some(shown)
        })
        .await;
    assert_eq!(durable["gameId"], hall.tables[1].game.as_str());
    converged(&service).await;
    assert_eq!(
        all_play(&mut hall, 1).await,
        (true, false),
        "everything is durable"
    );
    hall.tables.push(waiting);
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_valkey_play_goes_on_and_it_catches_up_afterwards() {
    valkey_goes_and_comes_back(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_valkey_that_comes_back_empty_is_filled_again() {
    valkey_goes_and_comes_back(true).await;
}

async fn valkey_goes_and_comes_back(empty: bool) {
    let world = World::servers().await;
    let service = world.start().await;
    let valkey = world.valkey.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;
    converged(&service).await;

    valkey.kill().await.expect("it runs");
    assert_eq!(
        all_play(&mut hall, 5).await,
        (true, false),
        "everything is durable"
    );
    hall.tables[2].finish().await;
    hall.tables[2].check_record().await;
    let mut begun = Table::sit(&service.url(), 200, short_vectors(1).remove(0)).await;
    begun.play_to(4).await;
    hall.tables.push(begun);
    lists_are_answered(&hall.tables[2]).await;

    if empty {
        valkey.restart_empty().await.expect("it starts");
    } else {
        valkey.restart().await.expect("it starts");
    }
    converged(&service).await;
    live_store_has(&world, &hall).await;
    all_play(&mut hall, 1).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_postgres_play_goes_on_and_the_rows_are_written_afterwards() {
    let world = World::servers().await;
    let service = world.start().await;
    let postgres = world.postgres.as_ref().expect("a world of servers");
    let mut hall = few_tables(&service, 5).await;

    postgres.kill().await.expect("it runs");
    assert_eq!(
        all_play(&mut hall, 5).await,
        (true, false),
        "everything is durable"
    );
    for table in &mut hall.tables[2..4] {
        table.finish().await;
        table.check_record().await;
    }
    lists_are_answered(&hall.tables[2]).await;
    let (_, list) = hall.tables[2].players[0].get("/games/me").await;
    let listed = list["games"].as_array().expect("a list");
    assert_eq!(
        listed.len(),
        1,
        "what has just ended is listed from memory, and nothing else can be"
    );
    assert_eq!(listed[0]["id"], hall.tables[2].game.as_str());

    postgres.restart().await.expect("it starts");
    converged(&service).await;
    eventually("the finished game is listed", async || {
        let (_, list) = hall.tables[2].players[0].get("/games/me").await;
        (list["games"][0]["id"] == hall.tables[2].game.as_str()).then_some(())
    })
    .await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_any_server_play_goes_on_and_they_may_return_in_any_order() {
    let mut dice = Dice::thrown("the order of returns");
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 4).await;
    let (nats, valkey, postgres) = (
        world.nats.as_ref().expect("a world of servers"),
        world.valkey.as_ref().expect("a world of servers"),
        world.postgres.as_ref().expect("a world of servers"),
    );
    postgres.kill().await.expect("it runs");
    valkey.kill().await.expect("it runs");
    nats.kill().await.expect("it runs");
    assert_eq!(all_play(&mut hall, 4).await, (false, true), "nothing is durable");
    hall.tables[0].finish().await;
    hall.tables[0].check_record().await;
    lists_are_answered(&hall.tables[0]).await;

    let mut away = vec!["nats", "valkey", "postgres"];
    while !away.is_empty() {
        let next = away.swap_remove(dice.below(away.len() as u64) as usize);
        println!("{next} returns");
        match next {
            "nats" => nats.restart().await.expect("it starts"),
            "valkey" => valkey.restart().await.expect("it starts"),
            _ => postgres.restart().await.expect("it starts"),
        }
        all_play(&mut hall, 2).await;
    }
    converged(&service).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}

/// A game with `required` durability.
async fn table_that_waits(service: &Service, number: usize) -> Table {
    let terms = json!({ "kind": "mancala", "durability": "required" });
    Table::sit_on(&service.url(), number, short_vectors(1).remove(0), &terms).await
}

/// A game that waits for the log is not played while it is away: its players are told when to ask again.
async fn refused_for_now(table: &Table) {
    let moved = &table.vector.moves[table.played()];
    let player = &table.players[moved.seat - 1];
    let body = json!({ "id": "refused", "position": table.position, "move": moved.index });
    let asked = http()
        .post(format!("{}/games/{}/moves", player.url, table.game))
        .bearer_auth(&player.token)
        .json(&body)
        .send();
    let answer = timeout(ANSWER + Duration::from_secs(2), asked).await;
    let answer = answer.expect("an answer in time").expect("an answer");
    assert_eq!(answer.status(), 503);
    let seconds: u64 = answer.headers()["retry-after"]
        .to_str()
        .expect("a text")
        .parse()
        .expect("a number of seconds");
    assert!(seconds >= 1);
    let problem: serde_json::Value = answer.json().await.expect("a problem");
    assert_eq!(problem["type"], "/problems/unavailable", "{problem}");
}

/// Every game that is live has its newest snapshot, and no other game has one.
async fn live_store_has(world: &World, hall: &Hall) {
    let stores = Stores::of(world).await;
    let set = eventually("the live store answers", async || stores.live.load().await.ok()).await;
    let live = set.snapshots.iter();
    let mut live: Vec<_> = live
        .filter(|stored| stored.status == projections::ports::SnapshotStatus::Live)
        .map(|stored| (stored.key.id.to_string(), stored.version))
        .collect();
    let mut played: Vec<_> = hall
        .tables
        .iter()
        .filter(|table| !table.is_over())
        .map(|table| {
            let last = table.promises.last().expect("it was played");
            (table.game.clone(), last.version)
        })
        .collect();
    live.sort();
    played.sort();
    assert_eq!(live, played);
}
