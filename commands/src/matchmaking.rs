//! The queue: pairs first come, first served, of the same kind and time control, never a user with themselves.
//! In memory only; a client in it asks again when it reconnects.

use std::collections::{HashMap, VecDeque};

use contract::{Kind, Millis, PlayerSummary, TimeControl, UserId};

/// A seek outlives its user's last connection by this long, in milliseconds.
pub const SEEK_GRACE_MS: i64 = 30_000;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Terms {
    /// Which game.
    pub kind: Kind,
    /// How long a player may think.
    pub time_control: TimeControl,
}

#[derive(Debug)]
struct Seek {
    player: PlayerSummary,
    /// When it lapses; `None` while a connection is open.
    lapses_at: Option<Millis>,
}

/// All who wait.
#[derive(Debug, Default)]
pub struct Matchmaking {
    queues: HashMap<Terms, VecDeque<Seek>>,
}

impl Matchmaking {
    /// The first who waits for the same and is not `player` is taken out and returned; else `player` waits (once,
    /// whatever they waited for before).
    pub fn seek(&mut self, player: &PlayerSummary, terms: Terms, now: Millis) -> Option<PlayerSummary> {
        self.cancel(&player.user_id);
        self.expire(now);
        let queue = self.queues.entry(terms).or_default();
        if let Some(seek) = queue.pop_front() {
            return Some(seek.player);
        }
        queue.push_back(Seek {
            player: player.clone(),
            lapses_at: None,
        });
        None
    }

    /// Puts somebody back to the front of the queue: the game they were taken for did not come about.
    pub fn put_back(&mut self, player: &PlayerSummary, terms: Terms) {
        self.queues.entry(terms).or_default().push_front(Seek {
            player: player.clone(),
            lapses_at: None,
        });
    }

    /// `user` waits no longer.
    pub fn cancel(&mut self, user: &UserId) {
        self.queues.retain(|_, queue| {
            queue.retain(|seek| seek.player.user_id != *user);
            !queue.is_empty()
        });
    }

    /// The user's last connection closed: the seek lapses after the grace.
    pub fn lapse(&mut self, user: &UserId, now: Millis) {
        self.each_of(user, |seek| seek.lapses_at = Some(now.plus(SEEK_GRACE_MS)));
    }

    /// The user is back.
    pub fn keep(&mut self, user: &UserId) {
        self.each_of(user, |seek| seek.lapses_at = None);
    }

    /// Drops what has lapsed.
    pub fn expire(&mut self, now: Millis) {
        self.queues.retain(|_, queue| {
            queue.retain(|seek| seek.lapses_at.is_none_or(|at| at > now));
            !queue.is_empty()
        });
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.queues.values().map(VecDeque::len).sum()
    }

    fn each_of(&mut self, user: &UserId, mut change: impl FnMut(&mut Seek)) {
        for seek in self
            .queues
            .values_mut()
            .flatten()
            .filter(|seek| seek.player.user_id == *user)
        {
            change(seek);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str) -> PlayerSummary {
        PlayerSummary {
            user_id: UserId::new(format!("guest:{name}")),
            name: None,
            is_guest: true,
        }
    }

    const TERMS: Terms = Terms {
        kind: Kind::Mancala,
        time_control: TimeControl::Unlimited,
    };

    #[test]
    fn the_first_who_waits_is_paired_first() {
        let mut queue = Matchmaking::default();
        let (ann, ben, cid) = (player("ann"), player("ben"), player("cid"));
        assert_eq!(queue.seek(&ann, TERMS, Millis(0)), None);
        assert_eq!(queue.seek(&ben, TERMS, Millis(0)), Some(ann));
        assert_eq!(queue.seek(&cid, TERMS, Millis(0)), None);
        assert_eq!(queue.waiting(), 1);
    }

    #[test]
    fn nobody_is_paired_with_themselves() {
        let mut queue = Matchmaking::default();
        let ann = player("ann");
        assert_eq!(queue.seek(&ann, TERMS, Millis(0)), None);
        assert_eq!(queue.seek(&ann, TERMS, Millis(0)), None);
        assert_eq!(queue.waiting(), 1);
    }

    #[test]
    fn a_seek_outlives_the_last_connection_by_thirty_seconds() {
        let mut queue = Matchmaking::default();
        let (ann, ben) = (player("ann"), player("ben"));
        queue.seek(&ann, TERMS, Millis(0));
        queue.lapse(&ann.user_id, Millis(1000));
        queue.expire(Millis(30_999));
        assert_eq!(queue.waiting(), 1);
        queue.keep(&ann.user_id);
        queue.expire(Millis(99_000));
        assert_eq!(queue.waiting(), 1);
        queue.lapse(&ann.user_id, Millis(100_000));
        assert_eq!(queue.seek(&ben, TERMS, Millis(130_000)), None);
    }
}
