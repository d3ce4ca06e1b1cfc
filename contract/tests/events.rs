//! The documents of events, to the byte: what was once written is read for ever.
//!
//! `golden/` has one document per event type and version. A changed shape is a new version with a new document and an
//! upcaster; a document that is here never changes. (No shape has changed yet, so there is no upcaster. A member that may
//! be absent is no change: what was written without it is read as before.)

#[path = "events/diced.rs"]
mod diced;
#[path = "events/played.rs"]
mod played;

use contract::event::{DecodeError, Placement};
use contract::{Envelope, Event, Version};
use proptest::prelude::*;
use serde_json::Value;
use turnstream_contract as contract;

const GOLDEN: [(&str, &str); 5] = [
    ("started", include_str!("golden/started.v1.json")),
    ("moved", include_str!("golden/moved.v1.json")),
    ("resumed", include_str!("golden/resumed.v1.json")),
    ("anchored", include_str!("golden/anchored.v1.json")),
    ("ended", include_str!("golden/ended.v1.json")),
];

/// The same with what was added later, which older documents do not have.
const WITH_CLOCKS: [(&str, &str); 4] = [
    ("moved", include_str!("golden/moved.v1.clocks.json")),
    ("resumed", include_str!("golden/resumed.v1.clocks.json")),
    ("anchored", include_str!("golden/anchored.v1.clocks.json")),
    ("ended", include_str!("golden/ended.v1.clocks.json")),
];

/// What only games with dice have.
const WITH_DICE: [(&str, &str); 7] = [
    ("started", include_str!("golden/started.v1.dice.json")),
    ("seeded", include_str!("golden/seeded.v1.json")),
    ("rolled", include_str!("golden/rolled.v1.json")),
    ("draw_armed", include_str!("golden/draw_armed.v1.json")),
    ("moved", include_str!("golden/moved.v1.dice.json")),
    ("draw_answered", include_str!("golden/draw_answered.v1.json")),
    ("ended", include_str!("golden/ended.v1.dice.json")),
];

/// The documents' own values.
fn golden() -> impl Iterator<Item = (Envelope, &'static str)> {
    let older = of(played::golden(), &GOLDEN);
    older
        .chain(of(played::golden_with_clocks(), &WITH_CLOCKS))
        .chain(of(diced::golden(), &WITH_DICE))
}

fn of(
    game: Vec<Envelope>,
    documents: &[(&'static str, &'static str)],
) -> impl Iterator<Item = (Envelope, &'static str)> {
    documents.iter().map(move |(name, document)| {
        let envelope = game.iter().find(|envelope| envelope.event.name() == *name);
        (
            envelope.expect("the game has each event").clone(),
            document.trim_end(),
        )
    })
}

fn text(envelope: &Envelope) -> String {
    String::from_utf8(envelope.to_bytes().to_vec()).expect("JSON is UTF-8")
}

/// A golden document with one member of its head changed.
fn with(name: &str, member: &str, value: Value) -> Vec<u8> {
    let (_, document) = GOLDEN
        .into_iter()
        .find(|(found, _)| *found == name)
        .expect("it is golden");
    let mut document: Value = serde_json::from_str(document).expect("it is JSON");
    document[member] = value;
    serde_json::to_vec(&document).expect("it is JSON")
}

#[test]
fn each_event_is_written_as_its_golden_document() {
    for (envelope, document) in golden() {
        assert_eq!(text(&envelope), document, "{}", envelope.event.name());
    }
}

#[test]
fn each_golden_document_is_read_as_its_event() {
    for (envelope, document) in golden() {
        assert_eq!(Envelope::from_bytes(document.as_bytes()).unwrap(), envelope);
    }
}

#[test]
fn a_document_says_where_it_belongs_without_its_data() {
    for (envelope, document) in golden() {
        let placement = Placement::from_bytes(document.as_bytes()).unwrap();
        assert_eq!((placement.id, placement.place), (envelope.id, envelope.place()));
        assert_eq!(
            (placement.previd, placement.name.as_str()),
            (envelope.previd, envelope.event.name())
        );
    }
}

#[test]
fn an_anchored_stands_in_the_place_of_another_event() {
    let anchored = played::golden()
        .into_iter()
        .find(|e| matches!(e.event, Event::Anchored(_)));
    let anchored = anchored.expect("there is one");
    assert_ne!(anchored.place(), anchored.id);
    assert_eq!(anchored.place().position().version, anchored.version());
}

#[test]
fn a_document_is_a_cloud_event() {
    for (envelope, document) in golden() {
        let document: Value = serde_json::from_str(document).unwrap();
        let name = envelope.event.name();
        assert_eq!(document["specversion"], "1.0");
        assert_eq!(document["id"], envelope.id.to_string());
        assert_eq!(document["type"], format!("turnstream.game.{name}.v1"));
        assert_eq!(document["subject"], envelope.id.game.to_string());
        assert_eq!(document["gameversion"], envelope.version());
        assert_eq!(document.get("previd").is_none(), name == "started");
    }
}

#[test]
fn what_newer_code_wrote_is_newer_and_not_corrupt() {
    for (member, value) in [
        ("type", "turnstream.game.moved.v2"),
        ("type", "turnstream.game.castled.v1"),
        ("type", "somebody.elses"),
        ("gamekind", "go"),
    ] {
        let read = Envelope::from_bytes(&with("moved", member, value.into()));
        assert!(
            matches!(read, Err(DecodeError::Newer(_))),
            "{member} {value}: {read:?}"
        );
    }
}

#[test]
fn what_is_no_event_is_corrupt() {
    for (member, value) in [("id", "17"), ("time", "yesterday"), ("data", "nothing")] {
        let read = Envelope::from_bytes(&with("moved", member, value.into()));
        assert!(
            matches!(read, Err(DecodeError::Corrupt(_))),
            "{member} {value}: {read:?}"
        );
    }
    assert!(matches!(Envelope::from_bytes(b"{"), Err(DecodeError::Corrupt(_))));
}

#[test]
fn members_that_are_not_known_are_passed_over() {
    let (envelope, _) = golden().nth(1).expect("moved is the second");
    for (member, value) in [("tracestate", "a=b"), ("traceparent", "00-1-2-01")] {
        let document = with("moved", member, value.into());
        assert_eq!(Envelope::from_bytes(&document).unwrap(), envelope, "{member}");
    }
}

#[test]
fn an_event_says_which_trace_it_belongs_to() {
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let (envelope, _) = golden().nth(1).expect("moved is the second");
    let envelope = Envelope {
        traceparent: trace.parse().ok(),
        ..envelope
    };
    let bytes = envelope.to_bytes();
    assert_eq!(Envelope::from_bytes(&bytes).unwrap(), envelope);
    let document: Value = serde_json::from_slice(&bytes).expect("it is JSON");
    assert_eq!(document["traceparent"], trace);
}

proptest! {
    #[test]
    fn every_event_of_any_game_is_read_back_as_it_was_written(
        choices in prop::collection::vec(0usize..6, 0..80),
        seed: u64,
    ) {
        let game = played::game(seed, &choices);
        for (n, envelope) in game.iter().enumerate() {
            let read = Envelope::from_bytes(&envelope.to_bytes());
            prop_assert_eq!(&read.map_err(|error| TestCaseError::fail(error.to_string()))?, envelope);
            prop_assert!(envelope.version() <= n as Version + 1);
        }
    }

    #[test]
    fn reading_never_panics(bytes: Vec<u8>, cut in 0usize..2_000) {
        let _ = Envelope::from_bytes(&bytes);
        for (_, document) in golden() {
            let _ = Envelope::from_bytes(&document.as_bytes()[..cut.min(document.len())]);
        }
    }
}
