//! How a process knows how many watch a game that another one holds.

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::GameId;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

/// How many watch a game, as the process counts that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// The game.
    pub game: GameId,
    /// Its spectators now.
    pub spectators: u32,
}

/// The bus that counts of spectators travel on. Nothing of them is kept, and one may be lost.
#[async_trait]
pub trait SpectatorCounts: Send + Sync + 'static {
    /// Says it to all others. Fails at once while the bus is away.
    async fn tell(&self, count: Watched) -> Result<(), Unavailable>;

    /// What the others say, from now on, over outages. Own counts may be among them.
    async fn listen(&self) -> Result<mpsc::Receiver<Watched>, Unavailable>;
}
