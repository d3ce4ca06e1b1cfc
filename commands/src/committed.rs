//! The newest events as this process committed them, for who reads them from the log a moment later: an event that was just
//! encoded here need not be decoded here again, which takes three times as long.
//!
//! **Belongs here:** giving back an event for the very bytes that were made of it. **Does not:** order, and what the log has:
//! whoever reads the log believes its messages, and finds here only what they say.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use contract::event::DecodeError;
use contract::{Envelope, Event, GameId};

/// How many events are kept at most: a projector that is further behind than that decodes.
const MOST: usize = 2_048;

/// Events that nobody has read yet.
#[derive(Debug, Default)]
struct Unread {
    by_game: HashMap<GameId, VecDeque<(Bytes, Envelope)>>,
    count: usize,
}

/// The newest events of this process, until one reader has read them.
#[derive(Debug, Default)]
pub struct CommittedEvents(Mutex<Unread>);

impl CommittedEvents {
    /// Keeps events with the bytes that were made of them. Those that carry a whole game are left out: they are few and
    /// large.
    pub(crate) fn remember(&self, events: impl Iterator<Item = (Bytes, Envelope)>) {
        let mut unread = self.unread();
        for (bytes, envelope) in events {
            if matches!(
                envelope.event,
                Event::Started(_) | Event::Anchored(_) | Event::Ended(_)
            ) {
                continue;
            }
            if unread.count == MOST {
                // Nobody reads, or not from here.
                *unread = Unread::default();
            }
            unread.count += 1;
            let of_game = unread.by_game.entry(envelope.id.game).or_default();
            of_game.push_back((bytes, envelope));
        }
    }

    /// The event that a message says: as it was committed if that was here, decoded if not.
    ///
    /// # Errors
    /// As [`Envelope::from_bytes`].
    pub fn read(&self, game: GameId, bytes: &Bytes) -> Result<Envelope, DecodeError> {
        self.unread()
            .take(game, bytes)
            .map_or_else(|| Envelope::from_bytes(bytes), Ok)
    }

    fn unread(&self) -> MutexGuard<'_, Unread> {
        // Whole whoever panicked while holding it: what is lost is decoded.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unread {
    /// Takes an event out, with those of its game before it: messages of a game are read in order.
    fn take(&mut self, game: GameId, bytes: &Bytes) -> Option<Envelope> {
        let of_game = self.by_game.get_mut(&game)?;
        let at = of_game.iter().position(|(known, _)| known == bytes)?;
        let found = of_game.drain(..=at).next_back().map(|(_, envelope)| envelope);
        self.count -= at + 1;
        if of_game.is_empty() {
            self.by_game.remove(&game);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use contract::event::Resumed;
    use contract::{EventId, Kind, Millis, Spectators, WriterId};
    use uuid::Uuid;

    use super::*;

    fn event(game: u128, version: u64) -> (Bytes, Envelope) {
        let envelope = Envelope {
            id: EventId::new(GameId(Uuid::from_u128(game)), version, WriterId(1)),
            kind: Kind::Mancala,
            previd: None,
            time: Millis(0),
            traceparent: None,
            event: Event::Resumed(Resumed {
                downtime_ms: 0,
                clocks: None,
                spectators: Spectators::default(),
            }),
        };
        (envelope.to_bytes(), envelope)
    }

    fn left(committed: &CommittedEvents) -> (usize, usize) {
        let unread = committed.unread();
        (unread.count, unread.by_game.len())
    }

    #[test]
    fn an_event_is_found_by_its_bytes_and_forgotten_with_those_before_it() {
        let committed = CommittedEvents::default();
        let events: Vec<_> = (1..=3).map(|version| event(7, version)).collect();
        committed.remember(events.iter().cloned());
        let (bytes, envelope) = &events[1];
        assert_eq!(
            committed.unread().take(envelope.id.game, bytes).as_ref(),
            Some(envelope)
        );
        assert_eq!(left(&committed), (1, 1));
        assert_eq!(
            committed.read(envelope.id.game, bytes).unwrap(),
            *envelope,
            "decoded"
        );
        assert_eq!(left(&committed), (1, 1));
        let (bytes, envelope) = &events[2];
        assert_eq!(committed.read(envelope.id.game, bytes).unwrap(), *envelope);
        assert_eq!(left(&committed), (0, 0));
    }

    #[test]
    fn a_message_with_other_bytes_is_what_its_bytes_say() {
        let committed = CommittedEvents::default();
        let (_, envelope) = event(7, 1);
        let mut other = envelope.clone();
        other.time = Millis(5);
        committed.remember([(envelope.to_bytes(), envelope.clone())].into_iter());
        assert_eq!(committed.read(other.id.game, &other.to_bytes()).unwrap(), other);
        assert!(committed.read(other.id.game, &Bytes::from_static(b"{}")).is_err());
        assert_eq!(left(&committed), (1, 1));
    }

    #[test]
    fn what_nobody_reads_is_bounded() {
        let committed = CommittedEvents::default();
        committed.remember((1..=2 * MOST as u128 + 1).map(|game| event(game, 1)));
        assert_eq!(left(&committed), (1, 1));
    }
}
