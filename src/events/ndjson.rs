//! One event a line: its document as it is in the log, with its place in the log in front.

use std::borrow::Cow;

use projections::ports::RawEntry;
use serde_json::{Value, json};

/// The line, with its end.
pub(super) fn line(entry: &RawEntry) -> Vec<u8> {
    let mut line = match document(&entry.bytes) {
        Some(rest) => {
            let mut line = format!("{{\"sequence\":{},", entry.seq).into_bytes();
            line.extend_from_slice(&rest);
            line
        }
        None => unreadable(entry).to_string().into_bytes(),
    };
    line.push(b'\n');
    line
}

/// A document behind its first brace, on one line; `None` if it is no object with something in it.
fn document(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let value: &serde_json::value::RawValue = serde_json::from_slice(bytes).ok()?;
    let text = value.get();
    let rest = text.strip_prefix('{')?;
    if rest.trim_start().starts_with('}') {
        return None;
    }
    // Within JSON a line ends only between tokens: in a text it is escaped.
    Some(if rest.contains(['\n', '\r']) {
        rest.replace(['\n', '\r'], " ").into_bytes().into()
    } else {
        rest.as_bytes().into()
    })
}

/// A message that is no event, as far as its subject tells of it.
fn unreadable(entry: &RawEntry) -> Value {
    json!({
        "sequence": entry.seq,
        "unreadable": String::from_utf8_lossy(&entry.bytes),
        "gamekind": entry.kind,
        "subject": entry.game,
        "name": entry.name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Kind, WriterId};
    use testkit::fixtures::Game;

    fn entry(bytes: impl Into<bytes::Bytes>) -> RawEntry {
        RawEntry {
            seq: 7,
            kind: "mancala".to_owned(),
            game: "g".to_owned(),
            name: "started".to_owned(),
            bytes: bytes.into(),
        }
    }

    fn read(bytes: impl Into<bytes::Bytes>) -> Value {
        let line = line(&entry(bytes));
        let (end, text) = line.split_last().expect("it has an end");
        assert!(*end == b'\n' && !text.contains(&b'\n'), "it is one line");
        serde_json::from_slice(text).expect("a line is JSON")
    }

    #[test]
    fn a_line_is_the_document_and_its_sequence() {
        let (_, started) = Game::start(Kind::Mancala, WriterId(1));
        let bytes = started.to_bytes();
        let mut document: Value = serde_json::from_slice(&bytes).expect("an event is JSON");
        document["sequence"] = 7.into();
        assert_eq!(read(bytes.clone()), document);
        let pretty = serde_json::to_string_pretty(&document).expect("it is JSON");
        assert_eq!(read(pretty)["id"], document["id"]);
    }

    #[test]
    fn what_is_no_document_is_told_to_be_none() {
        for bytes in ["", "{}", "[1]", "not \"JSON\"\n", "{\"a\":"] {
            let line = read(bytes);
            assert_eq!(
                (&line["sequence"], &line["unreadable"]),
                (&json!(7), &json!(bytes))
            );
            assert_eq!(
                (&line["subject"], &line["name"]),
                (&json!("g"), &json!("started"))
            );
        }
        assert_eq!(read(&b"\xff"[..])["unreadable"], "\u{fffd}");
    }
}
