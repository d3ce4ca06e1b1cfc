//! What a player sends: the micro-moves of one turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{DICE, MicroMove};

/// The micro-moves of a turn, in order: in JSON a list of one to three texts, `[]` for a forced pass. Whether
/// a position allows it is asked when it is played.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<MicroMove>", into = "Vec<MicroMove>")]
#[schemars(rename = "DiceChessTurn")]
pub struct Turn(#[schemars(length(max = DICE))] Vec<MicroMove>);

/// There are more micro-moves than dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a turn has at most {DICE} moves")]
pub struct TooLong;

impl Turn {
    /// The turn of a side that cannot move.
    pub const PASS: Turn = Turn(Vec::new());

    /// The turn of these micro-moves, at most three.
    pub fn new(moves: Vec<MicroMove>) -> Result<Turn, TooLong> {
        if moves.len() > DICE {
            return Err(TooLong);
        }
        Ok(Turn(moves))
    }

    pub(super) fn from_path(path: &[MicroMove]) -> Turn {
        Turn(path.to_vec())
    }

    /// The micro-moves, in order.
    pub fn moves(&self) -> &[MicroMove] {
        &self.0
    }

    /// Whether the side could not move.
    pub fn is_pass(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Vec<MicroMove>> for Turn {
    type Error = TooLong;

    fn try_from(moves: Vec<MicroMove>) -> Result<Turn, TooLong> {
        Turn::new(moves)
    }
}

impl From<Turn> for Vec<MicroMove> {
    fn from(turn: Turn) -> Vec<MicroMove> {
        turn.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_turn_is_a_list_of_up_to_three_texts() {
        for json in [json!([]), json!(["e1g1"]), json!(["e7e8q", "e8e1", "a2a4"])] {
            let turn: Turn = serde_json::from_value(json.clone()).unwrap();
            assert_eq!(serde_json::to_value(&turn).unwrap(), json);
        }
        for json in [
            json!(["a2a3", "a3a4", "a4a5", "a5a6"]),
            json!(["a2"]),
            json!([5]),
            json!(5),
            json!("a2a3"),
        ] {
            assert!(serde_json::from_value::<Turn>(json).is_err());
        }
    }
}
