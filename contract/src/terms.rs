//! What is agreed before a game begins: time control, durability, where it came from.

use std::ops::RangeInclusive;

use rules::{Kind, Seat};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::ids::Millis;
use crate::player::BySeat;

#[cfg(test)]
mod tests;

/// How long a player may think.
///
/// What is decoded is within the bounds: a time of [`TimeControl::SECONDS`], an increment of
/// [`TimeControl::INCREMENT_S`].
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum TimeControl {
    /// No clock of the players' choice. What limits a turn then is a matter of the kind: in mancala the watcher, who
    /// times an absent player out.
    #[default]
    #[serde(deserialize_with = "no_members")]
    Unlimited,
    /// So much time for all of a player's turns.
    SuddenDeath {
        /// The time that each player begins with, in seconds.
        #[serde(deserialize_with = "time")]
        #[schemars(range(min = 10, max = 10_800))]
        initial_s: u32,
    },
    /// The same, and each turn that is played adds to it.
    Fischer {
        /// The time that each player begins with, in seconds.
        #[serde(deserialize_with = "time")]
        #[schemars(range(min = 10, max = 10_800))]
        initial_s: u32,
        /// What each turn adds, in seconds.
        #[serde(deserialize_with = "increment")]
        #[schemars(range(max = 180))]
        increment_s: u32,
    },
    /// So much time for each turn; what is left of it is lost.
    PerMove {
        /// The time of a turn, in seconds.
        #[serde(deserialize_with = "time")]
        #[schemars(range(min = 10, max = 10_800))]
        seconds: u32,
    },
}

impl TimeControl {
    /// The times that may be agreed on, in seconds: ten seconds to three hours.
    pub const SECONDS: RangeInclusive<u32> = 10..=10_800;
    /// The increments that may be agreed on, in seconds.
    pub const INCREMENT_S: RangeInclusive<u32> = 0..=180;

    /// What is played when nobody asks for anything else.
    pub fn usual(kind: Kind) -> Self {
        match kind.usual_clock_s() {
            None => Self::Unlimited,
            Some((initial_s, 0)) => Self::SuddenDeath { initial_s },
            Some((initial_s, increment_s)) => Self::Fischer {
                initial_s,
                increment_s,
            },
        }
    }
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    within(from, &TimeControl::SECONDS, "a time")
}

fn increment<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    within(from, &TimeControl::INCREMENT_S, "an increment")
}

fn within<'de, D: Deserializer<'de>>(
    from: D,
    bounds: &RangeInclusive<u32>,
    what: &str,
) -> Result<u32, D::Error> {
    let seconds = u32::deserialize(from)?;
    if bounds.contains(&seconds) {
        Ok(seconds)
    } else {
        let (least, most) = (bounds.start(), bounds.end());
        Err(D::Error::custom(format_args!(
            "{what} is {least} to {most} seconds, not {seconds}"
        )))
    }
}

/// The derived code refuses unknown members everywhere but beside the tag of a variant without any.
fn no_members<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(from).map(|Nothing {}| ())
}

/// The clocks of both seats. Games without clocks have none.
///
/// A player's time is what stands here, less what has passed since the clock runs, if theirs does. It is up when
/// nothing is left. A turn that took less is charged when its move is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Clocks {
    /// Milliseconds left for each seat: of the one whose clock runs, as of `since`.
    pub remaining_ms: BySeat<i64>,
    /// The clock that runs. None does once the game is over, or while nobody can be waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<Running>,
}

/// A clock that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Running {
    /// Whose it is.
    pub seat: Seat,
    /// Since when: of an event, the event's own time; of a view, the time of the answer.
    pub since: Millis,
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
