//! What the live store keeps, to the byte: what was once written is read for ever.
//!
//! `golden/` has what each schema number looks like. A changed shape is a new number with new documents, and an arm in
//! `commands::snapshot` that reads the old form and makes it the new one; a document that is here never changes. (No shape
//! has changed yet. A member that may be absent is no change: what was written without it is read as before.)

use commands::fold::fold;
use commands::ports::LogIdentity;
use commands::snapshot::{SCHEMA, Snapshot, SnapshotError, Tombstone};
use contract::{Envelope, Event, GameState};
use serde_json::Value;
use turnstream_commands as commands;

/// Events of a game, as they are kept for ever.
const PLAIN: [&str; 4] = [
    include_str!("../../contract/tests/golden/started.v1.json"),
    include_str!("../../contract/tests/golden/moved.v1.json"),
    include_str!("../../contract/tests/golden/resumed.v1.json"),
    include_str!("../../contract/tests/golden/ended.v1.json"),
];

/// The same of a game with dice.
const DICE: [&str; 7] = [
    include_str!("../../contract/tests/golden/started.v1.dice.json"),
    include_str!("../../contract/tests/golden/seeded.v1.json"),
    include_str!("../../contract/tests/golden/rolled.v1.json"),
    include_str!("../../contract/tests/golden/draw_armed.v1.json"),
    include_str!("../../contract/tests/golden/moved.v1.dice.json"),
    include_str!("../../contract/tests/golden/draw_answered.v1.json"),
    include_str!("../../contract/tests/golden/ended.v1.dice.json"),
];

/// What each schema number looks like: a live game's, and that of one that has ended.
const GOLDEN: [(u32, &[&str], &str, &str); 2] = [
    (
        1,
        &PLAIN,
        include_str!("golden/snapshot.v1.json"),
        include_str!("golden/tombstone.v1.json"),
    ),
    (
        1,
        &DICE,
        include_str!("golden/snapshot.v1.dice.json"),
        include_str!("golden/tombstone.v1.dice.json"),
    ),
];

fn log() -> LogIdentity {
    LogIdentity("GAMES@2026-11-30T08:00:00.123456789Z".to_owned())
}

fn event(document: &str) -> Envelope {
    Envelope::from_bytes(document.as_bytes()).expect("it is golden")
}

fn folded(documents: &[&str]) -> GameState {
    let events = documents.iter().map(|document| event(document));
    let game = events.fold(None, |game, event| Some(fold(game, &event).expect("it follows")));
    game.expect("there are events")
}

/// The game before its end, and its tombstone.
fn kept(documents: &[&str]) -> (Snapshot, Tombstone) {
    let [before @ .., ended] = documents else {
        panic!("there are events")
    };
    let before = folded(before);
    // Not every event of the golden games has a document: their end is moved up to those that have.
    let mut ended = event(ended);
    ended.id.version = before.version + 1;
    ended.previd = Some(before.last_event);
    let tombstone = Tombstone {
        ended: ended.to_bytes(),
        game: fold(Some(before.clone()), &ended).expect("it follows"),
        seq: 4712,
        log: log(),
    };
    (Snapshot::new(before, 4711, log()), tombstone)
}

fn text(bytes: impl AsRef<[u8]>) -> String {
    String::from_utf8(bytes.as_ref().to_vec()).expect("JSON is UTF-8")
}

#[test]
fn what_is_kept_is_as_its_golden_document() {
    for (schema, documents, snapshot, tombstone) in GOLDEN {
        assert!(schema <= SCHEMA);
        if schema < SCHEMA {
            continue;
        }
        let (own, stone) = kept(documents);
        assert_eq!(text(own.encode()), snapshot.trim_end());
        assert_eq!(
            text(stone.encode().expect("its end is JSON")),
            tombstone.trim_end()
        );
    }
}

#[test]
fn each_golden_document_is_read_as_what_it_was() {
    for (_, documents, snapshot, tombstone) in GOLDEN {
        let (own, stone) = kept(documents);
        assert_eq!(Snapshot::decode(snapshot.as_bytes()), Ok(own));
        let read = Tombstone::decode(tombstone.as_bytes()).expect("it is golden");
        assert_eq!(
            (&read.game, read.seq, &read.log, &read.ended),
            (&stone.game, stone.seq, &stone.log, &stone.ended)
        );
        assert!(matches!(
            read.envelope().expect("an event").event,
            Event::Ended(_)
        ));
    }
}

#[test]
fn every_schema_number_has_its_golden_document() {
    for schema in 1..=SCHEMA {
        assert!(GOLDEN.iter().any(|(golden, ..)| *golden == schema), "{schema}");
    }
}

fn with_schema(document: &str, schema: Value) -> Vec<u8> {
    let mut document: Value = serde_json::from_str(document).expect("it is JSON");
    document["schema"] = schema;
    serde_json::to_vec(&document).expect("it is JSON")
}

#[test]
fn what_newer_code_kept_is_told_from_what_is_damaged() {
    for (_, _, snapshot, tombstone) in GOLDEN {
        let newer = with_schema(snapshot, (SCHEMA + 1).into());
        assert_eq!(Snapshot::decode(&newer), Err(SnapshotError::Newer(SCHEMA + 1)));
        let newer = with_schema(tombstone, (SCHEMA + 1).into());
        let read = Tombstone::decode(&newer).expect_err("it is newer");
        assert_eq!(read, SnapshotError::Newer(SCHEMA + 1));
        for number in [Value::from(0), Value::from("one"), Value::Null] {
            let damaged = Snapshot::decode(&with_schema(snapshot, number));
            assert!(matches!(damaged, Err(SnapshotError::Corrupt(_))), "{damaged:?}");
        }
    }
    // Of a shape that this code does not know at all.
    let other = format!(r#"{{"schema":{},"table":[1,2,3]}}"#, SCHEMA + 1);
    assert_eq!(
        Snapshot::decode(other.as_bytes()),
        Err(SnapshotError::Newer(SCHEMA + 1))
    );
    for damaged in ["", "{}", "[1]", r#"{"schema":1}"#] {
        let read = Snapshot::decode(damaged.as_bytes());
        assert!(
            matches!(read, Err(SnapshotError::Corrupt(_))),
            "{damaged}: {read:?}"
        );
    }
}
