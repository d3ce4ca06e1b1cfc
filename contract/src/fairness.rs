//! What makes a game's chance checkable: public as long as it is live, and what is revealed at its end.
//!
//! The server's seed, from which every throw follows, is only ever in a [`Reveal`], and that is only in what is written
//! at or after the end of a game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player::{BySeat, Players};
use rules::Seat;
use rules::fair::ClientSeeds;

/// The public part, of a live game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Fairness {
    /// The SHA-256 of the server's seed, in lower-case hexadecimal: the server cannot change its seed any more.
    pub commit: String,
    /// What each player has added; their public id stands in for what is missing at the first throw.
    pub client_seeds: BySeat<Option<String>>,
}

/// Everything that is needed to compute every throw of a game that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reveal {
    /// What was published at the start.
    pub commit: String,
    /// The server's seed, 64 hexadecimal digits: its SHA-256 is the commit.
    pub seed: String,
    /// What each player added, or else their public id.
    pub client_seeds: BySeat<String>,
}

impl Fairness {
    /// Nobody has added anything yet.
    pub fn new(commit: String) -> Self {
        Self {
            commit,
            client_seeds: BySeat::default(),
        }
    }

    /// Whether both players have added something.
    pub fn is_complete(&self) -> bool {
        Seat::BOTH
            .iter()
            .all(|seat| self.client_seeds.of(*seat).is_some())
    }

    /// What counts as the players' seeds in a game of `players`.
    pub fn clients<'a>(&'a self, players: &'a Players) -> ClientSeeds<'a> {
        let of = |seat: Seat| {
            let given = self.client_seeds.of(seat).as_deref();
            given.unwrap_or(players.of(seat).user_id.as_str())
        };
        ClientSeeds {
            player1: of(Seat::Player1),
            player2: of(Seat::Player2),
        }
    }

    /// The same with the server's seed, for a game of `players` that ends now.
    pub fn reveal(&self, seed: String, players: &Players) -> Reveal {
        let clients = self.clients(players);
        Reveal {
            commit: self.commit.clone(),
            seed,
            client_seeds: BySeat {
                player1: clients.player1.to_owned(),
                player2: clients.player2.to_owned(),
            },
        }
    }
}

impl Reveal {
    /// The players' seeds.
    pub fn clients(&self) -> ClientSeeds<'_> {
        ClientSeeds {
            player1: &self.client_seeds.player1,
            player2: &self.client_seeds.player2,
        }
    }
}
