//! A command's trace, from where it comes in to the events that it causes.

use contract::Envelope;
use serde_json::{Value, json};

use crate::harness::log_check::Stores;
use crate::harness::{Player, Socket, World, http};

mod collector;
mod recorded;

on_every_backend!(
    events_belong_to_the_trace_that_their_command_said,
    every_command_may_have_a_trace_of_its_own,
);

const JOIN: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const MOVE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// Joins over HTTP, moves over a socket, and moves once more without a word of a trace. The game's events.
async fn played(world: &World, flags: &[&str]) -> Vec<Envelope> {
    let service = world.start_with(flags).await;
    let (ann, ben) = (
        Player::guest(service.url(), "Ann").await,
        Player::guest(service.url(), "Ben").await,
    );
    let invite = ann.invite().await;
    let game = invite.game.clone();
    let joined: Value = http()
        .post(format!("{}/games/{game}/join", service.url()))
        .bearer_auth(&ben.token)
        .header("traceparent", JOIN)
        .json(&json!({ "token": invite.token, "id": "join" }))
        .send()
        .await
        .expect("an answer")
        .json()
        .await
        .expect("it is JSON");
    let mut socket = Socket::open(service.url(), Some(&ann)).await;
    let payload = json!({ "gameId": game, "id": "m1", "position": joined["position"], "move": 0 });
    socket
        .send(json!({ "channel": "game_move", "payload": payload, "traceparent": MOVE }))
        .await;
    let moved = socket.next("on_move_accepted").await;
    let position = moved["position"].as_str().expect("a position");
    ben.play(&game, "m2", position, 7).await.expect("it is legal");
    service.terminate().await;
    let stores = Stores::of(world).await;
    let events = stores.checked_log().await.game(&game).events.clone();
    stores.close().await;
    events
}

fn trace_of(event: &Envelope) -> Option<String> {
    event.traceparent.map(|trace| trace.to_string())
}

/// The same trace and flags, and a span of its own.
fn belongs_to(event: &Envelope, trace: &str) {
    let found = trace_of(event).expect("it says which");
    assert_eq!((&found[..36], &found[52..]), (&trace[..36], &trace[52..]));
    assert_ne!(found[36..52], trace[36..52]);
}

async fn events_belong_to_the_trace_that_their_command_said(world: World) {
    let events = played(&world, &[]).await;
    belongs_to(&events[0], JOIN);
    belongs_to(&events[1], MOVE);
    assert_eq!(trace_of(&events[2]), None);
}

async fn every_command_may_have_a_trace_of_its_own(world: World) {
    let events = played(&world, &["--trace-commands"]).await;
    belongs_to(&events[0], JOIN);
    belongs_to(&events[1], MOVE);
    let own = trace_of(&events[2]).expect("it has one");
    assert!(own.starts_with("00-") && own.ends_with("-01"), "{own}");
}
