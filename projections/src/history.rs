//! The history projector: each finished game becomes a row, once.
//!
//! **Belongs here:** which messages make rows, in which batches, what becomes of a game that the store refuses, whom
//! to tell afterwards. **Does not:** SQL (adapters); reading (the [library](crate::library)).
//!
//! It reads `ended` messages only while it is far behind, and all messages otherwise: that a filtered reader says
//! nothing does not prove that there is nothing (it may be a silent one), while a reader of all messages shows that it
//! has passed them. So the checkpoint moves over other events too, its lag returns to 0, and no finished game is ever
//! passed unseen. Other events cost a look at their name; a checkpoint that moves over nothing else is written at most
//! once a second.

use std::sync::Arc;

use async_trait::async_trait;
use commands::observer::RecordKeeper;
use commands::ports::{Clock, EventLog, LogInfo, Monotonic, Unavailable};
use contract::{Event, FinishedGame, Seq, WriterId};
use tokio_util::sync::CancellationToken;

use crate::catch_up::{Batch, Progress, Projection, ProjectorState, Start, Verdict};
use crate::newer::{self, Readable};
use crate::ports::{Cache, CacheKey, Checkpoint, DeadLetter, DeadLetters, HistoryStore, LogFilter, Written};

mod batch;
pub(crate) mod ended;

/// The projector's name.
pub const NAME: &str = "history";

/// Further behind than this, only `ended` messages are read.
const FAR_BEHIND: u64 = 2_000;

/// A checkpoint that only passes events that make no rows is written this often.
const BARE_CHECKPOINT_MS: i64 = 1_000;

/// A process that does not project asks this often how far the one that does has come.
const TELL_EVERY_MS: u64 = 1_000;

/// What the projector works with.
pub struct HistoryParts {
    /// The rows.
    pub store: Arc<dyn HistoryStore>,
    /// What is deleted from it after rows were written.
    pub cache: Arc<dyn Cache>,
    /// Where games go that can never be written.
    pub dead_letters: Arc<dyn DeadLetters>,
    /// Who keeps finished games until they are written; `None` where no games are held (`project`).
    pub keeper: Option<Arc<dyn RecordKeeper>>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// By whose right it writes.
    pub token: WriterId,
    /// Where the figures go.
    pub progress: Arc<Progress>,
}

/// The projector.
pub struct HistoryProjector {
    parts: HistoryParts,
    reached: Reached,
    /// Whether what newer code wrote was looked at: what can be read does not change while the process runs.
    has_taken_up: bool,
}

/// How far it has written and read.
#[derive(Debug, Default)]
struct Reached {
    /// The sequence of the stored checkpoint.
    stored: Option<Seq>,
    /// A later checkpoint that has been read up to, with no row in between.
    passed: Option<Checkpoint>,
    /// When the store was last written.
    written_at: Monotonic,
}

#[async_trait]
impl Projection for HistoryProjector {
    async fn acquire(&mut self) -> Result<bool, Unavailable> {
        self.parts.store.acquire(self.parts.token).await
    }

    async fn release(&mut self) -> Result<(), Unavailable> {
        self.parts.store.release(self.parts.token).await
    }

    async fn checkpoint(&mut self) -> Result<Option<Checkpoint>, Unavailable> {
        self.parts.store.checkpoint().await
    }

    /// A checkpoint in doubt means: read the log's finished games again from its beginning. Rows that are there stay.
    async fn begin(&mut self, start: &Start) -> Result<Option<Seq>, Unavailable> {
        self.reached = Reached {
            written_at: self.parts.clock.monotonic(),
            ..Reached::default()
        };
        match (&start.stored, start.verdict) {
            (Some(stored), Verdict::Valid | Verdict::Gap) => {
                self.reached.stored = Some(stored.seq);
                self.tell_keeper(stored.seq);
                if !self.has_taken_up && self.take_up(stored).await? != Written::Done {
                    return Ok(None);
                }
                Ok(Some(stored.seq))
            }
            (None, _) => Ok(Some(0)),
            (Some(_), Verdict::Doubtful(_)) => {
                let beginning = Checkpoint {
                    seq: 0,
                    event_id: None,
                    log: start.log.identity.clone(),
                };
                let written = self
                    .parts
                    .store
                    .reset_checkpoint(self.parts.token, &beginning)
                    .await?;
                self.reached.stored = Some(0);
                Ok((written == Written::Done).then_some(0))
            }
        }
    }

    fn filter(&self, lag: u64) -> LogFilter {
        if lag > FAR_BEHIND {
            LogFilter::Ended
        } else {
            LogFilter::All
        }
    }

    async fn apply(&mut self, batch: &Batch) -> Result<Written, Unavailable> {
        let ended = ended::games_of(batch);
        for letter in ended.unreadable {
            self.give_up(letter).await?;
        }
        if ended.games.is_empty() {
            self.reached.passed = Some(batch.to.clone());
            return self.write_bare_checkpoint(BARE_CHECKPOINT_MS).await;
        }
        self.write_rows(batch::Segment {
            games: ended.games,
            to: batch.to.clone(),
        })
        .await
    }

    async fn is_as_left(&mut self) -> Result<bool, Unavailable> {
        let there = self.checkpoint().await?;
        Ok(there.map(|there| there.seq) == self.reached.stored)
    }

    async fn idle(&mut self) -> Result<Written, Unavailable> {
        self.write_bare_checkpoint(0).await
    }

    async fn held_elsewhere(&mut self, log: &LogInfo) -> Result<(), Unavailable> {
        if let Some(stored) = self.parts.store.checkpoint().await?
            && stored.log == log.identity
            && stored.seq <= log.last
        {
            self.tell_keeper(stored.seq);
            self.parts.progress.reached(stored.seq, log.last);
        }
        Ok(())
    }
}

impl HistoryProjector {
    /// One that has not read anything yet.
    pub fn new(parts: HistoryParts) -> Self {
        Self {
            parts,
            reached: Reached::default(),
            has_taken_up: false,
        }
    }

    /// Writes the games whose end an older release could not read, and forgets their letters.
    async fn take_up(&mut self, stored: &Checkpoint) -> Result<Written, Unavailable> {
        let letters = self.parts.dead_letters.clone();
        let passed_over = newer::passed_over(letters.as_ref(), NAME).await?;
        for Readable { seq, envelope, .. } in passed_over.readable {
            let Event::Ended(ended) = envelope.event else {
                continue;
            };
            let from = Some(stored.seq);
            let games = [*ended.record];
            let write = self.parts.store.write(self.parts.token, from, stored, &games);
            match batch::written(write.await)? {
                batch::Outcome::Written(Written::Done) => {
                    self.after_commit(stored, &games).await;
                    letters.remove(NAME, seq).await?;
                }
                batch::Outcome::Written(refused) => return Ok(refused),
                // An operator may know what to do about it.
                batch::Outcome::Refused(reason) => {
                    tracing::error!(game = %games[0].id, reason, "a finished game stays a dead letter");
                }
            }
        }
        self.has_taken_up = true;
        Ok(Written::Done)
    }

    /// Projects nothing: says again and again how far another process has come, until cancelled.
    pub async fn only_tell(mut self, log: &dyn EventLog, cancel: CancellationToken) {
        self.parts.progress.is_now(ProjectorState::HeldElsewhere);
        let clock = self.parts.clock.clone();
        while !cancel.is_cancelled() {
            let told = async { self.held_elsewhere(&log.info().await?).await };
            if let Err(error) = told.await {
                tracing::debug!(%error, "it is not known which finished games are written");
            }
            tokio::select! {
                biased;
                () = cancel.cancelled() => {}
                () = clock.sleep(TELL_EVERY_MS) => {}
            }
        }
    }

    fn tell_keeper(&self, seq: Seq) {
        if let Some(keeper) = &self.parts.keeper {
            keeper.recorded_through(seq);
        }
    }

    async fn give_up(&self, letter: DeadLetter) -> Result<(), Unavailable> {
        tracing::error!(game = %letter.game, seq = letter.seq, reason = %letter.reason, "a finished game is a dead letter");
        self.parts.dead_letters.put(&letter).await?;
        self.parts.progress.count(|counts| counts.dead_letters += 1);
        Ok(())
    }

    /// Writes the checkpoint over events that make no rows, if the last write was at least `after_ms` ago.
    async fn write_bare_checkpoint(&mut self, after_ms: i64) -> Result<Written, Unavailable> {
        let due = self.parts.clock.monotonic().since(self.reached.written_at) >= after_ms;
        match self.reached.passed.clone() {
            Some(to) if due => {
                self.write_rows(batch::Segment {
                    games: Vec::new(),
                    to,
                })
                .await
            }
            _ => Ok(Written::Done),
        }
    }

    /// Writes the rows of a batch. What the store refuses as data is halved until a single game is left, which goes to
    /// the dead letters; all others are written.
    async fn write_rows(&mut self, whole: batch::Segment) -> Result<Written, Unavailable> {
        let mut waiting = vec![whole];
        while let Some(segment) = waiting.pop() {
            let games = segment
                .games
                .iter()
                .map(|(_, game)| (**game).clone())
                .collect::<Vec<_>>();
            match batch::written(
                self.parts
                    .store
                    .write(self.parts.token, self.reached.stored, &segment.to, &games)
                    .await,
            )? {
                batch::Outcome::Written(Written::Done) => self.after_commit(&segment.to, &games).await,
                batch::Outcome::Written(refused) => return Ok(refused),
                batch::Outcome::Refused(reason) => match segment.split() {
                    batch::Split::Halves(first, second) => waiting.extend([second, first]),
                    batch::Split::Single(entry, bare) => {
                        self.give_up(ended::letter(&entry, reason)).await?;
                        waiting.push(bare);
                    }
                    batch::Split::Bare => return Err(Unavailable::new("history store", reason)),
                },
            }
        }
        Ok(Written::Done)
    }

    async fn after_commit(&mut self, to: &Checkpoint, games: &[FinishedGame]) {
        self.reached = Reached {
            stored: Some(to.seq),
            passed: None,
            written_at: self.parts.clock.monotonic(),
        };
        self.parts.progress.stored(to.seq);
        self.parts
            .progress
            .count(|counts| counts.applied += games.len() as u64);
        let stale = stale_caches(games);
        if !stale.is_empty()
            && let Err(error) = self.parts.cache.delete(&stale).await
        {
            // They lapse after ten seconds.
            tracing::debug!(%error, "cached lists stay until they lapse");
        }
        self.tell_keeper(to.seq);
    }
}

/// The cached lists that these games change.
fn stale_caches(games: &[FinishedGame]) -> Vec<CacheKey> {
    let mut users: Vec<_> = games
        .iter()
        .flat_map(|game| [&game.players.player1, &game.players.player2])
        .map(|p| &p.user_id)
        .collect();
    users.sort_unstable();
    users.dedup();
    let lists = (!games.is_empty()).then_some(CacheKey::PopularFinished);
    lists
        .into_iter()
        .chain(users.into_iter().cloned().map(CacheKey::Recent))
        .collect()
}
