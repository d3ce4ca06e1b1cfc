//! Halving a batch that the store refuses: pure.

use commands::ports::{LogEntry, Unavailable};
use contract::FinishedGame;

use crate::ports::{Checkpoint, HistoryError, Written};

/// Rows that are written in one transaction with a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    /// The games, each with its message, in the order of the log.
    pub(super) games: Vec<(LogEntry, Box<FinishedGame>)>,
    /// The checkpoint after them.
    pub(super) to: Checkpoint,
}

/// What to try in place of a segment that was refused.
#[derive(Debug, PartialEq)]
pub(super) enum Split {
    /// First one half, then the other.
    Halves(Segment, Segment),
    /// This game is the one that is refused; the checkpoint still has to pass it.
    Single(LogEntry, Segment),
    /// There was no game in it: it is not the data.
    Bare,
}

impl Segment {
    pub(super) fn split(mut self) -> Split {
        match self.games.len() {
            0 => Split::Bare,
            1 => {
                let (entry, _) = self.games.remove(0);
                Split::Single(entry, self)
            }
            count => {
                let second = self.games.split_off(count / 2);
                let last = &self.games[self.games.len() - 1];
                let between = Checkpoint {
                    seq: last.0.seq,
                    event_id: contract::event::Placement::from_bytes(&last.0.bytes)
                        .ok()
                        .map(|p| p.id),
                    log: self.to.log.clone(),
                };
                let second = Segment {
                    games: second,
                    to: std::mem::replace(&mut self.to, between),
                };
                Split::Halves(self, second)
            }
        }
    }
}

/// What the store said to a segment.
pub(super) enum Outcome {
    /// It was written, or refused for reasons that are not in the data.
    Written(Written),
    /// The data is refused.
    Refused(String),
}

/// Tells a refusal of the data from everything that passes.
pub(super) fn written(result: Result<Written, HistoryError>) -> Result<Outcome, Unavailable> {
    match result {
        Ok(written) => Ok(Outcome::Written(written)),
        Err(HistoryError::Data(reason)) => Ok(Outcome::Refused(reason)),
        Err(HistoryError::Unavailable(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commands::ports::LogIdentity;
    use contract::{EndReason, Kind, WriterId};
    use testkit::fixtures::{Game, entry, outgoing};

    fn segment(count: u64) -> Segment {
        let games = (1..=count).map(|seq| {
            let (mut game, _) = Game::start(Kind::Mancala, WriterId(1));
            let ended = game.end(EndReason::Inactive);
            let contract::Event::Ended(data) = &ended.event else {
                panic!("it ended")
            };
            (entry(seq, &outgoing(&ended)), data.record.clone())
        });
        let to = Checkpoint {
            seq: 99,
            event_id: None,
            log: LogIdentity("one".into()),
        };
        Segment {
            games: games.collect(),
            to,
        }
    }

    #[test]
    fn the_first_half_ends_at_its_last_game_and_the_second_where_the_whole_did() {
        let Split::Halves(first, second) = segment(5).split() else {
            panic!("five are halved")
        };
        assert_eq!((first.games.len(), first.to.seq), (2, 2));
        assert_eq!(first.to.event_id.map(|id| id.version), Some(2));
        assert_eq!((second.games.len(), second.to.seq), (3, 99));
    }

    #[test]
    fn a_single_game_leaves_the_checkpoint_to_be_passed() {
        let Split::Single(entry, bare) = segment(1).split() else {
            panic!("one is single")
        };
        assert_eq!((entry.seq, bare.games.len(), bare.to.seq), (1, 0, 99));
        assert_eq!(bare.split(), Split::Bare);
    }
}
