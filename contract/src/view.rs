//! What clients see of games: summaries, the live game, the record with boards and steps.

use rules::{Board, Chance, Choices, Kind, Outcome, Play};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::fairness::{Fairness, Reveal};
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

/// One move as clients see it. For mancala `{playerId, moveIndex, boardSnapshot, gameSteps, at}`, for dice chess
/// `{playerId, dice, moves, dfenAfter, thinkMs, at}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoveRecord {
    /// Who moved.
    pub player_id: UserId,
    /// The move, the board after it, and what it did, in the fields of its kind.
    #[serde(flatten)]
    pub play: Play,
    /// How long the player's clock ran for it, in milliseconds; absent in a game without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_ms: Option<i64>,
    /// When.
    pub at: Millis,
}

/// What the player to move may choose from, as it is sent along with a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum InlineChoices {
    /// All of it.
    Listed(Choices),
    /// `null`: it is more than 1,000 moves; `GET /games/:id/moves` has them.
    TooMany,
}

/// Reads a member that is there: `null` is a value of its own.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
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
    /// The dice that are to be played, in the order in which they were thrown; absent in games without dice and while they
    /// are not thrown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dice: Option<Chance>,
    /// What the player to move may choose from; absent while nobody has a move to choose.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub legal_moves: Option<InlineChoices>,
    /// Whose offer of a draw waits for the other's answer. The dice are not thrown before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_offered_by: Option<UserId>,
    /// What makes the dice checkable; absent in games without dice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// Until when the first throw waits for the players' seeds; absent once it was thrown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds_until: Option<Millis>,
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
    /// Whether the asking player will offer a draw with their next complete turn. Nobody else sees it; absent when they
    /// will not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draw_armed: bool,
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
    /// The dice of a turn that was not played any more; absent where none were thrown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dice: Option<Chance>,
    /// What its throws can be checked with; absent in games without chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Reveal>,
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
