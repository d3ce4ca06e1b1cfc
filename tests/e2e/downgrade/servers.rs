//! On servers, where a message cannot be changed: what the newer release wrote stays unreadable, but for the snapshot.

use async_nats::{Client, HeaderMap, jetstream};
use serde_json::{Value, json};
use testkit::fixtures::game_id;

use super::{Games, leaves_alone_what_is_newer};
use crate::harness::World;
use crate::harness::operator::{operate, well};
use crate::harness::stores::client_of;
use crate::kill::{Table, converged};

async fn nats(world: &World) -> Client {
    client_of(world.nats.as_ref().expect("a world of servers has NATS")).await
}

/// A game of a kind that only the newer release plays.
async fn append_unknown_kind(world: &World) {
    let subject = format!("games.go.{}.started", game_id());
    let context = jetstream::new(nats(world).await);
    let sent = context.publish(subject, "{}".into()).await;
    sent.expect("NATS answers").await.expect("it is taken");
}

/// An event of the newer release behind a game's last one.
async fn append_newer(world: &World, table: &Table, name: &str, version: u32) {
    let context = jetstream::new(nats(world).await);
    let stream = context.get_stream("GAMES").await.expect("there is a log");
    let game = format!("games.mancala.{}.*", table.game);
    let last = stream
        .get_last_raw_message_by_subject(&game)
        .await
        .expect("it has messages");
    let mut event: Value = serde_json::from_slice(&last.payload).expect("an event is JSON");
    let previd = event["id"].clone();
    let (rest, writer) = previd.as_str().and_then(|id| id.rsplit_once(':')).expect("an id");
    let (id, before) = rest.rsplit_once(':').expect("an id");
    let next = before.parse::<u64>().expect("a version") + 1;
    event["id"] = json!(format!("{id}:{next}:{writer}"));
    event["gameversion"] = json!(next);
    event["type"] = json!(format!("turnstream.game.{name}.v{version}"));
    event["data"] = json!({ "somethingElse": true });
    event["previd"] = previd.clone();
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Expected-Last-Subject-Sequence", last.sequence.to_string());
    headers.insert("Nats-Expected-Last-Subject-Sequence-Subject", game);
    let subject = format!("games.mancala.{}.{name}", table.game);
    let sent = context
        .publish_with_headers(subject, headers, event.to_string().into())
        .await;
    sent.expect("NATS answers")
        .await
        .expect("it follows the last one");
}

/// Changes the schema number of a game's snapshot.
async fn set_schema(world: &World, game: &str, from: u32, to: u32) {
    let (from, to) = (format!(r#""schema":{from},"#), format!(r#""schema":{to},"#));
    let change = |bytes: &str| {
        let changed = bytes.replacen(&from, &to, 1);
        assert_ne!(changed, bytes);
        changed
    };
    world.rewrite_snapshot(game, change).await;
}

async fn last_sequences(world: &World, games: &Games) -> Vec<u64> {
    let stream = jetstream::new(nats(world).await).get_stream("GAMES").await;
    let stream = stream.expect("there is a log");
    let mut sequences = Vec::new();
    for table in games.parked() {
        let subject = format!("games.mancala.{}.*", table.game);
        let last = stream.get_last_raw_message_by_subject(&subject).await;
        sequences.push(last.expect("it has messages").sequence);
    }
    sequences
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_servers_a_service_that_is_rolled_back_serves_the_other_games_and_adds_nothing_to_the_newer_ones()
{
    let world = World::servers().await;
    let service = world.start().await;
    append_unknown_kind(&world).await;
    let mut games = Games::begin(&service).await;
    converged(&service).await;
    service.terminate().await;
    set_schema(&world, &games.snapshot.game, 1, 2).await;
    append_newer(&world, &games.moved, "moved", 2).await;
    append_newer(&world, &games.named, "castled", 1).await;
    append_newer(&world, &games.ended, "ended", 2).await;
    append_unknown_kind(&world).await;
    let before = last_sequences(&world, &games).await;
    for _ in 0..2 {
        leaves_alone_what_is_newer(&service, &mut games).await;
        assert_eq!(well(&service, &["verify"]).await["different"], 0);
        service.kill().await;
    }
    assert_eq!(last_sequences(&world, &games).await, before);

    set_schema(&world, &games.snapshot.game, 2, 1).await;
    service.restart().await;
    for table in [&mut games.plain, &mut games.snapshot] {
        table.come_back().await;
        table.finish().await;
        table.check_record().await;
    }
    converged(&service).await;
    assert_eq!(world.rows().await, 2);
    let letters = operate(&service, &["dead-letters", "list"]).await.json();
    let about: Vec<&str> = letters
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|letter| letter["game"].as_str())
        .collect();
    for table in [&games.moved, &games.named, &games.ended] {
        assert!(about.contains(&&*table.game), "{about:?}");
    }
    assert!(!about.contains(&&*games.snapshot.game), "{about:?}");
}
