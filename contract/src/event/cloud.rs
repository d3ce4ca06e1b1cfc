//! Encoding and decoding of the `CloudEvents` document.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Envelope, Event, Head, Placement, rfc3339};
use crate::ids::EventId;
use crate::json;
use crate::spelling::Spelling;
use crate::trace::TraceParent;

const TYPE_PREFIX: &str = "turnstream.game.";
const SOURCE: &str = "/turnstream/games";
const SCHEMA_PREFIX: &str = "https://turnstream.dev/schemas/game.";

/// Most events are no longer than that; what is longer grows.
const USUAL_BYTES: usize = 1_536;

/// A document that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Written by newer code: its game is parked, not folded, ended or deleted.
    #[error("event type {0} is not known to this version")]
    Newer(String),
    /// Not an event document.
    #[error("not an event: {0}")]
    Corrupt(String),
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Corrupt(error.to_string())
    }
}

/// An event without its name, written straight into the document.
pub(super) struct Data<'a>(&'a Event);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Event::Started(data) => data.serialize(serializer),
            Event::Moved(data) => data.serialize(serializer),
            Event::Rolled(data) => data.serialize(serializer),
            Event::Seeded(data) => data.serialize(serializer),
            Event::DrawArmed(data) => data.serialize(serializer),
            Event::DrawAnswered(data) => data.serialize(serializer),
            Event::Resumed(data) => data.serialize(serializer),
            Event::Anchored(data) => data.serialize(serializer),
            Event::Ended(data) => data.serialize(serializer),
        }
    }
}

/// The `dataschema` of the event of this name.
pub(super) fn schema_uri(name: &str) -> Spelling {
    let mut uri = Spelling::new();
    uri.text(SCHEMA_PREFIX).text(name).text(".v1.json");
    uri
}

/// The type of the event of this name.
fn type_of(name: &str) -> Spelling {
    let mut kind = Spelling::new();
    kind.text(TYPE_PREFIX).text(name).text(".v1");
    kind
}

pub(super) fn encode(envelope: &Envelope) -> Bytes {
    let name = envelope.event.name();
    let (kind_of_event, dataschema) = (type_of(name), schema_uri(name));
    let time = rfc3339::format(envelope.time);
    let head = Head {
        specversion: "1.0",
        id: envelope.id,
        source: SOURCE,
        kind_of_event: kind_of_event.as_ref(),
        subject: envelope.id.game,
        time: time.as_ref(),
        datacontenttype: "application/json",
        dataschema: dataschema.as_ref(),
        gamekind: envelope.kind,
        gameversion: envelope.id.version,
        previd: envelope.previd,
        traceparent: envelope.traceparent,
        data: Data(&envelope.event),
    };
    let bytes = json::to_vec(&head, USUAL_BYTES).expect("an event has string keys and finite numbers only");
    bytes.into()
}

/// The event's name and the version of its shape.
fn name_and_version(kind_of_event: &str) -> Result<(&str, u32), DecodeError> {
    kind_of_event
        .strip_prefix(TYPE_PREFIX)
        .and_then(|rest| rest.rsplit_once(".v"))
        .and_then(|(name, version)| Some((name, version.parse().ok()?)))
        .ok_or_else(|| DecodeError::Newer(kind_of_event.chars().take(100).collect()))
}

fn parse<T: DeserializeOwned>(data: &RawValue) -> Result<T, DecodeError> {
    Ok(serde_json::from_str(data.get())?)
}

/// Reads the head through a form that tolerates escapes and fields in any order.
#[derive(Deserialize)]
struct OwnedHead<'a> {
    id: EventId,
    #[serde(rename = "type")]
    kind_of_event: String,
    time: String,
    gamekind: serde_json::Value,
    #[serde(default)]
    previd: Option<EventId>,
    /// Whatever it is, the event is an event.
    #[serde(default)]
    traceparent: Option<serde_json::Value>,
    #[serde(borrow)]
    data: &'a RawValue,
}

pub(super) fn decode(bytes: &[u8]) -> Result<Envelope, DecodeError> {
    let head: OwnedHead = serde_json::from_slice(bytes)?;
    let (name, version) = name_and_version(&head.kind_of_event)?;
    let event = match (name, version) {
        ("started", 1) => Event::Started(parse(head.data)?),
        ("moved", 1) => Event::Moved(parse(head.data)?),
        ("rolled", 1) => Event::Rolled(parse(head.data)?),
        ("seeded", 1) => Event::Seeded(parse(head.data)?),
        ("draw_armed", 1) => Event::DrawArmed(parse(head.data)?),
        ("draw_answered", 1) => Event::DrawAnswered(parse(head.data)?),
        ("resumed", 1) => Event::Resumed(parse(head.data)?),
        ("anchored", 1) => Event::Anchored(parse(head.data)?),
        ("ended", 1) => Event::Ended(parse(head.data)?),
        _ => return Err(DecodeError::Newer(head.kind_of_event)),
    };
    let kind = serde_json::from_value(head.gamekind.clone())
        .map_err(|_| DecodeError::Newer(format!("{} of game kind {}", head.kind_of_event, head.gamekind)))?;
    let time = rfc3339::parse(&head.time).ok_or_else(|| DecodeError::Corrupt("time".to_owned()))?;
    Ok(Envelope {
        id: head.id,
        kind,
        previd: head.previd,
        time,
        traceparent: head.traceparent.as_ref().and_then(trace_of),
        event,
    })
}

fn trace_of(value: &serde_json::Value) -> Option<TraceParent> {
    value.as_str()?.parse().ok()
}

pub(super) fn placement(bytes: &[u8]) -> Result<Placement, DecodeError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct StandsFor {
        stands_for: EventId,
    }
    let head: OwnedHead = serde_json::from_slice(bytes)?;
    let name = name_and_version(&head.kind_of_event)?.0.to_owned();
    let place = if head.id.anchor.is_some() {
        parse::<StandsFor>(head.data)?.stands_for
    } else {
        head.id
    };
    Ok(Placement {
        id: head.id,
        place,
        previd: head.previd,
        name,
    })
}
