//! Dice that nobody can choose and anybody can check.
//!
//! The server commits to a seed by publishing its SHA-256 before the game, each player adds a seed of their
//! own, and every roll of the game follows from the three and the roll's number. At the end the server's seed
//! is published, and [`verify`] recomputes the rolls. (HMAC: RFC 2104; SHA-256: FIPS 180-4.)

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::{DICE, Roll};

/// Bytes from here on are skipped, as 256 is no multiple of six.
const FIRST_REJECTED: u8 = 252;

/// The server's secret of one game. Whoever has it knows every roll, so it shows itself only by
/// [`reveal`](ServerSeed::reveal).
#[derive(Clone, PartialEq, Eq)]
pub struct ServerSeed([u8; 32]);

/// What the two players add, as texts: what they sent, or else what stands in for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientSeeds<'a> {
    pub white: &'a str,
    pub black: &'a str,
}

/// Why a game's rolls are not those that were committed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum NotFair {
    /// The seed is not 64 hexadecimal digits.
    #[error("the server's seed is not 64 hexadecimal digits")]
    NoSeed,
    /// The commitment was to another seed.
    #[error("the commitment is not that to the server's seed")]
    OtherSeed,
    /// A roll does not follow from the seeds.
    #[error("roll {index} is {actual:?}, but the seeds make it {expected:?}")]
    OtherRoll {
        /// Which roll of the game, from 0.
        index: u64,
        /// What the seeds make it.
        expected: [u8; DICE],
        /// What was rolled.
        actual: [u8; DICE],
    },
}

/// Whether a player may use this text as their seed: 16 to 256 characters.
pub fn is_client_seed(text: &str) -> bool {
    (16..=256).contains(&text.chars().count())
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

    /// Roll number `index` of the game, from 0. One is thrown for each turn, passes among them.
    pub fn roll(&self, clients: ClientSeeds<'_>, index: u64) -> Roll {
        let message = message(clients, index);
        dice_from((0..).flat_map(|block| self.block(&message, block)))
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

/// Checks a finished game: the commitment is to the seed, and each roll, by its number, follows from it.
pub fn verify(
    commit: &str,
    seed: &str,
    clients: ClientSeeds<'_>,
    rolls: impl IntoIterator<Item = (u64, Roll)>,
) -> Result<(), NotFair> {
    let seed = ServerSeed::from_hex(seed).ok_or(NotFair::NoSeed)?;
    if seed.commit() != commit {
        return Err(NotFair::OtherSeed);
    }
    for (index, actual) in rolls {
        let expected = seed.roll(clients, index);
        if expected != actual {
            return Err(NotFair::OtherRoll {
                index,
                expected: expected.faces(),
                actual: actual.faces(),
            });
        }
    }
    Ok(())
}

/// What is signed for a roll, but for the number of the block: both client seeds, each after its length in
/// bytes, so that no two pairs of seeds make the same message, then the number of the roll.
fn message(clients: ClientSeeds<'_>, index: u64) -> Vec<u8> {
    let mut message = Vec::with_capacity(clients.white.len() + clients.black.len() + 16);
    for seed in [clients.white, clients.black] {
        message.extend((seed.len() as u32).to_be_bytes());
        message.extend(seed.as_bytes());
    }
    message.extend((index as i64).to_be_bytes());
    message
}

/// The first three dice that random bytes make.
///
/// # Panics
///
/// If the bytes end before that.
fn dice_from(bytes: impl Iterator<Item = u8>) -> Roll {
    let mut faces = bytes
        .filter(|&byte| byte < FIRST_REJECTED)
        .map(|byte| byte % 6 + 1);
    let dice = [(); DICE].map(|()| faces.next().expect("blocks of bytes do not end"));
    Roll::new(dice).expect("a remainder of six and one is a face")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENTS: ClientSeeds<'static> = ClientSeeds {
        white: "alice",
        black: "bob",
    };

    fn seed() -> ServerSeed {
        ServerSeed::new(std::array::from_fn(|index| index as u8))
    }

    #[test]
    fn a_message_has_both_seeds_with_their_lengths_in_bytes_and_the_number_of_the_roll() {
        let clients = ClientSeeds {
            white: "é",
            black: "",
        };
        let expected = b"\0\0\0\x02\xc3\xa9\0\0\0\0\0\0\0\0\0\0\x01\x02";
        assert_eq!(message(clients, 258), expected);
    }

    #[test]
    fn bytes_from_252_on_are_skipped() {
        let roll = dice_from([255, 251, 252, 0, 253, 254, 7, 1].into_iter());
        assert_eq!(roll.faces(), [6, 1, 2]);
    }

    #[test]
    fn no_two_pairs_of_client_seeds_share_their_rolls() {
        let rolls = |white, black| {
            let clients = ClientSeeds { white, black };
            (0..12)
                .map(|index| seed().roll(clients, index).faces())
                .collect::<Vec<_>>()
        };
        assert_eq!(rolls("a|b", "c"), rolls("a|b", "c"));
        assert_ne!(rolls("a|b", "c"), rolls("a", "b|c"));
        assert_ne!(rolls("ab", ""), rolls("", "ab"));
    }

    #[test]
    fn a_client_seed_has_16_to_256_characters() {
        for (length, allowed) in [(0, false), (15, false), (16, true), (256, true), (257, false)] {
            assert_eq!(is_client_seed(&"é".repeat(length)), allowed);
        }
    }

    #[test]
    fn a_game_is_verified_by_its_commitment_and_every_roll() {
        let (commit, reveal) = (seed().commit(), seed().reveal());
        let rolls: Vec<_> = (0..50)
            .map(|index| (index, seed().roll(CLIENTS, index)))
            .collect();
        assert_eq!(verify(&commit, &reveal, CLIENTS, rolls.clone()), Ok(()));

        let upper = reveal.to_uppercase();
        assert_eq!(verify(&commit, &upper, CLIENTS, rolls.clone()), Ok(()));
        for seed in ["", "0f", &reveal[..63], &reveal.replace('f', "g")] {
            assert_eq!(
                verify(&commit, seed, CLIENTS, rolls.clone()),
                Err(NotFair::NoSeed)
            );
        }
        let other = ServerSeed::new([7; 32]).reveal();
        assert_eq!(
            verify(&commit, &other, CLIENTS, rolls.clone()),
            Err(NotFair::OtherSeed)
        );
        let mut wrong = rolls;
        wrong[17].1 = Roll::new(wrong[17].1.faces().map(|face| face % 6 + 1)).unwrap();
        assert!(matches!(
            verify(&commit, &reveal, CLIENTS, wrong),
            Err(NotFair::OtherRoll { index: 17, .. })
        ));
    }

    #[test]
    fn a_seed_does_not_show_itself_by_accident() {
        assert_eq!(format!("{:?}", seed()), "ServerSeed(…)");
    }
}
