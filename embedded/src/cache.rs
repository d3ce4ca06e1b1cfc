//! Cached lists, in memory: they are for ten seconds only, and reading a file again costs little more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::{Clock, Monotonic, Unavailable};
use projections::ports::{Cache, CacheKey, FillToken};

/// How long a value is kept, and how long a fill may take.
const KEPT_MS: i64 = 10_000;

/// The cache. Its size follows what was asked for and deleted in the last ten seconds or so.
pub struct MemoryCache {
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    values: HashMap<CacheKey, (Bytes, Monotonic)>,
    /// Grows with each deletion; a token is its value when the fill began.
    deletions: u64,
    /// Which deletion was a key's last, and when.
    deleted: HashMap<CacheKey, (u64, Monotonic)>,
    /// Up to which deletion is forgotten; a fill that began before it cannot be told to be good.
    forgotten: u64,
    cleaned: Monotonic,
}

impl MemoryCache {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let cleaned = clock.monotonic();
        Self {
            clock,
            kept: Mutex::new(Kept {
                cleaned,
                ..Kept::default()
            }),
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("nothing panics while the cache is held")
    }
}

impl Kept {
    fn value(&self, key: &CacheKey, now: Monotonic) -> Option<Bytes> {
        let (value, filled) = self.values.get(key)?;
        (now.since(*filled) < KEPT_MS).then(|| value.clone())
    }

    fn is_good(&self, key: &CacheKey, token: FillToken) -> bool {
        let deleted = self.deleted.get(key).map_or(0, |(deletion, _)| *deletion);
        token.0 >= self.forgotten && token.0 >= deleted
    }

    fn delete(&mut self, keys: &[CacheKey], now: Monotonic) {
        self.deletions += 1;
        for key in keys {
            self.values.remove(key);
            self.deleted.insert(key.clone(), (self.deletions, now));
        }
    }

    /// Drops what is too old to matter, now and then.
    fn clean(&mut self, now: Monotonic) {
        if now.since(self.cleaned) < KEPT_MS {
            return;
        }
        self.cleaned = now;
        self.values.retain(|_, (_, filled)| now.since(*filled) < KEPT_MS);
        let forgotten = &mut self.forgotten;
        self.deleted.retain(|_, (deletion, at)| {
            let recent = now.since(*at) < KEPT_MS;
            if !recent {
                *forgotten = (*forgotten).max(*deletion);
            }
            recent
        });
    }
}

#[async_trait]
impl Cache for MemoryCache {
    async fn get(&self, key: &CacheKey) -> Result<Result<Bytes, FillToken>, Unavailable> {
        let kept = self.kept();
        Ok(kept
            .value(key, self.clock.monotonic())
            .ok_or(FillToken(kept.deletions)))
    }

    async fn fill(&self, key: &CacheKey, token: FillToken, value: Bytes) -> Result<(), Unavailable> {
        let now = self.clock.monotonic();
        let mut kept = self.kept();
        kept.clean(now);
        if kept.is_good(key, token) {
            kept.values.insert(key.clone(), (value, now));
        }
        Ok(())
    }

    async fn delete(&self, keys: &[CacheKey]) -> Result<(), Unavailable> {
        let now = self.clock.monotonic();
        let mut kept = self.kept();
        kept.clean(now);
        kept.delete(keys, now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Monotonic = Monotonic(0);
    const LATER: Monotonic = Monotonic(KEPT_MS);

    #[test]
    fn a_fill_begun_before_a_forgotten_deletion_is_still_discarded() {
        let mut kept = Kept::default();
        let begun = FillToken(kept.deletions);
        kept.delete(&[CacheKey::PopularFinished], FIRST);
        kept.clean(LATER);
        assert!(kept.deleted.is_empty());
        assert!(!kept.is_good(&CacheKey::PopularFinished, begun));
        assert!(kept.is_good(&CacheKey::PopularFinished, FillToken(kept.deletions)));
    }

    #[test]
    fn old_values_take_no_room() {
        let mut kept = Kept::default();
        kept.values
            .insert(CacheKey::PopularFinished, (Bytes::new(), FIRST));
        kept.clean(Monotonic(KEPT_MS - 1));
        assert_eq!(kept.values.len(), 1);
        kept.clean(LATER);
        assert!(kept.values.is_empty());
    }
}
