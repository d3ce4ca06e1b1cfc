//! What a client sends.

use rules::{Kind, Move};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::command::ClientId;
use crate::ids::{GameId, Position};
use crate::object::read_object;
use crate::terms::TimeControl;
use crate::trace::TraceParent;

/// `authenticate`: the first frame of a socket opened without a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Authenticate {
    /// A bearer token or a ticket.
    pub token: String,
}

/// `new_game`: enter the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewGame {
    /// Which game.
    pub kind: Kind,
    /// How long a player may think; what is usual for the kind when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_control: Option<TimeControl>,
}

/// `game_move`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameMove {
    /// The game.
    pub game_id: GameId,
    /// The client's own id for this command.
    pub id: ClientId,
    /// What the player saw.
    pub position: Position,
    /// The move: for mancala the index of a pit, 0–5 or 7–12; for dice chess the micro-moves of a whole turn.
    #[serde(rename = "move")]
    pub mv: Move,
    /// Whether to offer a draw with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offer_draw: bool,
}

/// `leave_game`: resign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaveGame {
    /// The game.
    pub game_id: GameId,
    /// The client's own id for this command.
    pub id: ClientId,
}

/// `offer_draw`: with the next complete turn, whoever's turn it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferDraw {
    /// The game.
    pub game_id: GameId,
    /// The client's own id for this command.
    pub id: ClientId,
    /// `false` to withdraw what is not made yet.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub offer: bool,
}

pub(crate) fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde gives a reference to the field"
)]
pub(crate) fn is_yes(value: &bool) -> bool {
    *value
}

/// `answer_draw`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerDraw {
    /// The game.
    pub game_id: GameId,
    /// The client's own id for this command.
    pub id: ClientId,
    /// Whether the offer is accepted.
    pub accept: bool,
}

/// `client_seed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientSeed {
    /// The game.
    pub game_id: GameId,
    /// The client's own id for this command.
    pub id: ClientId,
    /// The player's share of the dice's randomness, 16 to 256 characters, none of them a control character.
    pub seed: String,
}

/// `watch_game`: get a game's frames, from `since` on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WatchGame {
    /// The game.
    pub game_id: GameId,
    /// What the client has; absent for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Position>,
}

/// `unwatch_game`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnwatchGame {
    /// The game.
    pub game_id: GameId,
}

/// A frame from a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "channel", content = "payload", rename_all = "snake_case")]
pub enum ClientFrame {
    /// Say who this is.
    Authenticate(Authenticate),
    /// Enter the queue.
    NewGame(NewGame),
    /// Leave the queue.
    CancelNewGame,
    /// Move.
    GameMove(GameMove),
    /// Resign.
    LeaveGame(LeaveGame),
    /// Offer a draw.
    OfferDraw(OfferDraw),
    /// Answer an offer.
    AnswerDraw(AnswerDraw),
    /// Give a seed for the dice.
    ClientSeed(ClientSeed),
    /// Get a game's frames.
    WatchGame(WatchGame),
    /// Get them no longer.
    UnwatchGame(UnwatchGame),
    /// Get the most watched live games, at most once a second.
    SubscribeLiveGames,
    /// Get them no longer.
    UnsubscribeLiveGames,
    /// Ask for a `pong`.
    Ping,
}

/// A frame that could not be read. It is the client's mistake; the socket stays open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Not JSON, or not an object with a `channel`.
    #[error("a frame is a JSON object with a channel: {0}")]
    Malformed(String),
    /// No such channel.
    #[error("there is no channel {0:?}")]
    UnknownChannel(String),
    /// The payload does not have the channel's form.
    #[error("the payload of {channel} is not right: {detail}")]
    BadPayload {
        /// The channel.
        channel: String,
        /// What is wrong.
        detail: String,
        /// The client's own id, if one could be read, so that it can tell which command failed.
        id: Option<String>,
    },
}

#[derive(Deserialize)]
struct RawFrame<'a> {
    channel: String,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
    /// Whatever it is, the frame is a frame.
    #[serde(borrow, default)]
    traceparent: Option<&'a RawValue>,
}

impl ClientFrame {
    /// Reads a text frame.
    ///
    /// # Errors
    /// [`FrameError`], which says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, FrameError> {
        Self::parse_traced(text).map(|(frame, _)| frame)
    }

    /// The same with the trace that the sender says the frame belongs to, in `traceparent` beside `channel` and `payload`.
    /// What is none is passed over.
    ///
    /// # Errors
    /// [`FrameError`], which says what is wrong with the frame.
    pub fn parse_traced(text: &str) -> Result<(Self, Option<TraceParent>), FrameError> {
        let raw: RawFrame = read_object(text).map_err(FrameError::Malformed)?;
        let trace = raw
            .traceparent
            .and_then(|trace| serde_json::from_str(trace.get()).ok());
        Ok((Self::of(&raw)?, trace))
    }

    /// Its channel.
    pub fn channel(&self) -> &'static str {
        match self {
            Self::Authenticate(_) => "authenticate",
            Self::NewGame(_) => "new_game",
            Self::CancelNewGame => "cancel_new_game",
            Self::GameMove(_) => "game_move",
            Self::LeaveGame(_) => "leave_game",
            Self::OfferDraw(_) => "offer_draw",
            Self::AnswerDraw(_) => "answer_draw",
            Self::ClientSeed(_) => "client_seed",
            Self::WatchGame(_) => "watch_game",
            Self::UnwatchGame(_) => "unwatch_game",
            Self::SubscribeLiveGames => "subscribe_live_games",
            Self::UnsubscribeLiveGames => "unsubscribe_live_games",
            Self::Ping => "ping",
        }
    }

    fn of(raw: &RawFrame<'_>) -> Result<Self, FrameError> {
        let payload = raw.payload.map_or("null", RawValue::get);
        let channel = raw.channel.as_str();
        Ok(match channel {
            "authenticate" => Self::Authenticate(read(channel, payload)?),
            "new_game" => Self::NewGame(read(channel, payload)?),
            "cancel_new_game" => Self::CancelNewGame,
            "game_move" => Self::GameMove(read(channel, payload)?),
            "leave_game" => Self::LeaveGame(read(channel, payload)?),
            "offer_draw" => Self::OfferDraw(read(channel, payload)?),
            "answer_draw" => Self::AnswerDraw(read(channel, payload)?),
            "client_seed" => Self::ClientSeed(read(channel, payload)?),
            "watch_game" => Self::WatchGame(read(channel, payload)?),
            "unwatch_game" => Self::UnwatchGame(read(channel, payload)?),
            "subscribe_live_games" => Self::SubscribeLiveGames,
            "unsubscribe_live_games" => Self::UnsubscribeLiveGames,
            "ping" => Self::Ping,
            other => return Err(FrameError::UnknownChannel(other.chars().take(40).collect())),
        })
    }
}

fn read<T: DeserializeOwned>(channel: &str, payload: &str) -> Result<T, FrameError> {
    read_object(payload).map_err(|detail| FrameError::BadPayload {
        channel: channel.to_owned(),
        detail,
        id: command_id(payload),
    })
}

fn command_id(payload: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct OnlyId {
        id: ClientId,
    }
    serde_json::from_str::<OnlyId>(payload)
        .ok()
        .map(|only| only.id.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_frame_without_a_channel_is_malformed() {
        for text in [
            "",
            "[]",
            "{}",
            "nul",
            "{\"channel\":7}",
            "{\"channel\":\"ping\"",
            "\u{0}",
            "[\"ping\", null, null]",
            " [\"ping\"]",
        ] {
            assert!(
                matches!(ClientFrame::parse(text), Err(FrameError::Malformed(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn a_bad_payload_names_the_command_it_belongs_to() {
        let frame =
            r#"{"channel":"game_move","payload":{"id":"m7","gameId":"no","position":"1","move":"3"}}"#;
        let Err(FrameError::BadPayload { channel, id, .. }) = ClientFrame::parse(frame) else {
            panic!("the payload is not right");
        };
        assert_eq!((channel.as_str(), id.as_deref()), ("game_move", Some("m7")));
    }

    #[test]
    fn fields_without_names_are_no_payload() {
        let frame = r#"{"channel":"authenticate","payload":["a token"]}"#;
        assert!(matches!(
            ClientFrame::parse(frame),
            Err(FrameError::BadPayload { .. })
        ));
    }

    #[test]
    fn a_frame_may_say_which_trace_it_belongs_to() {
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let frame = |trace: &str| format!(r#"{{"channel":"ping","traceparent":{trace}}}"#);
        let read = |text: &str| ClientFrame::parse_traced(text);
        let traced = read(&frame(&format!("{trace:?}")));
        assert_eq!(traced, Ok((ClientFrame::Ping, trace.parse().ok())));
        for none in ["null", "7", "\"\"", "\"00-1-2-01\""] {
            assert_eq!(read(&frame(none)), Ok((ClientFrame::Ping, None)), "{none}");
        }
    }

    #[test]
    fn channels_without_a_payload_ignore_one() {
        assert_eq!(
            ClientFrame::parse(r#"{"channel":"ping","payload":{"x":1}}"#),
            Ok(ClientFrame::Ping)
        );
        assert_eq!(ClientFrame::parse(r#"{"channel":"ping"}"#), Ok(ClientFrame::Ping));
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text: String) {
            let _ = ClientFrame::parse(&text);
        }
    }
}
