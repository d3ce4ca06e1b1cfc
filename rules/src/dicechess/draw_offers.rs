//! Offers of a draw: who may make one, when it is delivered, and what it holds up.
//!
//! A seat *arms* its offer at any time; it is delivered when that seat's next turn, or forced pass, is
//! complete, unless the game is over by then. The opponent must answer before the dice are thrown for their
//! turn: they see no roll that they could judge the offer by.
//!
//! The right to offer alternates: who offered last may not offer again before the opponent has. (A game may
//! also give it back after a number of own turns.)

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DrawRefusal, Seat};

/// How often a seat can arm and disarm its offer within one turn.
pub const MOST_TOGGLES: u8 = 10;

/// The offers of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "DiceChessDrawOffers")]
pub struct DrawOffers {
    /// Whether each seat offers a draw with its next complete turn.
    armed: [bool; 2],
    /// How often each seat has changed that during the current turn.
    toggles: [u8; 2],
    /// The last offer that was delivered.
    last: Option<Delivered>,
    /// What has become of it.
    answer: Answer,
    /// After how many own turns a seat may offer again without an offer of the opponent's; 0 for never.
    reoffer_after: u32,
}

/// An offer that was delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DiceChessDeliveredOffer")]
struct Delivered {
    by: Seat,
    /// How many turns that seat has completed since.
    turns: u32,
}

/// What has become of the last offer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DiceChessDrawAnswer")]
enum Answer {
    /// It is declined, or there was none.
    #[default]
    No,
    Pending,
    Yes,
}

impl DrawOffers {
    /// No offers yet, in a game that lets a seat offer again after so many own turns; 0 for never.
    pub fn new(reoffer_after: u32) -> DrawOffers {
        DrawOffers {
            reoffer_after,
            ..DrawOffers::default()
        }
    }

    /// Whose offer waits for an answer.
    pub fn pending(&self) -> Option<Seat> {
        self.last
            .filter(|_| self.answer == Answer::Pending)
            .map(|last| last.by)
    }

    /// Whether an offer was accepted, which ends the game.
    pub fn accepted(&self) -> bool {
        self.answer == Answer::Yes
    }

    /// Whether this seat offers a draw with its next complete turn.
    pub const fn is_armed(&self, seat: Seat) -> bool {
        self.armed[seat.index()]
    }

    /// Why this seat could not arm an offer now, toggles apart.
    pub fn right(&self, seat: Seat) -> Result<(), DrawRefusal> {
        if self.accepted() {
            return Err(DrawRefusal::GameOver);
        }
        match self.last.filter(|last| last.by == seat) {
            Some(_) if self.pending().is_some() => Err(DrawRefusal::AlreadyDelivered),
            None if self.pending().is_some() => Err(DrawRefusal::RespondFirst),
            Some(_) if self.reoffer_after == 0 => Err(DrawRefusal::OpponentMustOfferNext),
            Some(last) if last.turns < self.reoffer_after => Err(DrawRefusal::Cooldown),
            _ => Ok(()),
        }
    }

    /// Arms or disarms a seat's offer, and says whether that was a change: what is no change is free.
    pub fn arm(&mut self, seat: Seat, armed: bool) -> Result<bool, DrawRefusal> {
        let right = self.right(seat);
        if self.accepted() || self.pending().is_some() {
            right?;
        }
        if self.is_armed(seat) == armed {
            return Ok(false);
        }
        if armed {
            right?;
        }
        let toggles = &mut self.toggles[seat.index()];
        if *toggles >= MOST_TOGGLES {
            return Err(DrawRefusal::TooManyToggles);
        }
        *toggles += 1;
        self.armed[seat.index()] = armed;
        Ok(true)
    }

    /// Answers the offer that was made to this seat.
    pub fn answer(&mut self, seat: Seat, accept: bool) -> Result<(), DrawRefusal> {
        if self.accepted() {
            return Err(DrawRefusal::GameOver);
        }
        let by = self.pending().ok_or(DrawRefusal::NothingPending)?;
        if by == seat {
            return Err(DrawRefusal::NotYourTurn);
        }
        self.answer = if accept { Answer::Yes } else { Answer::No };
        Ok(())
    }

    /// A seat has completed a turn or passed, and the game goes on: its armed offer is delivered.
    pub(super) fn turn_completed(&mut self, seat: Seat) {
        self.toggles = [0, 0];
        if let Some(last) = self.last.as_mut().filter(|last| last.by == seat) {
            last.turns = last.turns.saturating_add(1);
        }
        if std::mem::take(&mut self.armed[seat.index()]) {
            self.last = Some(Delivered { by: seat, turns: 0 });
            self.answer = Answer::Pending;
        }
    }

    /// The game is over by its rules: nothing will be delivered any more.
    pub(super) fn close(&mut self) {
        self.armed = [false, false];
        self.toggles = [0, 0];
    }

    /// Whether offers of these fields can be: what is answered was delivered.
    pub(super) fn are_sound(&self) -> bool {
        let answered = self.answer == Answer::No || self.last.is_some();
        let delivered_is_disarmed = self.pending().is_none_or(|by| !self.is_armed(by));
        answered && delivered_is_disarmed && self.toggles.iter().all(|&toggles| toggles <= MOST_TOGGLES)
    }
}

#[cfg(test)]
mod tests;
