//! How much is held here, and how much of it waits.

use contract::{GameId, Kind};

use super::{LiveGames, lock};

/// How much is held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load {
    /// Live games, for each kind.
    pub live: Vec<(Kind, usize)>,
    /// Games that ended and are still in memory.
    pub ended: usize,
    /// Events that wait for the log.
    pub waiting_events: usize,
    /// Their size, in bytes.
    pub waiting_bytes: usize,
    /// The games that they are of.
    pub waiting_games: usize,
    /// How long, of any game of which something waits, the log has taken nothing: known to ten seconds, in milliseconds.
    pub unmoved_ms: i64,
    /// Games whose copy in the pending store is not what it should be.
    pub copies_due: usize,
    /// Users that wait for an opponent.
    pub seeks: usize,
}

impl Load {
    /// All live games.
    pub fn live_games(&self) -> usize {
        self.live.iter().map(|(_, games)| games).sum()
    }
}

impl LiveGames {
    /// How much is held. Every game is looked at for a moment.
    pub fn load(&self) -> Load {
        let mut load = Load {
            live: Kind::ALL.iter().map(|kind| (*kind, 0)).collect(),
            copies_due: lock(&self.shared.to_copy).len(),
            seeks: self.shared.people().matchmaking.waiting(),
            ..Load::default()
        };
        let now = self.shared.clock.monotonic();
        for room in self.shared.all_rooms() {
            let inner = room.inner();
            match inner.shown.as_ref().map(|game| game.is_live()) {
                Some(true) => {
                    let of_kind = load.live.iter_mut().find(|(kind, _)| *kind == room.key.kind);
                    if let Some((_, games)) = of_kind {
                        *games += 1;
                    }
                }
                Some(false) => load.ended += 1,
                None => {}
            }
            let waiting = inner.queue.waiting().count();
            load.waiting_events += waiting;
            load.waiting_bytes += inner.queue.bytes();
            load.waiting_games += usize::from(waiting > 0);
            if let Some((version, since)) = inner.unmoved
                && waiting > 0
                && version == inner.queue.durable_version()
            {
                load.unmoved_ms = load.unmoved_ms.max(now.since(since));
            }
        }
        load
    }

    /// How many events wait for the log.
    pub(super) fn waiting(&self) -> usize {
        let rooms = self.shared.all_rooms();
        rooms
            .iter()
            .map(|room| room.inner().queue.waiting().count())
            .sum()
    }

    /// How many bytes of a game wait for the log.
    pub fn waiting_bytes(&self, game: GameId) -> usize {
        let room = self.shared.room(game);
        room.map_or(0, |room| room.inner().queue.bytes())
    }
}
