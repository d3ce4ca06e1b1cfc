//! The fence: which of a batch's appends are taken, and with which sequences. Pure, so that it can be seen to be right.

use std::collections::HashMap;

use contract::{GameKey, Seq};

/// The ends of the log as a batch sees them, its own earlier appends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    tail: Seq,
    newest: HashMap<GameKey, Seq>,
}

/// An append that expected something else than what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the game's last sequence is {newest}, not {expected}")]
pub(super) struct Refused {
    pub(super) newest: Seq,
    pub(super) expected: Seq,
}

impl Fence {
    /// The log ends at `tail`, and its games at `newest`; a game that is not among them has no message.
    pub(super) fn new(tail: Seq, newest: HashMap<GameKey, Seq>) -> Self {
        Self { tail, newest }
    }

    /// Takes an append, with the sequence that follows, if the game ends where `expected` says.
    pub(super) fn decide(&mut self, key: GameKey, expected: Seq) -> Result<Seq, Refused> {
        let newest = self.newest.entry(key).or_default();
        if *newest != expected {
            return Err(Refused {
                newest: *newest,
                expected,
            });
        }
        self.tail += 1;
        *newest = self.tail;
        Ok(self.tail)
    }

    /// Where its games end.
    pub(super) fn into_newest(self) -> HashMap<GameKey, Seq> {
        self.newest
    }

    /// Where the log ends.
    pub(super) fn tail(&self) -> Seq {
        self.tail
    }
}

#[cfg(test)]
mod tests {
    use contract::{GameId, Kind};
    use uuid::Uuid;

    use super::*;

    fn game(n: u128) -> GameKey {
        GameKey {
            kind: Kind::Mancala,
            id: GameId(Uuid::from_u128(n)),
        }
    }

    #[test]
    fn a_batch_is_numbered_without_a_hole_past_what_it_refuses() {
        let mut fence = Fence::new(10, HashMap::from([(game(1), 4)]));
        assert_eq!(fence.decide(game(1), 4), Ok(11));
        assert_eq!(
            fence.decide(game(1), 4),
            Err(Refused {
                newest: 11,
                expected: 4
            })
        );
        assert_eq!(fence.decide(game(2), 0), Ok(12));
        assert_eq!(fence.tail(), 12);
    }

    #[test]
    fn an_append_may_follow_one_of_the_same_batch() {
        let mut fence = Fence::new(0, HashMap::new());
        assert_eq!(fence.decide(game(1), 0), Ok(1));
        assert_eq!(fence.decide(game(1), 1), Ok(2));
    }

    #[test]
    fn a_game_without_a_message_ends_at_0() {
        let mut fence = Fence::new(3, HashMap::new());
        assert_eq!(
            fence.decide(game(1), 3),
            Err(Refused {
                newest: 0,
                expected: 3
            })
        );
    }
}
