//! What a game waits for, and how it ends by its rules.
//!
//! Whoever runs a game asks for its [`Next`] after each event: only with [`Choose`](Next::Choose) and
//! [`Answer`](Next::Answer) it is a player's turn to do something.

use crate::{Outcome, Seat};

/// What a game waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Next<M> {
    /// This seat has a move to choose.
    Choose(Seat),
    /// This seat has no choice but this move: it is made at once, at no cost of time.
    Forced(Seat, M),
    /// Chance has to decide, before this seat goes on.
    Chance(Seat),
    /// This seat has to answer an offer of a draw.
    Answer(Seat),
    /// Nothing: the game is over.
    Over(Ending),
}

/// How a game has ended by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ending {
    /// Who has won, if anybody.
    pub outcome: Outcome,
    /// Which of the rules has ended it.
    pub reason: RuleEnd,
}

/// The rules that end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleEnd {
    /// It was played to its end.
    Completed,
    /// A king was captured.
    KingCaptured,
    /// The players have agreed on a draw.
    DrawAgreed,
    /// A rule makes it a draw: it was too long, or too quiet.
    DrawRule,
}

/// What it is called when a player leaves a game, which loses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaving {
    /// They have left.
    Left,
    /// They have resigned.
    Resigned,
}

impl<M> Next<M> {
    /// Whose turn it is, and whose clock may run; `None` once the game is over.
    pub fn seat(&self) -> Option<Seat> {
        match self {
            Next::Choose(seat) | Next::Forced(seat, _) | Next::Chance(seat) | Next::Answer(seat) => {
                Some(*seat)
            }
            Next::Over(_) => None,
        }
    }

    /// Whether it is a player who has to do something.
    pub fn is_a_players(&self) -> bool {
        matches!(self, Next::Choose(_) | Next::Answer(_))
    }

    /// The same with another type of moves.
    pub fn map<N>(self, convert: impl FnOnce(M) -> N) -> Next<N> {
        match self {
            Next::Choose(seat) => Next::Choose(seat),
            Next::Forced(seat, mv) => Next::Forced(seat, convert(mv)),
            Next::Chance(seat) => Next::Chance(seat),
            Next::Answer(seat) => Next::Answer(seat),
            Next::Over(ending) => Next::Over(ending),
        }
    }
}
