//! Who plays and who watches, as everybody may see it.

use rules::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::UserId;

/// A player as others see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerSummary {
    /// The public id.
    pub user_id: UserId,
    /// A chosen name or `preferred_username`, at most 32 characters, never an e-mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the player is a guest.
    pub is_guest: bool,
}

/// One value for each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BySeat{T}")]
pub struct BySeat<T> {
    /// Of the player who begins.
    pub player1: T,
    /// Of the other.
    pub player2: T,
}

impl<T> BySeat<T> {
    /// The value of `seat`.
    pub fn of(&self, seat: Seat) -> &T {
        match seat {
            Seat::Player1 => &self.player1,
            Seat::Player2 => &self.player2,
        }
    }

    /// The value of `seat`, to be changed.
    pub fn of_mut(&mut self, seat: Seat) -> &mut T {
        match seat {
            Seat::Player1 => &mut self.player1,
            Seat::Player2 => &mut self.player2,
        }
    }
}

/// The two players.
pub type Players = BySeat<PlayerSummary>;

impl Players {
    /// The seat of `user`, if they play here.
    pub fn seat_of(&self, user: &UserId) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.of(*seat).user_id == *user)
    }
}

/// How many have watched a game, as of some event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Spectators {
    /// The most at one time.
    pub peak: u32,
    /// How many different ones; a restart of the service may count someone again.
    pub total: u32,
}

impl Spectators {
    /// The larger of both figures: what is known never shrinks.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            peak: self.peak.max(other.peak),
            total: self.total.max(other.total),
        }
    }
}
