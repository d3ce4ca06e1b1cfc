//! Who counts and times what the write side does, for operators.

use std::time::Duration;

use contract::Kind;

use crate::games::CommandError;

/// What a command was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answered {
    /// It was accepted, and the log has it (or need not: nobody plays yet).
    Accepted,
    /// It was accepted, and the log did not have it in time: `durable: false`.
    Undurable,
    /// The rules or the game's state refuse it.
    Rejected,
    /// Another process holds the game.
    Elsewhere,
    /// Not now, and it is not done.
    Unavailable,
    /// Not now, and it may be done all the same.
    Unknown,
    /// It failed inside.
    Failed,
}

impl Answered {
    /// Every answer.
    pub const ALL: [Self; 7] = [
        Self::Accepted,
        Self::Undurable,
        Self::Rejected,
        Self::Elsewhere,
        Self::Unavailable,
        Self::Unknown,
        Self::Failed,
    ];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Undurable => "undurable",
            Self::Rejected => "rejected",
            Self::Elsewhere => "elsewhere",
            Self::Unavailable => "unavailable",
            Self::Unknown => "unknown",
            Self::Failed => "failed",
        }
    }
}

impl From<&CommandError> for Answered {
    fn from(error: &CommandError) -> Self {
        match error {
            CommandError::Rejected { .. } => Self::Rejected,
            CommandError::Elsewhere => Self::Elsewhere,
            CommandError::Unavailable {
                outcome_unknown: true,
                ..
            } => Self::Unknown,
            CommandError::Unavailable { .. } => Self::Unavailable,
        }
    }
}

/// What the log said to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Published {
    /// It has it.
    Acknowledged,
    /// It does not take it as things are: something else is there, or there is no room.
    Refused,
    /// Nothing, or nothing that is an answer.
    Unanswered,
    /// It will never take it.
    Impossible,
}

impl Published {
    /// Every answer.
    pub const ALL: [Self; 4] = [
        Self::Acknowledged,
        Self::Refused,
        Self::Unanswered,
        Self::Impossible,
    ];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acknowledged => "acknowledged",
            Self::Refused => "refused",
            Self::Unanswered => "unanswered",
            Self::Impossible => "impossible",
        }
    }
}

/// The commands that players give.
pub const COMMANDS: [&str; 7] = [
    "move",
    "leave",
    "offer-draw",
    "answer-draw",
    "seed",
    "join",
    "seek",
];

/// Is told what was done and how long it took, on the way of every move: it must be quick, must not wait and must not call
/// back. What is rare is in [`Counters`](crate::live::Counters) instead, to be read when somebody asks.
pub trait Meter: Send + Sync + 'static {
    /// A command has its answer, `took` after it was taken up. `command` is one of [`COMMANDS`]; `kind` is the game's, as
    /// far as the game is known here.
    fn answered(&self, command: &'static str, kind: Option<Kind>, answer: Answered, took: Duration);

    /// The log was given an event, and said this `took` later.
    fn published(&self, answer: Published, took: Duration);
}

/// Nobody wants to know.
impl Meter for () {
    fn answered(&self, _: &'static str, _: Option<Kind>, _: Answered, _: Duration) {}

    fn published(&self, _: Published, _: Duration) {}
}
