//! Frames of a client that are not as the document shows them: reading is total, and what is read can be written and
//! read again.

use std::sync::LazyLock;

use contract::frames::ClientFrame;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use super::examples;
use crate::markdown::read;

static EXAMPLES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let document = read("docs/PROTOCOL.md");
    let frames = examples(&document, "## Frames from the client", "receive");
    let frames = frames.into_iter().flat_map(|(_, frames)| frames);
    let frames = frames.map(|frame| serde_json::from_str(frame).expect("an example is JSON"));
    frames.collect()
});

fn example() -> impl Strategy<Value = Value> {
    select(EXAMPLES.as_slice())
}

/// A part of some example, or what no example has.
fn part() -> impl Strategy<Value = Value> {
    let numbers = [
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e99),
        json!(u64::MAX),
        json!(300),
    ];
    let texts = [
        "",
        "0",
        "e2e4",
        "e7e8q",
        "\u{0}",
        "ş",
        "mancala",
        "1-0000000000000000",
    ];
    prop_oneof![
        4 => (example(), any::<Index>()).prop_map(|(mut frame, at)| {
            let all = count(&frame);
            std::mem::take(nth(&mut frame, at.index(all)))
        }),
        2 => select(numbers.to_vec()),
        2 => select(texts.to_vec()).prop_map(Value::from),
        1 => any::<String>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => (0..300_usize).prop_map(|depth| (0..depth).fold(json!(1), |inner, _| json!([inner]))),
        1 => (0..5_000_usize).prop_map(|length| json!("x".repeat(length))),
        1 => (0..2_000_usize).prop_map(|length| json!(vec!["e2e4"; length])),
    ]
}

/// How many values a value has in it, itself counted.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// One of them.
fn nth(value: &mut Value, mut n: usize) -> &mut Value {
    if n == 0 {
        return value;
    }
    n -= 1;
    let inside: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in inside {
        let size = count(child);
        if n < size {
            return nth(child, n);
        }
        n -= size;
    }
    unreachable!("n is below the count")
}

/// A frame that had parts replaced, renamed, added and taken away.
fn rebuilt() -> impl Strategy<Value = String> {
    let change = (
        any::<Index>(),
        part(),
        select(vec!["replace", "add", "remove", "rename"]),
        any::<Index>(),
    );
    (example(), prop::collection::vec(change, 0..4)).prop_map(|(mut frame, changes)| {
        for (place, part, what, which) in changes {
            let all = count(&frame);
            let target = nth(&mut frame, place.index(all));
            match target {
                Value::Object(fields) if what != "replace" => change_fields(fields, what, which, part),
                Value::Array(items) if what == "add" => items.push(part),
                _ => *target = part,
            }
        }
        frame.to_string()
    })
}

fn change_fields(fields: &mut Map<String, Value>, what: &str, which: Index, part: Value) {
    let names: Vec<String> = fields.keys().cloned().collect();
    match names.get(which.index(names.len().max(1))) {
        Some(name) if what == "remove" => drop(fields.remove(name)),
        Some(name) if what == "rename" => {
            let value = fields.remove(name).expect("it is one of its names");
            fields.insert(part.as_str().unwrap_or("Channel").to_owned(), value);
        }
        _ => drop(fields.insert(part.as_str().unwrap_or("more").to_owned(), part)),
    }
}

/// A frame's bytes, some of them replaced, added, taken away or said again.
fn broken() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![3 => select(b"{}[]\",:\\0189eE+-.u \n\x00".to_vec()), 1 => any::<u8>()];
    let damage = (any::<Index>(), byte, 0..5_u8);
    (example(), prop::collection::vec(damage, 1..6)).prop_map(|(frame, damages)| {
        let mut bytes = frame.to_string().into_bytes();
        for (place, byte, what) in damages {
            if bytes.is_empty() {
                break;
            }
            let place = place.index(bytes.len());
            match what {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, byte),
                2 => drop(bytes.remove(place)),
                3 => bytes.extend_from_within(place..),
                _ => bytes.truncate(place),
            }
        }
        bytes
    })
}

/// Reads a text; what it is must be the same when it is written and read again.
fn read_and_write(text: &str) -> Result<(), TestCaseError> {
    match ClientFrame::parse_traced(text) {
        Ok((frame, _)) => {
            let written = serde_json::to_string(&frame).expect("a frame can be written");
            prop_assert_eq!(ClientFrame::parse(&written), Ok(frame));
        }
        Err(error) => prop_assert!(!error.to_string().is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_frame_with_other_parts_is_read_or_refused(text in rebuilt()) {
        read_and_write(&text)?;
    }

    #[test]
    fn a_frame_with_broken_bytes_is_read_or_refused(bytes in broken()) {
        // The socket refuses what is no UTF-8 before anybody reads it.
        read_and_write(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_bytes_are_a_frame_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_and_write(&String::from_utf8_lossy(&bytes))?;
    }
}
