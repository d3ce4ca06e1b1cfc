//! Events of games in which chance decides and draws are agreed on.

use rules::{Chance, Seat, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CommandBy;
use crate::command::CommandHash;
use crate::player::Spectators;
use crate::terms::Clocks;

/// Chance has decided for the move that comes next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rolled {
    /// Whose turn begins with it.
    pub seat: Seat,
    /// Which throw of the game, from 0. With the seeds, the dice follow from it.
    pub index: u64,
    /// What was thrown.
    pub dice: Chance,
    /// The command that led to it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandBy>,
    /// The state after it.
    pub state: State,
    /// The clocks after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// Who watches.
    pub spectators: Spectators,
}

/// A player added a seed of their own, before the first throw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seeded {
    /// Who.
    pub seat: Seat,
    /// By which command.
    pub command: CommandHash,
    /// The seed, 16 to 256 characters. It predicts nothing without the server's.
    pub seed: String,
    /// Who watches.
    pub spectators: Spectators,
}

/// A player armed an offer of a draw, which is made with their next complete turn, or withdrew it before that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawArmed {
    /// Who.
    pub seat: Seat,
    /// By which command.
    pub command: CommandHash,
    /// Whether an offer is armed now.
    pub armed: bool,
    /// The state after it.
    pub state: State,
    /// Who watches.
    pub spectators: Spectators,
}

/// A player answered the offer of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DrawAnswered {
    /// Who.
    pub seat: Seat,
    /// By which command.
    pub command: CommandHash,
    /// Whether they accepted.
    pub accepted: bool,
    /// The state after it.
    pub state: State,
    /// The clocks after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// Who watches.
    pub spectators: Spectators,
}
