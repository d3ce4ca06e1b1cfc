//! The services' presence, as keys that lapse.

use std::sync::LazyLock;

use async_trait::async_trait;
use commands::ports::{Heartbeat, ServiceKeys, Unavailable};
use contract::WriterId;
use redis::Script;

use crate::Valkey;
use crate::calls::unavailable;

static RENEW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("services/renew.lua")));
static ALIVE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("services/alive.lua")));

#[async_trait]
impl ServiceKeys for Valkey {
    async fn renew(&self, heartbeat: &Heartbeat, ttl_ms: u64) -> Result<(), Unavailable> {
        let writer = heartbeat.writer;
        let said = serde_json::to_vec(heartbeat).map_err(unavailable)?;
        let mut script = RENEW.key(self.keys.service(writer));
        script.key(self.keys.services());
        script.arg(writer.to_string()).arg(ttl_ms.max(1)).arg(said);
        self.run(&script).await
    }

    async fn remove(&self, writer: WriterId) -> Result<(), Unavailable> {
        let mut both = redis::pipe();
        both.atomic().del(self.keys.service(writer)).ignore();
        both.srem(self.keys.services(), writer.to_string()).ignore();
        self.pipeline(&both).await
    }

    async fn alive(&self) -> Result<Vec<Heartbeat>, Unavailable> {
        let mut script = ALIVE.key(self.keys.services());
        script.arg(self.keys.services_of());
        let said: Vec<Vec<u8>> = self.run(&script).await?;
        // One that cannot be read is alive all the same: better no answer than one without it.
        said.iter()
            .map(|said| serde_json::from_slice(said).map_err(unavailable))
            .collect()
    }
}
