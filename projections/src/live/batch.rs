//! One batch: decode, fold, refold where needed, write with the checkpoint.

use std::collections::{BTreeMap, HashMap, HashSet};

use commands::ports::{LogEntry, Unavailable};
use contract::event::DecodeError;
use contract::{Envelope, GameId, GameKey};

use super::folded::{Folded, Step, is_anchored, is_behind_a_hole, is_whole, step};
use super::refold::{Refolded, is_other_chain, refold};
use super::stored::{Held, Manner, write_of};
use super::{LiveProjector, NAME};
use crate::catch_up::Batch;
use crate::newer;
use crate::ports::{DeadLetter, LiveBatch, SnapshotWrite, Written};

/// So many events or snapshots are worked on before others get their turn: a batch takes longer than a move may wait.
const AT_A_STRETCH: usize = 16;

/// A game of this batch.
struct Working {
    key: GameKey,
    folded: Option<Folded>,
    manner: Manner,
    /// Whether the store lacks something of it.
    changed: bool,
}

impl Working {
    fn new(key: GameKey, folded: Option<Folded>) -> Self {
        Self {
            key,
            folded,
            manner: Manner::default(),
            changed: false,
        }
    }

    /// A game that was made from its own messages: it replaces whatever the store has.
    fn refolded(key: GameKey, folded: Folded) -> Self {
        let manner = Manner {
            create: true,
            force: true,
        };
        Self {
            key,
            folded: Some(folded),
            manner,
            changed: true,
        }
    }
}

/// Lets others have their turn each time that enough was done at a stretch.
async fn pause_after(done: usize) {
    if done % AT_A_STRETCH == AT_A_STRETCH - 1 {
        tokio::task::yield_now().await;
    }
}

impl LiveProjector {
    /// Folds and writes a batch.
    pub(super) async fn write_batch(&mut self, batch: &Batch) -> Result<Written, Unavailable> {
        let events = self.decode(&batch.entries).await?;
        let mut working = self.load(&events).await?;
        let events = self.without_parked(events).await?;
        for (entry, envelope) in &events {
            self.fold_into(&mut working, entry, envelope).await?;
        }
        let working: Vec<_> = working.into_values().collect();
        let with_row = self.games_with_row(&working).await;
        let (writes, kept) = self.writes_of(working, &with_row).await?;
        let live = LiveBatch {
            from: self.stored,
            to: batch.to.clone(),
            writes,
        };
        let written = self
            .parts
            .store
            .write(self.generation, self.parts.token, &live)
            .await?;
        if written == Written::Done {
            self.stored = Some(batch.to.seq);
            self.parts.progress.stored(batch.to.seq);
            self.memory.keep_all(kept);
        }
        Ok(written)
    }

    /// The events that can be read, of games that are not left alone.
    async fn decode<'a>(
        &mut self,
        entries: &'a [LogEntry],
    ) -> Result<Vec<(&'a LogEntry, Envelope)>, Unavailable> {
        let mut events = Vec::with_capacity(entries.len());
        for (n, entry) in entries.iter().enumerate() {
            pause_after(n).await;
            match self.committed.read(entry.key.id, &entry.bytes) {
                Ok(envelope) if envelope.id.game == entry.key.id => {
                    // An event that carries the whole game mends one whose messages did not fold.
                    if is_whole(&envelope) {
                        self.broken.remove(&entry.key.id);
                    }
                    if !self.broken.contains(&entry.key.id) {
                        events.push((entry, envelope));
                    }
                }
                Ok(envelope) => {
                    let reason = format!("is an event of {}", envelope.id.game);
                    self.give_up(entry, reason).await?;
                }
                Err(DecodeError::Corrupt(reason)) => self.give_up(entry, reason).await?,
                Err(DecodeError::Newer(what)) => {
                    self.leave_to_newer_code(entry.key.id);
                    self.pass_over(entry, &what).await?;
                }
            }
        }
        let events = self.without_parked(events).await?;
        self.count(entries, &events);
        Ok(events)
    }

    /// Counts what goes by without an effect, and what says a whole state.
    fn count(&self, entries: &[LogEntry], events: &[(&LogEntry, Envelope)]) {
        let skipped = (entries.len() - events.len()) as u64;
        let anchored = events.iter().filter(|(_, envelope)| is_anchored(envelope));
        let anchored = anchored.count() as u64;
        if skipped + anchored > 0 {
            self.parts.progress.count(|counts| {
                counts.skipped += skipped;
                counts.anchored += anchored;
            });
        }
    }

    /// The events but those of games that newer code wrote, which are passed over.
    async fn without_parked<'a>(
        &mut self,
        events: Vec<(&'a LogEntry, Envelope)>,
    ) -> Result<Vec<(&'a LogEntry, Envelope)>, Unavailable> {
        let mut known = Vec::with_capacity(events.len());
        for (entry, envelope) in events {
            if self.parked.contains(&envelope.id.game) {
                self.pass_over(entry, "an event before it, or the game's snapshot")
                    .await?;
            } else {
                known.push((entry, envelope));
            }
        }
        Ok(known)
    }

    /// Remembers that the checkpoint goes past this event without its effect: the first one of its game is enough.
    pub(super) async fn pass_over(&mut self, entry: &LogEntry, why: &str) -> Result<(), Unavailable> {
        if self.passed_over.contains(&entry.key.id) {
            return Ok(());
        }
        let letter = newer::letter(NAME, entry, why);
        self.parts.dead_letters.put(&letter).await?;
        self.passed_over.insert(entry.key.id);
        Ok(())
    }

    async fn give_up(&self, entry: &LogEntry, reason: String) -> Result<(), Unavailable> {
        tracing::error!(game = %entry.key.id, seq = entry.seq, %reason, "an event is a dead letter");
        let letter = DeadLetter {
            projector: NAME.to_owned(),
            game: entry.key.id,
            seq: entry.seq,
            reason,
            bytes: entry.bytes.clone(),
        };
        self.parts.dead_letters.put(&letter).await?;
        self.parts.progress.count(|counts| counts.dead_letters += 1);
        Ok(())
    }

    /// Leaves a game that newer code wrote as it is.
    pub(super) fn leave_to_newer_code(&mut self, id: GameId) {
        if self.parked.insert(id) {
            self.memory.take(id);
            self.parts.progress.count(|counts| counts.parked += 1);
            tracing::warn!(game = %id, "written by newer code: parked");
        }
    }

    fn leave_broken(&mut self, id: GameId, reason: &str) {
        if self.broken.insert(id) {
            self.memory.take(id);
            self.parts.progress.count(|counts| counts.broken += 1);
            tracing::error!(game = %id, reason, "a game's messages do not fold: it stays as it is");
        }
    }

    /// The games of these events, from memory or the store.
    async fn load(
        &mut self,
        events: &[(&LogEntry, Envelope)],
    ) -> Result<HashMap<GameId, Working>, Unavailable> {
        let mut working = HashMap::new();
        let mut missing = Vec::new();
        for (_, envelope) in events {
            let id = envelope.id.game;
            working.entry(id).or_insert_with(|| {
                let folded = self.memory.take(id);
                if folded.is_none() {
                    missing.push(id);
                }
                Working::new(envelope.key(), folded)
            });
        }
        if missing.is_empty() {
            return Ok(working);
        }
        let stored = self.parts.store.get_many(self.generation, &missing).await?;
        for (id, stored) in missing.into_iter().zip(&stored) {
            let Some(game) = working.get_mut(&id) else {
                continue;
            };
            match Held::of(stored.as_ref()) {
                Held::Nothing => {}
                Held::Game { folded, log } if log == self.identity => game.folded = Some(folded),
                // What cannot be read, or is of another log, is replaced by what this log has.
                Held::Game { .. } | Held::Unreadable(_) => game.manner.force = true,
                Held::Newer => {
                    working.remove(&id);
                    self.leave_to_newer_code(id);
                }
            }
        }
        Ok(working)
    }

    async fn fold_into(
        &mut self,
        working: &mut HashMap<GameId, Working>,
        entry: &LogEntry,
        envelope: &Envelope,
    ) -> Result<(), Unavailable> {
        let id = envelope.id.game;
        if is_whole(envelope) {
            self.broken.remove(&id);
        }
        let Some(game) = working.get_mut(&id).filter(|_| !self.broken.contains(&id)) else {
            self.parts.progress.count(|counts| counts.skipped += 1);
            return Ok(());
        };
        match step(&mut game.folded, entry, envelope) {
            Step::Applied { whole } => {
                game.changed = true;
                game.manner.create |= whole;
                self.parts.progress.count(|counts| counts.applied += 1);
            }
            Step::Reseated => {
                game.changed = true;
                game.manner.force = true;
            }
            Step::Repeated => self.parts.progress.count(|counts| counts.repeated += 1),
            Step::Refold => {
                if is_behind_a_hole(game.folded.as_ref(), envelope) {
                    self.parts.progress.count(|counts| counts.holes += 1);
                }
                let before = game.folded.as_ref().map(|folded| folded.game.last_event);
                let key = game.key;
                match self.refolded(key).await? {
                    Some(folded) => {
                        if before.is_some_and(|last| !folded.game.chain.has_event(last, folded.game.version))
                        {
                            self.put_aside(id).await?;
                        }
                        working.insert(id, Working::refolded(key, folded));
                    }
                    None if self.parked.contains(&id) => {
                        working.remove(&id);
                        self.pass_over(entry, "another event of the game").await?;
                    }
                    // What folded before the hole is written.
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// A game from its own messages; `None` if it is left alone.
    async fn refolded(&mut self, key: GameKey) -> Result<Option<Folded>, Unavailable> {
        match refold(&self.parts.log.read_game(key, 0).await?) {
            Refolded::Game(folded) => {
                self.parts.progress.count(|counts| counts.refolded += 1);
                Ok(Some(*folded))
            }
            Refolded::Newer => {
                self.leave_to_newer_code(key.id);
                Ok(None)
            }
            Refolded::Nothing => {
                self.leave_broken(key.id, "the log does not have its beginning");
                Ok(None)
            }
            Refolded::Broken(reason) => {
                self.leave_broken(key.id, &reason);
                Ok(None)
            }
        }
    }

    /// Refolds games and writes them without moving the checkpoint.
    pub(super) async fn refold_and_heal(
        &mut self,
        games: BTreeMap<GameKey, Held>,
    ) -> Result<Written, Unavailable> {
        let mut working = Vec::with_capacity(games.len());
        for (key, held) in games {
            let Some(folded) = self.refolded(key).await? else {
                continue;
            };
            if let Held::Game { folded: stored, .. } = &held
                && is_other_chain(&stored.game, &folded.game)
            {
                self.put_aside(key.id).await?;
            }
            working.push(Working::refolded(key, folded));
        }
        let with_row = self.games_with_row(&working).await;
        let (writes, kept) = self.writes_of(working, &with_row).await?;
        if writes.is_empty() {
            return Ok(Written::Done);
        }
        let written = self
            .parts
            .store
            .heal(self.generation, self.parts.token, &writes)
            .await?;
        if written == Written::Done {
            self.memory.keep_all(kept);
        }
        Ok(written)
    }

    /// Moves a snapshot that lies on another chain than the log's aside, for an operator.
    async fn put_aside(&mut self, id: GameId) -> Result<(), Unavailable> {
        self.parts.progress.count(|counts| counts.other_chains += 1);
        tracing::error!(game = %id, "the snapshot is on another chain than the log: the log wins");
        if self.generation == self.parts.store.generation().await? {
            self.parts
                .store
                .quarantine(id, "on another chain than the log")
                .await?;
        }
        Ok(())
    }

    /// Which of the ended games need no tombstone. When history does not answer, all get one.
    async fn games_with_row(&self, working: &[Working]) -> HashSet<GameId> {
        let ended: Vec<_> = working
            .iter()
            .filter(|game| game.changed && game.folded.as_ref().is_some_and(|folded| folded.ended.is_some()))
            .map(|game| game.key.id)
            .collect();
        if ended.is_empty() {
            return HashSet::new();
        }
        match self.parts.history.existing(&ended).await {
            Ok(with_row) => with_row.into_iter().collect(),
            Err(error) => {
                tracing::debug!(%error, "tombstones are made without asking history");
                HashSet::new()
            }
        }
    }

    /// The writes of the games that changed, and all of them as the store will have them.
    async fn writes_of(
        &self,
        working: Vec<Working>,
        with_row: &HashSet<GameId>,
    ) -> Result<(Vec<SnapshotWrite>, Vec<Folded>), Unavailable> {
        let mut writes = Vec::new();
        let mut kept = Vec::with_capacity(working.len());
        for (n, game) in working.into_iter().enumerate() {
            pause_after(n).await;
            let Some(folded) = game.folded else { continue };
            if !game.changed {
                kept.push(folded);
                continue;
            }
            // A row makes a new tombstone needless; a live snapshot that is there must still become one.
            let create = game.manner.create && !with_row.contains(&game.key.id);
            let (write, folded) = write_of(
                folded,
                &self.identity,
                Manner {
                    create,
                    ..game.manner
                },
            )?;
            writes.push(write);
            kept.push(folded);
        }
        Ok((writes, kept))
    }
}
