//! The sweeper: deletes tombstones whose game history has.
//!
//! **Belongs here:** when a tombstone may go. **Does not:** making tombstones (the [live projector](crate::live)).
//! Several processes may sweep at once: a sweep deletes only tombstones, and only of games with a row.

use std::sync::Arc;

use commands::ports::{Clock, Unavailable};
use commands::snapshot::Tombstone;
use contract::{GameId, Millis};
use tokio_util::sync::CancellationToken;

use crate::ports::{HistoryStore, LiveStore};

/// How often it looks.
const EVERY_MS: u64 = 10_000;

/// How long a tombstone stays after its game ended, so that whoever reads a moment later still finds it.
const STAYS_MS: i64 = 60_000;

/// So many rows are asked for at once.
const CHUNK: usize = 500;

/// Deletes tombstones.
pub struct Sweeper {
    /// Where they are.
    pub live: Arc<dyn LiveStore>,
    /// Where their rows are.
    pub history: Arc<dyn HistoryStore>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl Sweeper {
    /// Sweeps at once and then every ten seconds until cancelled. A store that is away is tried again at the next turn.
    pub async fn run(self, cancel: CancellationToken) {
        let sweeping = async {
            loop {
                match self.sweep().await {
                    Ok(0) => {}
                    Ok(count) => tracing::debug!(count, "tombstones swept"),
                    Err(error) => tracing::debug!(%error, "tombstones stay for now"),
                }
                self.clock.sleep(EVERY_MS).await;
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            () = sweeping => {}
        }
    }

    /// Sweeps once; how many were deleted.
    ///
    /// # Errors
    /// A store is away; what was deleted before stays deleted.
    pub async fn sweep(&self) -> Result<usize, Unavailable> {
        let generation = self.live.generation().await?;
        let now = self.clock.now();
        let old: Vec<GameId> = self
            .live
            .tombstones(generation)
            .await?
            .iter()
            .filter(|stored| is_old(&stored.bytes, now))
            .map(|stored| stored.key.id)
            .collect();
        let mut swept = 0;
        for ids in old.chunks(CHUNK) {
            let written = self.history.existing(ids).await?;
            self.live.sweep(generation, &written).await?;
            swept += written.len();
        }
        Ok(swept)
    }
}

/// Whether a tombstone has stayed long enough. One that cannot be read stays: it may be newer code's.
fn is_old(bytes: &[u8], now: Millis) -> bool {
    Tombstone::decode(bytes).is_ok_and(|tombstone| now.since(tombstone.game.last_at) >= STAYS_MS)
}
