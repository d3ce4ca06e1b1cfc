//! The folded games that are kept between batches: at most so many, the longest untouched are forgotten first.

use std::collections::HashMap;

use contract::GameId;

use super::folded::Folded;

/// More than the live games that one service is made for; a forgotten game is read from the store again.
const MOST: usize = 16_384;

/// Folded games, each as the store has it.
#[derive(Debug)]
pub(super) struct Memory {
    games: HashMap<GameId, Folded>,
    most: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            games: HashMap::new(),
            most: MOST,
        }
    }
}

impl Memory {
    /// Takes a game out, to fold on; it is put back once the store has it.
    pub(super) fn take(&mut self, id: GameId) -> Option<Folded> {
        self.games.remove(&id)
    }

    /// Keeps a game as the store has it now.
    pub(super) fn keep(&mut self, folded: Folded) {
        self.games.insert(folded.game.id, folded);
        if self.games.len() > self.most {
            self.forget_half();
        }
    }

    /// Keeps several.
    pub(super) fn keep_all(&mut self, games: Vec<Folded>) {
        for folded in games {
            self.keep(folded);
        }
    }

    fn forget_half(&mut self) {
        let mut seqs: Vec<_> = self.games.values().map(|folded| folded.seq).collect();
        let middle = seqs.len() / 2;
        let (_, median, _) = seqs.select_nth_unstable(middle);
        let median = *median;
        self.games.retain(|_, folded| folded.seq >= median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::refold::tests::played;

    #[test]
    fn the_longest_untouched_games_are_forgotten() {
        let mut memory = Memory {
            most: 4,
            ..Memory::default()
        };
        let games: Vec<_> = (1..=5).map(|seq| Folded { seq, ..played(0) }).collect();
        for game in &games {
            memory.keep(game.clone());
        }
        let kept: Vec<_> = games
            .iter()
            .filter_map(|game| memory.take(game.game.id))
            .map(|g| g.seq)
            .collect();
        assert_eq!(kept, [3, 4, 5]);
    }
}
