//! The state of a room of the comparison, as `@colyseus/schema` encodes it: of all that the format has, only what this state
//! needs. The table is structure 0 with the fields board, turn and ply; the board is structure 1.

use anyhow::{Context, bail};
use rules::mancala::Board;

const SWITCH_TO_STRUCTURE: u8 = 255;
/// The lower bits of an operation on a table.
const FIELD: u8 = 0b0011_1111;

/// A table.
#[derive(Debug, Default)]
pub struct TableState {
    /// The counts of stones.
    pub board: Board,
    /// Who moves.
    pub turn: u8,
    /// How many moves were played.
    pub ply: u16,
}

impl TableState {
    /// Applies a whole state or a patch.
    ///
    /// # Errors
    /// It is not in the format.
    pub fn apply(&mut self, patch: &[u8]) -> anyhow::Result<()> {
        let mut bytes = patch.iter().copied();
        let mut in_board = false;
        while let Some(operation) = bytes.next() {
            let mut next = || bytes.next().with_context(|| format!("cut off: {patch:?}"));
            if operation == SWITCH_TO_STRUCTURE {
                in_board = next()? == 1;
            } else if in_board {
                let (place, stones) = (next()?, next()?);
                *self.board.get_mut(usize::from(place)).context("no such place")? = stones;
            } else {
                match operation & FIELD {
                    0 => drop(next()?),
                    1 => self.turn = next()?,
                    2 => self.ply = u16::from_le_bytes([next()?, next()?]),
                    other => bail!("no field {other}: {patch:?}"),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_and_the_patches_after_it_are_read() {
        let mut table = TableState::default();
        let whole = "128 1 129 1 130 1 0 255 1 128 0 4 128 1 4 128 2 1 128 3 5 128 4 5 128 5 5 128 6 0 128 7 4 128 8 4 128 9 4 128 10 4 128 11 4 128 12 4 128 13 0";
        let patch = "255 1 0 7 1 0 8 5 0 9 5 0 10 5 255 0 129 0 130 2 0";
        for text in [whole, patch] {
            let bytes: Vec<u8> = text.split(' ').map(|byte| byte.parse().unwrap()).collect();
            table.apply(&bytes).unwrap();
        }
        assert_eq!(table.board, [4, 4, 1, 5, 5, 5, 0, 1, 5, 5, 5, 4, 4, 0]);
        assert_eq!((table.turn, table.ply), (0, 2));
    }

    #[test]
    fn a_patch_that_is_cut_off_is_an_error() {
        assert!(TableState::default().apply(&[255, 1, 0, 7]).is_err());
    }
}
