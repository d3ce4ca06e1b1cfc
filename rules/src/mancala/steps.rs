//! What a move did, stone by stone, for a client to show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that happened in a move, and where: `{"index": 3, "type": "GAME_STEP_GAME_MOVE"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MancalaStep")]
pub struct Step {
    /// A place on the board, 0–13: of a stone sown, where it fell; of what the last stone did, where that one
    /// fell; of a cleared board, the store that took the stones.
    #[schemars(range(max = 13))]
    pub index: u8,
    /// What happened there.
    #[serde(flatten)]
    pub effect: Effect,
}

/// What happened in a step, in JSON `type` and, where there is more to say, `data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all_fields = "camelCase")]
#[schemars(rename = "MancalaEffect")]
pub enum Effect {
    /// One stone was sown here.
    #[serde(rename = "GAME_STEP_GAME_MOVE")]
    Sown,
    /// The last stone fell into the mover's store: the mover has another turn, if the game goes on.
    #[serde(rename = "GAME_STEP_LAST_STONE_IN_BANK")]
    LastStoneInBank,
    /// The last stone fell into an empty pit of the mover's, with stones opposite: all of them went to the
    /// mover's store.
    #[serde(rename = "GAME_STEP_LAST_STONE_IN_EMPTY_PIT")]
    LastStoneInEmptyPit {
        /// The opponent's pit that was emptied.
        #[schemars(range(max = 12))]
        opposite_index: u8,
        /// How many stones went to the store: the opposite pit's and the last one.
        #[schemars(range(min = 2, max = 48))]
        captured: u8,
    },
    /// The last stone made the count of an opponent's pit even: its stones went to the mover's store.
    #[serde(rename = "GAME_STEP_DOUBLE_STONE_IN_PIT")]
    DoubleStoneInPit {
        /// How many stones went to the store, the last one among them.
        #[schemars(range(min = 2, max = 48))]
        captured: u8,
    },
    /// A row was empty: the stones of the other row went to the store of the player whose row was empty, and
    /// the game ended.
    #[serde(rename = "GAME_STEP_BOARD_CLEARED")]
    BoardCleared {
        /// How many stones went to the store; 0 if both rows were empty.
        #[schemars(range(max = 48))]
        collected: u8,
    },
}

impl Effect {
    /// Whether the mover took stones from the opponent's row by where the last stone fell. What is collected
    /// at the end of a game is no capture.
    pub const fn is_capture(self) -> bool {
        matches!(
            self,
            Effect::LastStoneInEmptyPit { .. } | Effect::DoubleStoneInPit { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_is_an_index_a_type_and_the_data_of_that_type() {
        for (index, effect, json) in [
            (
                0,
                Effect::Sown,
                json!({"index": 0, "type": "GAME_STEP_GAME_MOVE"}),
            ),
            (
                6,
                Effect::LastStoneInBank,
                json!({"index": 6, "type": "GAME_STEP_LAST_STONE_IN_BANK"}),
            ),
            (
                1,
                Effect::LastStoneInEmptyPit {
                    opposite_index: 11,
                    captured: 3,
                },
                json!({
                    "index": 1,
                    "type": "GAME_STEP_LAST_STONE_IN_EMPTY_PIT",
                    "data": {"oppositeIndex": 11, "captured": 3},
                }),
            ),
            (
                9,
                Effect::DoubleStoneInPit { captured: 4 },
                json!({"index": 9, "type": "GAME_STEP_DOUBLE_STONE_IN_PIT", "data": {"captured": 4}}),
            ),
            (
                13,
                Effect::BoardCleared { collected: 0 },
                json!({"index": 13, "type": "GAME_STEP_BOARD_CLEARED", "data": {"collected": 0}}),
            ),
        ] {
            let step = Step { index, effect };
            assert_eq!(serde_json::to_value(step).unwrap(), json);
            assert_eq!(serde_json::from_value::<Step>(json).unwrap(), step);
        }
    }

    #[test]
    fn a_step_of_an_unknown_type_or_without_its_data_is_refused() {
        for json in [
            json!({"index": 0, "type": "GAME_STEP_TELEPORT"}),
            json!({"index": 0}),
            json!({"index": 9, "type": "GAME_STEP_DOUBLE_STONE_IN_PIT"}),
            json!({"type": "GAME_STEP_GAME_MOVE"}),
        ] {
            assert!(serde_json::from_value::<Step>(json.clone()).is_err(), "{json}");
        }
    }
}
