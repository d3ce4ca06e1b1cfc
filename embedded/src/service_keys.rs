//! The services that are alive, in memory: whoever can read this is in the same process, and dies with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use commands::ports::{Clock, Heartbeat, Monotonic, ServiceKeys, Unavailable};
use contract::WriterId;

/// Keys that lapse on the service's clock.
pub struct MemoryServiceKeys {
    clock: Arc<dyn Clock>,
    keys: Mutex<HashMap<WriterId, Key>>,
}

struct Key {
    heartbeat: Heartbeat,
    lapses: Monotonic,
}

impl MemoryServiceKeys {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            keys: Mutex::default(),
        }
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<WriterId, Key>> {
        self.keys.lock().expect("nothing panics while the keys are held")
    }
}

#[async_trait]
impl ServiceKeys for MemoryServiceKeys {
    async fn renew(&self, heartbeat: &Heartbeat, ttl_ms: u64) -> Result<(), Unavailable> {
        let lapses = Monotonic(self.clock.monotonic().0.saturating_add_unsigned(ttl_ms));
        self.keys().insert(
            heartbeat.writer,
            Key {
                heartbeat: heartbeat.clone(),
                lapses,
            },
        );
        Ok(())
    }

    async fn remove(&self, writer: WriterId) -> Result<(), Unavailable> {
        self.keys().remove(&writer);
        Ok(())
    }

    async fn alive(&self) -> Result<Vec<Heartbeat>, Unavailable> {
        let now = self.clock.monotonic();
        let mut keys = self.keys();
        keys.retain(|_, key| key.lapses > now);
        Ok(keys.values().map(|key| key.heartbeat.clone()).collect())
    }
}
