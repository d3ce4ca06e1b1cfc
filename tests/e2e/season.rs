//! A season: games of both kinds, of every sort of player, to every sort of end, over a restart and an outage. Whatever is
//! in the stream afterwards is for anybody to read.
//!
//! The service runs within the test, on a clock of the test's, so that players can be away for minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use async_nats::jetstream;
use serde_json::Value;

use crate::harness::World;
use crate::harness::json::visit;
use crate::harness::stores::client_of;

mod fixtures;
mod people;
mod playing;

use fixtures::Season;

/// Everything that the stream holds, a message at a time.
struct Stored {
    subject: String,
    headers: String,
    payload: Vec<u8>,
}

/// Reads the stream as it lies on the server, headers and all.
async fn stream(world: &World) -> Vec<Stored> {
    let server = world.nats.as_ref().expect("a world of servers has NATS");
    let stream = jetstream::new(client_of(server).await).get_stream("GAMES").await;
    let stream = stream.expect("there is a log");
    let last = stream.cached_info().state.last_sequence;
    let mut all = Vec::new();
    for seq in 1..=last {
        let message = stream.get_raw_message(seq).await.expect("nothing was deleted");
        let headers = message.headers.iter().flat_map(|(name, values)| {
            let values = values.iter().map(move |value| format!("{name}: {value}\n"));
            values.collect::<Vec<_>>()
        });
        all.push(Stored {
            subject: message.subject.to_string(),
            headers: headers.collect(),
            payload: message.payload.to_vec(),
        });
    }
    all
}

/// The published schemas, by the `dataschema` of the events that they are of.
fn schemas() -> BTreeMap<String, jsonschema::Validator> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    let mut schemas = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("a schema is text");
        let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
        let name = path
            .file_name()
            .expect("it has a name")
            .to_string_lossy()
            .into_owned();
        let validator = jsonschema::validator_for(&schema).expect("a schema is one");
        schemas.insert(format!("https://turnstream.dev/schemas/{name}"), validator);
    }
    schemas
}

/// What of an event is valid, if all of it is: its data by its schema, its head by what `CloudEvents` ask for.
fn validate(schemas: &BTreeMap<String, jsonschema::Validator>, event: &Value) -> Result<(), String> {
    let text = |name: &str| event[name].as_str().ok_or(format!("{name} is no text"));
    if text("specversion")? != "1.0" || text("datacontenttype")? != "application/json" {
        return Err("it is no CloudEvents document of JSON".to_owned());
    }
    for name in ["id", "source", "subject", "gamekind"] {
        if text(name)?.is_empty() {
            return Err(format!("{name} is empty"));
        }
    }
    let schema = text("dataschema")?;
    let kind = text("type")?.strip_prefix("turnstream.").unwrap_or_default();
    if schema != format!("https://turnstream.dev/schemas/{kind}.json") {
        return Err(format!("{kind} has the schema {schema}"));
    }
    if contract::event::parse_time(text("time")?).is_none() {
        return Err("its time is none".to_owned());
    }
    let schema = schemas.get(schema).ok_or("its schema is not published")?;
    schema.validate(&event["data"]).map_err(|error| error.to_string())
}

/// Everything that a season has to have had: otherwise nothing is shown of it.
const EVENTS: [&str; 9] = [
    "started",
    "moved",
    "rolled",
    "seeded",
    "draw_armed",
    "draw_answered",
    "resumed",
    "anchored",
    "ended",
];

fn values<'a>(events: &'a [Value], pointer: &str) -> BTreeSet<&'a str> {
    events
        .iter()
        .filter_map(|event| event.pointer(pointer)?.as_str())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_of_a_season_validates_and_none_has_anything_private_in_it() {
    let world = World::servers().await;
    let mut season = Season::begin(&world).await;
    season.play_mancala().await;
    season.play_dice_chess().await;
    season.be_away().await;
    season.restart().await;
    season.lose_the_log_for_a_while().await;
    let secrets = season.end().await;

    let stored = stream(&world).await;
    let events: Vec<Value> = stored
        .iter()
        .map(|message| serde_json::from_slice(&message.payload).expect("an event is JSON"))
        .collect();
    println!("{} events", events.len());
    has_everything(&events);

    let schemas = schemas();
    for event in &events {
        if let Err(why) = validate(&schemas, event) {
            panic!("{why}: {event}");
        }
    }
    a_broken_event_does_not_validate(&schemas, &events);
    for message in &stored {
        let text = String::from_utf8_lossy(&message.payload);
        for (place, text) in [
            ("the subject", message.subject.as_str()),
            ("a header", &message.headers),
            ("an event", &text),
        ] {
            secrets.are_not_in(place, text);
        }
    }
    for event in &events {
        has_only_what_is_public(event);
    }
    no_seed_is_told_before_the_end(&events);
}

fn has_everything(events: &[Value]) {
    let types = values(events, "/type");
    for name in EVENTS {
        assert!(
            types.contains(&*format!("turnstream.game.{name}.v1")),
            "{name}: {types:?}"
        );
    }
    let kinds: BTreeSet<&str> = contract::Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert_eq!(values(events, "/gamekind"), kinds);
    let reasons: BTreeSet<&str> = contract::EndReason::ALL
        .iter()
        .map(|reason| reason.as_str())
        .collect();
    assert_eq!(values(events, "/data/reason"), reasons);
    let mut players = values(events, "/data/players/player1/userId");
    players.extend(values(events, "/data/players/player2/userId"));
    for sort in ["guest:", "kc:", "legacy:"] {
        assert!(
            players.iter().any(|player| player.starts_with(sort)),
            "{players:?}"
        );
    }
    let origins = values(events, "/data/origin");
    assert_eq!(origins, BTreeSet::from(["invitation", "queue"]));
    assert!(
        events.iter().any(|event| event["data"]["forced"] == true),
        "a pass"
    );
    assert!(
        events.iter().any(|event| event["data"]["clocks"].is_object()),
        "clocks"
    );
    assert!(
        events.iter().any(|event| event["traceparent"].is_string()),
        "traces"
    );
}

/// A schema that lets everything through would show nothing.
fn a_broken_event_does_not_validate(schemas: &BTreeMap<String, jsonschema::Validator>, events: &[Value]) {
    for name in EVENTS {
        let of_type = format!("turnstream.game.{name}.v1");
        let event = events.iter().find(|event| event["type"] == *of_type);
        let event = event.expect("the season has one");
        let fields = event["data"].as_object().expect("data is an object");
        let broken = fields.keys().filter(|field| {
            let (mut without, mut other) = (event.clone(), event.clone());
            without["data"].as_object_mut().expect("an object").remove(*field);
            other["data"][*field] = serde_json::json!([["no", "such"], 7.5]);
            validate(schemas, &without).is_err() || validate(schemas, &other).is_err()
        });
        assert_eq!(broken.count(), fields.len(), "every field of {name} is looked at");
    }
}

/// Every field has a name that is known to be public, and every user a public id.
fn has_only_what_is_public(event: &Value) {
    const PRIVATE: [&str; 8] = [
        "token", "secret", "address", "email", "ticket", "userkey", "password", "ip",
    ];
    visit(event, &mut |name, value| {
        let lower = name.to_lowercase();
        assert!(!PRIVATE.contains(&lower.as_str()), "{name} in {event}");
        if lower.ends_with("userid") || lower == "playerid" {
            let id = value.as_str().unwrap_or_else(|| panic!("{name} in {event}"));
            let public = ["kc:", "guest:", "legacy:"]
                .iter()
                .any(|sort| id.starts_with(sort));
            assert!(public, "{id} in {event}");
        }
    });
}

/// The service's own seed of a game, from which all of its dice follow, is told by `ended` and by nothing before it.
fn no_seed_is_told_before_the_end(events: &[Value]) {
    let mut seeds = 0;
    for ended in events
        .iter()
        .filter(|event| event["type"] == "turnstream.game.ended.v1")
    {
        let fairness = &ended["data"]["record"]["fairness"];
        let Some(seed) = fairness["seed"].as_str() else {
            assert_eq!(ended["gamekind"], "mancala", "{ended}");
            continue;
        };
        seeds += 1;
        for event in events.iter().filter(|event| event["id"] != ended["id"]) {
            assert!(!event.to_string().contains(seed), "{event}");
        }
    }
    assert!(seeds > 3, "{seeds} games with dice");
}
