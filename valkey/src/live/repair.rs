//! [`LiveRepair`]: single snapshots put right, or removed for good.

use std::sync::LazyLock;

use async_trait::async_trait;
use commands::ports::Unavailable;
use contract::GameId;
use projections::ports::{LiveRepair, SnapshotWrite, StoredSnapshot};
use redis::Script;

use super::snapshots::status_name;
use crate::Valkey;

static MEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("mend.lua")));
static ERASE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("erase.lua")));

#[async_trait]
impl LiveRepair for Valkey {
    async fn mend(
        &self,
        generation: u64,
        id: GameId,
        expected: Option<&StoredSnapshot>,
        to: Option<&SnapshotWrite>,
    ) -> Result<bool, Unavailable> {
        let mut script = MEND.key(self.keys.generation());
        script.key(self.keys.token(generation));
        script
            .key(self.keys.games(generation))
            .key(self.keys.tombstones(generation));
        script
            .arg(generation)
            .arg(self.keys.games_of(generation))
            .arg(id.to_string());
        match expected {
            Some(stored) => script
                .arg(1)
                .arg(stored.version)
                .arg(status_name(stored.status))
                .arg(&stored.bytes[..]),
            None => script.arg(0).arg("").arg("").arg(""),
        };
        match to {
            Some(write) => script
                .arg(1)
                .arg(write.key.kind.as_str())
                .arg(write.version)
                .arg(status_name(write.status))
                .arg(&write.bytes[..]),
            None => script.arg(0).arg("").arg("").arg("").arg(""),
        };
        self.run(&script).await
    }

    async fn erase(&self, id: GameId) -> Result<(), Unavailable> {
        let mut script = ERASE.key(self.keys.generation());
        script
            .key(self.keys.quarantine_of(id))
            .key(self.keys.quarantine());
        script.arg(self.keys.live()).arg(id.to_string());
        self.run(&script).await
    }

    /// It is in memory; the server's own files forget it at its next save, or when they are rewritten.
    async fn scrub(&self) -> Result<(), Unavailable> {
        Ok(())
    }
}
