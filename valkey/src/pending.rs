//! Waiting events: for each game a list, and a head that says whose it is and what it follows.

mod packed;

use std::sync::LazyLock;

use async_trait::async_trait;
use commands::ports::{Link, PendingGame, PendingStore, Unavailable};
use contract::{EventId, GameKey, WriterId};
use redis::{Script, ScriptInvocation};
use tokio::sync::watch;

use crate::Valkey;
use crate::quarantine::KEPT;

use packed::{pack, unpack};

/// How many lists one step reads; a list is rarely longer than 64 kB.
const LISTS: usize = 50;

static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("pending/append.lua")));
static TRIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("pending/trim.lua")));
static LOAD: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("pending/load.lua")));
static QUARANTINE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("pending/quarantine.lua")));

#[async_trait]
impl PendingStore for Valkey {
    async fn append(&self, game: &PendingGame) -> Result<(), Unavailable> {
        let mut script = self.on_list(&APPEND, game.key);
        script
            .arg(game.key.id.to_string())
            .arg(game.key.kind.as_str())
            .arg(game.writer.to_string());
        script.arg(or_empty(game.base));
        for item in &game.items {
            script.arg(pack(item));
        }
        self.run(&script).await
    }

    async fn trim(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), Unavailable> {
        let mut script = self.on_list(&TRIM, key);
        script
            .arg(key.id.to_string())
            .arg(writer.to_string())
            .arg(place.to_string());
        self.run(&script).await
    }

    async fn load(&self) -> Result<Vec<PendingGame>, Unavailable> {
        let ids: Vec<String> = self
            .command(redis::cmd("SMEMBERS").arg(self.keys.pending()))
            .await?;
        let mut games = Vec::with_capacity(ids.len());
        for ids in ids.chunks(LISTS) {
            let mut script = LOAD.prepare_invoke();
            script.arg(self.keys.pending_of()).arg(ids);
            let lists: Vec<List> = self.run(&script).await?;
            games.extend(lists.into_iter().filter_map(readable));
        }
        Ok(games)
    }

    async fn quarantine(
        &self,
        key: GameKey,
        writer: WriterId,
        keep_out: &[EventId],
        reason: &str,
    ) -> Result<(), Unavailable> {
        let mut script = self.on_list(&QUARANTINE, key);
        script
            .key(self.keys.quarantine_of(key.id))
            .key(self.keys.quarantine());
        script
            .arg(key.id.to_string())
            .arg(writer.to_string())
            .arg(reason)
            .arg(KEPT);
        for place in keep_out {
            script.arg(place.to_string());
        }
        self.run(&script).await
    }

    fn link(&self) -> watch::Receiver<Link> {
        Self::link(self)
    }
}

impl Valkey {
    /// A script on one game's list, its first keys named.
    fn on_list(&self, script: &'static Script, key: GameKey) -> ScriptInvocation<'static> {
        let mut script = script.key(self.keys.pending_head(key.id));
        script
            .key(self.keys.pending_items(key.id))
            .key(self.keys.pending());
        script
    }
}

/// Id, kind, writer, base, items.
type List = (
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Vec<Vec<u8>>,
);

/// A list that was emptied since the index was read is none; one that cannot be read must not stop the others. It stays
/// where it is.
fn readable(list: List) -> Option<PendingGame> {
    let id = list.0.clone();
    if list.4.is_empty() {
        return None;
    }
    parse(list)
        .inspect_err(|why| tracing::error!(game = id, why, "pending events cannot be read"))
        .ok()
}

fn parse((id, kind, writer, base, items): List) -> Result<PendingGame, String> {
    let known = |found: Option<String>| found.ok_or_else(|| "the head of the list is gone".to_owned());
    let id = id.parse().map_err(text)?;
    let kind = known(kind)?.parse().map_err(text)?;
    let base = known(base)?;
    Ok(PendingGame {
        key: GameKey { kind, id },
        writer: known(writer)?.parse().map_err(text)?,
        base: if base.is_empty() {
            None
        } else {
            Some(base.parse().map_err(text)?)
        },
        items: items.into_iter().map(unpack).collect::<Result<_, _>>()?,
    })
}

fn or_empty(id: Option<EventId>) -> String {
    id.map_or_else(String::new, |id| id.to_string())
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
