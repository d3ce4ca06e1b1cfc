//! What identifies a command: the client's own id and its hash.

use std::str::FromStr;

use rules::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ids::{ParseIdError, as_text, parse_hex16};
use crate::spelling::Spelling;

/// A client's own id for a command, 1–64 characters. The same id twice is the same command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClientId(String);

impl ClientId {
    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn spell(&self) -> &str {
        self.as_str()
    }
}

impl FromStr for ClientId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (1..=64).contains(&text.chars().count()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseIdError {
                expected: "command id of 1 to 64 characters",
            })
        }
    }
}

/// The first 64 bits of the SHA-256 of seat and client id: enough to recognise a resent command, and safe to publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommandHash(pub u64);

impl CommandHash {
    /// The hash of `seat`'s command `id`.
    pub fn of(seat: Seat, id: &ClientId) -> Self {
        let mut hasher = Sha256::new();
        hasher.update([seat.index() as u8]);
        hasher.update(id.as_str());
        let digest = hasher.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        Self(u64::from_be_bytes(first))
    }

    fn spell(self) -> Spelling {
        let mut spelling = Spelling::new();
        spelling.hex16(self.0);
        spelling
    }
}

impl FromStr for CommandHash {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_hex16(text).map(Self).ok_or(ParseIdError {
            expected: "command hash",
        })
    }
}

as_text! {
    ClientId: "^[\\s\\S]{1,64}$",
    CommandHash: "^[0-9a-f]{16}$",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_1_to_64_characters() {
        assert!("".parse::<ClientId>().is_err());
        assert!("ş".repeat(64).parse::<ClientId>().is_ok());
        assert!("a".repeat(65).parse::<ClientId>().is_err());
    }

    #[test]
    fn the_same_id_from_another_seat_is_another_command() {
        let id: ClientId = "m1".parse().expect("two characters");
        assert_ne!(
            CommandHash::of(Seat::Player1, &id),
            CommandHash::of(Seat::Player2, &id)
        );
    }
}
