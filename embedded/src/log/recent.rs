//! The newest messages, as they were committed. Whoever follows the log reads them here; the table is for those who are
//! further behind.
//!
//! Followers are always near the end, and several of them read each message: asking the table each time would cost more
//! than the append itself.

use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use commands::ports::{LogEntry, Outgoing};
use contract::Seq;

/// How many messages are kept at most.
const MOST: usize = 4_096;

/// How many bytes of them.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Messages without a hole between them, oldest first, up to the log's end.
#[derive(Debug, Default)]
struct Messages {
    entries: VecDeque<LogEntry>,
    bytes: usize,
}

/// The newest messages.
#[derive(Debug, Default)]
pub(super) struct Recent(RwLock<Messages>);

impl Recent {
    /// Adds what was just committed. It must follow what was added before.
    pub(super) fn add<'a>(&self, committed: impl Iterator<Item = (Seq, &'a Outgoing)>) {
        let mut messages = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (seq, message) in committed {
            messages.push(LogEntry {
                seq,
                key: message.key,
                name: message.name.to_owned(),
                bytes: message.bytes.clone(),
            });
        }
    }

    /// Some are not in the table any more: nobody shall read them here.
    pub(super) fn forget(&self) {
        let mut messages = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *messages = Messages::default();
    }

    /// Up to `max` messages that are `wanted`, above `after` and not above `to`, oldest first; `None` if some of those
    /// above `after` are not here any more.
    pub(super) fn between(
        &self,
        after: Seq,
        to: Seq,
        max: usize,
        wanted: impl Fn(&LogEntry) -> bool,
    ) -> Option<Vec<LogEntry>> {
        let messages = self.read();
        let first = messages.entries.front()?.seq;
        let skipped = (after + 1).checked_sub(first)?;
        let found = messages.entries.iter().skip(skipped as usize);
        let found = found.take_while(|entry| entry.seq <= to);
        Some(found.filter(|entry| wanted(entry)).take(max).cloned().collect())
    }

    fn read(&self) -> RwLockReadGuard<'_, Messages> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Messages {
    fn push(&mut self, entry: LogEntry) {
        if self.entries.back().is_some_and(|last| last.seq + 1 != entry.seq) {
            // Then what is here leads to nowhere.
            *self = Self::default();
        }
        self.bytes += entry.bytes.len();
        self.entries.push_back(entry);
        while self.entries.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.entries.pop_front() else {
                return;
            };
            self.bytes -= oldest.bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use contract::{GameId, GameKey, Kind};
    use uuid::Uuid;

    use super::*;

    fn message(len: usize) -> Outgoing {
        let id = GameId(Uuid::from_u128(7));
        let kind = Kind::Mancala;
        Outgoing {
            key: GameKey { kind, id },
            name: "moved",
            bytes: Bytes::from(vec![b' '; len]),
        }
    }

    fn seqs(recent: &Recent, after: Seq, to: Seq, max: usize) -> Option<Vec<Seq>> {
        let found = recent.between(after, to, max, |_| true)?;
        Some(found.iter().map(|entry| entry.seq).collect())
    }

    fn with(from: Seq, count: usize, len: usize) -> Recent {
        let recent = Recent::default();
        let message = message(len);
        recent.add((from..).map(|seq| (seq, &message)).take(count));
        recent
    }

    #[test]
    fn what_is_near_the_end_is_here_and_the_rest_is_not() {
        let recent = with(1, MOST + 10, 1);
        let end = MOST as Seq + 10;
        assert_eq!(seqs(&recent, 9, end, 1), None);
        assert_eq!(seqs(&recent, 10, end, 2), Some(vec![11, 12]));
        assert_eq!(seqs(&recent, end - 3, end - 1, 9), Some(vec![end - 2, end - 1]));
        assert_eq!(seqs(&recent, end, end, 9), Some(vec![]));
        assert_eq!(
            seqs(&Recent::default(), 0, 0, 9),
            None,
            "the table has to be asked"
        );
    }

    #[test]
    fn large_messages_are_kept_by_their_bytes() {
        let recent = with(1, 20, MOST_BYTES / 8);
        assert_eq!(seqs(&recent, 11, 20, 9), None);
        assert_eq!(seqs(&recent, 12, 20, 9).map(|found| found.len()), Some(8));
    }

    #[test]
    fn there_is_never_a_hole() {
        let recent = with(1, 3, 1);
        recent.add([(9, &message(1))].into_iter());
        assert_eq!(seqs(&recent, 2, 9, 9), None);
        assert_eq!(seqs(&recent, 8, 9, 9), Some(vec![9]));
    }
}
