//! One game, or those from a point on, put right in place: nobody reads a half of anything, as each game is one step.

use commands::ports::Unavailable;
use contract::{Envelope, FinishedGame, GameId, GameKey};

use super::super::mend::{Mended, mend, plan};
use super::super::{OperationParts, Since, Stopped, Work, find, has_any, no_such_game};
use super::history::HistoryRebuilt;
use super::live::LiveRebuilt;
use super::{BUSY, Request};
use crate::history::ended::record_of;
use crate::live::folded::is_whole;
use crate::ports::{CacheKey, HistoryError, Merged};

/// Puts live snapshots right, by the right to make the next generation: beside a rebuild of everything that would be in
/// vain.
pub(super) async fn live(
    parts: &OperationParts,
    request: &Request,
    work: &Work,
) -> Result<LiveRebuilt, Stopped> {
    let generation = parts.live.generation().await?;
    let right = Right {
        parts,
        generation: generation + 1,
        is_needed: !request.dry_run,
    };
    right.hold().await?;
    let rebuilt = LiveRebuilt {
        generation,
        dry_run: request.dry_run,
        ..LiveRebuilt::default()
    };
    let rebuilt = each(request, work, &right, rebuilt).await;
    right.give_back().await;
    rebuilt
}

async fn each(
    request: &Request,
    work: &Work,
    right: &Right<'_>,
    mut rebuilt: LiveRebuilt,
) -> Result<LiveRebuilt, Stopped> {
    let parts = right.parts;
    let keys = keys(parts, request, work, right).await?;
    work.phase("games", Some(keys.len() as u64));
    for key in keys {
        work.go_on()?;
        right.hold().await?;
        rebuilt.games += 1;
        match mended(parts, key, request.dry_run).await? {
            Mended::Same | Mended::Newer => {}
            Mended::Written | Mended::Deleted => rebuilt.changed += 1,
            Mended::Ahead => rebuilt.carried += 1,
            Mended::NotFoldable(why) => {
                rebuilt.not_foldable += 1;
                tracing::error!(game = %key.id, why, "a game's messages do not make a game");
            }
        }
        work.did(1);
    }
    Ok(rebuilt)
}

async fn mended(parts: &OperationParts, key: GameKey, dry_run: bool) -> Result<Mended, Unavailable> {
    let (log, live, history) = (parts.log.as_ref(), parts.live.as_ref(), parts.history.as_ref());
    if dry_run {
        plan(log, live, history, key).await
    } else {
        mend(log, live, history, key).await
    }
}

/// The right to write a generation, which a dry run does without.
struct Right<'a> {
    parts: &'a OperationParts,
    generation: u64,
    is_needed: bool,
}

impl Right<'_> {
    /// Takes or renews it.
    async fn hold(&self) -> Result<(), Stopped> {
        let Self {
            parts, generation, ..
        } = self;
        if self.is_needed && !parts.live.acquire(*generation, parts.token).await? {
            return Err(Stopped::Busy(BUSY.to_owned()));
        }
        Ok(())
    }

    async fn give_back(&self) {
        let Self {
            parts, generation, ..
        } = self;
        if self.is_needed
            && let Err(error) = parts.live.release(*generation, parts.token).await
        {
            tracing::debug!(%error, "the right to the generation lapses");
        }
    }
}

/// The games of the request: the one, or all unfinished ones whose beginning lies behind the point.
async fn keys(
    parts: &OperationParts,
    request: &Request,
    work: &Work,
    right: &Right<'_>,
) -> Result<Vec<GameKey>, Stopped> {
    if let Some(id) = request.scope.game {
        let found = find(parts.log.as_ref(), id).await?;
        return Ok(vec![found.ok_or_else(|| no_such_game(id))?.0]);
    }
    let all = parts.log.unfinished().await?;
    let Some(since) = request.scope.from else {
        return Ok(all);
    };
    work.phase("games to choose from", Some(all.len() as u64));
    let mut chosen = Vec::new();
    for key in all {
        work.go_on()?;
        right.hold().await?;
        if begins_behind(parts, key, since).await? {
            chosen.push(key);
        }
        work.did(1);
    }
    Ok(chosen)
}

/// Whether what a game is folded from begins behind a point.
async fn begins_behind(parts: &OperationParts, key: GameKey, since: Since) -> Result<bool, Stopped> {
    let entries = parts.log.read_game(key, 0).await?;
    let base = entries.iter().find_map(|entry| {
        let envelope = Envelope::from_bytes(&entry.bytes).ok()?;
        is_whole(&envelope).then_some((entry.seq, envelope.time))
    });
    Ok(base.is_some_and(|(seq, at)| since.includes(seq, at)))
}

/// Puts one row right. A game that has not ended has none, and that is as it should be.
pub(super) async fn row(
    parts: &OperationParts,
    id: GameId,
    dry_run: bool,
) -> Result<HistoryRebuilt, Stopped> {
    let Some(record) = record(parts, id).await? else {
        return Ok(HistoryRebuilt {
            dry_run,
            ..HistoryRebuilt::default()
        });
    };
    let row = parts.history.game(id).await?;
    let merged = match &row {
        None => Merged {
            added: 1,
            ..Merged::default()
        },
        Some(row) if *row == record => Merged {
            same: 1,
            ..Merged::default()
        },
        Some(_) => Merged {
            replaced: 1,
            ..Merged::default()
        },
    };
    if !dry_run && merged.same == 0 {
        put(parts, &record).await?;
    }
    Ok(HistoryRebuilt {
        games: 1,
        merged,
        dry_run,
        ..HistoryRebuilt::default()
    })
}

/// The record of a game, if it has ended.
async fn record(parts: &OperationParts, id: GameId) -> Result<Option<FinishedGame>, Stopped> {
    let Some(entry) = parts.log.find_ended(id).await? else {
        let is_known = has_any(parts.log.as_ref(), id).await?;
        return if is_known { Ok(None) } else { Err(no_such_game(id)) };
    };
    match record_of(&entry) {
        Ok(record) => Ok(Some(*record)),
        Err(why) => Err(Stopped::Refused(format!("the end of game {id}: {why}"))),
    }
}

/// Writes a row in the place of what is there, in one transaction.
pub(in crate::operations) async fn put(parts: &OperationParts, record: &FinishedGame) -> Result<(), Stopped> {
    parts.history.replace(record).await.map_err(|error| match error {
        HistoryError::Data(why) => Stopped::Refused(format!("the store refuses game {}: {why}", record.id)),
        HistoryError::Unavailable(error) => error.into(),
    })?;
    if let Err(error) = parts.cache.delete(&CacheKey::of_players(&record.players)).await {
        tracing::debug!(%error, "cached lists stay until they lapse");
    }
    Ok(())
}
