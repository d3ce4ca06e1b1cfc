//! Who gets a game's frames, and how many of them are spectators.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use contract::frames::CloseCode;
use contract::{Players, Seat, Spectators, UserId};

use super::frames::Frames;
use crate::games::{ConnectionId, Encoded, Listener, Push};

/// So many spectators of a game are known again when they come back; further ones count each time.
const MOST_REMEMBERED: usize = 10_000;

/// One who watches: users by their public id, however many connections they have; anonymous connections one by one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Spectator {
    User(UserId),
    Anonymous(ConnectionId),
}

struct Watcher {
    listener: Arc<dyn Listener>,
    user: Option<UserId>,
    /// Where the user plays, if they do.
    seat: Option<Seat>,
}

/// A game's audience.
#[derive(Default)]
pub(crate) struct Audience {
    watchers: HashMap<ConnectionId, Watcher>,
    present: HashMap<Spectator, u32>,
    seen: HashSet<Spectator>,
    figures: Spectators,
}

impl Audience {
    /// An audience whose figures go on from earlier ones.
    pub(crate) fn with_figures(figures: Spectators) -> Self {
        Self {
            figures,
            ..Self::default()
        }
    }

    /// Adds a connection. An older socket of the same player is closed. True if the number of spectators changed.
    pub(crate) fn add(
        &mut self,
        connection: ConnectionId,
        user: Option<&UserId>,
        listener: Arc<dyn Listener>,
        players: &Players,
    ) -> bool {
        let seat = user.and_then(|user| players.seat_of(user));
        let is_player = seat.is_some();
        if is_player && listener.holds_seat() {
            self.replace_sockets_of(user, connection);
        }
        if self.watchers.contains_key(&connection) {
            return false;
        }
        self.watchers.insert(
            connection,
            Watcher {
                listener,
                user: user.cloned(),
                seat,
            },
        );
        !is_player && self.count(spectator(connection, user))
    }

    /// Removes a connection. True if the number of spectators changed.
    pub(crate) fn remove(&mut self, connection: ConnectionId) -> bool {
        let Some(watcher) = self.watchers.remove(&connection) else {
            return false;
        };
        if watcher.seat.is_some() {
            return false;
        }
        let key = spectator(connection, watcher.user.as_ref());
        match self.present.get_mut(&key) {
            Some(count) if *count > 1 => {
                *count -= 1;
                false
            }
            Some(_) => self.present.remove(&key).is_some(),
            None => false,
        }
    }

    /// Pushes a frame to everybody.
    pub(crate) fn push(&self, frame: &Arc<Encoded>) {
        for watcher in self.watchers.values() {
            give(&*watcher.listener, Push::Frame(frame.clone()));
        }
    }

    /// Pushes each the frame that is for them.
    pub(crate) fn tell(&self, frames: &Frames) {
        for watcher in self.watchers.values() {
            give(&*watcher.listener, Push::Frame(frames.of(watcher.seat).clone()));
        }
    }

    /// Closes everybody's connection.
    pub(crate) fn close(&self, code: CloseCode) {
        for watcher in self.watchers.values() {
            give(&*watcher.listener, Push::Close(code));
        }
    }

    /// How many spectators there are now.
    pub(crate) fn now(&self) -> u32 {
        self.present.len() as u32
    }

    /// Peak and total so far.
    pub(crate) fn figures(&self) -> Spectators {
        self.figures
    }

    fn count(&mut self, key: Spectator) -> bool {
        let is_new = if self.seen.len() < MOST_REMEMBERED {
            self.seen.insert(key.clone())
        } else {
            !self.seen.contains(&key)
        };
        self.figures.total += u32::from(is_new);
        let count = self.present.entry(key).or_insert(0);
        *count += 1;
        let changed = *count == 1;
        self.figures.peak = self.figures.peak.max(self.present.len() as u32);
        changed
    }

    fn replace_sockets_of(&mut self, user: Option<&UserId>, newer: ConnectionId) {
        self.watchers.retain(|connection, watcher| {
            let older =
                *connection != newer && watcher.user.as_ref() == user && watcher.listener.holds_seat();
            if older {
                give(&*watcher.listener, Push::Close(CloseCode::Replaced));
            }
            !older
        });
    }
}

/// Pushes to one listener. One that panics harms neither the game that is shown, nor the others.
pub(crate) fn give(listener: &dyn Listener, push: Push) {
    if catch_unwind(AssertUnwindSafe(|| listener.push(push))).is_err() {
        tracing::error!("a connection failed to take what it was given");
    }
}

fn spectator(connection: ConnectionId, user: Option<&UserId>) -> Spectator {
    user.map_or(Spectator::Anonymous(connection), |user| {
        Spectator::User(user.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::fixtures::players;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Ear(Mutex<Vec<Push>>);

    impl Listener for Ear {
        fn push(&self, push: Push) {
            self.0.lock().expect("no test panics while holding it").push(push);
        }
    }

    fn ear() -> Arc<Ear> {
        Arc::new(Ear::default())
    }

    #[test]
    fn players_are_no_spectators_and_a_user_counts_once() {
        let players = players();
        let mut audience = Audience::default();
        let fan = UserId::new("guest:fan");
        assert!(!audience.add(ConnectionId(1), Some(&players.player1.user_id), ear(), &players));
        assert!(audience.add(ConnectionId(2), Some(&fan), ear(), &players));
        assert!(!audience.add(ConnectionId(3), Some(&fan), ear(), &players));
        assert!(audience.add(ConnectionId(4), None, ear(), &players));
        assert_eq!(
            (audience.now(), audience.figures()),
            (2, Spectators { peak: 2, total: 2 })
        );
        assert!(!audience.remove(ConnectionId(2)));
        assert!(audience.remove(ConnectionId(3)));
        assert!(audience.add(ConnectionId(5), Some(&fan), ear(), &players));
        assert_eq!(
            (audience.now(), audience.figures()),
            (2, Spectators { peak: 2, total: 2 })
        );
    }

    #[test]
    fn those_who_come_and_go_are_remembered_up_to_a_bound() {
        let players = players();
        let mut audience = Audience::default();
        let visits = MOST_REMEMBERED as u64 + 10;
        for n in 0..visits {
            audience.add(ConnectionId(n), None, ear(), &players);
            audience.remove(ConnectionId(n));
        }
        assert_eq!(audience.seen.len(), MOST_REMEMBERED);
        assert_eq!(
            audience.figures(),
            Spectators {
                peak: 1,
                total: visits as u32
            }
        );
    }

    #[test]
    fn a_newer_socket_of_a_player_replaces_the_older_one() {
        let players = players();
        let mut audience = Audience::default();
        let (old, new) = (ear(), ear());
        let ann = &players.player1.user_id;
        audience.add(ConnectionId(1), Some(ann), old.clone(), &players);
        audience.add(ConnectionId(2), Some(ann), new.clone(), &players);
        let pushed = old.0.lock().expect("no test panics while holding it");
        assert!(matches!(pushed.as_slice(), [Push::Close(CloseCode::Replaced)]));
        assert!(new.0.lock().expect("no test panics while holding it").is_empty());
    }
}
