//! Access to the recorded values.

use std::collections::BTreeSet;

use rules::dicechess::{MicroMove, Pool, Position, Roll, Turn};
use serde::de::DeserializeOwned;
use serde_json::Value;
use turnstream_rules as rules;

const STATED: &str = include_str!("../vectors/dicechess.json");
const DERIVED: &str = include_str!("../vectors/dicechess-derived.json");

/// The entries of one list of what other implementations state.
pub fn stated<T: DeserializeOwned>(name: &str) -> T {
    entry(STATED, name)
}

/// The entries of one list of what a third implementation computes.
pub fn derived<T: DeserializeOwned>(name: &str) -> T {
    entry(DERIVED, name)
}

/// Every DFEN that the files have, right ones and wrong ones.
pub fn dfens() -> Vec<String> {
    let mut found = BTreeSet::new();
    for file in [STATED, DERIVED] {
        collect_dfens(&serde_json::from_str(file).expect("the file is JSON"), &mut found);
    }
    found.into_iter().collect()
}

fn collect_dfens(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        // Seven slashes are between eight ranks.
        Value::String(text) if text.matches('/').count() == 7 => drop(found.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect_dfens(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect_dfens(field, found)),
        _ => {}
    }
}

fn entry<T: DeserializeOwned>(file: &str, name: &str) -> T {
    let mut file: Value = serde_json::from_str(file).expect("the file is JSON");
    serde_json::from_value(file[name].take()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn position(dfen: &str) -> Position {
    dfen.parse().unwrap_or_else(|error| panic!("{dfen}: {error}"))
}

/// A position with up to three dice by their faces.
pub fn position_with(dfen: &str, dice: &[u8]) -> Position {
    position(dfen).with_pool(pool(dice))
}

pub fn pool(dice: &[u8]) -> Pool {
    let pieces = dice
        .iter()
        .map(|&face| Roll::new([face; 3]).expect("the file has faces").pieces()[0]);
    Pool::of(pieces).expect("the file has no more than three dice")
}

pub fn micro_move(text: &str) -> MicroMove {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn turn(texts: &[String]) -> Turn {
    Turn::new(texts.iter().map(|text| micro_move(text)).collect()).expect("the file has no more than three")
}

pub fn texts(moves: &[MicroMove]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}
