//! One step of a turn, in UCI notation.

use std::{fmt, str::FromStr};

use cozy_chess::{Piece, Square};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

/// One piece going from one square to another, written as in UCI: `e2e4`, `e7e8q`; castling is the king's
/// step of two squares. Micro-moves are ordered as their texts are.
///
/// Whether a position allows it is not said here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(rename = "DiceChessMicroMove", with = "MicroMoveText")]
pub struct MicroMove(
    /// From the highest bit: the two squares as [`by_file`] numbers them, six bits each, then the place of
    /// the promotion in [`PROMOTIONS`], three bits, 0 for none. So the numbers have the order of the texts.
    u16,
);

/// A micro-move as it is written.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct MicroMoveText(
    #[schemars(regex(pattern = "^[a-h][1-8][a-h][1-8][qrbn]?$"))]
    #[expect(dead_code, reason = "only its schema is used")]
    String,
);

/// The text is no micro-move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a move is two squares and maybe a promotion to q, r, b or n, as in e2e4 or e7e8q")]
pub struct NoMicroMove;

/// What a pawn may become, in the order of the letters.
const PROMOTIONS: [Piece; 4] = [Piece::Bishop, Piece::Knight, Piece::Queen, Piece::Rook];

impl MicroMove {
    /// A move without a promotion.
    pub const fn new(from: Square, to: Square) -> MicroMove {
        MicroMove(by_file(from as u16) << 9 | by_file(to as u16) << 3)
    }

    /// The four promotions of a pawn that goes from one square to another.
    pub fn promotions(from: Square, to: Square) -> [MicroMove; 4] {
        let plain = MicroMove::new(from, to).0;
        [1, 2, 3, 4].map(|place| MicroMove(plain + place))
    }

    /// The square that the piece leaves.
    pub fn from(self) -> Square {
        Square::index(usize::from(by_file(self.0 >> 9)))
    }

    /// The square that the piece goes to.
    pub fn to(self) -> Square {
        Square::index(usize::from(by_file(self.0 >> 3 & 63)))
    }

    /// What the pawn becomes.
    pub fn promotion(self) -> Option<Piece> {
        let place = usize::from(self.0 & 7).checked_sub(1)?;
        PROMOTIONS.get(place).copied()
    }
}

/// From a number of squares by rank (a1, b1, …) to one by file (a1, a2, …), and back.
const fn by_file(square: u16) -> u16 {
    (square & 7) << 3 | square >> 3
}

/// The text of a micro-move.
struct Text {
    letters: [u8; 5],
    len: usize,
}

impl Text {
    fn of(mv: MicroMove) -> Text {
        let [from, to] =
            [mv.from(), mv.to()].map(|square| [b'a' + square.file() as u8, b'1' + square.rank() as u8]);
        let promotion = mv.promotion().map(|piece| char::from(piece) as u8);
        Text {
            letters: [from[0], from[1], to[0], to[1], promotion.unwrap_or(b' ')],
            len: 4 + usize::from(promotion.is_some()),
        }
    }

    fn as_str(&self) -> &str {
        str::from_utf8(&self.letters[..self.len]).expect("the letters are ASCII")
    }
}

impl fmt::Display for MicroMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Text::of(*self).as_str())
    }
}

/// As text, and without allocating: a tree has thousands.
impl Serialize for MicroMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Text::of(*self).as_str())
    }
}

impl fmt::Debug for MicroMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for MicroMove {
    type Err = NoMicroMove;

    fn from_str(text: &str) -> Result<MicroMove, NoMicroMove> {
        let square = |range| {
            let text: Option<&str> = text.get(range);
            text.and_then(|text| text.parse().ok()).ok_or(NoMicroMove)
        };
        let (from, to) = (square(0..2)?, square(2..4)?);
        match &text[4..] {
            "" => Ok(MicroMove::new(from, to)),
            letter => MicroMove::promotions(from, to)
                .into_iter()
                .zip(PROMOTIONS)
                .find(|(_, piece)| piece.to_string() == letter)
                .map(|(mv, _)| mv)
                .ok_or(NoMicroMove),
        }
    }
}

impl TryFrom<String> for MicroMove {
    type Error = NoMicroMove;

    fn try_from(text: String) -> Result<MicroMove, NoMicroMove> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = MicroMove> {
        let pairs = Square::ALL
            .into_iter()
            .flat_map(|from| Square::ALL.map(|to| (from, to)));
        pairs.flat_map(|(from, to)| {
            [MicroMove::new(from, to)]
                .into_iter()
                .chain(MicroMove::promotions(from, to))
        })
    }

    #[test]
    fn every_micro_move_is_read_as_it_is_written() {
        for mv in all() {
            assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }

    #[test]
    fn micro_moves_are_ordered_as_their_texts() {
        let mut moves: Vec<_> = all().collect();
        moves.sort_unstable();
        assert!(moves.is_sorted_by_key(ToString::to_string));
    }

    #[test]
    fn a_text_that_is_no_micro_move_is_refused() {
        for text in [
            "", "e2", "e2e", "e2e9", "i2e4", "E2E4", "e7e8Q", "e7e8k", "e7e8p", "e2e4 ", "e7e8qq", "0000",
            "e2é4",
        ] {
            assert_eq!(text.parse::<MicroMove>(), Err(NoMicroMove), "{text:?}");
        }
    }
}
