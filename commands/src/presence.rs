//! Who is connected, since when somebody is not, and which game each user is in. Plain data and plain functions.

use std::collections::{BTreeSet, HashMap};

use contract::player::BySeat;
use contract::view::ConnectionView;
use contract::{GameId, GameState, Millis, Players, Seat, UserId};

use crate::games::ConnectionId;
use crate::watcher::forfeits;

#[derive(Debug, Default)]
struct User {
    connections: BTreeSet<ConnectionId>,
    offline_since: Option<Millis>,
    game: Option<GameId>,
    /// Whether any connection was open since they entered the game.
    came: bool,
}

/// A player who is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// Since when.
    pub since: Millis,
    /// Whether they were there at all since they entered the game, or since this process took it over. Who plays without
    /// a connection never leaves by closing one, and who was cut off by a restart did not leave either.
    pub came: bool,
}

/// Which players are not there.
pub type Away = BySeat<Option<Absence>>;

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
        entry.came = true;
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
            entry.came = !entry.connections.is_empty();
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

    /// Whether and since when `user` is away; `None` while they are there.
    pub fn absence(&self, user: &UserId) -> Option<Absence> {
        let entry = self.users.get(user)?;
        entry.offline_since.map(|since| Absence {
            since,
            came: entry.came,
        })
    }

    /// Which of the players are away.
    pub fn away(&self, players: &Players) -> Away {
        BySeat {
            player1: self.absence(&players.player1.user_id),
            player2: self.absence(&players.player2.user_id),
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
pub fn connection_views(game: &GameState, away: Away) -> BySeat<ConnectionView> {
    let forfeits = forfeits(game, away);
    let view = |seat: Seat| ConnectionView {
        connected: away.of(seat).is_none(),
        offline_since: away.of(seat).map(|absence| absence.since),
        forfeit_at: *forfeits.of(seat),
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
        assert_eq!(presence.absence(&ann).map(|away| away.since), Some(Millis(9)));
        presence.connect(&ann, ConnectionId(3));
        assert_eq!(presence.absence(&ann), None);
    }

    #[test]
    fn a_command_without_a_connection_begins_the_time_away_anew() {
        let mut presence = Presence::default();
        let ann = user("ann");
        presence
            .enter(game(1), [&ann], Millis(10))
            .expect("in no game yet");
        assert_eq!(presence.absence(&ann).map(|away| away.since), Some(Millis(10)));
        assert!(presence.touch(&ann, Millis(70)));
        assert_eq!(presence.absence(&ann).map(|away| away.since), Some(Millis(70)));
    }

    #[test]
    fn who_was_there_before_the_game_but_not_in_it_never_came() {
        let mut presence = Presence::default();
        let ann = user("ann");
        let came = |presence: &Presence| presence.absence(&ann).map(|away| away.came);
        presence
            .enter(game(1), [&ann], Millis(0))
            .expect("in no game yet");
        assert_eq!(came(&presence), Some(false));
        presence.connect(&ann, ConnectionId(1));
        presence.disconnect(&ann, ConnectionId(1), Millis(5));
        assert_eq!(came(&presence), Some(true));
        presence.leave(game(1), [&ann]);
        presence
            .enter(game(2), [&ann], Millis(9))
            .expect("in no game any more");
        assert_eq!(came(&presence), Some(false));
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
