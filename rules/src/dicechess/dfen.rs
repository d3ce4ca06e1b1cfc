//! Positions as text: DFEN, which is FEN with a set of en-passant squares and, as a seventh field, the dice
//! that are still to be spent.
//!
//! `<placement> <w|b> <castling> <en passant> <half-moves> <full move> [dice]`. Reading is total: any text is
//! a position or an error. Of the last three fields any number may be missing from the end.

use std::{fmt, str::FromStr};

use cozy_chess::{BitBoard, Color, File, Piece, Rank, Square};
use thiserror::Error;

use super::{
    Pool, Position,
    castling::Rights,
    position::{MOST_FULL_MOVES, MOST_HALF_MOVES},
};

/// The DFEN of the position that every game starts from.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a text is no DFEN: its first wrong field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum BadDfen {
    /// There are fewer than four fields, or more than seven.
    #[error("a DFEN has 4 to 7 fields with one space between them")]
    Fields,
    /// The first field has not eight ranks of eight files, or an unknown piece.
    #[error("the pieces are not eight ranks of eight files")]
    Placement,
    /// The second field is neither `w` nor `b`.
    #[error("the side to move is neither w nor b")]
    Side,
    /// The third field is neither `-` nor some of `KQkq`, each at most once.
    #[error("the castling rights are neither - nor some of KQkq, each once")]
    Castling,
    /// The fourth field is neither `-` nor a list of different squares of the third and sixth rank.
    #[error("the en-passant squares are neither - nor different squares of the third and sixth rank")]
    EnPassant,
    /// The fifth field is no number up to 127.
    #[error("the half-moves are no number from 0 to {MOST_HALF_MOVES}")]
    HalfMoves,
    /// The sixth field is no number from 1 to 2³¹ − 1.
    #[error("the full move is no number from 1 to {MOST_FULL_MOVES}")]
    FullMove,
    /// The seventh field is neither `-` nor up to three letters of pieces.
    #[error("the dice are neither - nor up to three letters of pieces")]
    Dice,
}

impl FromStr for Position {
    type Err = BadDfen;

    fn from_str(text: &str) -> Result<Position, BadDfen> {
        let mut fields = text.split(' ');
        let mut next = || fields.next().ok_or(BadDfen::Fields);
        let (placement, side, rights, en_passant) = (next()?, next()?, next()?, next()?);
        let (half_moves, full_move, pool) = (fields.next(), fields.next(), fields.next());
        if fields.next().is_some() {
            return Err(BadDfen::Fields);
        }
        let (pieces, colors) = placement_of(placement).ok_or(BadDfen::Placement)?;
        Ok(Position {
            pieces,
            colors,
            side: side_of(side).ok_or(BadDfen::Side)?,
            rights: Rights::parse(rights).ok_or(BadDfen::Castling)?,
            en_passant: en_passant_of(en_passant).ok_or(BadDfen::EnPassant)?,
            half_moves: number(half_moves.unwrap_or("0"), 0, MOST_HALF_MOVES).ok_or(BadDfen::HalfMoves)?,
            full_move: number(full_move.unwrap_or("1"), 1, MOST_FULL_MOVES).ok_or(BadDfen::FullMove)?,
            pool: pool_of(pool.unwrap_or("-")).ok_or(BadDfen::Dice)?,
        })
    }
}

type Placement = ([BitBoard; Piece::NUM], [BitBoard; Color::NUM]);

fn placement_of(text: &str) -> Option<Placement> {
    let mut placement = ([BitBoard::EMPTY; Piece::NUM], [BitBoard::EMPTY; Color::NUM]);
    let mut lines = text.split('/');
    for rank in Rank::ALL.into_iter().rev() {
        place_rank(&mut placement, rank, lines.next()?)?;
    }
    lines.next().is_none().then_some(placement)
}

fn place_rank((pieces, colors): &mut Placement, rank: Rank, line: &str) -> Option<()> {
    let mut file = 0;
    for letter in line.chars() {
        if let Some(empty @ 1..=8) = letter.to_digit(10) {
            file += empty as usize;
        } else {
            let piece = Piece::try_from(letter.to_ascii_lowercase()).ok()?;
            let square = Square::new(File::try_index(file)?, rank).bitboard();
            pieces[piece as usize] |= square;
            colors[usize::from(letter.is_ascii_lowercase())] |= square;
            file += 1;
        }
    }
    (file == File::NUM).then_some(())
}

fn side_of(text: &str) -> Option<Color> {
    match text {
        "w" => Some(Color::White),
        "b" => Some(Color::Black),
        _ => None,
    }
}

fn en_passant_of(text: &str) -> Option<BitBoard> {
    if text == "-" {
        return Some(BitBoard::EMPTY);
    }
    let allowed = Rank::Third.bitboard() | Rank::Sixth.bitboard();
    let (mut squares, mut rest) = (BitBoard::EMPTY, text);
    while !rest.is_empty() {
        let square: Square = rest.get(..2)?.parse().ok()?;
        if squares.has(square) || !allowed.has(square) {
            return None;
        }
        squares |= square.bitboard();
        rest = &rest[2..];
    }
    (!squares.is_empty()).then_some(squares)
}

/// A number of decimal digits within bounds.
fn number<N: FromStr + PartialOrd>(text: &str, least: N, most: N) -> Option<N> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits)?;
    (least..=most).contains(&number).then_some(number)
}

fn pool_of(text: &str) -> Option<Pool> {
    if text == "-" {
        return Some(Pool::default());
    }
    let mut pieces = [Piece::Pawn; super::DICE];
    let mut dice = 0;
    for letter in text.chars() {
        *pieces.get_mut(dice)? = Piece::try_from(letter.to_ascii_lowercase()).ok()?;
        dice += 1;
    }
    Pool::of(pieces[..dice].iter().copied()).filter(|pool| !pool.is_empty())
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_key(f, self.en_passant)?;
        write!(f, " {} {}", self.half_moves, self.full_move)?;
        if self.pool.is_empty() {
            return Ok(());
        }
        f.write_str(" ")?;
        self.pool
            .iter()
            .try_for_each(|piece| write!(f, "{}", letter(self.side, piece)))
    }
}

impl Position {
    /// The first four fields, with only those en-passant squares that a pawn of the side to move can capture
    /// on: equal for positions that differ in nothing that matters but the clocks.
    pub fn key(&self) -> String {
        Key(self).to_string()
    }

    fn write_key(&self, f: &mut fmt::Formatter<'_>, en_passant: BitBoard) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            self.write_rank(f, rank)?;
            f.write_str(if rank == Rank::First { " " } else { "/" })?;
        }
        let side = match self.side {
            Color::White => 'w',
            Color::Black => 'b',
        };
        write!(f, "{side} {} ", self.rights)?;
        if en_passant.is_empty() {
            return f.write_str("-");
        }
        en_passant.iter().try_for_each(|square| write!(f, "{square}"))
    }

    fn write_rank(&self, f: &mut fmt::Formatter<'_>, rank: Rank) -> fmt::Result {
        let mut empty = 0;
        for file in File::ALL {
            let Some((color, piece)) = self.piece_on(Square::new(file, rank)) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            write!(f, "{}", letter(color, piece))?;
            empty = 0;
        }
        if empty > 0 {
            write!(f, "{empty}")?;
        }
        Ok(())
    }

    fn en_passant_that_matters(&self) -> BitBoard {
        let pawns = self.pieces(self.side, Piece::Pawn);
        self.capturable_en_passant()
            .iter()
            .filter(|&square| !(cozy_chess::get_pawn_attacks(square, !self.side) & pawns).is_empty())
            .collect()
    }
}

struct Key<'a>(&'a Position);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write_key(f, self.0.en_passant_that_matters())
    }
}

fn letter(color: Color, piece: Piece) -> char {
    let letter = char::from(piece);
    match color {
        Color::White => letter.to_ascii_uppercase(),
        Color::Black => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Option<BadDfen> {
        text.parse::<Position>().err()
    }

    #[test]
    fn the_start_is_read_as_it_is_written() {
        assert_eq!(START.parse::<Position>().unwrap().to_string(), START);
    }

    #[test]
    fn missing_fields_have_defaults_and_dice_are_sorted_in_the_colour_to_move() {
        let position: Position = "4k3/8/8/8/8/8/8/4K3 b kq -".parse().unwrap();
        assert_eq!(position.to_string(), "4k3/8/8/8/8/8/8/4K3 b kq - 0 1");
        let position: Position = "4k3/8/8/8/8/8/8/4K3 b - - 7 9 KpN".parse().unwrap();
        assert_eq!(position.to_string(), "4k3/8/8/8/8/8/8/4K3 b - - 7 9 pnk");
    }

    #[test]
    fn each_wrong_field_has_its_error() {
        let cases = [
            ("", BadDfen::Fields),
            ("8/8/8/8/8/8/8/8 w -", BadDfen::Fields),
            ("8/8/8/8/8/8/8/8 w - - 0 1 - -", BadDfen::Fields),
            (" 8/8/8/8/8/8/8/8 w - -", BadDfen::Placement),
            ("8/8/8/8/8/8/8 w - -", BadDfen::Placement),
            ("8/8/8/8/8/8/8/8/8 w - -", BadDfen::Placement),
            ("8/8/8/8/8/8/8/7 w - -", BadDfen::Placement),
            ("8/8/8/8/8/8/8/54 w - -", BadDfen::Placement),
            ("8/8/8/8/8/8/8/08 w - -", BadDfen::Placement),
            ("8/8/8/8/8/8/8/é7 w - -", BadDfen::Placement),
            ("8/8/8/8/8/8/8/8 W - -", BadDfen::Side),
            ("8/8/8/8/8/8/8/8  - -", BadDfen::Side),
            ("8/8/8/8/8/8/8/8 w -K -", BadDfen::Castling),
            ("8/8/8/8/8/8/8/8 w - ", BadDfen::EnPassant),
            ("8/8/8/8/8/8/8/8 w - e", BadDfen::EnPassant),
            ("8/8/8/8/8/8/8/8 w - e6e6", BadDfen::EnPassant),
            ("8/8/8/8/8/8/8/8 w - e6-", BadDfen::EnPassant),
            ("8/8/8/8/8/8/8/8 w - e4", BadDfen::EnPassant),
            ("8/8/8/8/8/8/8/8 w - aé3", BadDfen::EnPassant),
            ("8/8/8/8/8/8/8/8 w - - +1", BadDfen::HalfMoves),
            ("8/8/8/8/8/8/8/8 w - - ", BadDfen::HalfMoves),
            ("8/8/8/8/8/8/8/8 w - - 0 0", BadDfen::FullMove),
            ("8/8/8/8/8/8/8/8 w - - 0 2147483648", BadDfen::FullMove),
            ("8/8/8/8/8/8/8/8 w - - 0 1 ", BadDfen::Dice),
            ("8/8/8/8/8/8/8/8 w - - 0 1 P-", BadDfen::Dice),
            ("8/8/8/8/8/8/8/8 w - - 0 1 123", BadDfen::Dice),
        ];
        for (text, expected) in cases {
            assert_eq!(error(text), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn only_en_passant_squares_that_a_pawn_reaches_are_in_the_key() {
        let position: Position = "4k3/8/8/8/PpP1P3/8/8/4K3 b - a3c3e3 4 9 pp".parse().unwrap();
        assert_eq!(position.key(), "4k3/8/8/8/PpP1P3/8/8/4K3 b - a3c3");
        assert_eq!(
            position.with_side(Color::White).key(),
            "4k3/8/8/8/PpP1P3/8/8/4K3 w - -"
        );
    }
}
