//! The names of all keys.

use std::fmt::Display;
use std::sync::Arc;

use contract::{GameId, WriterId};
use projections::ports::CacheKey;

/// Names under one prefix.
#[derive(Clone)]
pub(crate) struct Keys(Arc<str>);

impl Keys {
    pub fn new(prefix: String) -> Self {
        Self(prefix.into())
    }

    fn key(&self, rest: impl Display) -> String {
        format!("{}:{rest}", self.0)
    }

    /// What all keys of the live store begin with.
    pub fn live(&self) -> String {
        self.key("live:")
    }

    /// String: the generation that readers use.
    pub fn generation(&self) -> String {
        self.key("live:generation")
    }

    /// Set: generations whose games are being deleted.
    pub fn discarded(&self) -> String {
        self.key("live:discarded")
    }

    /// What the keys of a generation's games begin with. Each is a hash `kind`, `version`, `status`, `bytes`.
    pub fn games_of(&self, generation: u64) -> String {
        self.key(format_args!("live:{generation}:"))
    }

    /// Set: ids of a generation's games, tombstones included.
    pub fn games(&self, generation: u64) -> String {
        self.key(format_args!("live:{generation}:games"))
    }

    /// Set: ids of a generation's tombstones.
    pub fn tombstones(&self, generation: u64) -> String {
        self.key(format_args!("live:{generation}:tombstones"))
    }

    /// Hash `seq`, `event`, `log`.
    pub fn checkpoint(&self, generation: u64) -> String {
        self.key(format_args!("live:{generation}:checkpoint"))
    }

    /// String that lapses: who may write a generation.
    pub fn token(&self, generation: u64) -> String {
        self.key(format_args!("live:{generation}:token"))
    }

    /// Set: ids of the games for which something waits.
    pub fn pending(&self) -> String {
        self.key("pending")
    }

    /// What the keys of waiting lists begin with.
    pub fn pending_of(&self) -> String {
        self.key("pending:")
    }

    /// Hash `kind`, `writer`, `base`: the head of a game's waiting list.
    pub fn pending_head(&self, id: GameId) -> String {
        self.key(format_args!("pending:{id}"))
    }

    /// List: what waits for a game, packed.
    pub fn pending_items(&self, id: GameId) -> String {
        self.key(format_args!("pending:{id}:items"))
    }

    /// Set: ids of the games that have something in quarantine.
    pub fn quarantine(&self) -> String {
        self.key("quarantine")
    }

    /// Stream `what`, `reason`, `bytes`: what was moved aside of a game, its newest entries.
    pub fn quarantine_of(&self, id: GameId) -> String {
        self.key(format_args!("quarantine:{id}"))
    }

    /// String that lapses.
    pub fn cached(&self, key: &CacheKey) -> String {
        self.key(format_args!("cache:{}", cached(key)))
    }

    /// String that lapses: the epoch that fills of this key belong to.
    pub fn epoch(&self, key: &CacheKey) -> String {
        self.key(format_args!("cache-epoch:{}", cached(key)))
    }

    /// Set: writers that have, or had, a service key.
    pub fn services(&self) -> String {
        self.key("services")
    }

    /// What service keys begin with.
    pub fn services_of(&self) -> String {
        self.key("service:")
    }

    /// String that lapses: a heartbeat in JSON.
    pub fn service(&self, writer: WriterId) -> String {
        self.key(format_args!("service:{writer}"))
    }
}

fn cached(key: &CacheKey) -> String {
    match key {
        CacheKey::PopularFinished => "popular-finished".into(),
        CacheKey::Recent(user) => format!("recent:{user}"),
    }
}
