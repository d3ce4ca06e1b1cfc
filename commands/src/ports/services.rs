//! How processes on one log know of each other.

use async_trait::async_trait;
use contract::WriterId;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::{LogIdentity, Unavailable};

/// What a process says of itself every 500 ms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Who.
    pub writer: WriterId,
    /// Whether it holds games (or is a standby).
    pub active: bool,
    /// Since when it runs, milliseconds since the epoch.
    pub since: i64,
    /// On which log.
    pub log: LogIdentity,
    /// Whether it is going away.
    #[serde(default)]
    pub leaving: bool,
}

/// The bus that heartbeats travel on.
#[async_trait]
pub trait Heartbeats: Send + Sync + 'static {
    /// Says it to all others. Not kept anywhere.
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), Unavailable>;

    /// What the others say, from now on, over outages. Own heartbeats may be among them.
    async fn listen(&self) -> Result<mpsc::Receiver<Heartbeat>, Unavailable>;
}

/// The same presence in a store, as a key that lapses.
#[async_trait]
pub trait ServiceKeys: Send + Sync + 'static {
    /// Renews the own key for `ttl_ms`.
    async fn renew(&self, heartbeat: &Heartbeat, ttl_ms: u64) -> Result<(), Unavailable>;

    /// Removes the own key.
    async fn remove(&self, writer: WriterId) -> Result<(), Unavailable>;

    /// The services whose key has not lapsed.
    async fn alive(&self) -> Result<Vec<Heartbeat>, Unavailable>;
}
