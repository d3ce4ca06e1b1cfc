//! One connection, replaced whenever it stops answering.
//!
//! It is watched from outside the calls: a call either finds a connection that answered within the last second, or
//! fails at once. No call ever waits for a reconnect, and none is sent twice.

mod watcher;

use std::sync::Arc;

use commands::ports::Link;
use redis::aio::MultiplexedConnection;
use tokio::sync::{Notify, watch};

/// What the calls and the watcher share.
#[derive(Clone)]
pub(crate) struct Connection {
    state: watch::Sender<State>,
    link: watch::Sender<Link>,
    doubt: Arc<Notify>,
}

#[derive(Clone)]
enum State {
    /// The first attempt has not ended yet.
    Starting,
    Up(Numbered),
    Down(Arc<str>),
}

/// A connection, with its number among all there have been.
#[derive(Clone)]
pub(crate) struct Numbered {
    pub number: u64,
    pub connection: MultiplexedConnection,
}

impl Connection {
    pub fn new() -> Self {
        Self {
            state: watch::Sender::new(State::Starting),
            link: watch::Sender::new(Link::Down),
            doubt: Arc::default(),
        }
    }

    pub fn link(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    /// The connection that answers now, or why there is none. Waits only for the very first attempt.
    pub async fn current(&self) -> Result<Numbered, Arc<str>> {
        let mut states = self.state.subscribe();
        let state = states.wait_for(|state| !matches!(state, State::Starting)).await;
        match &*state.expect("the sender lives in self") {
            State::Up(connection) => Ok(connection.clone()),
            State::Down(why) => Err(why.clone()),
            State::Starting => unreachable!("it was waited for another state"),
        }
    }

    /// Returns when the connection of this number is the current one no more.
    pub async fn given_up(&self, number: u64) {
        let mut states = self.state.subscribe();
        let is_another = |state: &State| !matches!(state, State::Up(current) if current.number == number);
        states
            .wait_for(is_another)
            .await
            .expect("the sender lives in self");
    }

    /// Has the connection checked now, because a call was not answered as it should be.
    pub fn doubt(&self) {
        self.doubt.notify_one();
    }

    fn established(&self, number: u64, connection: MultiplexedConnection) {
        self.state
            .send_replace(State::Up(Numbered { number, connection }));
        self.link.send_replace(Link::Up(number));
    }

    /// There is no connection any more, or still none.
    pub fn lost(&self, why: &str) {
        self.state.send_replace(State::Down(why.into()));
        self.link
            .send_if_modified(|link| std::mem::replace(link, Link::Down).is_up());
    }
}
