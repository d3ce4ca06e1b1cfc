//! Connections: who is there, what they watch, and who waits in the queue.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use contract::frames::ServerFrame;
use contract::frames::server::ConnectionChange;
use contract::{GameId, GameState, Millis, PlayerSummary, UserId};

use super::Shared;
use super::audience::give;
use super::awaited::Awaited;
use super::room::Inner;
use crate::games::{ConnectionId, Encoded, Listener, Push};
use crate::matchmaking::Matchmaking;
use crate::presence::{Away, Presence, connection_views};
use crate::view::{LiveContext, live_game};

pub(crate) struct Connection {
    pub(crate) user: Option<UserId>,
    pub(crate) listener: Arc<dyn Listener>,
    pub(crate) watches: HashSet<GameId>,
}

/// Everybody who is connected or plays.
#[derive(Default)]
pub(crate) struct People {
    pub(crate) presence: Presence,
    pub(crate) matchmaking: Matchmaking,
    pub(crate) awaited: Awaited,
    connections: HashMap<ConnectionId, Connection>,
    last_id: u64,
}

impl People {
    pub(crate) fn connection(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.connections.get_mut(&id)
    }

    /// The listeners of all connections.
    pub(crate) fn listeners(&self) -> Vec<Arc<dyn Listener>> {
        self.connections
            .values()
            .map(|connection| connection.listener.clone())
            .collect()
    }
}

impl Shared {
    pub(crate) fn connect(&self, user: Option<&PlayerSummary>, listener: Arc<dyn Listener>) -> ConnectionId {
        let mut people = self.people();
        people.last_id += 1;
        let id = ConnectionId(people.last_id);
        let user = user.map(|user| user.user_id.clone());
        let mut came_back = None;
        if let Some(user) = &user {
            if people.presence.connect(user, id) {
                came_back = people.presence.game_of(user);
            }
            people.matchmaking.keep(user);
        }
        people.connections.insert(
            id,
            Connection {
                user,
                listener,
                watches: HashSet::new(),
            },
        );
        drop(people);
        self.tell_connections(came_back);
        id
    }

    pub(crate) fn disconnect(&self, id: ConnectionId) {
        let now = self.clock.now();
        let mut people = self.people();
        let Some(connection) = people.connections.remove(&id) else {
            return;
        };
        people.awaited.closed(id);
        let mut went_away = None;
        if let Some(user) = &connection.user
            && people.presence.disconnect(user, id, now)
        {
            went_away = people.presence.game_of(user);
            people.matchmaking.lapse(user, now);
        }
        drop(people);
        for game in connection.watches {
            self.remove_watcher(id, game);
        }
        self.tell_connections(went_away);
    }

    /// A user without any connection sent a command: their time away begins anew.
    pub(crate) fn touch(&self, user: &UserId) {
        let now = self.clock.now();
        let mut people = self.people();
        let game = if people.presence.touch(user, now) {
            people.presence.game_of(user)
        } else {
            None
        };
        drop(people);
        self.tell_connections(game);
    }

    /// Tells a game's audience whether its players are there.
    fn tell_connections(&self, game: Option<GameId>) {
        let Some(room) = game.and_then(|game| self.room(game)) else {
            return;
        };
        let inner = room.inner();
        self.replan(&room, &inner);
        if let Some(shown) = inner.shown.clone().filter(|game| game.is_live()) {
            Self::push_connections(&inner, &shown, self.people().presence.away(&shown.players));
        }
    }

    /// Whoever is told that a game was resumed takes both players for away. It may be that they are not: when the process
    /// only stood still.
    pub(super) fn tell_who_is_there(&self, inner: &Inner, game: &GameState) {
        let away = self.people().presence.away(&game.players);
        if game.is_live() && (away.player1.is_none() || away.player2.is_none()) {
            Self::push_connections(inner, game, away);
        }
    }

    fn push_connections(inner: &Inner, game: &GameState, away: Away) {
        let change = ConnectionChange {
            game_id: game.id,
            durable_version: inner.queue.durable_version(),
            connections: connection_views(game, away),
        };
        inner
            .audience
            .push(&Encoded::new(ServerFrame::OnUserConnectionChange(change)));
    }

    /// What the process knows of a game beside its state.
    pub(crate) fn context_of(&self, inner: &Inner, game: &GameState) -> LiveContext {
        let away = self.people().presence.away(&game.players);
        LiveContext {
            durable_version: inner.queue.durable_version(),
            spectator_count: inner.audience.now(),
            connections: Some(connection_views(game, away)),
            clock: Some(self.reading(inner, game)),
        }
    }

    /// How long the clock that `game` says runs has run, and the time of that. A game that is shown may be older than the
    /// committed one: then nobody's clock runs.
    fn reading(&self, inner: &Inner, game: &GameState) -> (i64, Millis) {
        let is_newest = inner
            .game
            .as_ref()
            .is_some_and(|newest| newest.version == game.version);
        let ran_ms = if is_newest {
            inner.clock.ran_ms(self.clock.monotonic())
        } else {
            0
        };
        (ran_ms, self.clock.now())
    }

    /// A game began: each connection of its players gets it whole, and the newest socket of each takes the seat.
    pub(crate) fn seat_players(&self, inner: &mut Inner, game: &Arc<GameState>) {
        let context = self.context_of(inner, game);
        for player in [&game.players.player1, &game.players.player2] {
            let Ok(view) = live_game(game, context, Some(&player.user_id)) else {
                tracing::error!(game.id = %game.id, "a new game {} cannot be replayed", game.id);
                continue;
            };
            let frame = Encoded::at(ServerFrame::OnGameStart(Box::new(view)), game.id, game.position());
            let mut people = self.people();
            for id in people.presence.connections_of(&player.user_id) {
                let Some(connection) = people.connection(id) else {
                    continue;
                };
                give(&*connection.listener, Push::Frame(frame.clone()));
                connection.watches.insert(game.id);
                inner.audience.add(
                    id,
                    Some(&player.user_id),
                    connection.listener.clone(),
                    &game.players,
                );
            }
        }
    }
}
