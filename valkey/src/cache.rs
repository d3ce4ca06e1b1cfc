//! Values that lapse after ten seconds.
//!
//! A fill belongs to the epoch in which it began. Deleting a key deletes its epoch too, and no epoch ever comes back, so
//! a fill that was begun before finds another one, or none.

use std::sync::LazyLock;

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::Unavailable;
use projections::ports::{Cache, CacheKey, FillToken};
use redis::Script;

use crate::Valkey;
use crate::calls::unavailable;

/// How long a value is kept.
const VALUE_MS: u64 = 10_000;
/// How long a fill may take: much longer than any list query.
const EPOCH_MS: u64 = 600_000;

static GET: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("cache/get.lua")));
static FILL: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("cache/fill.lua")));

#[async_trait]
impl Cache for Valkey {
    async fn get(&self, key: &CacheKey) -> Result<Result<Bytes, FillToken>, Unavailable> {
        let mut script = GET.key(self.keys.cached(key));
        script.key(self.keys.epoch(key)).arg(EPOCH_MS);
        match self.run(&script).await? {
            (Some(value), _) => Ok(Ok(value)),
            (None, Some(epoch)) => Ok(Err(FillToken(epoch))),
            (None, None) => Err(unavailable("neither a value nor an epoch")),
        }
    }

    async fn fill(&self, key: &CacheKey, token: FillToken, value: Bytes) -> Result<(), Unavailable> {
        let mut script = FILL.key(self.keys.cached(key));
        script
            .key(self.keys.epoch(key))
            .arg(token.0)
            .arg(VALUE_MS)
            .arg(&value[..]);
        self.run(&script).await
    }

    async fn delete(&self, keys: &[CacheKey]) -> Result<(), Unavailable> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut command = redis::cmd("UNLINK");
        for key in keys {
            command.arg(self.keys.cached(key)).arg(self.keys.epoch(key));
        }
        self.command(&command).await
    }
}
