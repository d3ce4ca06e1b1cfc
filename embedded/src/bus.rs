//! What is said within the process, heartbeats and counts of spectators: with the log in a file there is no other process to
//! hear it.

use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use commands::ports::{Heartbeat, Heartbeats, Unavailable};
use projections::ports::{SpectatorCounts, Watched};
use tokio::sync::mpsc::{self, error::TrySendError};

/// How much waits for a listener that does not read; what comes then is lost to it, as it is kept nowhere.
const WAITING: usize = 256;

/// A bus. Whoever listens hears everything said on it, by themselves included.
#[derive(Debug)]
pub struct MemoryBus<T> {
    listeners: Mutex<Vec<mpsc::Sender<T>>>,
}

impl<T> Default for MemoryBus<T> {
    fn default() -> Self {
        Self {
            listeners: Mutex::default(),
        }
    }
}

impl<T: Clone> MemoryBus<T> {
    fn listeners(&self) -> MutexGuard<'_, Vec<mpsc::Sender<T>>> {
        self.listeners
            .lock()
            .expect("nothing panics while the list is held")
    }

    fn say(&self, what: &T) {
        self.listeners()
            .retain(|listener| !matches!(listener.try_send(what.clone()), Err(TrySendError::Closed(_))));
    }

    fn hear(&self) -> mpsc::Receiver<T> {
        let (listener, heard) = mpsc::channel(WAITING);
        self.listeners().push(listener);
        heard
    }
}

#[async_trait]
impl Heartbeats for MemoryBus<Heartbeat> {
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), Unavailable> {
        self.say(heartbeat);
        Ok(())
    }

    async fn listen(&self) -> Result<mpsc::Receiver<Heartbeat>, Unavailable> {
        Ok(self.hear())
    }
}

#[async_trait]
impl SpectatorCounts for MemoryBus<Watched> {
    async fn tell(&self, count: Watched) -> Result<(), Unavailable> {
        self.say(&count);
        Ok(())
    }

    async fn listen(&self) -> Result<mpsc::Receiver<Watched>, Unavailable> {
        Ok(self.hear())
    }
}
