//! The maximum-dice rule, answered without listing the turns.
//!
//! A *path* is a sequence of micro-moves that the dice pay for, which no further one continues or which ends
//! with the capture of a king. A path with such a capture is a legal turn at any length; any other, an
//! *ordinary* one, is a legal turn if no ordinary path of the same roll spends more dice.
//!
//! The maximum is over ordinary paths alone: a turn that begins with fewer dice than it could and goes on to
//! capture the king is legal.

use super::{MicroMove, Position};

impl Position {
    /// Whether the dice pay for any micro-move at all; if not, the side to move passes.
    pub fn can_move(&self) -> bool {
        let mut can = false;
        self.visit_payable(|_| can = true);
        can
    }

    /// How many dice an ordinary turn must spend: 0 if every path ends with the capture of a king, and if
    /// there is none.
    pub fn most_dice(&self) -> u8 {
        let mut most = 0;
        let mut moves = Vec::new();
        self.visit_payable(|mv| moves.push(mv));
        for mv in moves.into_iter().filter(|&mv| !self.captures_king(mv)) {
            let cost = self.cost(mv);
            most = most.max(cost);
            // Worth looking deeper only if there are dice left, and if all of them would make it more.
            if cost < self.pool.len() && most < self.pool.len() {
                let deeper = self.after(mv).map_or(0, |next| next.most_dice());
                most = most.max(cost + deeper);
            }
            if most == self.pool.len() {
                break;
            }
        }
        most
    }

    /// Whether these micro-moves, in this order, are a legal turn. None at all are one if the side to move
    /// has to pass.
    pub fn is_legal(&self, turn: &[MicroMove]) -> bool {
        let mut position = *self;
        let mut spent = 0;
        for (index, &mv) in turn.iter().enumerate() {
            if !position.pays_for(mv) {
                return false;
            }
            if position.captures_king(mv) {
                return index + 1 == turn.len();
            }
            spent += position.cost(mv);
            let Some(next) = position.after(mv) else {
                return false;
            };
            position = next;
        }
        !position.can_move() && spent == self.most_dice()
    }

    /// How many legal turns there are; a pass is none.
    pub fn count_turns(&self) -> usize {
        count(self, self.most_dice()).unwrap_or(0)
    }

    fn pays_for(&self, mv: MicroMove) -> bool {
        let mut pays = false;
        self.visit_payable(|payable| pays |= payable == mv);
        pays
    }
}

/// The legal turns that go on from here, where ordinary ones have still `most` dice to spend; `None` if none
/// goes on.
fn count(position: &Position, most: u8) -> Option<usize> {
    if position.pool().len() == 1 {
        // Each move ends its turn. It spends the last die, and so as many as any, or captures a king.
        let mut turns = 0;
        position.visit_payable(|_| turns += 1);
        return (turns > 0).then_some(turns);
    }
    let mut moves = Vec::new();
    position.visit_payable(|mv| moves.push(mv));
    let turns = moves.iter().map(|&mv| {
        let cost = position.cost(mv);
        if position.captures_king(mv) {
            return 1;
        }
        let next = position.after(mv).filter(|next| !next.pool().is_empty());
        let going_on = next.and_then(|next| count(&next, most.saturating_sub(cost)));
        going_on.unwrap_or(usize::from(cost == most))
    });
    let turns = turns.sum();
    (!moves.is_empty()).then_some(turns)
}
