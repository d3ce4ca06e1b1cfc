//! `docs/PROTOCOL.md`: every route and every frame, each with an example.

use contract::frames::{ClientFrame, CloseCode, ServerFrame};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use turnstream::outbox::Ending;

use crate::markdown::{Section, read, rows, section, sections};

mod damaged;
mod exchange;

/// `text` as a `T`. Nothing in it may be unknown to `T`, and nothing missing that the service would write.
fn decode<T: DeserializeOwned + Serialize>(text: &str) -> T {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let decoded: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    assert_eq!(serde_json::to_value(&decoded).expect("it is JSON"), value);
    decoded
}

/// The channels of one direction, as `/asyncapi.json` lists them.
fn channels(operation: &str) -> Vec<String> {
    let document = turnstream::asyncapi::document();
    let messages = document["operations"][operation]["messages"]
        .as_array()
        .expect("there are messages");
    let mut channels: Vec<String> = messages
        .iter()
        .filter_map(|message| Some(message["$ref"].as_str()?.rsplit('/').next()?.to_owned()))
        .collect();
    channels.sort_unstable();
    channels
}

/// The examples of each channel under a heading; the channels must be those of the direction.
fn examples<'a>(document: &'a str, heading: &str, operation: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let examples: Vec<(&str, Vec<&str>)> = sections(section(document, heading).body, 3)
        .iter()
        .map(|section| (section.name().expect("a channel"), section.code("json")))
        .collect();
    let mut documented: Vec<&str> = examples.iter().map(|(channel, _)| *channel).collect();
    documented.sort_unstable();
    assert_eq!(documented, channels(operation));
    examples
}

fn assert_is_on(channel: &str, example: &str) {
    let value: Value = serde_json::from_str(example).expect("an example is JSON");
    assert_eq!(value["channel"], channel);
}

#[test]
fn every_frame_of_a_client_has_an_example_that_the_server_reads() {
    let document = read("docs/PROTOCOL.md");
    for (channel, frames) in examples(&document, "## Frames from the client", "receive") {
        assert!(!frames.is_empty(), "{channel} has no example");
        for frame in frames {
            assert_is_on(channel, frame);
            let read = ClientFrame::parse(frame).unwrap_or_else(|error| panic!("{channel}: {error}"));
            assert_eq!(read, decode::<ClientFrame>(frame), "{channel}");
        }
    }
}

#[test]
fn every_frame_of_the_server_has_an_example_that_it_would_write() {
    let document = read("docs/PROTOCOL.md");
    for (channel, frames) in examples(&document, "## Frames from the server", "send") {
        assert!(!frames.is_empty(), "{channel} has no example");
        for frame in frames {
            assert_is_on(channel, frame);
            decode::<ServerFrame>(frame);
        }
    }
}

#[test]
fn every_change_of_a_game_has_an_example() {
    let document = read("docs/PROTOCOL.md");
    let update = section(&document, "### `on_game_update`");
    let mut shown: Vec<String> = update
        .code("json")
        .into_iter()
        .filter_map(|example| {
            let value: Value = serde_json::from_str(example).ok()?;
            Some(value["payload"]["change"]["type"].as_str()?.to_owned())
        })
        .collect();
    shown.sort_unstable();
    shown.dedup();
    let schema = schemars::schema_for!(contract::frames::server::Change).to_value();
    let mut all: Vec<String> = schema["oneOf"]
        .as_array()
        .expect("an enum is one of its variants")
        .iter()
        .filter_map(|variant| Some(variant["properties"]["type"]["const"].as_str()?.to_owned()))
        .collect();
    all.sort_unstable();
    assert_eq!(shown, all);
}

#[test]
fn every_close_code_is_listed() {
    let document = read("docs/PROTOCOL.md");
    let listed: Vec<(String, String)> = rows(section(&document, "## Close codes").body)
        .iter()
        .map(|row| (row[0].to_owned(), row[1].replace('`', "")))
        .collect();
    let codes = [
        CloseCode::Reconnect,
        CloseCode::Replaced,
        CloseCode::Slow,
        CloseCode::Unauthenticated,
        CloseCode::Rate,
    ];
    let of_the_protocol = [Ending::NO_PROTOCOL, Ending::NOT_TEXT, Ending::TOO_BIG];
    let all: Vec<(String, String)> = codes
        .into_iter()
        .map(Ending::from)
        .chain(of_the_protocol)
        .map(|ending| (ending.code.to_string(), ending.reason.to_owned()))
        .collect();
    assert_eq!(listed, all);
}

#[test]
fn every_route_has_a_section_and_every_section_a_route() {
    let document = read("docs/PROTOCOL.md");
    let sections = sections(section(&document, "## Routes").body, 3);
    let mut documented: Vec<&str> = sections.iter().filter_map(Section::name).collect();
    documented.sort_unstable();
    let mut all: Vec<String> = turnstream::http::routes()
        .iter()
        .map(|route| format!("{} {}", route.doc.method, route.doc.path))
        .collect();
    all.sort_unstable();
    assert_eq!(documented, all);
}

#[test]
fn every_example_of_a_route_is_what_the_route_takes_and_answers() {
    let document = read("docs/PROTOCOL.md");
    let sections = sections(section(&document, "## Routes").body, 3);
    for route in turnstream::http::routes() {
        let name = format!("{} {}", route.doc.method, route.doc.path);
        let section = sections
            .iter()
            .find(|section| section.name() == Some(name.as_str()))
            .unwrap_or_else(|| panic!("{name} has no section"));
        let blocks = section.code("http");
        assert!(
            !blocks.is_empty() && blocks.len().is_multiple_of(2),
            "{name}: a request, then its answer"
        );
        for pair in blocks.chunks(2) {
            exchange::check(&route.doc, pair[0], pair[1]);
        }
    }
}
