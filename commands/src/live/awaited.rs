//! Games that connections asked for before they were here: a restore may bring them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use contract::{GameId, GameState};

use super::Shared;
use super::audience::give;
use super::room::Room;
use crate::games::{ConnectionId, Push};

/// So many games a connection may wait for: it is one, or a few, and whoever asks for more has to ask again.
const PER_CONNECTION: usize = 16;

/// Who waits for which games.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    by_game: HashMap<GameId, HashSet<ConnectionId>>,
    by_connection: HashMap<ConnectionId, HashSet<GameId>>,
}

impl Awaited {
    /// A connection waits for a game.
    fn wait(&mut self, connection: ConnectionId, game: GameId) {
        let games = self.by_connection.entry(connection).or_default();
        if games.len() < PER_CONNECTION && games.insert(game) {
            self.by_game.entry(game).or_default().insert(connection);
        }
    }

    /// It does not any more.
    pub(crate) fn forget(&mut self, connection: ConnectionId, game: GameId) {
        if let Some(games) = self.by_connection.get_mut(&connection) {
            games.remove(&game);
            if games.is_empty() {
                self.by_connection.remove(&connection);
            }
        }
        if let Some(connections) = self.by_game.get_mut(&game) {
            connections.remove(&connection);
            if connections.is_empty() {
                self.by_game.remove(&game);
            }
        }
    }

    /// A connection closed.
    pub(crate) fn closed(&mut self, connection: ConnectionId) {
        for game in self.by_connection.get(&connection).cloned().unwrap_or_default() {
            self.forget(connection, game);
        }
    }

    /// The game is here: those who waited for it.
    fn arrived(&mut self, game: GameId) -> Vec<ConnectionId> {
        let connections: Vec<_> = self.by_game.get(&game).into_iter().flatten().copied().collect();
        for connection in &connections {
            self.forget(*connection, game);
        }
        connections
    }
}

impl Shared {
    /// A connection asked for a game that is not here. While games are still to come, it gets this one when it comes.
    pub(crate) fn wait_for(&self, connection: ConnectionId, game: GameId) {
        if self.must_be_active().is_ok() {
            return;
        }
        let mut people = self.people();
        if people.connection(connection).is_some() {
            people.awaited.wait(connection, game);
        }
    }

    /// A game came back: its players who are connected already, and whoever asked for it, get it whole and watch it.
    pub(crate) fn show_to_waiting(&self, room: &Room, game: &Arc<GameState>) {
        let mut inner = room.inner();
        let waiting: Vec<_> = {
            let mut people = self.people();
            let mut connections = people.awaited.arrived(game.id);
            for player in [&game.players.player1, &game.players.player2] {
                connections.extend(people.presence.connections_of(&player.user_id));
            }
            connections.sort_unstable();
            connections.dedup();
            let open = connections.into_iter().filter_map(|id| {
                let connection = people.connection(id)?;
                connection.watches.insert(game.id);
                Some((id, connection.user.clone(), connection.listener.clone()))
            });
            open.collect()
        };
        for (id, user, listener) in waiting {
            if let Ok(whole) = self.whole(&inner, game, true, user.as_ref()) {
                give(&*listener, Push::Frame(whole));
            }
            if inner.audience.add(id, user.as_ref(), listener, &game.players) {
                self.recount(&inner, game.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn game(n: usize) -> GameId {
        GameId(Uuid::from_u128(n as u128))
    }

    #[test]
    fn those_who_wait_for_a_game_get_it_once() {
        let mut awaited = Awaited::default();
        awaited.wait(ConnectionId(1), game(1));
        awaited.wait(ConnectionId(1), game(1));
        awaited.wait(ConnectionId(2), game(1));
        awaited.wait(ConnectionId(3), game(1));
        awaited.forget(ConnectionId(2), game(1));
        awaited.closed(ConnectionId(3));
        assert_eq!(awaited.arrived(game(1)), [ConnectionId(1)]);
        assert!(awaited.arrived(game(1)).is_empty());
        assert!(awaited.by_game.is_empty() && awaited.by_connection.is_empty());
    }

    #[test]
    fn a_connection_waits_for_a_few_games_at_most() {
        let mut awaited = Awaited::default();
        for n in 0..100 {
            awaited.wait(ConnectionId(1), game(n));
        }
        assert_eq!(awaited.by_game.len(), PER_CONNECTION);
        awaited.closed(ConnectionId(1));
        assert!(awaited.by_game.is_empty() && awaited.by_connection.is_empty());
    }
}
