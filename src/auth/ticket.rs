//! Socket tickets: what a browser puts into the socket's URL in place of its token. One use, 30 seconds, in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use commands::ports::Monotonic;

use super::Principal;

/// What tickets begin with.
pub const PREFIX: &str = "ticket";

/// How long a ticket is good for, in milliseconds.
pub const LIFETIME_MS: i64 = 30_000;

/// The tickets that nobody has used yet.
#[derive(Debug)]
pub struct Tickets {
    most: usize,
    waiting: Mutex<HashMap<String, (Principal, Monotonic)>>,
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
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= self.most {
            waiting.retain(|_, (_, issued)| now.since(*issued) < LIFETIME_MS);
        }
        if waiting.len() >= self.most {
            return Err(NoRoom);
        }
        waiting.insert(ticket.clone(), (principal, now));
        Ok(ticket)
    }

    /// Whose ticket it is; it is used up by this.
    pub fn take(&self, ticket: &str, now: Monotonic) -> Option<Principal> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (principal, issued) = waiting.remove(ticket)?;
        (now.since(issued) < LIFETIME_MS).then_some(principal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{PlayerSummary, UserId};

    fn somebody() -> Principal {
        Principal::of(PlayerSummary {
            user_id: UserId::new("guest:1"),
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
}
