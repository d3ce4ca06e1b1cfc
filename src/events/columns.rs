//! An event as a row: what every event has, some of what many have, and all of its data as it is.
//!
//! What a newer shape does not have, or what is no event, leaves its columns empty: a row is made of every message.

use std::borrow::Cow;

use bytes::Bytes;
use contract::event::parse_time;
use projections::ports::RawEntry;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(Bytes),
    Number(i64),
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Json,
    Number,
    /// Milliseconds since 1970, in UTC.
    Time,
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether its values repeat, so that they are kept once.
    pub(super) repeats: bool,
}

const fn column(name: &'static str, kind: Kind, repeats: bool) -> Column {
    Column { name, kind, repeats }
}

/// All columns, in their order.
pub(super) const COLUMNS: [Column; 24] = [
    column("sequence", Kind::Number, false),
    column("id", Kind::Text, false),
    column("type", Kind::Text, true),
    column("event", Kind::Text, true),
    column("game_id", Kind::Text, true),
    column("kind", Kind::Text, true),
    column("version", Kind::Number, true),
    column("time", Kind::Time, false),
    column("previd", Kind::Text, false),
    column("traceparent", Kind::Text, false),
    column("seat", Kind::Text, true),
    column("move", Kind::Json, true),
    column("think_ms", Kind::Number, true),
    column("player1_id", Kind::Text, true),
    column("player2_id", Kind::Text, true),
    column("result", Kind::Text, true),
    column("end_reason", Kind::Text, true),
    column("started_at", Kind::Time, true),
    column("ended_at", Kind::Time, true),
    column("move_count", Kind::Number, true),
    column("stands_for", Kind::Text, false),
    column("spectators_peak", Kind::Number, true),
    column("spectators_total", Kind::Number, true),
    column("data", Kind::Json, false),
];

/// The values of a message, one for each column.
pub(super) type Row = [Option<Value>; COLUMNS.len()];

#[derive(Default, Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "type")]
    of_type: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    time: Option<Cow<'a, str>>,
    #[serde(default)]
    gameversion: Option<i64>,
    #[serde(borrow, default)]
    previd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    traceparent: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow, default)]
    seat: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "move")]
    mv: Option<&'a RawValue>,
    #[serde(default)]
    think_ms: Option<i64>,
    #[serde(borrow, default)]
    players: Option<Players<'a>>,
    #[serde(borrow, default)]
    result: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    reason: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    record: Option<Record<'a>>,
    #[serde(borrow, default)]
    stands_for: Option<Cow<'a, str>>,
    #[serde(default)]
    spectators: Option<Spectators>,
}

#[derive(Deserialize)]
struct Players<'a> {
    #[serde(borrow)]
    player1: Player<'a>,
    #[serde(borrow)]
    player2: Player<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Player<'a> {
    #[serde(borrow)]
    user_id: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(borrow)]
    players: Players<'a>,
    started_at: i64,
    ended_at: i64,
    moves: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct Spectators {
    peak: i64,
    total: i64,
}

/// The row of a message.
pub(super) fn row(entry: &RawEntry) -> Row {
    let document: Document<'_> = serde_json::from_slice(&entry.bytes).unwrap_or_default();
    let data = document.data;
    let data: Data<'_> = data
        .and_then(|data| serde_json::from_str(data.get()).ok())
        .unwrap_or_default();
    let players = data
        .players
        .as_ref()
        .or(data.record.as_ref().map(|record| &record.players));
    let record = data.record.as_ref();
    let time = document.time.as_deref().and_then(parse_time);
    [
        Some(Value::Number(entry.seq as i64)),
        text(document.id.as_deref()),
        text(document.of_type.as_deref()),
        text(Some(&entry.name)),
        text(Some(&entry.game)),
        text(Some(&entry.kind)),
        document.gameversion.map(Value::Number),
        time.map(|time| Value::Number(time.0)),
        text(document.previd.as_deref()),
        text(document.traceparent.as_deref()),
        text(data.seat.as_deref()),
        text(data.mv.map(RawValue::get)),
        data.think_ms.map(Value::Number),
        text(players.map(|players| &*players.player1.user_id)),
        text(players.map(|players| &*players.player2.user_id)),
        text(data.result.as_deref()),
        text(data.reason.as_deref()),
        record.map(|record| Value::Number(record.started_at)),
        record.map(|record| Value::Number(record.ended_at)),
        record.map(|record| Value::Number(record.moves.len() as i64)),
        text(data.stands_for.as_deref()),
        data.spectators
            .as_ref()
            .map(|spectators| Value::Number(spectators.peak)),
        data.spectators
            .as_ref()
            .map(|spectators| Value::Number(spectators.total)),
        text(document.data.map(RawValue::get)),
    ]
}

fn text(text: Option<&str>) -> Option<Value> {
    text.map(|text| Value::Text(Bytes::copy_from_slice(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{EndReason, Envelope, Kind as GameKind, WriterId};
    use testkit::fixtures::Game;

    fn entry(seq: u64, bytes: impl Into<Bytes>) -> RawEntry {
        RawEntry {
            seq,
            kind: "mancala".to_owned(),
            game: "g".to_owned(),
            name: "n".to_owned(),
            bytes: bytes.into(),
        }
    }

    fn value(row: &Row, name: &str) -> Option<Value> {
        let at = COLUMNS.iter().position(|column| column.name == name);
        row[at.expect("there is such a column")].clone()
    }

    fn words(words: &str) -> Option<Value> {
        text(Some(words))
    }

    #[test]
    fn every_event_fills_what_every_event_has() {
        let (mut game, started) = Game::start(GameKind::Mancala, WriterId(1));
        let players = game.state().players.clone();
        let moved = game.play();
        let anchored = game.anchor();
        let ended = game.end(EndReason::Left);
        let of = |envelope: &Envelope| row(&entry(9, envelope.to_bytes()));
        for envelope in [&started, &moved, &anchored, &ended] {
            let row = of(envelope);
            assert_eq!(value(&row, "id"), words(&envelope.id.to_string()));
            assert_eq!(value(&row, "time"), Some(Value::Number(envelope.time.0)));
            assert_eq!(
                value(&row, "version"),
                Some(Value::Number(envelope.id.version as i64))
            );
            let Some(Value::Text(data)) = value(&row, "data") else {
                panic!("it has data")
            };
            let document: serde_json::Value = serde_json::from_slice(&envelope.to_bytes()).expect("JSON");
            let data: serde_json::Value = serde_json::from_slice(&data).expect("JSON");
            assert_eq!(data, document["data"]);
        }
        assert_eq!(
            value(&of(&started), "player1_id"),
            words(&players.player1.user_id.to_string())
        );
        assert_eq!(value(&of(&moved), "seat"), words("player1"));
        assert_eq!(value(&of(&moved), "move"), words("0"));
        assert_eq!(value(&of(&anchored), "stands_for"), words(&moved.id.to_string()));
        assert_eq!(value(&of(&ended), "end_reason"), words("left"));
        assert_eq!(value(&of(&ended), "move_count"), Some(Value::Number(1)));
        assert_eq!(
            value(&of(&ended), "player2_id"),
            words(&players.player2.user_id.to_string())
        );
    }

    #[test]
    fn what_is_no_event_or_of_a_newer_shape_is_a_row_too() {
        for bytes in ["", "[1]", "{}", r#"{"id": 7}"#] {
            let row = row(&entry(3, bytes));
            assert_eq!(value(&row, "sequence"), Some(Value::Number(3)));
            assert_eq!(value(&row, "game_id"), words("g"));
            assert_eq!(value(&row, "data"), None);
        }
        let newer =
            r#"{"id":"x","type":"turnstream.game.moved.v9","data":{"seat":{"n":1},"spectators":"many"}}"#;
        let row = row(&entry(4, newer));
        assert_eq!(value(&row, "id"), words("x"));
        assert_eq!(
            (value(&row, "seat"), value(&row, "spectators_peak")),
            (None, None)
        );
        assert_eq!(
            value(&row, "data"),
            words(r#"{"seat":{"n":1},"spectators":"many"}"#)
        );
    }
}
