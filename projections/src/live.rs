//! The live projector: each live game becomes a snapshot, each ended one a tombstone until history has it.
//!
//! **Belongs here:** folding batches, when to refold a game from its own messages, what is written how. **Does not:**
//! how a store compares versions (adapters), deleting tombstones ([`sweep`](crate::sweep)), taking games over
//! (`commands`).
//!
//! Games are folded with the `apply` of the aggregate. Folded games stay in memory, so that a store is not read for
//! each batch; memory is only ever what the store holds as well, and is forgotten whenever a session begins.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use commands::committed::CommittedEvents;
use commands::ports::{EventLog, LogIdentity, LogInfo, Unavailable};
use contract::{GameId, GameKey, Seq, WriterId};

use crate::catch_up::{Batch, Progress, Projection, Start, Verdict};
use crate::newer::{self, Readable};
use crate::ports::{
    Checkpoint, DeadLetters, HistoryStore, LiveBatch, LiveStore, LogFilter, LogReader, Written,
};

mod batch;
pub(crate) mod compare;
pub(crate) mod folded;
mod memory;
pub(crate) mod refold;
pub(crate) mod stored;

use memory::Memory;

/// The projector's name.
pub const NAME: &str = "live";

/// A store is compared with the log instead of replayed to when it is further behind than this, per live game.
const EVENTS_PER_GAME: u64 = 50;

/// Which generation a projector writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The one that readers use, whichever that becomes.
    Current,
    /// This one, for a rebuild beside the running projector.
    Generation(u64),
}

/// What the projector works with.
pub struct LiveParts {
    /// The snapshots.
    pub store: Arc<dyn LiveStore>,
    /// Which games have a row already.
    pub history: Arc<dyn HistoryStore>,
    /// Single games of the log.
    pub log: Arc<dyn EventLog>,
    /// The log's last message.
    pub reader: Arc<dyn LogReader>,
    /// Where events go that cannot be read.
    pub dead_letters: Arc<dyn DeadLetters>,
    /// By whose right it writes.
    pub token: WriterId,
    /// What it writes to.
    pub target: Target,
    /// Where the figures go.
    pub progress: Arc<Progress>,
}

/// The projector.
pub struct LiveProjector {
    parts: LiveParts,
    /// The generation of this session.
    generation: u64,
    /// Which log this session reads.
    identity: LogIdentity,
    /// The sequence of the stored checkpoint.
    stored: Option<Seq>,
    memory: Memory,
    /// Games that newer code wrote: left as they are.
    parked: HashSet<GameId>,
    /// Those of them of which an event was passed over, which is remembered.
    passed_over: HashSet<GameId>,
    /// Whether what was passed over before was looked at: what can be read does not change while the process runs.
    has_taken_up: bool,
    /// Games whose messages do not fold: left as they are until an event carries the whole game.
    broken: HashSet<GameId>,
    /// Events that this process committed, which need not be decoded.
    committed: Arc<CommittedEvents>,
}

impl LiveProjector {
    /// One that has not read anything yet.
    pub fn new(parts: LiveParts) -> Self {
        Self {
            parts,
            generation: 0,
            identity: LogIdentity(String::new()),
            stored: None,
            memory: Memory::default(),
            parked: HashSet::new(),
            passed_over: HashSet::new(),
            has_taken_up: false,
            broken: HashSet::new(),
            committed: Arc::default(),
        }
    }

    /// The same in a process that also commits events: it reads those from `committed`.
    #[must_use]
    pub fn beside(mut self, committed: Arc<CommittedEvents>) -> Self {
        self.committed = committed;
        self
    }

    async fn target(&self) -> Result<u64, Unavailable> {
        match self.parts.target {
            Target::Current => self.parts.store.generation().await,
            Target::Generation(generation) => Ok(generation),
        }
    }

    /// Whether it is worth less to replay what the store missed than to compare each game.
    async fn must_compare(&self, start: &Start) -> Result<bool, Unavailable> {
        if matches!(start.verdict, Verdict::Doubtful(_)) {
            return Ok(true);
        }
        // With a single live game it would not be far behind yet: the log need not be asked.
        if !is_far_behind(start.lag(), 1) {
            return Ok(false);
        }
        let live = self.parts.log.unfinished().await?.len();
        Ok(is_far_behind(start.lag(), live))
    }

    /// Compares the games of which events were passed over that can be read now, and forgets those events' letters.
    async fn take_up(&mut self) -> Result<Written, Unavailable> {
        let letters = self.parts.dead_letters.clone();
        let readable = newer::passed_over(letters.as_ref(), NAME).await?.readable;
        let keys: BTreeSet<GameKey> = readable.iter().map(|passed| passed.key).collect();
        let keys: Vec<GameKey> = keys.into_iter().collect();
        match self.compare_games(&keys).await? {
            Written::Done => {}
            refused => return Ok(refused),
        }
        for Readable { key, seq, .. } in readable {
            if !self.parked.contains(&key.id) {
                letters.remove(NAME, seq).await?;
            }
        }
        self.has_taken_up = true;
        Ok(Written::Done)
    }

    /// Writes the checkpoint of the log's end as it was before the comparison.
    async fn write_checkpoint(&mut self, log: &LogInfo) -> Result<Written, Unavailable> {
        let to = checkpoint_at_end(self.parts.reader.as_ref(), log).await?;
        let seq = to.seq;
        let batch = LiveBatch {
            from: self.stored,
            to,
            writes: Vec::new(),
        };
        let written = self
            .parts
            .store
            .write(self.generation, self.parts.token, &batch)
            .await?;
        if written == Written::Done {
            self.stored = Some(seq);
        }
        Ok(written)
    }
}

/// The checkpoint of a store that has everything in the log, as it was when it was looked at.
pub(crate) async fn checkpoint_at_end(
    reader: &dyn LogReader,
    log: &LogInfo,
) -> Result<Checkpoint, Unavailable> {
    // A log without messages has nothing that it could be held against.
    if log.first > log.last {
        return Ok(Checkpoint {
            seq: log.last,
            event_id: None,
            log: log.identity.clone(),
        });
    }
    let last = crate::catch_up::message_at(reader, log.last).await?;
    // Of a kind that only newer code knows: it is doubted at the next start, and games are compared again.
    Ok(last.map_or_else(
        || Checkpoint {
            seq: log.last,
            event_id: None,
            log: log.identity.clone(),
        },
        |entry| crate::catch_up::checkpoint_after(&entry, log),
    ))
}

/// Whether a store that misses `lag` messages is compared with the log game by game.
fn is_far_behind(lag: u64, live_games: usize) -> bool {
    lag > EVENTS_PER_GAME * live_games.max(1) as u64
}

#[async_trait]
impl Projection for LiveProjector {
    /// When readers went over to another generation, the next write finds that its checkpoint is another one, and the
    /// session starts over there.
    async fn acquire(&mut self) -> Result<bool, Unavailable> {
        self.generation = self.target().await?;
        self.parts.store.acquire(self.generation, self.parts.token).await
    }

    async fn release(&mut self) -> Result<(), Unavailable> {
        self.parts.store.release(self.generation, self.parts.token).await
    }

    async fn checkpoint(&mut self) -> Result<Option<Checkpoint>, Unavailable> {
        self.parts.store.checkpoint(self.generation).await
    }

    async fn begin(&mut self, start: &Start) -> Result<Option<Seq>, Unavailable> {
        self.memory = Memory::default();
        self.parked.clear();
        self.passed_over.clear();
        self.broken.clear();
        self.identity = start.log.identity.clone();
        self.stored = start.stored.as_ref().map(|stored| stored.seq);
        if self.must_compare(start).await? {
            let compared = self.compare_with_log().await?;
            if compared != Written::Done || self.write_checkpoint(&start.log).await? != Written::Done {
                return Ok(None);
            }
        }
        if !self.has_taken_up && self.take_up().await? != Written::Done {
            return Ok(None);
        }
        Ok(self.stored)
    }

    fn filter(&self, _lag: u64) -> LogFilter {
        LogFilter::All
    }

    async fn apply(&mut self, batch: &Batch) -> Result<Written, Unavailable> {
        self.write_batch(batch).await
    }

    async fn is_as_left(&mut self) -> Result<bool, Unavailable> {
        let there = self.checkpoint().await?;
        Ok(there.map(|there| there.seq) == self.stored)
    }

    async fn idle(&mut self) -> Result<Written, Unavailable> {
        Ok(Written::Done)
    }

    async fn held_elsewhere(&mut self, log: &LogInfo) -> Result<(), Unavailable> {
        if let Some(stored) = self.parts.store.checkpoint(self.generation).await? {
            self.parts.progress.reached(stored.seq, log.last);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_far_behind_by_more_than_fifty_events_for_each_live_game() {
        assert!(!is_far_behind(50, 1));
        assert!(is_far_behind(51, 1));
        assert!(!is_far_behind(500, 10));
        assert!(is_far_behind(501, 10));
        assert!(is_far_behind(51, 0), "no live game counts as one");
    }
}
