//! Who is connected, since when somebody is not, and which game each user is in. Plain data and plain functions.

use std::collections::{BTreeSet, HashMap};

use contract::player::BySeat;
use contract::view::ConnectionView;
use contract::{GameId, GameState, Millis, Players, Seat, UserId};

use crate::games::ConnectionId;
use crate::view::TURN_TIMEOUT_MS;

#[derive(Debug, Default)]
struct User {
    connections: BTreeSet<ConnectionId>,
    offline_since: Option<Millis>,
    game: Option<GameId>,
}

/// All users who are connected or in a game.
#[derive(Debug, Default)]
pub struct Presence {
    users: HashMap<UserId, User>,
}

impl Presence {
    /// A connection of `user` opened. True if they were away before.
    pub fn connect(&mut self, user: &UserId, connection: ConnectionId) -> bool {
        let entry = self.users.entry(user.clone()).or_default();
        let was_away = entry.connections.is_empty();
        entry.connections.insert(connection);
        entry.offline_since = None;
        was_away
    }

    /// A connection of `user` closed. True if it was their last one.
    pub fn disconnect(&mut self, user: &UserId, connection: ConnectionId, now: Millis) -> bool {
        let Some(entry) = self.users.get_mut(user) else {
            return false;
        };
        let last = entry.connections.remove(&connection) && entry.connections.is_empty();
        if last {
            entry.offline_since = Some(now);
        }
        self.tidy(user);
        last
    }

    /// `user` sent a command without a connection: they were there just now. True if their time away began anew.
    pub fn touch(&mut self, user: &UserId, now: Millis) -> bool {
        match self.users.get_mut(user) {
            Some(entry) if entry.connections.is_empty() => {
                entry.offline_since = Some(now);
                true
            }
            _ => false,
        }
    }

    /// Puts all of `users` into `game`, or none of them.
    ///
    /// # Errors
    /// The first user who is in another game, with that game.
    pub fn enter<'a>(
        &mut self,
        game: GameId,
        users: impl IntoIterator<Item = &'a UserId> + Clone,
        now: Millis,
    ) -> Result<(), (UserId, GameId)> {
        for user in users.clone() {
            if let Some(other) = self.game_of(user)
                && other != game
            {
                return Err((user.clone(), other));
            }
        }
        for user in users {
            let entry = self.users.entry(user.clone()).or_default();
            entry.game = Some(game);
            if entry.connections.is_empty() && entry.offline_since.is_none() {
                entry.offline_since = Some(now);
            }
        }
        Ok(())
    }

    /// The game is over for `users`.
    pub fn leave<'a>(&mut self, game: GameId, users: impl IntoIterator<Item = &'a UserId>) {
        for user in users {
            if let Some(entry) = self.users.get_mut(user)
                && entry.game == Some(game)
            {
                entry.game = None;
            }
            self.tidy(user);
        }
    }

    /// The game `user` is in.
    pub fn game_of(&self, user: &UserId) -> Option<GameId> {
        self.users.get(user).and_then(|entry| entry.game)
    }

    /// Whether any connection of `user` is open.
    pub fn is_connected(&self, user: &UserId) -> bool {
        self.users
            .get(user)
            .is_some_and(|entry| !entry.connections.is_empty())
    }

    /// The connections of `user`, oldest first.
    pub fn connections_of(&self, user: &UserId) -> Vec<ConnectionId> {
        self.users
            .get(user)
            .map_or_else(Vec::new, |entry| entry.connections.iter().copied().collect())
    }

    /// Since when `user` is away; `None` while they are there.
    pub fn offline_since(&self, user: &UserId) -> Option<Millis> {
        self.users.get(user).and_then(|entry| entry.offline_since)
    }

    /// Since when each player is away.
    pub fn away(&self, players: &Players) -> BySeat<Option<Millis>> {
        BySeat {
            player1: self.offline_since(&players.player1.user_id),
            player2: self.offline_since(&players.player2.user_id),
        }
    }

    /// All deadlines move by `ms`: the service stood still, and nobody shall pay for it.
    pub fn shift(&mut self, ms: i64) {
        for entry in self.users.values_mut() {
            entry.offline_since = entry.offline_since.map(|since| since.plus(ms));
        }
    }

    /// How many users are known: bounded by open connections and live games.
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether nobody is known.
    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    fn tidy(&mut self, user: &UserId) {
        if self
            .users
            .get(user)
            .is_some_and(|entry| entry.connections.is_empty() && entry.game.is_none())
        {
            self.users.remove(user);
        }
    }
}

/// What clients see of the players' connections.
pub fn connection_views(game: &GameState, away: BySeat<Option<Millis>>) -> BySeat<ConnectionView> {
    let view = |seat: Seat| {
        let offline_since = *away.of(seat);
        let other_is_there = away.of(seat.other()).is_none();
        let forfeits = game.to_move() == Some(seat) && other_is_there;
        ConnectionView {
            connected: offline_since.is_none(),
            offline_since,
            forfeit_at: offline_since
                .filter(|_| forfeits)
                .map(|since| since.plus(TURN_TIMEOUT_MS)),
        }
    };
    BySeat {
        player1: view(Seat::Player1),
        player2: view(Seat::Player2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn user(name: &str) -> UserId {
        UserId::new(format!("guest:{name}"))
    }

    fn game(n: u128) -> GameId {
        GameId(Uuid::from_u128(n))
    }

    #[test]
    fn a_user_is_away_when_the_last_connection_closes() {
        let mut presence = Presence::default();
        let ann = user("ann");
        assert!(presence.connect(&ann, ConnectionId(1)));
        assert!(!presence.connect(&ann, ConnectionId(2)));
        presence
            .enter(game(1), [&ann], Millis(0))
            .expect("in no game yet");
        assert!(!presence.disconnect(&ann, ConnectionId(1), Millis(5)));
        assert!(presence.disconnect(&ann, ConnectionId(2), Millis(9)));
        assert_eq!(presence.offline_since(&ann), Some(Millis(9)));
        presence.connect(&ann, ConnectionId(3));
        assert_eq!(presence.offline_since(&ann), None);
    }

    #[test]
    fn a_command_without_a_connection_begins_the_time_away_anew() {
        let mut presence = Presence::default();
        let ann = user("ann");
        presence
            .enter(game(1), [&ann], Millis(10))
            .expect("in no game yet");
        assert_eq!(presence.offline_since(&ann), Some(Millis(10)));
        assert!(presence.touch(&ann, Millis(70)));
        assert_eq!(presence.offline_since(&ann), Some(Millis(70)));
    }

    #[test]
    fn a_user_is_in_one_game_at_most_and_entering_is_all_or_nothing() {
        let mut presence = Presence::default();
        let (ann, ben) = (user("ann"), user("ben"));
        presence
            .enter(game(1), [&ben], Millis(0))
            .expect("in no game yet");
        assert_eq!(
            presence.enter(game(2), [&ann, &ben], Millis(0)),
            Err((ben.clone(), game(1)))
        );
        assert_eq!(presence.game_of(&ann), None);
        presence.leave(game(2), [&ben]);
        assert_eq!(presence.game_of(&ben), Some(game(1)));
        presence.leave(game(1), [&ben]);
        assert!(presence.is_empty());
    }
}
