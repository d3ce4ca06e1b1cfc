//! Chance that nobody can choose and anybody can check.
//!
//! The server commits to a seed by publishing its SHA-256 before the game, each player adds a seed of their
//! own, and every throw of the game follows from the three and the throw's number. At the end the server's
//! seed is published, and [`verify`] recomputes the throws. (HMAC: RFC 2104; SHA-256: FIPS 180-4.)
//!
//! What belongs here: seeds, and the random bytes that they make. What does not: what a game makes of the
//! bytes.

use std::fmt::{self, Display};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// The server's secret of one game. Whoever has it knows every throw, so it shows itself only by
/// [`reveal`](ServerSeed::reveal).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ServerSeed([u8; 32]);

/// What the two players add, as texts: what they sent, or else what stands in for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientSeeds<'a> {
    pub player1: &'a str,
    pub player2: &'a str,
}

/// Why a game's throws are not those that were committed to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error)]
pub enum NotFair {
    /// The seed is not 64 hexadecimal digits.
    #[error("the server's seed is not 64 hexadecimal digits")]
    NoSeed,
    /// The commitment was to another seed.
    #[error("the commitment is not that to the server's seed")]
    OtherSeed,
    /// A throw does not follow from the seeds.
    #[error("throw {index} is {actual}, but the seeds make it {expected}")]
    OtherThrow {
        /// Which throw of the game, from 0.
        index: u64,
        /// What the seeds make it.
        expected: String,
        /// What was thrown.
        actual: String,
    },
}

/// Whether a player may use this text as their seed: 16 to 256 characters, none of them a control character. (Not every
/// store can keep those, and a game must not be lost by what a player typed.)
pub fn is_client_seed(text: &str) -> bool {
    (16..=256).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

impl ServerSeed {
    /// The seed of these bytes.
    pub const fn new(bytes: [u8; 32]) -> ServerSeed {
        ServerSeed(bytes)
    }

    /// The seed as it was revealed; `None` for what is not 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<ServerSeed> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(ServerSeed(bytes))
    }

    /// What is published before the game: the SHA-256 of the seed's bytes, in lower-case hexadecimal.
    pub fn commit(&self) -> String {
        hex::encode(Sha256::digest(self.0))
    }

    /// The secret itself, in lower-case hexadecimal: only for a game that has ended.
    pub fn reveal(&self) -> String {
        hex::encode(self.0)
    }

    /// The random bytes, without end, for throw number `index` of the game, from 0.
    pub fn bytes(&self, clients: ClientSeeds<'_>, index: u64) -> impl Iterator<Item = u8> {
        let message = message(clients, index);
        (0..).flat_map(move |block| self.block(&message, block))
    }

    fn block(&self, message: &[u8], block: i32) -> [u8; 32] {
        let mut hmac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        hmac.update(message);
        hmac.update(&block.to_be_bytes());
        hmac.finalize().into_bytes().into()
    }
}

impl fmt::Debug for ServerSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerSeed(…)")
    }
}

/// Checks a finished game: the commitment is to the seed, and each throw, by its number, is what `throw` makes
/// of that seed.
pub fn verify<T: PartialEq + Display>(
    commit: &str,
    seed: &str,
    throws: impl IntoIterator<Item = (u64, T)>,
    throw: impl Fn(&ServerSeed, u64) -> T,
) -> Result<(), NotFair> {
    let seed = ServerSeed::from_hex(seed).ok_or(NotFair::NoSeed)?;
    if seed.commit() != commit {
        return Err(NotFair::OtherSeed);
    }
    for (index, actual) in throws {
        let expected = throw(&seed, index);
        if expected != actual {
            return Err(NotFair::OtherThrow {
                index,
                expected: expected.to_string(),
                actual: actual.to_string(),
            });
        }
    }
    Ok(())
}

/// What is signed for a throw, but for the number of the block: both client seeds, each after its length in
/// bytes, so that no two pairs of seeds make the same message, then the number of the throw.
fn message(clients: ClientSeeds<'_>, index: u64) -> Vec<u8> {
    let mut message = Vec::with_capacity(clients.player1.len() + clients.player2.len() + 16);
    for seed in [clients.player1, clients.player2] {
        message.extend((seed.len() as u32).to_be_bytes());
        message.extend(seed.as_bytes());
    }
    message.extend((index as i64).to_be_bytes());
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENTS: ClientSeeds<'static> = ClientSeeds {
        player1: "alice",
        player2: "bob",
    };

    fn seed() -> ServerSeed {
        ServerSeed::new(std::array::from_fn(|index| index as u8))
    }

    #[test]
    fn a_message_has_both_seeds_with_their_lengths_in_bytes_and_the_number_of_the_roll() {
        let clients = ClientSeeds {
            player1: "é",
            player2: "",
        };
        let expected = b"\0\0\0\x02\xc3\xa9\0\0\0\0\0\0\0\0\0\0\x01\x02";
        assert_eq!(message(clients, 258), expected);
    }

    #[test]
    fn no_two_pairs_of_client_seeds_share_their_bytes() {
        let bytes = |player1, player2| {
            let clients = ClientSeeds { player1, player2 };
            seed().bytes(clients, 3).take(80).collect::<Vec<_>>()
        };
        assert_eq!(bytes("a|b", "c"), bytes("a|b", "c"));
        assert_ne!(bytes("a|b", "c"), bytes("a", "b|c"));
        assert_ne!(bytes("ab", ""), bytes("", "ab"));
    }

    #[test]
    fn a_client_seed_has_16_to_256_characters_and_no_control_character() {
        for (length, allowed) in [(0, false), (15, false), (16, true), (256, true), (257, false)] {
            assert_eq!(is_client_seed(&"é".repeat(length)), allowed);
        }
        for control in ['\0', '\n', '\u{7f}', '\u{85}'] {
            assert!(
                !is_client_seed(&format!("sixteen characters{control}")),
                "{control:?}"
            );
        }
    }

    /// A game of one byte a throw.
    fn throw(seed: &ServerSeed, index: u64) -> u8 {
        seed.bytes(CLIENTS, index).next().expect("the bytes do not end")
    }

    #[test]
    fn a_game_is_verified_by_its_commitment_and_every_throw() {
        let (commit, reveal) = (seed().commit(), seed().reveal());
        let throws: Vec<_> = (0..50).map(|index| (index, throw(&seed(), index))).collect();
        let verified = |seed: &str, throws: &[(u64, u8)]| verify(&commit, seed, throws.to_vec(), throw);
        assert_eq!(verified(&reveal, &throws), Ok(()));
        assert_eq!(verified(&reveal.to_uppercase(), &throws), Ok(()));
        for seed in ["", "0f", &reveal[..63], &reveal.replace('f', "g")] {
            assert_eq!(verified(seed, &throws), Err(NotFair::NoSeed));
        }
        let other = ServerSeed::new([7; 32]).reveal();
        assert_eq!(verified(&other, &throws), Err(NotFair::OtherSeed));
        let mut wrong = throws;
        wrong[17].1 ^= 1;
        assert!(matches!(
            verified(&reveal, &wrong),
            Err(NotFair::OtherThrow { index: 17, .. })
        ));
    }

    #[test]
    fn a_seed_does_not_show_itself_by_accident() {
        assert_eq!(format!("{:?}", seed()), "ServerSeed(…)");
    }
}
