//! Who gets `on_live_games`, and what each has got.

use std::collections::HashMap;
use std::sync::Arc;

use commands::games::{ConnectionId, Encoded, Listener, Push};
use contract::UserId;

struct Subscriber {
    user: Option<UserId>,
    listener: Arc<dyn Listener>,
    /// The number of the frame it has; 0 before the first.
    has: u64,
}

impl Subscriber {
    fn push(&mut self, frame: &Arc<Encoded>, number: u64) {
        self.listener.push(Push::Frame(Arc::clone(frame)));
        self.has = number;
    }
}

/// The subscribers, and the frame that they have or get next.
#[derive(Default)]
pub(super) struct Subscribers {
    by_connection: HashMap<ConnectionId, Subscriber>,
    by_user: HashMap<UserId, usize>,
    shown: Option<Arc<Encoded>>,
    /// Grows with each frame that differs from the one before it.
    number: u64,
}

impl Subscribers {
    /// Whether nobody subscribed.
    pub(super) fn is_empty(&self) -> bool {
        self.by_connection.is_empty()
    }

    /// Shows a frame from now on, unless it says what the last one said.
    pub(super) fn show(&mut self, frame: Arc<Encoded>) {
        if self.shown.as_ref().is_none_or(|shown| shown.frame != frame.frame) {
            self.shown = Some(frame);
            self.number += 1;
        }
    }

    /// Adds a connection (or takes the newest word of one that is there) and pushes the frame to it.
    pub(super) fn add(
        &mut self,
        connection: ConnectionId,
        user: Option<UserId>,
        listener: Arc<dyn Listener>,
    ) {
        self.remove(connection);
        if let Some(user) = &user {
            *self.by_user.entry(user.clone()).or_default() += 1;
        }
        let mut subscriber = Subscriber {
            user,
            listener,
            has: 0,
        };
        if let Some(frame) = &self.shown {
            subscriber.push(frame, self.number);
        }
        self.by_connection.insert(connection, subscriber);
    }

    pub(super) fn remove(&mut self, connection: ConnectionId) {
        let Some(subscriber) = self.by_connection.remove(&connection) else {
            return;
        };
        if let Some(user) = subscriber.user
            && let Some(count) = self.by_user.get_mut(&user)
        {
            *count -= 1;
            if *count == 0 {
                self.by_user.remove(&user);
            }
        }
    }

    /// Pushes the frame to all who do not have it; whether there was anybody.
    pub(super) fn push_to_all(&mut self) -> bool {
        let Some(frame) = &self.shown else {
            return false;
        };
        let mut pushed = false;
        for subscriber in self
            .by_connection
            .values_mut()
            .filter(|subscriber| subscriber.has != self.number)
        {
            subscriber.push(frame, self.number);
            pushed = true;
        }
        pushed
    }

    pub(super) fn of_user(&self, user: &UserId) -> usize {
        self.by_user.get(user).copied().unwrap_or(0)
    }

    /// Users once each, and connections without a user.
    pub(super) fn count(&self) -> usize {
        let anonymous = self
            .by_connection
            .values()
            .filter(|subscriber| subscriber.user.is_none())
            .count();
        self.by_user.len() + anonymous
    }
}
