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
    /// Whether it lately tried to take the games over and could not: others go first.
    #[serde(default)]
    pub unable: bool,
    /// Which process of its machine it is, for its neighbours; `None` where that cannot be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

/// A process among all that ever ran on a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The machine since its last boot, and the container: a digest. Elsewhere the other two mean nothing.
    pub host: String,
    /// The process id.
    pub pid: u32,
    /// When it started, in the system's own unit: an id is given out again.
    pub started: u64,
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
