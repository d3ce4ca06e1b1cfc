//! A finished game, as it is kept: moves only. Boards and steps are recomputed by the rules that the record names.

use rules::{Chance, Kind, Move, Outcome, RuleEnd, Seat, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fairness::Reveal;
use crate::ids::{GameId, Millis, UserId};
use crate::player::{Players, Spectators};
use crate::terms::{Durability, Origin, TimeControl};

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// By the rules of the game.
    Completed,
    /// A player left; they lose.
    Left,
    /// The player to move was offline for five minutes while the other was there.
    Timeout,
    /// Both were offline for five minutes; nobody wins.
    Inactive,
    /// A player's time was up; they lose.
    Flag,
    /// A player gave up; they lose.
    Resigned,
    /// The king was captured.
    KingCaptured,
    /// Both agreed on a draw.
    DrawAgreed,
    /// The rules of the game call it a draw although it could go on.
    DrawRule,
}

impl EndReason {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Completed,
        Self::Left,
        Self::Timeout,
        Self::Inactive,
        Self::Flag,
        Self::Resigned,
        Self::KingCaptured,
        Self::DrawAgreed,
        Self::DrawRule,
    ];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Left => "left",
            Self::Timeout => "timeout",
            Self::Inactive => "inactive",
            Self::Flag => "flag",
            Self::Resigned => "resigned",
            Self::KingCaptured => "king_captured",
            Self::DrawAgreed => "draw_agreed",
            Self::DrawRule => "draw_rule",
        }
    }
}

impl From<RuleEnd> for EndReason {
    fn from(rule: RuleEnd) -> Self {
        match rule {
            RuleEnd::Completed => Self::Completed,
            RuleEnd::KingCaptured => Self::KingCaptured,
            RuleEnd::DrawAgreed => Self::DrawAgreed,
            RuleEnd::DrawRule => Self::DrawRule,
        }
    }
}

/// A move as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayedMove {
    /// Who moved.
    pub seat: Seat,
    /// What they played.
    #[serde(rename = "move")]
    pub mv: Move,
    /// What chance had decided for it; absent in games without chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dice: Option<Chance>,
    /// When.
    pub at: Millis,
    /// How long the player's clock ran for it, in milliseconds; absent in a game without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_ms: Option<i64>,
}

/// Everything that is kept of a finished game; history can be rebuilt from it alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinishedGame {
    /// The game.
    pub id: GameId,
    /// Its kind.
    pub kind: Kind,
    /// The name of the rules it was played by.
    pub rules: String,
    /// Their version.
    pub rules_version: u32,
    /// Who played.
    pub players: Players,
    /// How long a player could think.
    pub time_control: TimeControl,
    /// When moves were shown.
    pub durability: Durability,
    /// How the players came together.
    pub origin: Origin,
    /// Whether it counts for a rating.
    pub rated: bool,
    /// Who won; `None` when nobody did and it was no draw either.
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
    /// All moves.
    pub moves: Vec<PlayedMove>,
    /// The state after the last move.
    pub final_state: State,
    /// What its throws can be checked with; absent in games without chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Reveal>,
    /// Who watched.
    pub spectators: Spectators,
}
