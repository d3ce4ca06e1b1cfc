//! The bodies of HTTP requests and answers, those apart that are frames' payloads or views as well.

use rules::{Choices, Kind, Move, Seat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::command::ClientId;
use crate::frames::client::{is_yes, yes};
use crate::ids::{GameId, Millis, Position, UserId, Version};
use crate::terms::{Durability, TimeControl};
use crate::view::{FinishedGameSummary, LiveGameSummary};

/// `POST /guests`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NewGuest {
    /// What others see, at most 32 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A guest, and the token that proves to be them. It is not shown again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Guest {
    /// The public id.
    pub user_id: UserId,
    /// The name, as it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The bearer token, valid for 90 days from its last renewal.
    pub token: String,
}

/// What `POST /ws-ticket` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SocketTicket {
    /// For `GET /ws?ticket=…`, once.
    pub ticket: String,
    /// How long it is good for, in milliseconds.
    pub expires_in_ms: u64,
}

/// What `GET /games/me/active` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveGame {
    /// The game the user is in, or `null`.
    pub game: Option<LiveGameSummary>,
}

/// What `GET /games/me` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinishedGames {
    /// Newest first.
    pub games: Vec<FinishedGameSummary>,
    /// For `before=…`, to get the games after these; absent when there can be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What `GET /games/popular` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "games", rename_all = "lowercase")]
pub enum PopularGames {
    /// Live ones, by spectators, then by latest move.
    Live(Vec<LiveGameSummary>),
    /// There is no live game: finished ones, by peak spectators, then newest.
    Finished(Vec<FinishedGameSummary>),
}

/// `POST /games`: invite somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewInvitation {
    /// Which game.
    pub kind: Kind,
    /// How long a player may think; what is usual for the kind when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_control: Option<TimeControl>,
    /// When moves are shown; `best_effort` when absent.
    #[serde(default)]
    pub durability: Durability,
    /// Where the inviter sits; `player1`, who begins, when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
}

/// An invitation. Nothing is stored: the link is the invitation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationLink {
    /// The id that the game will have once somebody joins; until then it is unknown to every other route.
    pub id: GameId,
    /// The link to pass on. Its `token` is what `POST /games/:id/join` takes.
    pub join_url: String,
    /// When it expires.
    pub expires_at: Millis,
}

/// `POST /games/:id/join`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Join {
    /// The `token` of the link.
    pub token: String,
    /// The client's own id: joining again with the same id is answered like the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ClientId>,
}

/// `POST /games/:id/moves`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayMove {
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

/// `POST /games/:id/draw-offer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawOffer {
    /// The client's own id for this command.
    pub id: ClientId,
    /// `false` to withdraw what is not made yet.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub offer: bool,
}

/// `POST /games/:id/leave`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandId {
    /// The client's own id for this command.
    pub id: ClientId,
}

/// `POST /games/:id/draw-answer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawAnswer {
    /// The client's own id for this command.
    pub id: ClientId,
    /// Whether the offer is accepted.
    pub accept: bool,
}

/// `POST /games/:id/seed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiceSeed {
    /// The client's own id for this command.
    pub id: ClientId,
    /// The player's share of the dice's randomness, 16 to 256 characters, none of them a control character.
    pub seed: String,
}

/// A command was accepted, now or when it was sent the first time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandAnswer {
    /// The game.
    pub game_id: GameId,
    /// The client's own id, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ClientId>,
    /// The version it made.
    pub version: Version,
    /// What a client that has seen that version holds.
    pub position: Position,
    /// Whether the log has it.
    pub durable: bool,
    /// The last version that the log has.
    pub durable_version: Version,
}

/// What `GET /games/:id/moves` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LegalMoves {
    /// Every move the player to move may make, none while nobody has one to choose: for mancala a list of pits, for dice
    /// chess a tree of micro-moves.
    pub moves: Choices,
}

/// What `/healthz` and `/readyz` answer when all is well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// `ok` or `ready`.
    pub status: String,
}
