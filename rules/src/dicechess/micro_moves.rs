//! Which micro-moves the pieces of the side to move can make. There is no check here: a king may stand on,
//! go to or castle through an attacked square.

use cozy_chess::{
    BitBoard, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_pawn_quiets, get_rook_moves,
};

use super::{
    MicroMove, Position,
    castling::{WINGS, Wing},
};

impl Position {
    /// Every micro-move of pieces of one kind, castling among the king's, whatever the dice say. In the order
    /// of their texts.
    pub fn micro_moves(&self, piece: Piece) -> Vec<MicroMove> {
        let mut moves = Vec::new();
        self.visit_moves(piece, &mut |mv| moves.push(mv));
        if piece == Piece::King {
            self.visit_castlings(&mut |mv| moves.push(mv));
        }
        moves.sort_unstable();
        moves
    }

    /// Every micro-move that the dice pay for, in no order.
    pub(super) fn visit_payable(&self, mut visit: impl FnMut(MicroMove)) {
        for piece in Piece::ALL {
            if self.pool.has(piece) {
                self.visit_moves(piece, &mut visit);
            }
        }
        if self.pool.has(Piece::King) && self.pool.has(Piece::Rook) {
            self.visit_castlings(&mut visit);
        }
    }

    /// How many dice a micro-move that they pay for costs.
    pub(super) fn cost(&self, mv: MicroMove) -> u8 {
        let castles = Wing::of(mv).is_some() && self.pieces(self.side, Piece::King).has(mv.from());
        if castles { 2 } else { 1 }
    }

    fn visit_moves(&self, piece: Piece, visit: &mut impl FnMut(MicroMove)) {
        // A pawn that captures a king stays one: the game is over.
        let promoting = match piece {
            Piece::Pawn => {
                Rank::Eighth.relative_to(self.side).bitboard() & !self.pieces(!self.side, Piece::King)
            }
            _ => BitBoard::EMPTY,
        };
        for from in self.pieces(self.side, piece) {
            for to in self.targets(piece, from) {
                if promoting.has(to) {
                    MicroMove::promotions(from, to).into_iter().for_each(&mut *visit);
                } else {
                    visit(MicroMove::new(from, to));
                }
            }
        }
    }

    /// Where a piece of the side to move can go from its square, castling apart.
    fn targets(&self, piece: Piece, from: Square) -> BitBoard {
        let own = self.colors[self.side as usize];
        let occupied = self.occupied();
        match piece {
            Piece::Pawn => self.pawn_targets(from),
            Piece::Knight => get_knight_moves(from) & !own,
            Piece::Bishop => get_bishop_moves(from, occupied) & !own,
            Piece::Rook => get_rook_moves(from, occupied) & !own,
            Piece::Queen => (get_bishop_moves(from, occupied) | get_rook_moves(from, occupied)) & !own,
            Piece::King => get_king_moves(from) & !own,
        }
    }

    fn pawn_targets(&self, from: Square) -> BitBoard {
        let enemies = self.colors[!self.side as usize];
        let captures = get_pawn_attacks(from, self.side) & (enemies | self.capturable_en_passant());
        get_pawn_quiets(from, self.side, self.occupied()) | captures
    }

    fn visit_castlings(&self, visit: &mut impl FnMut(MicroMove)) {
        WINGS
            .iter()
            .filter(|wing| wing.color == self.side && self.can_castle(wing))
            .for_each(|wing| visit(wing.micro_move()));
    }

    fn can_castle(&self, wing: &Wing) -> bool {
        self.rights.has(wing)
            && self.pieces(wing.color, Piece::King).has(wing.king.0)
            && self.pieces(wing.color, Piece::Rook).has(wing.rook.0)
            && self.occupied().is_disjoint(wing.between())
    }
}
