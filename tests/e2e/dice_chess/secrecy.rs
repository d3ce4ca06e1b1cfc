//! What predicts a roll is nowhere before the end: not the service's key, not a game's seed, nor the bytes that its throws
//! are made of.

use reqwest::Method;
use rules::fair::{ClientSeeds, ServerSeed};
use serde_json::{Value, json};

use super::needles::Needles;
use super::{Table, table_of};
use crate::harness::contents::Overheard;
use crate::harness::player::{get, text};
use crate::harness::{Events, Player, Service, Socket, World, eventually, http};
use crate::kill::caught_up;

/// The service's key.
const KEY: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f000112233445566778899aabbccddeeff";

/// The throws of so many turns after the last one are looked for as well.
const FURTHER: u64 = 40;

/// All that was to be seen before the end, by where.
#[derive(Default)]
struct Seen(Vec<(&'static str, Vec<u8>)>);

impl Seen {
    fn add(&mut self, place: &'static str, text: impl Into<Vec<u8>>) {
        self.0.push((place, text.into()));
    }

    fn has(&self, place: &str, text: &str) -> bool {
        let mut places = self.0.iter().filter(|(name, _)| *name == place);
        places.any(|(_, seen)| String::from_utf8_lossy(seen).contains(text))
    }
}

/// Everybody who may look on.
struct Audience {
    sockets: Vec<Socket>,
    streams: Vec<Events>,
}

impl Audience {
    async fn of(url: &str, table: &Table) -> Self {
        let [ann, ben] = &table.players;
        let (mut sockets, mut streams) = (Vec::new(), Vec::new());
        for who in [Some(ann), Some(ben), None] {
            let mut socket = Socket::open(url, who).await;
            socket.watch(&table.game, None).await;
            socket.send(json!({ "channel": "subscribe_live_games" })).await;
            sockets.push(socket);
            streams.push(Events::open(url, &table.game, None, who).await);
        }
        Self { sockets, streams }
    }

    /// Waits until everybody has seen the game so far, and writes down what they were told.
    async fn tell(&mut self, seen: &mut Seen, version: u64) {
        for socket in &mut self.sockets {
            socket.ping().await;
            seen.add("the frames", json!(socket.everything()).to_string());
        }
        for stream in &mut self.streams {
            stream.until_version(version).await;
            seen.add("the event streams", json!(stream.everything()).to_string());
        }
    }
}

/// Every page, for whoever plays, for somebody else and for nobody; and what operators are told.
async fn pages(seen: &mut Seen, service: &Service, table: &Table) {
    let somebody = Player::guest(service.url(), "Somebody").await;
    let game = &table.game;
    for path in [
        "/",
        "/healthz",
        "/readyz",
        "/games/popular",
        "/games/me",
        "/games/me/active",
        &format!("/game/{game}"),
        &format!("/games/{game}"),
        &format!("/games/{game}/moves"),
        &format!("/join/{game}?token=x"),
        "/openapi.json",
    ] {
        for player in table.players.iter().chain([&somebody]) {
            let answer = http().request(Method::GET, format!("{}{path}", service.url()));
            let answer = answer
                .bearer_auth(&player.token)
                .send()
                .await
                .expect("it answers");
            seen.add("the pages", format!("{:?}", answer.headers()));
            seen.add("the pages", answer.bytes().await.expect("it answers"));
        }
        seen.add(
            "the pages",
            get(&format!("{}{path}", service.url())).await.1.to_string(),
        );
    }
    for path in ["/metrics", "/status", "/healthz", "/readyz"] {
        let page = get(&format!("{}{path}", service.admin_url())).await.1;
        seen.add("what operators are told", page.to_string());
    }
}

/// Everything that can be refused is.
async fn refusals(seen: &mut Seen, table: &Table) {
    let view = table.seen().await;
    let position = &view["position"];
    let bodies = [
        (
            "moves",
            json!({ "id": "r1", "position": "1-0000000000000000", "move": ["a1a8"] }),
        ),
        (
            "moves",
            json!({ "id": "r2", "position": position, "move": ["a1a8"] }),
        ),
        ("moves", json!({ "id": "r3", "position": position, "move": [] })),
        ("moves", json!({ "id": "r4", "position": position, "move": 3 })),
        ("moves", json!({ "id": "r5", "position": position })),
        ("seed", json!({ "id": "r6", "seed": "short" })),
        ("draw-answer", json!({ "id": "r7", "accept": true })),
        ("draw-offer", json!({ "id": "r8", "offer": "perhaps" })),
        ("join", json!({ "id": "r9", "token": "invitation.k1.e30.forged" })),
    ];
    for (what, body) in bodies {
        for player in &table.players {
            // To answer an offer is right for one of them while there is one.
            if what == "draw-answer" && !view["drawOfferedBy"].is_null() {
                continue;
            }
            let refused = player.post(&format!("/games/{}/{what}", table.game), &body).await;
            let refused = refused.expect_err("it cannot be done");
            seen.add("the refusals", refused.body.to_string());
        }
    }
}

/// The dice of a turn are withheld as long as a draw is offered: nothing tells them.
async fn withheld(seen: &mut Seen, table: &Table, look: impl AsyncFnOnce(&mut Seen, u64)) {
    let view = table.seen().await;
    let seat = table.to_move(&view);
    let turn = table.legal_turn().await;
    let body = json!({ "id": "offer", "position": view["position"], "move": turn, "offerDraw": true });
    table.post(seat, "moves", body).await;
    let view = table.seen().await;
    assert_eq!(
        view["drawOfferedBy"],
        table.players[seat].user_id.as_str(),
        "{view}"
    );
    assert!(view["dice"].is_null() && view["legalMoves"].is_null(), "{view}");
    assert_eq!(text(&view["board"]).split(' ').count(), 6, "no dice: {view}");
    assert!(table.legal_turn().await.is_empty());
    look(seen, view["version"].as_u64().expect("a version")).await;
    let index = view["history"].as_array().expect("a history").len();
    let told = format!("\"index\":{index},");
    for (place, text) in &seen.0 {
        assert!(
            !String::from_utf8_lossy(text).contains(&told),
            "roll {index} is in {place}"
        );
    }
    let declined = json!({ "id": "declined", "accept": false });
    table.post(1 - seat, "draw-answer", declined).await;
}

/// While the log is away its events wait elsewhere.
async fn while_the_log_is_away(seen: &mut Seen, world: &World, table: &Table) {
    let Some(nats) = &world.nats else { return };
    nats.kill().await.expect("it runs");
    let (_, _, answer) = table.play("away").await.expect("it goes on");
    assert_eq!(answer["durable"], false);
    eventually("it waits in Valkey", async || {
        let mut now = Seen(world.contents_of_valkey().await);
        let waits =
            now.has("Valkey", ":pending:") && now.has("Valkey", "\"type\":\"turnstream.game.moved.v1\"");
        waits.then(|| seen.0.append(&mut now.0))
    })
    .await;
    nats.restart().await.expect("it starts");
}

async fn nothing_predicts_a_roll_before_the_end(world: World) {
    let overheard = Overheard::on(&world).await;
    let service = world
        .start_with(&[&format!("--secret=k1:{KEY}"), "--log=trace"])
        .await;
    let url = service.url();
    let table = table_of(&url).await;
    let mut seen = Seen::default();
    let mut audience = Audience::of(&url, &table).await;
    refusals(&mut seen, &table).await;
    table.give_seeds().await;
    for n in 0..3 {
        table.play(&format!("t{n}")).await.expect("it goes on");
    }
    refusals(&mut seen, &table).await;
    withheld(&mut seen, &table, async |seen, version| {
        pages(seen, &service, &table).await;
        refusals(seen, &table).await;
        audience.tell(seen, version).await;
        caught_up(&service, &["live", "history"]).await;
        seen.0.extend(world.contents().await);
    })
    .await;
    while_the_log_is_away(&mut seen, &world, &table).await;
    service.kill().await;
    service.restart().await;
    let mut audience = Audience::of(&url, &table).await;
    table.play("restored").await.expect("it goes on");
    pages(&mut seen, &service, &table).await;
    refusals(&mut seen, &table).await;
    let view = table.seen().await;
    assert_eq!(view["status"], "live", "{view}");
    let version = view["version"].as_u64().expect("a version");
    audience.tell(&mut seen, version).await;
    caught_up(&service, &["live", "history"]).await;
    seen.0.extend(world.contents().await);
    seen.add("what goes through NATS", overheard.everything());
    seen.add("the log", service.log());

    table.post(0, "leave", json!({ "id": "leave" })).await;
    let record = table.seen().await["record"].clone();
    let needles = needles(&record);
    for (place, text) in &seen.0 {
        assert_eq!(needles.found_in(text), None, "in {place}");
    }
    // There was something to look at, and it would have been found.
    let commit = text(&record["fairness"]["commit"]);
    let mut places = vec!["the frames", "the event streams", "the pages", "the files"];
    if !world.is_embedded() {
        places.extend(["the streams", "Valkey", "what goes through NATS"]);
        places.retain(|place| *place != "the files");
    }
    for place in places {
        assert!(seen.has(place, &commit), "nothing is in {place}");
    }
    assert!(seen.has("the log", "DEBUG") && seen.has("the refusals", "/problems/"));
    assert!(seen.has("what operators are told", "turnstream_"));
    assert!(needles.found_in(record.to_string().as_bytes()).is_some());
    for (place, text) in world.contents().await {
        if ["the streams", "Valkey"].contains(&place) {
            assert!(needles.found_in(&text).is_some(), "the end is not in {place}");
        }
    }
}

/// The key, the game's seed and every throw of it, also of turns that were not played.
fn needles(record: &Value) -> Needles {
    let mut needles = Needles::default();
    needles.add("the service's key", &hex::decode(KEY).expect("it is one"));
    let reveal = &record["fairness"];
    let seed = text(&reveal["seed"]);
    needles.add("the seed", &hex::decode(&seed).expect("a seed is one"));
    let seed = ServerSeed::from_hex(&seed).expect("a seed");
    let clients = ["player1", "player2"].map(|seat| text(&reveal["clientSeeds"][seat]));
    let clients = ClientSeeds {
        player1: &clients[0],
        player2: &clients[1],
    };
    let turns = record["moves"].as_array().expect("moves").len() as u64;
    for index in 0..turns + FURTHER {
        let bytes: Vec<u8> = seed.bytes(clients, index).take(64).collect();
        needles.add(&format!("throw {index}"), &bytes);
    }
    needles
}

on_every_backend!(nothing_predicts_a_roll_before_the_end);
