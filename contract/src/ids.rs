//! The identifiers of games, events, writers and users, and the unit of time.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rules::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::spelling::Spelling;

/// A game's gapless count of its events, `anchored` excepted, from 1.
pub type Version = u64;

/// A sequence number in the log, from 1; 0 stands for "before everything".
pub type Seq = u64;

/// The text did not have the form of the identifier named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {expected}")]
pub struct ParseIdError {
    /// What was expected, for the message.
    pub expected: &'static str,
}

const fn not_a(expected: &'static str) -> ParseIdError {
    ParseIdError { expected }
}

/// Milliseconds since the Unix epoch (or, where a name says so, a length in milliseconds).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// This time plus `ms` milliseconds.
    #[must_use]
    pub fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to `self`; negative when `earlier` is later.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A game's id: a version 7 UUID, made once when the game is offered. It has one spelling wherever it is read: hyphenated,
/// in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(transparent)]
pub struct GameId(pub Uuid);

impl Serialize for GameId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for GameId {
    type Err = ParseIdError;

    /// Accepts the hyphenated form only, so that one game has one spelling in subjects and keys.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = Uuid::try_parse(text).map_err(|_| not_a("game id"))?;
        if text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase()) {
            Ok(Self(id))
        } else {
            Err(not_a("game id"))
        }
    }
}

/// A game together with its kind: what a subject of the log is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GameKey {
    /// The kind of game.
    pub kind: Kind,
    /// The game.
    pub id: GameId,
}

/// One process start: 64 random bits, written as 16 lower-case hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriterId(pub u64);

impl WriterId {
    fn spell(self) -> Spelling {
        let mut spelling = Spelling::new();
        spelling.hex16(self.0);
        spelling
    }
}

impl FromStr for WriterId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_hex16(text).map(Self).ok_or(not_a("writer"))
    }
}

pub(crate) fn parse_hex16(text: &str) -> Option<u64> {
    let hex = text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if hex {
        u64::from_str_radix(text, 16).ok()
    } else {
        None
    }
}

/// An event's id: `<game>:<version>:<writer>`, and for an `anchored` event `…:a<k>`.
///
/// Two ids of one version with different writers are two events: at most one of them is on a game's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// The game.
    pub game: GameId,
    /// The version that the event made, or that an `anchored` stands for.
    pub version: Version,
    /// The process that wrote it.
    pub writer: WriterId,
    /// The running number of an `anchored` event of this writer; `None` for every other event.
    pub anchor: Option<u32>,
}

impl EventId {
    /// The id of an ordinary event.
    pub fn new(game: GameId, version: Version, writer: WriterId) -> Self {
        Self {
            game,
            version,
            writer,
            anchor: None,
        }
    }

    /// What a client holds for this event.
    pub fn position(self) -> Position {
        Position {
            version: self.version,
            writer: self.writer,
        }
    }

    fn spell(self) -> Spelling {
        let mut spelling = Spelling::new();
        spelling.uuid(self.game.0).text(":");
        spelling.decimal(self.version, 1).text(":");
        spelling.hex16(self.writer.0);
        if let Some(k) = self.anchor {
            spelling.text(":a").decimal(k.into(), 1);
        }
        spelling
    }
}

impl FromStr for EventId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let err = || not_a("event id");
        let mut parts = text.split(':');
        let game = parts.next().ok_or_else(err)?.parse().map_err(|_| err())?;
        let version = parse_version(parts.next().ok_or_else(err)?).ok_or_else(err)?;
        let writer = parts.next().ok_or_else(err)?.parse().map_err(|_| err())?;
        let anchor = match parts.next() {
            None => None,
            Some(k) => Some(k.strip_prefix('a').and_then(|k| k.parse().ok()).ok_or_else(err)?),
        };
        if parts.next().is_some() {
            return Err(err());
        }
        Ok(Self {
            game,
            version,
            writer,
            anchor,
        })
    }
}

/// What a client has seen of a game: `<version>-<writer>`, opaque to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The version seen.
    pub version: Version,
    /// The writer of that version's event.
    pub writer: WriterId,
}

impl Position {
    fn spell(self) -> Spelling {
        let mut spelling = Spelling::new();
        spelling.decimal(self.version, 1).text("-").hex16(self.writer.0);
        spelling
    }
}

impl FromStr for Position {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (version, writer) = text.split_once('-').ok_or(not_a("position"))?;
        let version = parse_version(version).ok_or(not_a("position"))?;
        Ok(Self {
            version,
            writer: writer.parse().map_err(|_| not_a("position"))?,
        })
    }
}

/// Decimal digits without sign or leading zero, so that one version has one spelling.
fn parse_version(text: &str) -> Option<Version> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

/// A user's public id, the only id that leaves the authenticating function: `kc:…`, `guest:…` or `legacy:…`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct UserId(#[schemars(with = "String")] Arc<str>);

impl UserId {
    /// Takes a public id as it is.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is a guest's id.
    pub fn is_guest(&self) -> bool {
        self.0.starts_with("guest:")
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Ids that travel as text: what they `spell`.
macro_rules! as_text {
    ($($name:ident: $pattern:literal),+ $(,)?) => { $(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.spell().as_ref())
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.spell().as_ref())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": $pattern })
            }
        }
    )+ };
}

pub(crate) use as_text;

as_text! {
    WriterId: "^[0-9a-f]{16}$",
    EventId: "^[0-9a-f-]{36}:[0-9]+:[0-9a-f]{16}(:a[0-9]+)?$",
    Position: "^[0-9]+-[0-9a-f]{16}$",
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_event_id_survives_its_text(game: u128, version: u64, writer: u64, anchor: Option<u32>) {
            let id = EventId { game: GameId(Uuid::from_u128(game)), version, writer: WriterId(writer), anchor };
            prop_assert_eq!(id.to_string().parse::<EventId>(), Ok(id));
        }

        #[test]
        fn a_position_survives_its_text(version: u64, writer: u64) {
            let position = Position { version, writer: WriterId(writer) };
            prop_assert_eq!(position.to_string().parse::<Position>(), Ok(position));
        }

        #[test]
        fn parsing_never_panics(text: String) {
            let _ = text.parse::<EventId>();
            let _ = text.parse::<Position>();
            let _ = text.parse::<GameId>();
        }
    }

    #[test]
    fn one_value_has_one_spelling() {
        for text in [
            "01-0000000000000000",
            "+1-0000000000000000",
            "1-000000000000000A",
            "1-0",
            "-",
            "",
        ] {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
        let id = "0194f000-0000-7000-8000-00000000000a";
        assert!(id.parse::<GameId>().is_ok());
        assert!(serde_json::from_value::<GameId>(id.into()).is_ok());
        for other in [id.to_uppercase(), id.replace('-', ""), format!("{{{id}}}")] {
            assert!(other.parse::<GameId>().is_err(), "{other}");
            assert!(
                serde_json::from_value::<GameId>(other.as_str().into()).is_err(),
                "{other}"
            );
        }
    }
}
