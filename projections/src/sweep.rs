//! The sweeper: deletes tombstones whose game history has.
//!
//! **Belongs here:** when a tombstone may go. **Does not:** making tombstones (the [live projector](crate::live)).
//! Several processes may sweep at once: a sweep deletes only tombstones, and only of games with a row.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use commands::ports::{Clock, Unavailable};
use commands::snapshot::Tombstone;
use contract::{GameId, Millis};
use tokio_util::sync::CancellationToken;

use crate::ports::{HistoryStore, LiveStore};

/// How often it looks.
const EVERY_MS: u64 = 10_000;

/// How long a tombstone stays after its game was seen in history, so that whoever reads a moment later still finds it.
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
    /// Since when history is known to have a game with a tombstone. A new process begins anew: a tombstone stays for a
    /// minute more.
    pub seen: SeenRows,
}

/// When the rows of games with a tombstone were first seen.
#[derive(Debug, Default)]
pub struct SeenRows(Mutex<BTreeMap<GameId, Millis>>);

impl Sweeper {
    /// Sweeps at once and then every ten seconds until cancelled. A store that is away is tried again at the next turn.
    pub async fn run(self, cancel: CancellationToken) {
        let sweeping = async {
            let mut is_told = false;
            loop {
                match self.sweep().await {
                    Ok(count) => {
                        is_told = false;
                        tracing::debug!(count, "tombstones swept");
                    }
                    // Once for each outage, however often it is tried.
                    Err(error) if !std::mem::replace(&mut is_told, true) => {
                        tracing::warn!(%error, "tombstones stay for now");
                    }
                    Err(_) => {}
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
        let buried = self.live.tombstones(generation).await?;
        self.seen.keep_only(&buried);
        let mut swept = 0;
        for ids in buried.chunks(CHUNK) {
            let written = self.history.existing(ids).await?;
            let old = self.seen.old(&written, self.clock.now());
            let due = self.readable(generation, &old).await?;
            self.live.sweep(generation, &due).await?;
            swept += due.len();
        }
        Ok(swept)
    }

    /// Those of the games whose tombstone can be read. One that cannot stays: it may be newer code's. They are read only now,
    /// when they are to go: a tombstone is as large as its game, and is looked at every ten seconds.
    async fn readable(&self, generation: u64, ids: &[GameId]) -> Result<Vec<GameId>, Unavailable> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let stored = self.live.get_many(generation, ids).await?;
        Ok(stored
            .iter()
            .flatten()
            .filter(|stored| Tombstone::decode(&stored.bytes).is_ok())
            .map(|stored| stored.key.id)
            .collect())
    }
}

impl SeenRows {
    /// Forgets all other games.
    fn keep_only(&self, games: &[GameId]) {
        let games: std::collections::BTreeSet<_> = games.iter().collect();
        self.known().retain(|id, _| games.contains(id));
    }

    /// Those of the games with a row whose row has been there long enough.
    fn old(&self, written: &[GameId], now: Millis) -> Vec<GameId> {
        let mut known = self.known();
        let is_old = |id: &&GameId| now.since(*known.entry(**id).or_insert(now)) >= STAYS_MS;
        written.iter().filter(is_old).copied().collect()
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<GameId, Millis>> {
        // A map is whole whoever panicked while holding it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
