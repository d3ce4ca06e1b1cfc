//! Whether the log can be reached: up only while connected to a server that was checked and has the streams.

use std::sync::{Mutex, MutexGuard, PoisonError};

use commands::ports::Link;
use tokio::sync::watch;

/// The connection, as events of the client tell it, and the link, as the ports show it.
#[derive(Debug)]
pub struct LinkState {
    /// How many connections there were; held while the others change, so that they change together.
    count: Mutex<u64>,
    connections: watch::Sender<Option<u64>>,
    link: watch::Sender<Link>,
}

impl LinkState {
    /// Not connected.
    pub fn new() -> Self {
        Self {
            count: Mutex::new(0),
            connections: watch::Sender::new(None),
            link: watch::Sender::new(Link::Down),
        }
    }

    /// A connection stands; what is behind it is not known yet.
    pub fn connected(&self) {
        let mut count = self.count();
        *count += 1;
        self.link.send_replace(Link::Down);
        self.connections.send_replace(Some(*count));
    }

    /// The connection is gone.
    pub fn disconnected(&self) {
        let _together = self.count();
        self.link.send_replace(Link::Down);
        self.connections.send_replace(None);
    }

    /// What is behind connection `number` is fit and has the log. False if that connection is gone.
    pub fn ready(&self, number: u64) -> bool {
        let _together = self.count();
        let stands = *self.connections.borrow() == Some(number);
        if stands {
            self.link.send_replace(Link::Up(number));
        }
        stands
    }

    /// The number of the connection that stands, now and from now on.
    pub fn connections(&self) -> watch::Receiver<Option<u64>> {
        self.connections.subscribe()
    }

    /// The link, now and from now on.
    pub fn watch(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    /// Whether the link is up.
    pub fn is_up(&self) -> bool {
        self.link.borrow().is_up()
    }

    fn count(&self) -> MutexGuard<'_, u64> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_no_link_before_it_was_checked() {
        let state = LinkState::new();
        state.connected();
        assert!(!state.is_up());
        assert!(state.ready(1));
        assert_eq!(*state.watch().borrow(), Link::Up(1));
    }

    #[test]
    fn a_check_that_outlived_its_connection_raises_no_link() {
        let state = LinkState::new();
        state.connected();
        state.disconnected();
        assert!(!state.ready(1));
        state.connected();
        assert!(!state.ready(1));
        assert!(!state.is_up());
        assert!(state.ready(2));
        assert_eq!(*state.watch().borrow(), Link::Up(2));
    }
}
