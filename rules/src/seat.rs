//! The two sides of a game and how it can end: the words that every game shares.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of the two sides of a game. `player1` moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Seat {
    Player1,
    Player2,
}

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// `player1` has won.
    Player1,
    /// `player2` has won.
    Player2,
    /// Nobody has won.
    Draw,
}

/// The text names no seat.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no seat: expected player1 or player2")]
pub struct UnknownSeat(pub String);

/// The text names no outcome.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no outcome: expected player1, player2 or draw")]
pub struct UnknownOutcome(pub String);

impl Seat {
    /// Both seats, in the order of [`index`](Seat::index).
    pub const BOTH: [Seat; 2] = [Seat::Player1, Seat::Player2];

    /// The opponent's seat.
    #[must_use]
    pub const fn other(self) -> Seat {
        match self {
            Seat::Player1 => Seat::Player2,
            Seat::Player2 => Seat::Player1,
        }
    }

    /// 0 for `player1`, 1 for `player2`: the place in a pair of per-seat values.
    pub const fn index(self) -> usize {
        match self {
            Seat::Player1 => 0,
            Seat::Player2 => 1,
        }
    }

    /// The name used in JSON, in SQL and in text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Seat::Player1 => "player1",
            Seat::Player2 => "player2",
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Seat {
    type Err = UnknownSeat;

    fn from_str(text: &str) -> Result<Seat, UnknownSeat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| seat.as_str() == text)
            .ok_or_else(|| UnknownSeat(text.to_owned()))
    }
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 3] = [Outcome::Player1, Outcome::Player2, Outcome::Draw];

    /// The outcome in which `seat` has won.
    pub const fn win(seat: Seat) -> Outcome {
        match seat {
            Seat::Player1 => Outcome::Player1,
            Seat::Player2 => Outcome::Player2,
        }
    }

    /// Who has won; `None` for a draw.
    pub const fn winner(self) -> Option<Seat> {
        match self {
            Outcome::Player1 => Some(Seat::Player1),
            Outcome::Player2 => Some(Seat::Player2),
            Outcome::Draw => None,
        }
    }

    /// The name used in JSON, in SQL and in text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Player1 => "player1",
            Outcome::Player2 => "player2",
            Outcome::Draw => "draw",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Outcome {
    type Err = UnknownOutcome;

    fn from_str(text: &str) -> Result<Outcome, UnknownOutcome> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == text)
            .ok_or_else(|| UnknownOutcome(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_has_one_name_in_text_and_in_json() {
        for seat in Seat::BOTH {
            assert_eq!(seat.to_string().parse(), Ok(seat));
            assert_eq!(serde_json::to_value(seat).unwrap(), seat.as_str());
            assert_eq!(
                serde_json::from_value::<Seat>(seat.as_str().into()).unwrap(),
                seat
            );
        }
        assert_eq!("white".parse::<Seat>(), Err(UnknownSeat("white".into())));
    }

    #[test]
    fn an_outcome_has_one_name_in_text_and_in_json() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.to_string().parse(), Ok(outcome));
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.as_str());
            assert_eq!(
                serde_json::from_value::<Outcome>(outcome.as_str().into()).unwrap(),
                outcome
            );
        }
        assert_eq!("Draw".parse::<Outcome>(), Err(UnknownOutcome("Draw".into())));
    }

    #[test]
    fn seats_are_each_others_opponent_and_index_a_pair() {
        for (index, seat) in Seat::BOTH.into_iter().enumerate() {
            assert_eq!(seat.index(), index);
            assert_ne!(seat.other(), seat);
            assert_eq!(seat.other().other(), seat);
        }
    }

    #[test]
    fn a_win_is_won_by_its_seat_and_a_draw_by_nobody() {
        for seat in Seat::BOTH {
            assert_eq!(Outcome::win(seat).winner(), Some(seat));
        }
        assert_eq!(Outcome::Draw.winner(), None);
    }
}
