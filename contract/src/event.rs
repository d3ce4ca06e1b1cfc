//! The events of a game and the `CloudEvents` document each travels in.
//!
//! An event's bytes are made once, when it is committed; publishing, waiting and restoring send the same bytes.

use bytes::Bytes;
use rules::{Kind, Move, Outcome, Seat, State, Steps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command::CommandHash;
use crate::game_state::{Ending, GameState};
use crate::ids::{EventId, GameId, GameKey, Millis, UserId, Version};
use crate::player::{Players, Spectators};
use crate::record::{EndReason, FinishedGame};
use crate::terms::{Clocks, Durability, Origin, TimeControl};
use crate::trace::TraceParent;

mod cloud;
mod dice;
mod rfc3339;
mod schema;

pub use cloud::DecodeError;
pub use dice::{DrawAnswered, DrawArmed, Rolled, Seeded};
pub use schema::{DataSchema, data_schemas};

/// A time as events write it (RFC 3339, in UTC), to the millisecond.
pub fn parse_time(text: &str) -> Option<Millis> {
    rfc3339::parse(text)
}

/// A time as events write it.
pub fn format_time(time: Millis) -> String {
    rfc3339::format(time).as_ref().to_owned()
}

/// A game began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    /// Who plays.
    pub players: Players,
    /// The name of the rules.
    pub rules: String,
    /// Their version.
    pub rules_version: u32,
    /// How long a player may think.
    pub time_control: TimeControl,
    /// When moves are shown.
    pub durability: Durability,
    /// How the players came together.
    pub origin: Origin,
    /// Whether it counts for a rating.
    pub rated: bool,
    /// Which of the service's keys this game's secrets are derived from; the id of a key, not a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// The SHA-256 of the seed from which the game's throws follow, in lower-case hexadecimal; absent in games without
    /// chance. The seed itself is published when the game ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The state to begin with.
    pub state: State,
    /// The clocks to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// The joining player's command, when joining carried an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandHash>,
    /// Who watches.
    pub spectators: Spectators,
}

/// A player moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// Who.
    pub seat: Seat,
    /// By which command; absent when no command of a player led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandHash>,
    /// Whose command that is, if not the mover's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_seat: Option<Seat>,
    /// There was no choice: the service made the move, at no cost of time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// What.
    #[serde(rename = "move")]
    pub mv: Move,
    /// What it did, step by step.
    pub steps: Steps,
    /// The state after it.
    pub state: State,
    /// How long the player's clock ran for it, in milliseconds, since it was started or a `resumed` charged it; absent in a
    /// game without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_ms: Option<i64>,
    /// The clocks after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// Who is next; nobody when the game is over.
    pub next_seat: Option<Seat>,
    /// Who watches.
    pub spectators: Spectators,
}

/// A process took the game over, or stood still while a clock ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resumed {
    /// For how long nobody served the game, in milliseconds: no clock ran then.
    pub downtime_ms: i64,
    /// The clocks after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// Who watched.
    pub spectators: Spectators,
}

/// The whole public state at a version; it makes no new version, and every fold continues from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Anchored {
    /// The event whose place it takes.
    pub stands_for: EventId,
    /// The state after that event.
    pub game: Box<GameState>,
}

/// A game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// Who won; `None` when nobody did and it was no draw either.
    pub result: Option<Outcome>,
    /// Why.
    pub reason: EndReason,
    /// Who left, when the reason is `left`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_user_id: Option<UserId>,
    /// The seat whose command ended it, and that command, when it was a command of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandBy>,
    /// The clocks at the end; none runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// The whole record.
    pub record: Box<FinishedGame>,
    /// Who watched.
    pub spectators: Spectators,
}

/// A command that led to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandBy {
    /// Whose.
    pub seat: Seat,
    /// Which.
    pub hash: CommandHash,
}

impl Ended {
    /// The ending that a game's state keeps.
    pub fn ending(&self) -> Ending {
        Ending {
            result: self.result,
            reason: self.reason,
            left_user_id: self.left_user_id.clone(),
            at: self.record.ended_at,
            reveal: self.record.fairness.clone(),
        }
    }
}

/// What happened in a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Event {
    /// A game began.
    Started(Box<Started>),
    /// A player moved.
    Moved(Moved),
    /// Chance has decided.
    Rolled(Rolled),
    /// A player added a seed.
    Seeded(Seeded),
    /// A player will offer a draw, or not any more.
    DrawArmed(DrawArmed),
    /// A player answered the offer of a draw.
    DrawAnswered(DrawAnswered),
    /// A process took the game over.
    Resumed(Resumed),
    /// The whole state, in place of what the log lost or never got.
    Anchored(Anchored),
    /// A game ended.
    Ended(Box<Ended>),
}

impl Event {
    /// The last token of the event's subject, and the middle of its `CloudEvents` type.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started(_) => "started",
            Self::Moved(_) => "moved",
            Self::Rolled(_) => "rolled",
            Self::Seeded(_) => "seeded",
            Self::DrawArmed(_) => "draw_armed",
            Self::DrawAnswered(_) => "draw_answered",
            Self::Resumed(_) => "resumed",
            Self::Anchored(_) => "anchored",
            Self::Ended(_) => "ended",
        }
    }

    /// The command of a seat that led to it, if any. (That of `started` is whoever's joined.)
    pub fn command(&self) -> Option<CommandBy> {
        let by = |seat, hash| Some(CommandBy { seat, hash });
        match self {
            Self::Moved(e) => by(e.command_seat.unwrap_or(e.seat), e.command?),
            Self::Seeded(e) => by(e.seat, e.command),
            Self::DrawArmed(e) => by(e.seat, e.command),
            Self::DrawAnswered(e) => by(e.seat, e.command),
            Self::Rolled(e) => e.command,
            Self::Ended(e) => e.command,
            Self::Started(_) | Self::Resumed(_) | Self::Anchored(_) => None,
        }
    }

    /// The state of the board after it, where it changes that.
    pub fn state(&self) -> Option<&State> {
        match self {
            Self::Started(e) => Some(&e.state),
            Self::Moved(e) => Some(&e.state),
            Self::Rolled(e) => Some(&e.state),
            Self::DrawArmed(e) => Some(&e.state),
            Self::DrawAnswered(e) => Some(&e.state),
            Self::Anchored(e) => Some(&e.game.state),
            Self::Seeded(_) | Self::Resumed(_) | Self::Ended(_) => None,
        }
    }

    /// Who watched, as of this event.
    pub fn spectators(&self) -> Spectators {
        match self {
            Self::Started(e) => e.spectators,
            Self::Moved(e) => e.spectators,
            Self::Rolled(e) => e.spectators,
            Self::Seeded(e) => e.spectators,
            Self::DrawArmed(e) => e.spectators,
            Self::DrawAnswered(e) => e.spectators,
            Self::Resumed(e) => e.spectators,
            Self::Anchored(e) => e.game.spectators,
            Self::Ended(e) => e.spectators,
        }
    }
}

/// An event with what places it: its id, what it follows, and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// Game, version and writer.
    pub id: EventId,
    /// The kind of the game.
    pub kind: Kind,
    /// The event before it; absent on `started`; after an `anchored`, what that stands for.
    pub previd: Option<EventId>,
    /// When it was committed; never earlier than the event before it.
    pub time: Millis,
    /// The trace of the command that caused it, where there is one.
    pub traceparent: Option<TraceParent>,
    /// What happened.
    pub event: Event,
}

impl Envelope {
    /// The game that it belongs to.
    pub fn key(&self) -> GameKey {
        GameKey {
            kind: self.kind,
            id: self.id.game,
        }
    }

    /// The version that holds after it.
    pub fn version(&self) -> Version {
        self.id.version
    }

    /// The id that comparisons use: an `anchored` is read as what it stands for.
    pub fn place(&self) -> EventId {
        match &self.event {
            Event::Anchored(anchored) => anchored.stands_for,
            _ => self.id,
        }
    }

    /// The `CloudEvents` document.
    pub fn to_bytes(&self) -> Bytes {
        cloud::encode(self)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`DecodeError::Newer`] for an event type or version that this code does not know, [`DecodeError::Corrupt`] for
    /// anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        cloud::decode(bytes)
    }
}

/// Where an event belongs, without decoding its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// The id as written.
    pub id: EventId,
    /// The id that comparisons use.
    pub place: EventId,
    /// The event before it.
    pub previd: Option<EventId>,
    /// The event's name, such as `moved`.
    pub name: String,
}

impl Placement {
    /// Reads only the document's head, and `standsFor` of an `anchored`.
    ///
    /// # Errors
    /// [`DecodeError::Corrupt`] when the head cannot be read.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        cloud::placement(bytes)
    }
}

#[derive(Serialize)]
struct Head<'a> {
    specversion: &'a str,
    id: EventId,
    source: &'a str,
    #[serde(rename = "type")]
    kind_of_event: &'a str,
    subject: GameId,
    time: &'a str,
    datacontenttype: &'a str,
    dataschema: &'a str,
    gamekind: Kind,
    gameversion: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    previd: Option<EventId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<TraceParent>,
    data: cloud::Data<'a>,
}
