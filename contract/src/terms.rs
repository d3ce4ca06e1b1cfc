//! What is agreed before a game begins: time control, durability, where it came from.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::player::BySeat;

/// How long a player may think.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub enum TimeControl {
    /// No clock; an absent player is timed out by the watcher.
    #[default]
    #[serde(deserialize_with = "no_members")]
    Unlimited,
}

/// The derived code refuses unknown members everywhere but beside the tag of a variant without any.
fn no_members<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(from).map(|Nothing {}| ())
}

/// The clocks of both seats. Kinds and time controls without a clock have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Clocks {
    /// Milliseconds left for each seat when the turn began.
    pub remaining_ms: BySeat<i64>,
}

/// When a move may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// At once; the log follows, and the answer says whether it has.
    #[default]
    BestEffort,
    /// Only after the log's acknowledgement.
    Required,
}

/// How two players came together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Paired from the queue.
    Queue,
    /// By an invitation link.
    Invitation,
}
