//! What clients see of games: summaries, the live game, the record with boards and steps.

use rules::{Board, Kind, Outcome, Play};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{GameId, Millis, Position, UserId, Version};
use crate::player::{BySeat, PlayerSummary};
use crate::record::EndReason;
use crate::terms::{Clocks, Durability, TimeControl};

/// A live game in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveGameSummary {
    /// The game.
    pub id: GameId,
    /// Its kind.
    pub kind: Kind,
    /// Who begins.
    pub player1: PlayerSummary,
    /// The other.
    pub player2: PlayerSummary,
    /// The board now.
    pub board: Board,
    /// Whose turn it is; absent once the last move is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_player_id: Option<UserId>,
    /// How many watch now.
    pub spectator_count: u32,
    /// How many moves were played.
    pub move_count: u32,
    /// When it started.
    pub started_at: Millis,
}

/// One move as clients see it. For mancala `{playerId, moveIndex, boardSnapshot, gameSteps, at}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveRecord {
    /// Who moved.
    pub player_id: UserId,
    /// The move, the board after it, and what it did, in the fields of its kind.
    #[serde(flatten)]
    pub play: Play,
    /// When.
    pub at: Millis,
}

/// Whether a player is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    /// Whether any socket or event stream of theirs is open.
    pub connected: bool,
    /// Since when none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offline_since: Option<Millis>,
    /// When the watcher ends the game if nothing changes; clients count down to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit_at: Option<Millis>,
}

/// The literal `"live"`, which tells a live game from a finished one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LiveStatus {
    /// Started and not ended.
    #[default]
    Live,
}

/// A live game, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveGame {
    /// Always `"live"`.
    pub status: LiveStatus,
    /// What lists show of it.
    #[serde(flatten)]
    pub summary: LiveGameSummary,
    /// The count of its events.
    pub version: Version,
    /// What a client that has this holds.
    pub position: Position,
    /// The last version that the log has.
    pub durable_version: Version,
    /// The name of its rules.
    pub rules: String,
    /// How long a player may think.
    pub time_control: TimeControl,
    /// When moves are shown.
    pub durability: Durability,
    /// The clocks, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// All moves.
    pub history: Vec<MoveRecord>,
    /// The time of each move.
    pub move_times: Vec<Millis>,
    /// Whether the players are there; absent when the game is not held by the answering process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<BySeat<ConnectionView>>,
    /// How long a player to move may be offline before they lose, in milliseconds.
    pub turn_timeout_ms: i64,
    /// The asking player's seat, if they play here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub you: Option<rules::Seat>,
}

/// A finished game in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinishedGameSummary {
    /// The game.
    pub id: GameId,
    /// Its kind.
    pub kind: Kind,
    /// Who began.
    pub player1: PlayerSummary,
    /// The other.
    pub player2: PlayerSummary,
    /// The final board.
    pub board: Board,
    /// Who won; `null` when nobody did and it was no draw either.
    pub result: Option<Outcome>,
    /// Why it ended.
    pub end_reason: EndReason,
    /// Who left, when the reason is `left`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_user_id: Option<UserId>,
    /// When it started.
    pub started_at: Millis,
    /// When it ended.
    pub ended_at: Millis,
    /// How many moves were played.
    pub move_count: u32,
    /// The most who watched at one time.
    pub peak_spectators: u32,
}

/// A finished game with all moves, for replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameRecord {
    /// What lists show of it.
    #[serde(flatten)]
    pub summary: FinishedGameSummary,
    /// The name of the rules it was played by.
    pub rules: String,
    /// All moves.
    pub moves: Vec<MoveRecord>,
    /// How many different ones watched.
    pub total_spectators: u32,
}

/// The literal `"finished"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FinishedStatus {
    /// Ended.
    #[default]
    Finished,
}

/// What `GET /game/:id` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GameView {
    /// A live game.
    Live(Box<LiveGame>),
    /// A finished one.
    Finished {
        /// Always `"finished"`.
        status: FinishedStatus,
        /// The record.
        record: Box<GameRecord>,
    },
}
