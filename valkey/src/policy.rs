//! The server must keep what it was given: one that evicts keys when its memory is full loses snapshots without a sign.

use commands::ports::Unavailable;
use redis::aio::MultiplexedConnection;
use redis::{Cmd, InfoDict, RedisResult};

use crate::Valkey;

/// The server is not known to keep its keys.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PolicyError {
    /// It may drop keys when its memory is full.
    #[error("Valkey's maxmemory-policy is `{policy}`, which may evict games: set it to `noeviction`")]
    Evicting {
        /// Its `maxmemory-policy`.
        policy: String,
    },
    /// It could not be asked.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl Valkey {
    /// Whether the server keeps its keys when its memory is full. A service refuses to start on one that does not; at
    /// later connections it is an error in the log.
    pub async fn check_policy(&self) -> Result<(), PolicyError> {
        let found: InfoDict = self.command(&memory()).await?;
        evicting(&found).map_or(Ok(()), |policy| Err(PolicyError::Evicting { policy }))
    }
}

/// The server's policy, if it is one that evicts.
pub(crate) async fn evicting_policy(connection: &mut MultiplexedConnection) -> RedisResult<Option<String>> {
    Ok(evicting(&memory().query_async(connection).await?))
}

/// `INFO` and not `CONFIG`, which hosted servers forbid.
fn memory() -> Cmd {
    redis::cmd("INFO").arg("memory").take()
}

/// Whatever the limit is now: it can be set later without a reconnect.
fn evicting(found: &InfoDict) -> Option<String> {
    found
        .get("maxmemory_policy")
        .filter(|policy: &String| policy != "noeviction")
}
