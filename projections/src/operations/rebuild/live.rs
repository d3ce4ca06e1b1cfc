//! The live store made anew in its next generation.

use std::collections::HashSet;
use std::sync::Arc;

use commands::ports::{LogInfo, Unavailable};
use contract::{GameId, GameKey};
use futures::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::super::{OperationParts, Scope, Stopped, Work};
use super::{BUSY, OVERTAKEN, Request, carry, some};
use crate::catch_up::{CatchUp, Progress};
use crate::live::folded::Folded;
use crate::live::refold::{Refolded, refold};
use crate::live::stored::{Manner, write_of};
use crate::live::{LiveParts, LiveProjector, Target, checkpoint_at_end};
use crate::ports::{LiveBatch, SnapshotWrite, Written};

/// So many games are made at once.
const CHUNK: usize = 100;

/// So many games are read from the log at once; the service's own reads come in between.
const READS: usize = 8;

/// How often it is looked whether the new generation has passed the old one.
const LOOK_EVERY_MS: u64 = 50;

/// A discard is tried again as often, as a store may be away for a moment.
const DISCARDS: usize = 5;

/// What a rebuild of the live store did, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveRebuilt {
    /// Games made from their own messages.
    pub games: u64,
    /// Of a part: those that were otherwise before.
    pub changed: u64,
    /// Snapshots taken over from the old generation: ahead of the log, of newer code, without a beginning in the log,
    /// and tombstones.
    pub carried: u64,
    /// Snapshots on another chain than the log's, put aside for an operator.
    pub put_aside: u64,
    /// Games whose messages do not make a game.
    pub not_foldable: u64,
    /// The generation that readers use now.
    pub generation: u64,
    /// Whether nothing was changed.
    pub dry_run: bool,
}

/// Makes the live store, or a part of it, anew.
///
/// # Errors
/// [`Stopped`]; readers see what they saw before (of a part, the games that were done are right).
pub async fn live(parts: &OperationParts, request: &Request, work: &Work) -> Result<LiveRebuilt, Stopped> {
    if request.scope != Scope::default() {
        return some::live(parts, request, work).await;
    }
    let from = parts.live.generation().await?;
    if request.dry_run {
        let build = Build::of(parts, work, from);
        return build.dry_run().await;
    }
    let build = Build::of(parts, work, from);
    build.begin().await?;
    let built = build.run().await;
    if built.is_err() {
        build.throw_away().await;
    }
    built
}

/// One rebuild of everything.
struct Build<'a> {
    parts: &'a OperationParts,
    work: &'a Work,
    from: u64,
    to: u64,
}

/// What the log makes.
#[derive(Default)]
pub(super) struct Filled {
    games: u64,
    /// How many games' messages do not make a game.
    not_foldable: u64,
    /// Those, and the ones that newer code wrote: whatever there is of them stays.
    keep: HashSet<GameId>,
}

impl<'a> Build<'a> {
    fn of(parts: &'a OperationParts, work: &'a Work, from: u64) -> Self {
        Self {
            parts,
            work,
            from,
            to: from + 1,
        }
    }

    /// Takes the right, and throws away what a killed rebuild has left. That costs the right for a moment.
    async fn begin(&self) -> Result<(), Stopped> {
        let Self { parts, to, .. } = self;
        self.hold().await.map_err(|stopped| match stopped {
            Stopped::Busy(_) => Stopped::Busy(BUSY.to_owned()),
            other => other,
        })?;
        parts.live.discard(*to).await?;
        if parts.live.acquire(*to, parts.token).await? {
            Ok(())
        } else {
            Err(Stopped::Busy(BUSY.to_owned()))
        }
    }

    /// Takes or renews the right to write the next generation.
    async fn hold(&self) -> Result<(), Stopped> {
        if self.parts.live.acquire(self.to, self.parts.token).await? {
            Ok(())
        } else {
            Err(Stopped::Busy(OVERTAKEN.to_owned()))
        }
    }

    async fn run(&self) -> Result<LiveRebuilt, Stopped> {
        let log = self.parts.log.info().await?;
        let filled = self.fill(&log, false).await?;
        self.write_checkpoint(&log).await?;
        let progress = Arc::new(Progress::new(crate::live::NAME));
        let stop = CancellationToken::new();
        let following = self.follower(&progress).run(stop.clone());
        let finishing = async {
            let finished = self.finish(&log, &filled, &progress).await;
            stop.cancel();
            finished
        };
        let ((), finished) = tokio::join!(following, finishing);
        finished
    }

    /// The projector that keeps the next generation up with the log.
    fn follower(&self, progress: &Arc<Progress>) -> CatchUp<LiveProjector> {
        let parts = self.parts;
        CatchUp {
            projection: LiveProjector::new(LiveParts {
                store: parts.live.clone(),
                history: parts.history.clone(),
                log: parts.log.clone(),
                reader: parts.reader.clone(),
                dead_letters: parts.dead_letters.clone(),
                token: parts.token,
                target: Target::Generation(self.to),
                progress: progress.clone(),
            }),
            log: parts.log.clone(),
            reader: parts.reader.clone(),
            clock: parts.clock.clone(),
            progress: progress.clone(),
        }
    }

    /// What the log alone makes of its unfinished games.
    async fn fill(&self, log: &LogInfo, dry_run: bool) -> Result<Filled, Stopped> {
        let keys = self.parts.log.unfinished().await?;
        self.work.phase("games", Some(keys.len() as u64));
        let mut filled = Filled::default();
        for chunk in keys.chunks(CHUNK) {
            self.work.go_on()?;
            let mut writes = Vec::with_capacity(chunk.len());
            for (key, refolded) in self.read(chunk).await? {
                match refolded {
                    Refolded::Game(folded) => writes.push(write_of_log(*folded, log)?),
                    Refolded::Newer => {
                        filled.keep.insert(key.id);
                    }
                    Refolded::Nothing | Refolded::Broken(_) => {
                        filled.not_foldable += 1;
                        filled.keep.insert(key.id);
                    }
                }
            }
            filled.games += writes.len() as u64;
            if !dry_run {
                self.hold().await?;
                self.heal(&writes).await?;
            }
            self.work.did(chunk.len() as u64);
        }
        Ok(filled)
    }

    async fn read(&self, keys: &[GameKey]) -> Result<Vec<(GameKey, Refolded)>, Unavailable> {
        stream::iter(keys.to_vec())
            .map(|key| async move { Ok((key, refold(&self.parts.log.read_game(key, 0).await?))) })
            .buffered(READS)
            .try_collect()
            .await
    }

    pub(super) async fn heal(&self, writes: &[SnapshotWrite]) -> Result<(), Stopped> {
        if writes.is_empty() {
            return Ok(());
        }
        let healed = self.parts.live.heal(self.to, self.parts.token, writes).await?;
        done(healed)
    }

    async fn write_checkpoint(&self, log: &LogInfo) -> Result<(), Stopped> {
        let batch = LiveBatch {
            from: None,
            to: checkpoint_at_end(self.parts.reader.as_ref(), log).await?,
            writes: Vec::new(),
        };
        match self.parts.live.write(self.to, self.parts.token, &batch).await {
            Ok(written) => done(written),
            // An answer that did not come says nothing: what is there does.
            Err(_) if self.parts.live.checkpoint(self.to).await? == Some(batch.to) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn finish(
        &self,
        log: &LogInfo,
        filled: &Filled,
        progress: &Progress,
    ) -> Result<LiveRebuilt, Stopped> {
        self.follow(log, progress).await?;
        let carried = carry::over(self.parts, self.work, self.from, &filled.keep).await?;
        for writes in carried.writes.chunks(CHUNK) {
            self.work.go_on()?;
            self.heal(writes).await?;
        }
        self.follow(log, progress).await?;
        self.work.go_on()?;
        if !self.flip().await? {
            return Err(Stopped::Busy(OVERTAKEN.to_owned()));
        }
        Ok(LiveRebuilt {
            games: filled.games,
            changed: 0,
            carried: carried.writes.len() as u64,
            put_aside: carried.put_aside,
            not_foldable: filled.not_foldable,
            generation: self.to,
            dry_run: false,
        })
    }

    /// An answer that did not come says nothing: what readers use does.
    async fn flip(&self) -> Result<bool, Stopped> {
        match self.parts.live.flip(self.from, self.to).await {
            Ok(flipped) => Ok(flipped),
            Err(error) if self.parts.live.generation().await? == self.to => {
                tracing::debug!(%error, "readers went over all the same");
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns when the next generation has what the running one has, and all that the log had when this began. A log
    /// that lost its tail meanwhile ends before either.
    async fn follow(&self, log: &LogInfo, progress: &Progress) -> Result<(), Stopped> {
        let mut own = progress.subscribe();
        self.work.phase("following", None);
        loop {
            self.work.go_on()?;
            let running = self.parts.live.checkpoint(self.from).await?;
            let end = self.parts.log.info().await?.last;
            let goal = running.map_or(0, |running| running.seq).max(log.last).min(end);
            let reached = own.borrow_and_update().checkpoint.unwrap_or(0);
            // In messages since it began, so that a rate says something.
            self.work.is_of(goal.saturating_sub(log.last));
            self.work.is_at(reached.saturating_sub(log.last));
            if reached >= goal {
                return Ok(());
            }
            tokio::select! {
                changed = own.changed() => {
                    if changed.is_err() {
                        return Err(Stopped::Busy(OVERTAKEN.to_owned()));
                    }
                }
                () = self.parts.clock.sleep(LOOK_EVERY_MS) => {}
            }
        }
    }

    async fn dry_run(&self) -> Result<LiveRebuilt, Stopped> {
        let log = self.parts.log.info().await?;
        let filled = self.fill(&log, true).await?;
        let carried = carry::plan(self.parts, self.work, self.from, &filled.keep).await?;
        Ok(LiveRebuilt {
            games: filled.games,
            changed: 0,
            carried: carried.writes.len() as u64,
            put_aside: carried.put_aside,
            not_foldable: filled.not_foldable,
            generation: self.from,
            dry_run: true,
        })
    }

    /// What is left in spite of it, the next rebuild throws away.
    async fn throw_away(&self) {
        for _ in 0..DISCARDS {
            // Another one's by now: then it is not ours to throw away.
            match self.parts.live.acquire(self.to, self.parts.token).await {
                Ok(false) => return,
                Ok(true) => match self.parts.live.discard(self.to).await {
                    Ok(()) => return,
                    Err(error) => tracing::warn!(%error, generation = self.to, "a generation is left behind"),
                },
                Err(error) => tracing::warn!(%error, generation = self.to, "a generation is left behind"),
            }
            self.parts.clock.sleep(LOOK_EVERY_MS).await;
        }
        if let Err(error) = self.parts.live.release(self.to, self.parts.token).await {
            tracing::debug!(%error, "the right to the generation lapses");
        }
    }
}

/// A snapshot of what the log makes.
fn write_of_log(folded: Folded, log: &LogInfo) -> Result<SnapshotWrite, Unavailable> {
    let manner = Manner {
        create: true,
        force: false,
    };
    write_of(folded, &log.identity, manner).map(|(write, _)| write)
}

fn done(written: Written) -> Result<(), Stopped> {
    match written {
        Written::Done => Ok(()),
        Written::LostToken | Written::MovedCheckpoint => Err(Stopped::Busy(OVERTAKEN.to_owned())),
    }
}
