//! A store compared with the log game by game: what is done when its checkpoint is in doubt or far behind.

use std::collections::{BTreeMap, BTreeSet};

use commands::ports::{LogEntry, LogIdentity, Unavailable};
use commands::publish::queue::LastMessage;
use contract::GameKey;

use super::LiveProjector;
use super::stored::Held;
use crate::ports::{SnapshotStatus, StoredSnapshot, Written};

/// So many games are compared at once.
const CHUNK: usize = 200;

/// What a comparison of one game says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// The store has what the log has.
    Same,
    /// The store has more, on the same chain, or the log has nothing (any more): it stays, for its owner to anchor.
    Ahead,
    /// Newer code wrote it: it stays.
    Newer,
    /// Refold it.
    Differs,
}

/// Compares what the store holds of a game with the game's last message.
pub(crate) fn compare(held: &Held, last: Option<LastMessage>, log: &LogIdentity) -> Comparison {
    let (folded, of, last) = match (held, last) {
        (Held::Newer, _) => return Comparison::Newer,
        (Held::Nothing, None) => return Comparison::Same,
        (Held::Game { .. } | Held::Unreadable(_), None) => return Comparison::Ahead,
        (Held::Nothing | Held::Unreadable(_), Some(_)) => return Comparison::Differs,
        (Held::Game { folded, log }, Some(last)) => (folded, log, last),
    };
    let version = folded.game.version;
    if last.place.version > version || !folded.game.chain.has_event(last.place, version) {
        Comparison::Differs
    } else if last.place.version < version {
        Comparison::Ahead
    } else if folded.seq == last.seq && of == log {
        Comparison::Same
    } else {
        Comparison::Differs
    }
}

impl LiveProjector {
    /// Compares every live game, of the log's and of the store's, and refolds in place what differs.
    pub(super) async fn compare_with_log(&mut self) -> Result<Written, Unavailable> {
        let keys = self.games_to_compare().await?;
        tracing::info!(
            games = keys.len(),
            generation = self.generation,
            "comparing the live store with the log"
        );
        self.compare_games(&keys).await
    }

    /// The same with these games.
    pub(super) async fn compare_games(&mut self, keys: &[GameKey]) -> Result<Written, Unavailable> {
        for chunk in keys.chunks(CHUNK) {
            // Many games take longer than the lease.
            if !self
                .parts
                .store
                .acquire(self.generation, self.parts.token)
                .await?
            {
                return Ok(Written::LostToken);
            }
            match self.compare_chunk(chunk).await? {
                Written::Done => {}
                refused => return Ok(refused),
            }
        }
        Ok(Written::Done)
    }

    /// The games without an `ended` in the log, and those that the store takes for live. The store can list only the
    /// generation that readers use; another one is made from the log alone.
    async fn games_to_compare(&self) -> Result<Vec<GameKey>, Unavailable> {
        let mut keys: BTreeSet<GameKey> = self.parts.log.unfinished().await?.into_iter().collect();
        let set = self.parts.store.load().await?;
        if set.generation == self.generation {
            let live = set
                .snapshots
                .iter()
                .filter(|stored| stored.status == SnapshotStatus::Live);
            keys.extend(live.map(|stored| stored.key));
        }
        Ok(keys.into_iter().collect())
    }

    async fn compare_chunk(&mut self, keys: &[GameKey]) -> Result<Written, Unavailable> {
        let ids: Vec<_> = keys.iter().map(|key| key.id).collect();
        let stored = self.parts.store.get_many(self.generation, &ids).await?;
        let last = self.parts.log.last_of_each(keys).await?;
        let mut differing = BTreeMap::new();
        for ((key, stored), last) in keys.iter().zip(&stored).zip(&last) {
            self.compare_game(*key, stored.as_ref(), last.as_ref(), &mut differing);
        }
        let written = self.refold_and_heal(differing).await?;
        // The checkpoint will be behind what was not folded here.
        for (key, last) in keys.iter().zip(&last) {
            if let Some(last) = last.as_ref().filter(|_| self.parked.contains(&key.id)) {
                self.pass_over(last, "the game").await?;
            }
        }
        Ok(written)
    }

    fn compare_game(
        &mut self,
        key: GameKey,
        stored: Option<&StoredSnapshot>,
        last: Option<&LogEntry>,
        differing: &mut BTreeMap<GameKey, Held>,
    ) {
        let held = Held::of(stored);
        let comparison = match last.map(|entry| LastMessage::of(entry).ok()) {
            Some(None) if held != Held::Newer => Comparison::Differs,
            last => compare(&held, last.flatten(), &self.identity),
        };
        match comparison {
            Comparison::Same => {}
            Comparison::Ahead => self.parts.progress.count(|counts| counts.ahead += 1),
            Comparison::Newer => self.leave_to_newer_code(key.id),
            Comparison::Differs => {
                differing.insert(key, held);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::refold::tests::{folded, game};
    use contract::{Envelope, WriterId};

    fn log() -> LogIdentity {
        LogIdentity("one".into())
    }

    fn held(events: &[Envelope]) -> Held {
        Held::Game {
            folded: folded(events),
            log: log(),
        }
    }

    fn last(seq: contract::Seq, event: &Envelope) -> LastMessage {
        LastMessage {
            place: event.place(),
            seq,
        }
    }

    #[test]
    fn a_snapshot_of_the_last_message_is_the_same() {
        let (_, events) = game(2);
        assert_eq!(
            compare(&held(&events), Some(last(3, &events[2])), &log()),
            Comparison::Same
        );
    }

    #[test]
    fn a_snapshot_that_is_behind_or_missing_differs() {
        let (_, events) = game(2);
        assert_eq!(
            compare(&held(&events[..2]), Some(last(3, &events[2])), &log()),
            Comparison::Differs
        );
        assert_eq!(
            compare(&Held::Nothing, Some(last(3, &events[2])), &log()),
            Comparison::Differs
        );
        assert_eq!(
            compare(&Held::Unreadable("?".into()), Some(last(3, &events[2])), &log()),
            Comparison::Differs
        );
    }

    #[test]
    fn a_snapshot_ahead_on_the_same_chain_stays() {
        let (_, events) = game(2);
        assert_eq!(
            compare(&held(&events), Some(last(2, &events[1])), &log()),
            Comparison::Ahead
        );
        assert_eq!(
            compare(&held(&events), None, &log()),
            Comparison::Ahead,
            "the log has lost the game"
        );
    }

    #[test]
    fn a_snapshot_on_another_chain_differs_however_far_it_is() {
        let (mut mine, mut events) = game(2);
        let mut other = mine.clone();
        events.extend([mine.play(), mine.play()]);
        let foreign = other.resume(WriterId(2));
        assert_eq!(
            compare(&held(&events), Some(last(9, &foreign)), &log()),
            Comparison::Differs
        );
    }

    #[test]
    fn a_snapshot_of_another_log_or_place_is_written_anew() {
        let (_, events) = game(2);
        assert_eq!(
            compare(&held(&events), Some(last(7, &events[2])), &log()),
            Comparison::Differs
        );
        let other = LogIdentity("two".into());
        assert_eq!(
            compare(&held(&events), Some(last(3, &events[2])), &other),
            Comparison::Differs
        );
    }

    #[test]
    fn what_newer_code_wrote_stays() {
        let (_, events) = game(2);
        assert_eq!(
            compare(&Held::Newer, Some(last(3, &events[2])), &log()),
            Comparison::Newer
        );
    }
}
