//! Dice: a roll as it was thrown, and the dice of it that are not spent yet.

use std::fmt;

use cozy_chess::Piece;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::fair::{ClientSeeds, ServerSeed};

/// How many dice are thrown for a turn.
pub const DICE: usize = 3;

/// Random bytes from here on are skipped, as 256 is no multiple of six.
const FIRST_REJECTED: u8 = 252;

/// Three dice in the order in which they were thrown. Each face names a kind of piece: 1 pawn, 2 knight, 3
/// bishop, 4 rook, 5 queen, 6 king. In JSON three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "[u8; DICE]", into = "[u8; DICE]")]
#[schemars(rename = "DiceChessRoll", with = "Faces")]
pub struct Roll([Piece; DICE]);

/// A roll as it is written.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct Faces(
    #[schemars(inner(range(min = 1, max = 6)))]
    #[expect(dead_code, reason = "only its schema is used")]
    [u8; DICE],
);

/// The number is on no side of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} is no face of a die: expected 1 to 6")]
pub struct NoFace(pub u8);

/// The dice of a turn that are still to be spent: how many of each face, three in all at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pool {
    counts: [u8; Piece::NUM],
    len: u8,
}

impl Roll {
    /// The roll of these faces, each 1 to 6.
    pub fn new(faces: [u8; DICE]) -> Result<Roll, NoFace> {
        let mut dice = [Piece::Pawn; DICE];
        for (die, face) in dice.iter_mut().zip(faces) {
            *die = piece_of(face).ok_or(NoFace(face))?;
        }
        Ok(Roll(dice))
    }

    /// Roll number `index` of a game, from 0. One is thrown for each turn, passes among them.
    pub fn of(seed: &ServerSeed, clients: ClientSeeds<'_>, index: u64) -> Roll {
        Roll::from_bytes(seed.bytes(clients, index))
    }

    /// The first three dice that random bytes make.
    ///
    /// # Panics
    ///
    /// If the bytes end before that.
    fn from_bytes(bytes: impl Iterator<Item = u8>) -> Roll {
        let mut faces = bytes
            .filter(|&byte| byte < FIRST_REJECTED)
            .map(|byte| byte % 6 + 1);
        let dice = [(); DICE].map(|()| faces.next().expect("blocks of bytes do not end"));
        Roll::new(dice).expect("a remainder of six and one is a face")
    }

    /// The faces, in the order in which they were thrown.
    pub fn faces(self) -> [u8; DICE] {
        self.0.map(|piece| piece as u8 + 1)
    }

    /// The kinds of piece that the faces name, in that order.
    pub const fn pieces(self) -> [Piece; DICE] {
        self.0
    }

    /// All three dice, none spent yet.
    pub fn pool(self) -> Pool {
        let mut pool = Pool::default();
        for piece in self.0 {
            pool.add(piece);
        }
        pool
    }

    /// All 216 rolls, equally likely.
    pub fn all() -> impl Iterator<Item = Roll> {
        Piece::ALL.into_iter().flat_map(|a| {
            Piece::ALL
                .into_iter()
                .flat_map(move |b| Piece::ALL.map(move |c| Roll([a, b, c])))
        })
    }
}

/// The faces, as in `5 2 6`.
impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, third] = self.faces();
        write!(f, "{first} {second} {third}")
    }
}

/// The kind of piece that a face names.
fn piece_of(face: u8) -> Option<Piece> {
    Piece::try_index(usize::from(face).checked_sub(1)?)
}

impl TryFrom<[u8; DICE]> for Roll {
    type Error = NoFace;

    fn try_from(faces: [u8; DICE]) -> Result<Roll, NoFace> {
        Roll::new(faces)
    }
}

impl From<Roll> for [u8; DICE] {
    fn from(roll: Roll) -> [u8; DICE] {
        roll.faces()
    }
}

impl Pool {
    /// The dice of these kinds of piece; `None` for more than three.
    pub fn of(pieces: impl IntoIterator<Item = Piece>) -> Option<Pool> {
        let mut pool = Pool::default();
        for piece in pieces {
            if usize::from(pool.len) == DICE {
                return None;
            }
            pool.add(piece);
        }
        Some(pool)
    }

    fn add(&mut self, piece: Piece) {
        self.counts[piece as usize] += 1;
        self.len += 1;
    }

    /// How many dice there are.
    pub const fn len(self) -> u8 {
        self.len
    }

    /// Whether all dice are spent, or none thrown.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Whether a die names this kind of piece.
    pub const fn has(self, piece: Piece) -> bool {
        self.counts[piece as usize] > 0
    }

    /// The dice by rising face, each as often as it is there.
    pub fn iter(self) -> impl Iterator<Item = Piece> {
        Piece::ALL
            .into_iter()
            .flat_map(move |piece| std::iter::repeat_n(piece, usize::from(self.counts[piece as usize])))
    }

    /// Takes one die of this kind away, if there is one.
    pub(super) fn spend(&mut self, piece: Piece) {
        if self.has(piece) {
            self.counts[piece as usize] -= 1;
            self.len -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_roll_keeps_the_order_of_its_dice_and_a_pool_sorts_them() {
        let roll = Roll::new([5, 2, 6]).unwrap();
        assert_eq!(serde_json::to_value(roll).unwrap(), json!([5, 2, 6]));
        assert_eq!(serde_json::from_value::<Roll>(json!([5, 2, 6])).unwrap(), roll);
        let sorted: Vec<_> = roll.pool().iter().collect();
        assert_eq!(sorted, [Piece::Knight, Piece::Queen, Piece::King]);
    }

    #[test]
    fn what_is_no_die_is_no_roll() {
        assert_eq!(Roll::new([1, 0, 1]), Err(NoFace(0)));
        assert_eq!(Roll::new([1, 2, 7]), Err(NoFace(7)));
        for json in [json!([1, 2]), json!([1, 2, 3, 4]), json!([1, 2, 7]), json!("123")] {
            assert!(serde_json::from_value::<Roll>(json).is_err());
        }
    }

    #[test]
    fn bytes_from_252_on_are_skipped() {
        let roll = Roll::from_bytes([255, 251, 252, 0, 253, 254, 7, 1].into_iter());
        assert_eq!(roll.faces(), [6, 1, 2]);
        assert_eq!(roll.to_string(), "6 1 2");
    }

    #[test]
    fn a_die_is_spent_once() {
        let mut pool = Roll::new([1, 1, 4]).unwrap().pool();
        for piece in [Piece::Pawn, Piece::Pawn, Piece::Pawn, Piece::King] {
            pool.spend(piece);
        }
        assert_eq!(pool, Pool::of([Piece::Rook]).unwrap());
        assert!(!pool.is_empty());
        assert_eq!(Pool::of([Piece::Pawn; 4]), None);
    }
}
