//! Live games that another process holds, followed in the log for the preview of a standby.
//!
//! It begins with the snapshots of the live store and folds on from their checkpoint; where they are not to be had, with
//! the games that the log says are not over. It writes nothing anywhere: whatever is in doubt is made anew in memory.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use commands::games::Role;
use commands::ports::{Clock, EventLog, LogEntry, Unavailable};
use contract::event::DecodeError;
use contract::{Envelope, GameKey, GameState, Seq};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Preview;
use crate::catch_up::{Batch, CatchUp, Progress, Projection, Start, Verdict};
use crate::live::folded::{Folded, Step, step};
use crate::live::refold::{Refolded, refold};
use crate::live::stored::Held;
use crate::ports::{Checkpoint, LiveSet, LiveStore, LogFilter, LogReader, SpectatorCounts, Written};

/// The name of what follows.
pub const NAME: &str = "preview";

/// What it works with.
#[derive(Clone)]
pub struct Elsewhere {
    /// Where the games are shown.
    pub preview: Arc<Preview>,
    /// The snapshots to begin with.
    pub live: Arc<dyn LiveStore>,
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Its reader.
    pub reader: Arc<dyn LogReader>,
    /// How many watch them.
    pub counts: Arc<dyn SpectatorCounts>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl Elsewhere {
    /// Follows other processes' games whenever this one is a standby, until cancelled.
    pub async fn run(self, mut roles: watch::Receiver<Role>, cancel: CancellationToken) {
        let mut is_standby = async |standby: bool| {
            let turned = roles.wait_for(|role| (*role == Role::Standby) == standby);
            turned.await.map(drop)
        };
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return,
                turned = is_standby(true) => if turned.is_err() { return },
            }
            tokio::select! {
                biased;
                () = self.follow(cancel.clone()) => return,
                _ = is_standby(false) => self.preview.forget_elsewhere(),
            }
        }
    }

    async fn follow(&self, cancel: CancellationToken) {
        let follower = CatchUp {
            projection: Follower {
                parts: self.clone(),
                games: HashMap::new(),
            },
            log: self.log.clone(),
            reader: self.reader.clone(),
            clock: self.clock.clone(),
            progress: Arc::new(Progress::new(NAME)),
        };
        tokio::select! {
            biased;
            () = follower.run(cancel) => {}
            () = self.preview.hear_counts(self.counts.as_ref(), self.clock.as_ref()) => {}
        }
    }
}

struct Follower {
    parts: Elsewhere,
    /// The games that are not over.
    games: HashMap<GameKey, Option<Folded>>,
}

#[async_trait]
impl Projection for Follower {
    /// Whoever wants to may read.
    async fn acquire(&mut self) -> Result<bool, Unavailable> {
        Ok(true)
    }

    async fn release(&mut self) -> Result<(), Unavailable> {
        Ok(())
    }

    /// A live store that is away is as good as an empty one: the log has all.
    async fn checkpoint(&mut self) -> Result<Option<Checkpoint>, Unavailable> {
        let live = &self.parts.live;
        let stored = async { live.checkpoint(live.generation().await?).await };
        Ok(stored.await.unwrap_or_else(|error| {
            tracing::debug!(%error, "live games of other processes are read from the log");
            None
        }))
    }

    async fn begin(&mut self, start: &Start) -> Result<Option<Seq>, Unavailable> {
        let set = match start.verdict {
            Verdict::Valid | Verdict::Gap => self.parts.live.load().await.ok(),
            Verdict::Doubtful(_) => None,
        };
        // The checkpoint that was judged may be an older one than that of the snapshots.
        let after = if let Some(set) = set
            && let Some(checkpoint) = &set.checkpoint
        {
            self.games = games_of(&set);
            checkpoint.seq
        } else {
            let unfinished = self.parts.log.unfinished().await?;
            self.games = unfinished.into_iter().map(|key| (key, None)).collect();
            start.log.last
        };
        self.refold_missing().await?;
        let live = self.games.values().flatten().map(|folded| &folded.game);
        self.parts.preview.elsewhere_are(live);
        Ok(Some(after))
    }

    fn filter(&self, _: u64) -> LogFilter {
        LogFilter::All
    }

    async fn apply(&mut self, batch: &Batch) -> Result<Written, Unavailable> {
        for entry in &batch.entries {
            self.fold(entry).await?;
        }
        Ok(Written::Done)
    }

    async fn idle(&mut self) -> Result<Written, Unavailable> {
        Ok(Written::Done)
    }
}

impl Follower {
    async fn fold(&mut self, entry: &LogEntry) -> Result<(), Unavailable> {
        let known = self.games.entry(entry.key).or_default();
        match Envelope::from_bytes(&entry.bytes) {
            Ok(envelope) => match step(known, entry, &envelope) {
                Step::Applied { .. } => {}
                Step::Reseated | Step::Repeated => return Ok(()),
                Step::Refold => *known = self.parts.refolded(entry.key).await?,
            },
            Err(DecodeError::Newer(_)) => *known = None,
            Err(DecodeError::Corrupt(_)) => *known = self.parts.refolded(entry.key).await?,
        }
        if let Some(folded) = known.as_ref().filter(|folded| folded.game.is_live()) {
            self.parts.preview.elsewhere_is(&folded.game);
        } else {
            self.games.remove(&entry.key);
            self.parts.preview.gone_elsewhere(entry.key.id);
        }
        Ok(())
    }

    /// Reads the games that are not known from the log; what is over, or beyond reading, is none of this.
    async fn refold_missing(&mut self) -> Result<(), Unavailable> {
        for (key, game) in self.games.iter_mut().filter(|(_, game)| game.is_none()) {
            *game = self.parts.refolded(*key).await?;
        }
        self.games
            .retain(|_, game| game.as_ref().is_some_and(|folded| folded.game.is_live()));
        Ok(())
    }
}

impl Elsewhere {
    async fn refolded(&self, key: GameKey) -> Result<Option<Folded>, Unavailable> {
        Ok(match refold(&self.log.read_game(key, 0).await?) {
            Refolded::Game(folded) => Some(*folded),
            Refolded::Nothing | Refolded::Newer | Refolded::Broken(_) => None,
        })
    }
}

/// The live games of a set of snapshots; `None` for what cannot be read.
fn games_of(set: &LiveSet) -> HashMap<GameKey, Option<Folded>> {
    let mut games = HashMap::new();
    for stored in &set.snapshots {
        match Held::of(Some(stored)) {
            Held::Game { folded, .. } if folded.game.is_live() => {
                games.insert(stored.key, Some(folded));
            }
            Held::Unreadable(_) => {
                games.insert(stored.key, None);
            }
            Held::Game { .. } | Held::Newer | Held::Nothing => {}
        }
    }
    games
}

impl Preview {
    /// Another process's games are these now.
    fn elsewhere_are<'a>(&self, games: impl Iterator<Item = &'a GameState>) {
        let games: Vec<_> = games.map(|game| Arc::new(game.clone())).collect();
        let shown = self.ranking().elsewhere_are(&games);
        self.changed_if(shown);
    }

    /// Another process's game is like this now.
    fn elsewhere_is(&self, game: &GameState) {
        let shown = self.ranking().elsewhere_is(&Arc::new(game.clone()));
        self.changed_if(shown);
    }

    /// Another process's game is over.
    fn gone_elsewhere(&self, game: contract::GameId) {
        let shown = self.ranking().gone_elsewhere(game);
        self.changed_if(shown);
    }

    /// Games of other processes are not followed any more; those held here stay.
    fn forget_elsewhere(&self) {
        let shown = self.ranking().elsewhere_are(&[]);
        self.changed_if(shown);
    }
}
