//! The board with everything that a turn depends on, and what a micro-move does to it.

use cozy_chess::{BitBoard, Color, Piece, Rank, Square};

use super::{
    MicroMove, Pool,
    castling::{Rights, Wing, lose_by_capture, lose_by_moving},
};
use crate::Seat;

/// The half-move clock goes no higher.
pub const MOST_HALF_MOVES: u8 = 127;
/// The number of the full move goes no higher.
pub const MOST_FULL_MOVES: u32 = i32::MAX as u32;

/// The pieces and, of the side to move, the dice that are still to be spent. As text it is a DFEN.
///
/// Any board is a position, also one without kings or with pawns on the last rank: nothing here panics on
/// what no game leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) pieces: [BitBoard; Piece::NUM],
    pub(super) colors: [BitBoard; Color::NUM],
    pub(super) side: Color,
    pub(super) rights: Rights,
    /// The squares that pawns have skipped: on the third rank those of White's pawns, on the sixth those of
    /// Black's.
    pub(super) en_passant: BitBoard,
    pub(super) half_moves: u8,
    pub(super) full_move: u32,
    pub(super) pool: Pool,
}

impl Position {
    /// The colour to move.
    pub const fn side(&self) -> Color {
        self.side
    }

    /// The seat to move: White is `player1`.
    pub const fn seat(&self) -> Seat {
        match self.side {
            Color::White => Seat::Player1,
            Color::Black => Seat::Player2,
        }
    }

    /// Micro-moves since the last one by a pawn or with a capture, at most 127.
    pub const fn half_moves(&self) -> u8 {
        self.half_moves
    }

    /// The number of the move, from 1, which grows after Black's turns.
    pub const fn full_move(&self) -> u32 {
        self.full_move
    }

    /// The dice that are still to be spent.
    pub const fn pool(&self) -> Pool {
        self.pool
    }

    /// The same position with other dice.
    #[must_use]
    pub const fn with_pool(mut self, pool: Pool) -> Position {
        self.pool = pool;
        self
    }

    /// The same position with a side to move.
    #[must_use]
    pub const fn with_side(mut self, side: Color) -> Position {
        self.side = side;
        self
    }

    /// The pieces of one kind and colour.
    pub fn pieces(&self, color: Color, piece: Piece) -> BitBoard {
        self.colors[color as usize] & self.pieces[piece as usize]
    }

    /// Whose piece of which kind stands here.
    pub fn piece_on(&self, square: Square) -> Option<(Color, Piece)> {
        let color = Color::ALL
            .into_iter()
            .find(|&color| self.colors[color as usize].has(square))?;
        let piece = Piece::ALL
            .into_iter()
            .find(|&piece| self.pieces[piece as usize].has(square))?;
        Some((color, piece))
    }

    pub(super) fn occupied(&self) -> BitBoard {
        self.colors[0] | self.colors[1]
    }

    /// The skipped squares on which a pawn of the side to move can capture.
    pub(super) fn capturable_en_passant(&self) -> BitBoard {
        let rank = Rank::Sixth.relative_to(self.side);
        self.en_passant & rank.bitboard() & !self.occupied()
    }

    /// Whether the move ends on an enemy king.
    pub(super) fn captures_king(&self, mv: MicroMove) -> bool {
        self.pieces(!self.side, Piece::King).has(mv.to())
    }

    /// The position after a micro-move of the side to move, with the dice that it costs spent; the side to
    /// move stays. A captured king ends the turn, so no die is left.
    ///
    /// `None` if no own piece stands where it starts, or one stands where it ends. Whether the piece can go
    /// there is not asked.
    #[must_use]
    pub fn after(&self, mv: MicroMove) -> Option<Position> {
        let (from, to) = (mv.from(), mv.to());
        let piece = self
            .piece_on(from)
            .filter(|&(color, _)| color == self.side)
            .map(|(_, piece)| piece)?;
        if self.colors[self.side as usize].has(to) {
            return None;
        }
        let mut next = *self;
        let captured = next.capture(piece, from, to);
        next.step(mv, piece);
        lose_by_moving(&mut next.rights, piece, self.side, from);
        next.half_moves = match (piece, captured) {
            (Piece::Pawn, _) | (_, Some(_)) => 0,
            _ => (self.half_moves + 1).min(MOST_HALF_MOVES),
        };
        next.update_en_passant(piece, from, to, captured.map(|(_, square)| square));
        if matches!(captured, Some((Piece::King, _))) {
            next.pool = Pool::default();
        }
        Some(next)
    }

    /// The position after the end of the turn: the other side is to move and has not rolled yet.
    #[must_use]
    pub fn end_turn(mut self) -> Position {
        if self.side == Color::Black {
            self.full_move = (self.full_move + 1).min(MOST_FULL_MOVES);
        }
        self.side = !self.side;
        self.pool = Pool::default();
        // What the side now to move has skipped, its opponent has had the chance to capture.
        self.en_passant &= !Rank::Third.relative_to(self.side).bitboard();
        self
    }

    /// Removes the enemy piece that a move captures, and says which it was and where it stood.
    fn capture(&mut self, piece: Piece, from: Square, to: Square) -> Option<(Piece, Square)> {
        let enemy = !self.side;
        let en_passant =
            piece == Piece::Pawn && from.file() != to.file() && self.capturable_en_passant().has(to);
        let square = if en_passant { pawn_that_skipped(to)? } else { to };
        let (color, captured) = self.piece_on(square)?;
        if color != enemy || (en_passant && captured != Piece::Pawn) {
            return None;
        }
        self.toggle(enemy, captured, square);
        lose_by_capture(&mut self.rights, captured, enemy, square);
        Some((captured, square))
    }

    /// Moves the piece, and the rook with a castling king, and spends the dice.
    fn step(&mut self, mv: MicroMove, piece: Piece) {
        let side = self.side;
        self.toggle(side, piece, mv.from());
        self.toggle(side, mv.promotion().unwrap_or(piece), mv.to());
        self.pool.spend(piece);
        if let Some(wing) = self.castling(mv, piece) {
            self.toggle(side, Piece::Rook, wing.rook.0);
            self.toggle(side, Piece::Rook, wing.rook.1);
            self.pool.spend(Piece::Rook);
        }
    }

    /// The castling that a move of this piece is. The rook is there: the move may come from anywhere.
    fn castling(&self, mv: MicroMove, piece: Piece) -> Option<&'static Wing> {
        let wing = Wing::of(mv).filter(|_| piece == Piece::King)?;
        let rook_is_there = self.pieces(wing.color, Piece::Rook).has(wing.rook.0);
        let way_is_free = !self.occupied().has(wing.rook.1);
        (wing.color == self.side && rook_is_there && way_is_free).then_some(wing)
    }

    fn update_en_passant(&mut self, piece: Piece, from: Square, to: Square, captured: Option<Square>) {
        let captured = captured.map_or(BitBoard::EMPTY, BitBoard::from);
        // A skipped square is one only as long as it is empty and its pawn stands before it.
        let touched = from.bitboard() | to.bitboard() | captured;
        self.en_passant &= !(to.bitboard() | skipped_by(touched));
        let ranks = from.rank() as i8 - to.rank() as i8;
        if piece == Piece::Pawn && ranks.abs() == 2 {
            self.en_passant |= skipped_by(to.bitboard());
        }
    }

    /// Puts a piece on a square or takes it off.
    fn toggle(&mut self, color: Color, piece: Piece, square: Square) {
        self.colors[color as usize] ^= square.bitboard();
        self.pieces[piece as usize] ^= square.bitboard();
    }
}

/// Where the pawn stands that skipped this square.
fn pawn_that_skipped(square: Square) -> Option<Square> {
    square.try_offset(0, if square.rank() == Rank::Third { 1 } else { -1 })
}

/// The squares that pawns on these squares would have skipped.
fn skipped_by(pawns: BitBoard) -> BitBoard {
    let white = pawns & Rank::Fourth.bitboard();
    let black = pawns & Rank::Fifth.bitboard();
    BitBoard(white.0 >> 8 | black.0 << 8)
}
