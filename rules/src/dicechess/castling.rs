//! The right to castle, and where king and rook stand before and after.

use cozy_chess::{BitBoard, Color, Piece, Square, get_between_rays};

use super::MicroMove;

/// Which of the four castlings are still allowed: one bit for each of [`WINGS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rights(u8);

/// One of the four castlings.
#[derive(Debug)]
pub(super) struct Wing {
    bit: u8,
    letter: u8,
    pub(super) color: Color,
    pub(super) king: (Square, Square),
    pub(super) rook: (Square, Square),
}

/// All castlings, in the order in which their rights are written.
pub(super) const WINGS: [Wing; 4] = [
    Wing {
        bit: 1,
        letter: b'K',
        color: Color::White,
        king: (Square::E1, Square::G1),
        rook: (Square::H1, Square::F1),
    },
    Wing {
        bit: 2,
        letter: b'Q',
        color: Color::White,
        king: (Square::E1, Square::C1),
        rook: (Square::A1, Square::D1),
    },
    Wing {
        bit: 4,
        letter: b'k',
        color: Color::Black,
        king: (Square::E8, Square::G8),
        rook: (Square::H8, Square::F8),
    },
    Wing {
        bit: 8,
        letter: b'q',
        color: Color::Black,
        king: (Square::E8, Square::C8),
        rook: (Square::A8, Square::D8),
    },
];

impl Wing {
    /// The castling that a king's step is, if it is one.
    pub(super) fn of(mv: MicroMove) -> Option<&'static Wing> {
        WINGS.iter().find(|wing| wing.micro_move() == mv)
    }

    /// The squares that must be empty: all between king and rook.
    pub(super) const fn between(&self) -> BitBoard {
        get_between_rays(self.king.0, self.rook.0)
    }

    pub(super) const fn micro_move(&self) -> MicroMove {
        MicroMove::new(self.king.0, self.king.1)
    }
}

impl Rights {
    pub(super) const fn has(self, wing: &Wing) -> bool {
        self.0 & wing.bit != 0
    }

    /// Takes both rights of a colour, whose king has moved or is no more.
    pub(super) fn take_both(&mut self, color: Color) {
        self.take(|wing| wing.color == color);
    }

    /// Takes the right that needs the rook which stood here.
    pub(super) fn take_corner(&mut self, corner: Square) {
        self.take(|wing| wing.rook.0 == corner);
    }

    fn take(&mut self, lost: impl Fn(&Wing) -> bool) {
        for wing in WINGS.iter().filter(|wing| lost(wing)) {
            self.0 &= !wing.bit;
        }
    }

    /// `KQkq` in any order, each letter at most once, or `-`.
    pub(super) fn parse(text: &str) -> Option<Rights> {
        match text {
            "-" => return Some(Rights(0)),
            "" => return None,
            _ => (),
        }
        text.bytes().try_fold(Rights(0), |rights, letter| {
            let wing = WINGS.iter().find(|wing| wing.letter == letter)?;
            (!rights.has(wing)).then_some(Rights(rights.0 | wing.bit))
        })
    }
}

impl std::fmt::Display for Rights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == 0 {
            return f.write_str("-");
        }
        WINGS
            .iter()
            .filter(|wing| self.has(wing))
            .try_for_each(|wing| write!(f, "{}", char::from(wing.letter)))
    }
}

/// Takes the rights that a piece's move loses: those of a king that moves, that of a rook which leaves its
/// corner.
pub(super) fn lose_by_moving(rights: &mut Rights, piece: Piece, color: Color, from: Square) {
    match piece {
        Piece::King => rights.take_both(color),
        Piece::Rook => rights.take(|wing| wing.color == color && wing.rook.0 == from),
        _ => (),
    }
}

/// Takes the rights that a capture loses: those of a captured king, that of the corner where any rook is
/// captured.
pub(super) fn lose_by_capture(rights: &mut Rights, captured: Piece, color: Color, on: Square) {
    match captured {
        Piece::King => rights.take_both(color),
        Piece::Rook => rights.take_corner(on),
        _ => (),
    }
}
