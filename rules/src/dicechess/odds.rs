//! How likely a capture is before the dice are thrown.

use cozy_chess::{Color, Piece};

use super::{Pool, Position};

/// How many rolls there are, equally likely.
pub const ROLLS: u32 = 216;

/// The 56 rolls without regard to order, each with how many of the [`ROLLS`] it stands for.
pub fn sorted_rolls() -> impl Iterator<Item = (Pool, u32)> {
    let faces = || Piece::ALL.into_iter();
    faces().flat_map(move |a| {
        let from_a = faces().filter(move |&b| a <= b);
        from_a.flat_map(move |b| {
            let from_b = faces().filter(move |&c| b <= c);
            from_b.filter_map(move |c| {
                let orders = match (a == b, b == c) {
                    (true, true) => 1,
                    (false, false) => 6,
                    _ => 3,
                };
                Pool::of([a, b, c]).map(|pool| (pool, orders))
            })
        })
    })
}

impl Position {
    /// Of the [`ROLLS`], those with which `attacker`, if it were to move, could capture an enemy piece of
    /// this kind by some micro-moves. That a turn may have to spend more dice is not asked; it does not
    /// matter for a king.
    pub fn capturing_rolls(&self, attacker: Color, target: Piece) -> u32 {
        let position = self.with_side(attacker);
        sorted_rolls()
            .filter(|&(pool, _)| can_capture(&position.with_pool(pool), target))
            .map(|(_, orders)| orders)
            .sum()
    }

    /// How likely the side to move, before its roll, can capture the enemy king.
    pub fn king_capture_probability(&self) -> f64 {
        f64::from(self.capturing_rolls(self.side, Piece::King)) / f64::from(ROLLS)
    }
}

fn can_capture(position: &Position, target: Piece) -> bool {
    let targets = position.pieces(!position.side, target);
    let mut moves = Vec::new();
    position.visit_payable(|mv| moves.push(mv));
    moves.iter().any(|mv| targets.has(mv.to()))
        || moves
            .into_iter()
            .filter_map(|mv| position.after(mv))
            .any(|next| !next.pool().is_empty() && can_capture(&next, target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sorted_rolls_are_56_and_stand_for_all() {
        let count = |weight| sorted_rolls().filter(|&(_, orders)| orders == weight).count();
        assert_eq!([count(1), count(3), count(6)], [6, 30, 20]);
        let all: u32 = sorted_rolls().map(|(_, orders)| orders).sum();
        assert_eq!(all, ROLLS);
        assert_eq!(super::super::Roll::all().count(), ROLLS as usize);
    }

    #[test]
    fn a_face_is_among_three_dice_in_91_rolls_and_either_of_two_in_152() {
        let share = |wanted: &dyn Fn(Pool) -> bool| -> u32 {
            sorted_rolls()
                .filter(|&(pool, _)| wanted(pool))
                .map(|(_, orders)| orders)
                .sum()
        };
        assert_eq!(share(&|pool| pool.has(Piece::Queen)), 91);
        assert_eq!(share(&|pool| pool.has(Piece::Pawn) || pool.has(Piece::King)), 152);
    }
}
