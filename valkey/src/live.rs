//! Live snapshots and tombstones: for each game of a generation a hash, with sets of their ids so that nothing has to be
//! searched for.

mod generations;
mod repair;
mod snapshots;

use std::sync::LazyLock;
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{LogIdentity, Unavailable};
use contract::{GameId, WriterId};
use projections::ports::{Checkpoint, LiveBatch, LiveSet, LiveStore, SnapshotWrite, StoredSnapshot, Written};
use redis::{Script, ScriptInvocation};
use tokio::time::timeout;

use crate::Valkey;
use crate::calls::{STEP, unavailable};
use crate::quarantine::KEPT;

use snapshots::{Row, add_writes, readable};

/// How long a token holds.
const LEASE_MS: u64 = 10_000;

static WRITE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("live/write.lua")));
static ACQUIRE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("live/acquire.lua")));
static RELEASE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("live/release.lua")));
static READ: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("live/read.lua")));
static CONTENTS: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("live/contents.lua")));
static SWEEP: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("live/sweep.lua")));
static QUARANTINE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("live/quarantine.lua")));

/// `seq`, `event`, `log`.
type StoredCheckpoint = (Option<String>, Option<String>, Option<String>);

#[async_trait]
impl LiveStore for Valkey {
    async fn generation(&self) -> Result<u64, Unavailable> {
        self.generation_within(self.deadlines.call).await
    }

    async fn flip(&self, from: u64, to: u64) -> Result<bool, Unavailable> {
        self.flip_generation(from, to).await
    }

    async fn checkpoint(&self, generation: u64) -> Result<Option<Checkpoint>, Unavailable> {
        let key = self.keys.checkpoint(generation);
        let fields = ["seq", "event", "log"];
        Ok(parse_checkpoint(
            self.command(redis::cmd("HMGET").arg(key).arg(&fields)).await?,
        ))
    }

    async fn acquire(&self, generation: u64, token: WriterId) -> Result<bool, Unavailable> {
        let mut script = ACQUIRE.key(self.keys.token(generation));
        script.arg(token.to_string()).arg(LEASE_MS);
        self.run(&script).await
    }

    async fn release(&self, generation: u64, token: WriterId) -> Result<(), Unavailable> {
        let mut script = RELEASE.key(self.keys.token(generation));
        script.arg(token.to_string());
        self.run(&script).await
    }

    async fn write(
        &self,
        generation: u64,
        token: WriterId,
        batch: &LiveBatch,
    ) -> Result<Written, Unavailable> {
        let mut script = self.writing(generation, token);
        let event = batch.to.event_id.map_or_else(String::new, |id| id.to_string());
        script.arg(batch.from.map_or_else(String::new, |seq| seq.to_string()));
        script.arg(batch.to.seq).arg(event).arg(&batch.to.log.0);
        add_writes(&mut script, &batch.writes);
        written(&self.run::<String>(&script).await?)
    }

    async fn heal(
        &self,
        generation: u64,
        token: WriterId,
        writes: &[SnapshotWrite],
    ) -> Result<Written, Unavailable> {
        let mut script = self.writing(generation, token);
        script.arg("any").arg("").arg("").arg("");
        add_writes(&mut script, writes);
        written(&self.run::<String>(&script).await?)
    }

    async fn load(&self) -> Result<LiveSet, Unavailable> {
        let deadline = self.deadlines.load;
        timeout(deadline, self.load_in_steps(deadline))
            .await
            .unwrap_or_else(|_| {
                Err(unavailable(format_args!(
                    "not loaded within {} s",
                    deadline.as_secs()
                )))
            })
    }

    async fn get(&self, id: GameId) -> Result<Option<StoredSnapshot>, Unavailable> {
        let found = self.read(None, &[id], self.deadlines.call).await?;
        Ok(found.into_iter().next().flatten())
    }

    async fn get_many(
        &self,
        generation: u64,
        ids: &[GameId],
    ) -> Result<Vec<Option<StoredSnapshot>>, Unavailable> {
        self.read(Some(generation), ids, self.deadlines.call).await
    }

    async fn tombstones(&self, generation: u64) -> Result<Vec<GameId>, Unavailable> {
        let ids: Vec<String> = self
            .command(redis::cmd("SMEMBERS").arg(self.keys.tombstones(generation)))
            .await?;
        Ok(parse_ids(&ids))
    }

    async fn sweep(&self, generation: u64, ids: &[GameId]) -> Result<(), Unavailable> {
        for ids in ids.chunks(STEP) {
            let mut script = SWEEP.key(self.keys.games(generation));
            script
                .key(self.keys.tombstones(generation))
                .arg(self.keys.games_of(generation));
            add_ids(&mut script, ids);
            self.run::<()>(&script).await?;
        }
        Ok(())
    }

    async fn quarantine(&self, id: GameId, reason: &str) -> Result<(), Unavailable> {
        let mut script = QUARANTINE.key(self.keys.generation());
        script
            .key(self.keys.quarantine_of(id))
            .key(self.keys.quarantine());
        script
            .arg(self.keys.live())
            .arg(id.to_string())
            .arg(reason)
            .arg(KEPT);
        self.run(&script).await
    }

    async fn discard(&self, generation: u64) -> Result<(), Unavailable> {
        self.discard_generation(generation).await
    }
}

impl Valkey {
    async fn generation_within(&self, deadline: Duration) -> Result<u64, Unavailable> {
        let key = self.keys.generation();
        let generation: Option<u64> = self.command_within(deadline, redis::cmd("GET").arg(key)).await?;
        Ok(generation.unwrap_or(0))
    }

    /// The script that writes, up to the writer and its lease.
    fn writing(&self, generation: u64, token: WriterId) -> ScriptInvocation<'static> {
        let mut script = WRITE.key(self.keys.token(generation));
        script.key(self.keys.checkpoint(generation));
        script
            .key(self.keys.games(generation))
            .key(self.keys.tombstones(generation));
        script
            .arg(self.keys.games_of(generation))
            .arg(token.to_string())
            .arg(LEASE_MS);
        script
    }

    /// The checkpoint is read before the snapshots, so that none of them is older than it says. A flip in between starts
    /// it over: the old generation's games are deleted then.
    async fn load_in_steps(&self, deadline: Duration) -> Result<LiveSet, Unavailable> {
        loop {
            let mut script = CONTENTS.key(self.keys.generation());
            script.arg(self.keys.live());
            let (generation, checkpoint, ids): (u64, StoredCheckpoint, Vec<String>) =
                self.run_within(deadline, &script).await?;
            let ids = parse_ids(&ids);
            let found = self.read(Some(generation), &ids, deadline).await?;
            if self.generation_within(deadline).await? == generation {
                let missing = ids.iter().zip(&found).filter(|(_, found)| found.is_none());
                return Ok(LiveSet {
                    generation,
                    checkpoint: parse_checkpoint(checkpoint),
                    missing: missing.map(|(id, _)| *id).collect(),
                    snapshots: found.into_iter().flatten().collect(),
                });
            }
        }
    }

    /// Games in the order of `ids`, of a generation or of the one in use.
    async fn read(
        &self,
        generation: Option<u64>,
        ids: &[GameId],
        deadline: Duration,
    ) -> Result<Vec<Option<StoredSnapshot>>, Unavailable> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(STEP) {
            let mut script = READ.key(self.keys.generation());
            script.arg(self.keys.live());
            script.arg(generation.map_or_else(String::new, |generation| generation.to_string()));
            add_ids(&mut script, ids);
            let rows: Vec<Row> = self.run_within(deadline, &script).await?;
            found.extend(ids.iter().zip(rows).map(|(id, row)| readable(*id, row)));
        }
        Ok(found)
    }
}

fn add_ids(script: &mut ScriptInvocation<'_>, ids: &[GameId]) {
    for id in ids {
        script.arg(id.to_string());
    }
}

/// An id that is none names no game: it does not stop the others.
fn parse_ids(ids: &[String]) -> Vec<GameId> {
    ids.iter()
        .filter_map(|id| {
            id.parse()
                .inspect_err(|error| tracing::error!("among the live games is {id:?}: {error}"))
                .ok()
        })
        .collect()
}

/// A part that cannot be read belongs to no log and no event, so that the store is compared with the log; without a
/// sequence there is no checkpoint.
fn parse_checkpoint(stored: StoredCheckpoint) -> Option<Checkpoint> {
    let (seq, event, log) = stored;
    let seq = seq?;
    let Ok(seq) = seq.parse() else {
        tracing::error!("the live store's checkpoint is {seq:?}, which is no sequence");
        return None;
    };
    let event_id = event.filter(|event| !event.is_empty()).and_then(|event| {
        event
            .parse()
            .inspect_err(|error| tracing::error!("the live store's checkpoint names {event:?}: {error}"))
            .ok()
    });
    Some(Checkpoint {
        seq,
        event_id,
        log: LogIdentity(log.unwrap_or_default()),
    })
}

fn written(answer: &str) -> Result<Written, Unavailable> {
    match answer {
        "done" => Ok(Written::Done),
        "lost-token" => Ok(Written::LostToken),
        "moved-checkpoint" => Ok(Written::MovedCheckpoint),
        other => Err(unavailable(format_args!("unexpected answer: {other}"))),
    }
}
