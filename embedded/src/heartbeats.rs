//! Heartbeats within the process: with the log in a file there is no other process to hear.

use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use commands::ports::{Heartbeat, Heartbeats, Unavailable};
use tokio::sync::mpsc::{self, error::TrySendError};

/// How many heartbeats wait for a listener that does not read; further ones are lost to it, as they are kept nowhere.
const WAITING: usize = 256;

/// The bus. Whoever listens hears everything said on it, own heartbeats included.
#[derive(Debug, Default)]
pub struct MemoryHeartbeats {
    listeners: Mutex<Vec<mpsc::Sender<Heartbeat>>>,
}

impl MemoryHeartbeats {
    fn listeners(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Heartbeat>>> {
        self.listeners
            .lock()
            .expect("nothing panics while the list is held")
    }
}

#[async_trait]
impl Heartbeats for MemoryHeartbeats {
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), Unavailable> {
        self.listeners()
            .retain(|listener| !matches!(listener.try_send(heartbeat.clone()), Err(TrySendError::Closed(_))));
        Ok(())
    }

    async fn listen(&self) -> Result<mpsc::Receiver<Heartbeat>, Unavailable> {
        let (listener, heard) = mpsc::channel(WAITING);
        self.listeners().push(listener);
        Ok(heard)
    }
}
