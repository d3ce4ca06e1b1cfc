//! A game between two events: the position, the roll that is to be played, the offers of a draw.

use cozy_chess::{Color, Piece};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{BadDfen, DrawOffers, LegalTurns, Pool, Position, Roll, START, Turn};
use crate::{DrawRefusal, IllegalMove, Seat};

/// Once so many micro-moves in a row were neither by a pawn nor a capture, the game is a draw at the end of
/// the turn.
pub const DRAW_HALF_MOVES: u8 = 100;
/// The game is a draw after so many turns, passes among them.
pub const DRAW_TURNS: u64 = 5_000;

/// All that decides the rest of a game, but for the dice to come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
#[schemars(rename = "DiceChessState", with = "Unchecked")]
pub struct State {
    /// Its dice are those of the roll.
    position: Position,
    /// The roll of the turn that is to be played, while there is one.
    roll: Option<Roll>,
    offers: DrawOffers,
}

/// A state as it is stored, before anybody has looked whether it is one.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DiceChessState")]
struct Unchecked {
    /// The position, without dice.
    dfen: String,
    /// The dice of the turn to be played, in the order in which they were thrown; none before the throw and
    /// after the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    roll: Option<Roll>,
    #[serde(default, skip_serializing_if = "is_default")]
    draw_offers: DrawOffers,
}

/// Why a stored state is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CorruptState {
    #[error("the position is no DFEN: {0}")]
    Dfen(#[from] BadDfen),
    /// The position's dice are those of the roll and not stored twice.
    #[error("the DFEN has dice of its own")]
    Dice,
    /// The side to move has no king.
    #[error("the side to move has no king")]
    NoKing,
    /// There is a roll although the game is over.
    #[error("the game is over and has a roll")]
    RollAfterEnd,
    /// There is a roll although an offer of a draw is to be answered, or the offers contradict themselves.
    #[error("the offers of a draw do not fit the state")]
    Offers,
}

/// What a game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// This seat has to answer an offer of a draw; the roll is withheld until then.
    Answer(Seat),
    /// The dice have to be thrown for this seat.
    Roll(Seat),
    /// This seat has a turn to choose.
    Turn(Seat),
    /// This seat has no turn to choose: it passes, at no cost of time.
    Pass(Seat),
    /// Nothing: the game is over by its rules.
    Over(Ending),
}

/// How a game has ended by its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// This seat has captured the king.
    KingCaptured(Seat),
    /// The players have agreed.
    DrawAgreed,
    /// There were too many quiet micro-moves, or too many turns.
    DrawRule,
}

/// Dice were thrown when the game did not wait for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it is not the time to throw dice")]
pub struct NoRollDue;

impl State {
    /// The position that every game starts from, before the first roll.
    pub fn initial() -> State {
        let start = START.parse().expect("the start is a DFEN");
        State::new(start, None, DrawOffers::default()).expect("a game can start from there")
    }

    /// The state of this position, whose own dice do not count, with this roll to be played.
    pub fn new(position: Position, roll: Option<Roll>, offers: DrawOffers) -> Result<State, CorruptState> {
        let pool = roll.map_or(Pool::default(), Roll::pool);
        let state = State {
            position: position.with_pool(pool),
            roll,
            offers,
        };
        let king = state.position.pieces(state.position.side(), Piece::King);
        if king.is_empty() {
            return Err(CorruptState::NoKing);
        }
        if roll.is_some() && state.ending().is_some() {
            return Err(CorruptState::RollAfterEnd);
        }
        let pending = state.offers.pending();
        let gate_fits = pending.is_none_or(|by| roll.is_none() && by != state.position.seat());
        if !gate_fits || !state.offers.are_sound() {
            return Err(CorruptState::Offers);
        }
        Ok(state)
    }

    /// The position, with the dice that are to be played.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The dice of the turn that is to be played, in the order in which they were thrown.
    pub const fn roll(&self) -> Option<Roll> {
        self.roll
    }

    /// The offers of a draw.
    pub const fn draw_offers(&self) -> &DrawOffers {
        &self.offers
    }

    /// How many turns, passes among them, are over: from 0, the number of the roll for the current one. A
    /// withheld roll uses up no number, and a captured king ends the game within its turn.
    pub const fn turns_over(&self) -> u64 {
        let black = matches!(self.position.side(), Color::Black);
        (self.position.full_move() as u64 - 1) * 2 + black as u64
    }

    /// What the game waits for.
    pub fn next(&self) -> Next {
        let seat = self.position.seat();
        if let Some(ending) = self.ending() {
            Next::Over(ending)
        } else if self.offers.pending().is_some() {
            Next::Answer(seat)
        } else if self.roll.is_none() {
            Next::Roll(seat)
        } else if self.position.can_move() {
            Next::Turn(seat)
        } else {
            Next::Pass(seat)
        }
    }

    /// Whose turn it is, and whose clock runs; `None` once the game is over.
    pub fn to_move(&self) -> Option<Seat> {
        self.ending().is_none().then(|| self.position.seat())
    }

    /// How the game has ended, once it has.
    pub fn ending(&self) -> Option<Ending> {
        let side = self.position.side();
        if self.position.pieces(!side, Piece::King).is_empty() {
            return Some(Ending::KingCaptured(self.position.seat()));
        }
        if self.offers.accepted() {
            return Some(Ending::DrawAgreed);
        }
        let drawn = self.position.half_moves() >= DRAW_HALF_MOVES || self.turns_over() >= DRAW_TURNS;
        (drawn && self.roll.is_none()).then_some(Ending::DrawRule)
    }

    /// The state once these dice were thrown.
    pub fn rolled(&self, roll: Roll) -> Result<State, NoRollDue> {
        match self.next() {
            Next::Roll(_) => Ok(State {
                position: self.position.with_pool(roll.pool()),
                roll: Some(roll),
                offers: self.offers.clone(),
            }),
            _ => Err(NoRollDue),
        }
    }

    /// The legal turns: empty before the roll, after the end, and if the side to move must pass.
    pub fn legal_turns(&self) -> LegalTurns {
        LegalTurns::of(&self.position)
    }

    /// The state after a turn of `seat`'s, `[]` for a forced pass, and the dice that it was played with.
    pub fn play(&self, seat: Seat, turn: &Turn) -> Result<(State, Roll), IllegalMove> {
        let to_move = self.to_move().ok_or(IllegalMove::GameOver)?;
        if seat != to_move {
            return Err(IllegalMove::NotYourTurn);
        }
        if self.offers.pending().is_some() {
            return Err(IllegalMove::DrawOfferPending);
        }
        let roll = self.roll.ok_or(IllegalMove::NotRolled)?;
        if !self.position.is_legal(turn.moves()) {
            return Err(IllegalMove::NoLegalTurn);
        }
        let position = turn
            .moves()
            .iter()
            .try_fold(self.position, |position, &mv| position.after(mv))
            .ok_or(IllegalMove::NoLegalTurn)?;
        Ok((self.turn_played(seat, position), roll))
    }

    /// The state after a turn that led to this position, of which the end is not applied yet.
    fn turn_played(&self, seat: Seat, position: Position) -> State {
        let mut state = State {
            position,
            roll: None,
            offers: self.offers.clone(),
        };
        // A captured king leaves the position as it is, with its captor to move.
        if !matches!(state.ending(), Some(Ending::KingCaptured(_))) {
            state.position = position.end_turn();
        }
        if state.ending().is_none() {
            state.offers.turn_completed(seat);
        } else {
            state.offers.close();
        }
        state
    }

    /// The state once `seat` has armed or disarmed its offer of a draw; equal to this one if it was so
    /// before.
    pub fn arm_draw_offer(&self, seat: Seat, armed: bool) -> Result<State, DrawRefusal> {
        self.with_offers(|offers| offers.arm(seat, armed).map(drop))
    }

    /// The state once `seat` has accepted or declined the offer of a draw that was made to it.
    pub fn answer_draw_offer(&self, seat: Seat, accept: bool) -> Result<State, DrawRefusal> {
        self.with_offers(|offers| offers.answer(seat, accept))
    }

    fn with_offers(
        &self,
        change: impl FnOnce(&mut DrawOffers) -> Result<(), DrawRefusal>,
    ) -> Result<State, DrawRefusal> {
        if self.ending().is_some() {
            return Err(DrawRefusal::GameOver);
        }
        let mut state = self.clone();
        change(&mut state.offers)?;
        Ok(state)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl TryFrom<Unchecked> for State {
    type Error = CorruptState;

    fn try_from(unchecked: Unchecked) -> Result<State, CorruptState> {
        let position: Position = unchecked.dfen.parse()?;
        if !position.pool().is_empty() {
            return Err(CorruptState::Dice);
        }
        State::new(position, unchecked.roll, unchecked.draw_offers)
    }
}

impl From<State> for Unchecked {
    fn from(state: State) -> Unchecked {
        Unchecked {
            dfen: state.position.with_pool(Pool::default()).to_string(),
            roll: state.roll,
            draw_offers: state.offers,
        }
    }
}

#[cfg(test)]
mod tests;
