//! The history made anew in a shadow, and merged in one transaction.

use commands::ports::LogEntry;
use contract::{FinishedGame, Seq};
use serde::{Deserialize, Serialize};

use super::super::ends::Ends;
use super::super::{OperationParts, Since, Stopped, Work};
use super::{BUSY, OVERTAKEN, Request, some};
use crate::history::NAME;
use crate::history::ended::{letter, record_of};
use crate::ports::{CacheKey, DeadLetter, HistoryError, Merged, Merging, Written};

/// A merge that others came in between of is tried again as often.
const MERGES: usize = 20;

/// How often the right is renewed while rows are merged.
const KEEP_EVERY_MS: u64 = 2_000;

/// What a rebuild of the history did, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRebuilt {
    /// Finished games that the log has.
    pub games: u64,
    /// Ends of games that cannot be read: dead letters.
    pub unreadable: u64,
    /// Games that the store refuses: dead letters.
    pub refused: u64,
    /// What became of the rows.
    #[serde(flatten)]
    pub merged: Merged,
    /// Whether nothing was changed.
    pub dry_run: bool,
}

/// Makes the history, or a part of it, anew. No row is ever dropped: those that the log has no end of are carried over.
///
/// # Errors
/// [`Stopped`]; the rows are as they were.
pub async fn history(
    parts: &OperationParts,
    request: &Request,
    work: &Work,
) -> Result<HistoryRebuilt, Stopped> {
    if let (Some(id), true) = (request.scope.game, request.dry_run) {
        return some::row(parts, id, true).await;
    }
    if !parts.history.begin_shadow(parts.token).await? {
        return Err(Stopped::Busy(BUSY.to_owned()));
    }
    let rebuilt = match request.scope.game {
        Some(id) => some::row(parts, id, false).await,
        None => Build::of(parts, request, work).run().await,
    };
    if let Err(error) = parts.history.drop_shadow(parts.token).await {
        tracing::warn!(%error, "the shadow of the history is left for the next rebuild to drop");
    }
    rebuilt
}

struct Build<'a> {
    parts: &'a OperationParts,
    work: &'a Work,
    since: Option<Since>,
    rebuilt: HistoryRebuilt,
}

impl<'a> Build<'a> {
    fn of(parts: &'a OperationParts, request: &Request, work: &'a Work) -> Self {
        Self {
            parts,
            work,
            since: request.scope.from,
            rebuilt: HistoryRebuilt {
                dry_run: request.dry_run,
                ..HistoryRebuilt::default()
            },
        }
    }

    async fn run(mut self) -> Result<HistoryRebuilt, Stopped> {
        let end = self.parts.log.info().await?.last;
        self.work.phase("messages", Some(end));
        let mut ends = Ends::after(self.parts, self.since.map_or(0, Since::before));
        self.read(&mut ends, end).await?;
        for _ in 0..MERGES {
            self.work.go_on()?;
            self.work.phase("merging", None);
            match self.merge(ends.reached()).await? {
                Merging::Done(merged) => {
                    self.rebuilt.merged = merged;
                    self.forget_lists().await;
                    return Ok(self.rebuilt);
                }
                Merging::Behind(seq) => {
                    self.work.phase("messages", Some(seq));
                    self.read(&mut ends, seq).await?;
                }
                Merging::LostShadow => self.keep().await?,
            }
        }
        Err(Stopped::Busy(
            "others write the same rows all the time: try again later".to_owned(),
        ))
    }

    /// Puts what ended up to `end` into the shadow.
    async fn read(&mut self, ends: &mut Ends<'_>, end: Seq) -> Result<(), Stopped> {
        while let Some(entries) = ends.next(end).await? {
            self.take(&entries).await?;
            self.work.is_at(ends.reached());
        }
        Ok(())
    }

    async fn take(&mut self, entries: &[LogEntry]) -> Result<(), Stopped> {
        self.work.go_on()?;
        let mut games = Vec::new();
        for entry in entries.iter().filter(|entry| entry.name == "ended") {
            match record_of(entry) {
                Ok(record) if self.includes(entry.seq, &record) => games.push((entry, *record)),
                Ok(_) => {}
                Err(reason) => {
                    self.rebuilt.unreadable += 1;
                    self.give_up(&letter(entry, reason)).await?;
                }
            }
        }
        self.rebuilt.games += games.len() as u64;
        self.fill(&games).await
    }

    fn includes(&self, seq: Seq, record: &FinishedGame) -> bool {
        self.since
            .is_none_or(|since| since.includes(seq, record.ended_at))
    }

    /// A batch that is refused is tried game by game, so that the one that cannot be written keeps out no other.
    async fn fill(&mut self, games: &[(&LogEntry, FinishedGame)]) -> Result<(), Stopped> {
        let records: Vec<FinishedGame> = games.iter().map(|(_, record)| record.clone()).collect();
        let filled = self.parts.history.fill_shadow(self.parts.token, &records).await;
        match filled {
            Ok(written) => held(written),
            Err(HistoryError::Unavailable(error)) => Err(error.into()),
            Err(HistoryError::Data(_)) => self.fill_each(games).await,
        }
    }

    async fn fill_each(&mut self, games: &[(&LogEntry, FinishedGame)]) -> Result<(), Stopped> {
        for (entry, record) in games {
            let record = std::slice::from_ref(record);
            match self.parts.history.fill_shadow(self.parts.token, record).await {
                Ok(written) => held(written)?,
                Err(HistoryError::Unavailable(error)) => return Err(error.into()),
                Err(HistoryError::Data(reason)) => {
                    self.rebuilt.refused += 1;
                    tracing::warn!(projector = NAME, game = %entry.key.id, reason, "the store refuses a game");
                    self.give_up(&letter(entry, reason)).await?;
                }
            }
        }
        Ok(())
    }

    async fn give_up(&self, letter: &DeadLetter) -> Result<(), Stopped> {
        if !self.rebuilt.dry_run {
            self.parts.dead_letters.put(letter).await?;
        }
        Ok(())
    }

    /// Merges, and renews the right meanwhile. To give a merge up half way would leave the server at it.
    async fn merge(&self, reached: Seq) -> Result<Merging, Stopped> {
        let parts = self.parts;
        let keeping = async {
            loop {
                parts.clock.sleep(KEEP_EVERY_MS).await;
                if let Err(error) = parts.history.keep_shadow(parts.token).await {
                    tracing::debug!(%error, "the right to the shadow was not renewed");
                }
            }
        };
        let merging = parts
            .history
            .merge_shadow(parts.token, reached, self.rebuilt.dry_run);
        tokio::select! {
            merged = merging => Ok(merged?),
            () = keeping => unreachable!("it renews for ever"),
        }
    }

    async fn keep(&self) -> Result<(), Stopped> {
        if self.parts.history.keep_shadow(self.parts.token).await? {
            self.parts.clock.sleep(100).await;
            Ok(())
        } else {
            Err(Stopped::Busy(OVERTAKEN.to_owned()))
        }
    }

    /// Users' own lists lapse after ten seconds.
    async fn forget_lists(&self) {
        if let Err(error) = self.parts.cache.delete(&[CacheKey::PopularFinished]).await {
            tracing::debug!(%error, "cached lists stay until they lapse");
        }
    }
}

fn held(written: Written) -> Result<(), Stopped> {
    match written {
        Written::Done => Ok(()),
        Written::LostToken | Written::MovedCheckpoint => Err(Stopped::Busy(OVERTAKEN.to_owned())),
    }
}
