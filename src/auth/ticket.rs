//! Socket tickets: what a browser puts into the socket's URL in place of its token. One use, 30 seconds, in memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use commands::ports::Monotonic;
use contract::UserId;

use super::Principal;

/// What tickets begin with.
pub const PREFIX: &str = "ticket";

/// How long a ticket is good for, in milliseconds.
pub const LIFETIME_MS: i64 = 30_000;

/// How many tickets of one user may wait; a further one takes the oldest one's place.
const PER_USER: usize = 10;

/// The tickets that nobody has used yet.
#[derive(Debug)]
pub struct Tickets {
    most: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    tickets: HashMap<String, (Principal, Monotonic)>,
    /// Each user's, oldest first.
    by_user: HashMap<UserId, VecDeque<String>>,
}

impl std::fmt::Debug for Waiting {
    /// How many, and none of them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting")
            .field("tickets", &self.tickets.len())
            .finish_non_exhaustive()
    }
}

/// So many are waiting that there is no room for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom;

impl Tickets {
    /// Room for `most` tickets.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            waiting: Mutex::default(),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A ticket for `principal`.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub fn issue(&self, principal: Principal, now: Monotonic) -> Result<String, NoRoom> {
        let mut random = [0; 24];
        getrandom::fill(&mut random).map_err(|error| {
            tracing::error!(%error, "the system gives no random bytes");
            NoRoom
        })?;
        let ticket = format!("{PREFIX}.{}", BASE64.encode(random));
        let mut waiting = self.waiting();
        if waiting.tickets.len() >= self.most {
            waiting.expire(now);
        }
        if waiting.tickets.len() >= self.most {
            return Err(NoRoom);
        }
        waiting.add(ticket.clone(), principal, now);
        Ok(ticket)
    }

    /// Whose ticket it is; it is used up by this.
    pub fn take(&self, ticket: &str, now: Monotonic) -> Option<Principal> {
        let (principal, issued) = self.waiting().take(ticket)?;
        (now.since(issued) < LIFETIME_MS).then_some(principal)
    }
}

impl Waiting {
    fn add(&mut self, ticket: String, principal: Principal, now: Monotonic) {
        let own = self.by_user.entry(principal.player.user_id.clone()).or_default();
        if own.len() >= PER_USER
            && let Some(oldest) = own.pop_front()
        {
            self.tickets.remove(&oldest);
        }
        own.push_back(ticket.clone());
        self.tickets.insert(ticket, (principal, now));
    }

    fn take(&mut self, ticket: &str) -> Option<(Principal, Monotonic)> {
        let taken = self.tickets.remove(ticket)?;
        let user = &taken.0.player.user_id;
        if let Some(own) = self.by_user.get_mut(user) {
            own.retain(|other| other != ticket);
            if own.is_empty() {
                self.by_user.remove(user);
            }
        }
        Some(taken)
    }

    fn expire(&mut self, now: Monotonic) {
        self.tickets
            .retain(|_, (_, issued)| now.since(*issued) < LIFETIME_MS);
        let tickets = &self.tickets;
        self.by_user.retain(|_, own| {
            own.retain(|ticket| tickets.contains_key(ticket));
            !own.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::PlayerSummary;

    fn somebody() -> Principal {
        user("guest:1")
    }

    fn user(id: &str) -> Principal {
        Principal::of(PlayerSummary {
            user_id: UserId::new(id),
            name: None,
            is_guest: true,
        })
    }

    #[test]
    fn a_ticket_is_good_once_and_for_thirty_seconds() {
        let tickets = Tickets::new(10);
        let first = tickets.issue(somebody(), Monotonic(0)).expect("room");
        assert!(tickets.take(&first, Monotonic(29_999)).is_some());
        assert!(tickets.take(&first, Monotonic(29_999)).is_none());
        let second = tickets.issue(somebody(), Monotonic(0)).expect("room");
        assert!(tickets.take(&second, Monotonic(30_000)).is_none());
    }

    #[test]
    fn expired_tickets_make_room() {
        let tickets = Tickets::new(1);
        tickets.issue(somebody(), Monotonic(0)).expect("room");
        assert_eq!(tickets.issue(somebody(), Monotonic(29_999)), Err(NoRoom));
        assert!(tickets.issue(somebody(), Monotonic(30_000)).is_ok());
    }

    #[test]
    fn nobody_takes_the_room_of_all_others() {
        let tickets = Tickets::new(12);
        let greedy: Vec<String> = (0..50)
            .map(|_| tickets.issue(somebody(), Monotonic(0)).expect("their own room"))
            .collect();
        let other = tickets.issue(user("guest:2"), Monotonic(0)).expect("room");
        assert!(
            tickets.take(&greedy[39], Monotonic(1)).is_none(),
            "its place was taken"
        );
        assert!(tickets.take(&greedy[40], Monotonic(1)).is_some());
        assert!(tickets.take(&other, Monotonic(1)).is_some());
        assert!(!format!("{tickets:?}").contains(&greedy[49]));
        greedy[41..].iter().for_each(|ticket| {
            tickets.take(ticket, Monotonic(1)).expect("the last ten");
        });
        assert!(tickets.waiting().by_user.is_empty() && tickets.waiting().tickets.is_empty());
    }
}
