//! Live games come back: snapshots from the live store, the log's tail folded over them, pending events behind that, and
//! each game of a silent owner claimed by a `resumed` event.
//!
//! What waits in the pending store may come last: a restore that finds the log and not that store goes on without, and says
//! so, and [`restore_waiting`] is for when the store is there (again).
//!
//! **Belongs here:** what is gathered ([`gather`]), how pending events fit ([`waiting`]), how games are taken over
//! ([`claim`]). **Does not:** who is silent (the election, in `commands`), when to restore (the service), projectors:
//! a restore waits for none of them.

use std::sync::Arc;
use std::time::Duration;

use commands::live::LiveGames;
use commands::ports::{Clock, EventLog, LogInfo, PendingGame, PendingStore};
use contract::WriterId;
use serde::Serialize;

use crate::newer::PassedOver;
use crate::ports::{DeadLetters, LiveSet, LiveStore, LogReader};
use crate::{live, newer};

mod claim;
mod gather;
mod waiting;

/// How long the log may take to answer before it counts as away.
const LOG_PATIENCE: Duration = Duration::from_secs(5);

/// What a restore works with.
#[derive(Clone)]
pub struct RestoreParts {
    /// Where games go.
    pub games: LiveGames,
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Its reader.
    pub reader: Arc<dyn LogReader>,
    /// The snapshots.
    pub live: Arc<dyn LiveStore>,
    /// What waited for the log.
    pub pending: Arc<dyn PendingStore>,
    /// Which games an older release had to leave alone.
    pub dead_letters: Arc<dyn DeadLetters>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// What a restore did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Live games held now.
    pub restored: usize,
    /// Of those, made anew from their own events.
    pub refolded: usize,
    /// Games whose snapshot was ahead of the log, which gets an `anchored`.
    pub reanchored: usize,
    /// Games ended by the restore: their last move was played before, or their player has a newer game.
    pub ended: usize,
    /// Games that newer code wrote, left as they are.
    pub parked: usize,
    /// Games whose snapshot or waiting events do not fit the log, set aside.
    pub quarantined: usize,
    /// Games of an owner that is not silent.
    pub elsewhere: usize,
    /// Whether the log was there.
    pub log_was_there: bool,
    /// Whether events may still wait that nobody has looked at: their store was away, or their writer is not silent.
    pub waiting_is_left: bool,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
}

impl Report {
    /// What a [`restore_waiting`] did comes to what the restore before it did.
    pub fn add(&mut self, later: &Self) {
        self.restored += later.restored;
        self.refolded += later.refolded;
        self.reanchored += later.reanchored;
        self.ended += later.ended;
        self.parked += later.parked;
        self.quarantined += later.quarantined;
        self.elsewhere += later.elsewhere;
        self.waiting_is_left = later.waiting_is_left;
    }
}

/// Why there is nothing to restore from yet.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotYet {
    /// Neither log nor live store answers (or the live store has no checkpoint to trust): starting empty would lose games.
    #[error("waiting for the log ({log}) and the live store ({live})")]
    NothingToRestoreFrom {
        /// What the log said.
        log: String,
        /// What the live store said.
        live: String,
    },
    /// A store failed half way; what is held stays, and the rest comes with the next try.
    #[error("a store failed half way: {0}")]
    Interrupted(String),
}

/// What the stores said.
struct Sources {
    log: Option<LogInfo>,
    live: Option<LiveSet>,
    /// `None`: they cannot be read.
    pending: Option<Vec<PendingGame>>,
    /// Games of which the live store may lack what this or an older release could not read.
    passed_over: PassedOver,
}

/// Restores all games of silent owners. Games that are held already are left alone, so that it can be called again.
///
/// # Errors
/// [`NotYet`]: call again later.
pub async fn restore(
    parts: &RestoreParts,
    silent: &(dyn Fn(WriterId) -> bool + Sync),
) -> Result<Report, NotYet> {
    let began = parts.clock.monotonic();
    let mut report = Report::default();
    let sources = ask(parts).await?;
    report.log_was_there = sources.log.is_some();
    report.waiting_is_left = sources
        .pending
        .as_ref()
        .is_none_or(|lists| is_left(lists, parts, silent));
    let mut found = gather::gather(parts, &sources, &mut report).await?;
    let used = waiting::fit_all(parts, &mut found, &sources, silent, &mut report).await?;
    claim::take_over(parts, found, silent, &mut report).await?;
    waiting::drop_used(parts, &used).await;
    report.took_ms = parts.clock.monotonic().since(began);
    tracing::info!(
        ?report,
        "restored {} live games in {} ms",
        report.restored,
        report.took_ms
    );
    Ok(report)
}

/// Restores the games of which something waits, and no others: for when the pending store was away at the restore, or has
/// come back since, perhaps with more than it had. A game that is held stays as it is: what waits of it beside its chain is
/// set aside. `None` if nothing waits but what games that are held here wait with; else a report in which `restored` counts
/// the games that came.
///
/// # Errors
/// [`NotYet`]: call again later.
pub async fn restore_waiting(
    parts: &RestoreParts,
    silent: &(dyn Fn(WriterId) -> bool + Sync),
) -> Result<Option<Report>, NotYet> {
    let began = parts.clock.monotonic();
    let interrupted = |why: String| NotYet::Interrupted(why);
    let loaded = parts.pending.load().await;
    let mut lists = loaded.map_err(|error| interrupted(error.to_string()))?;
    lists.retain(|list| waiting::is_left_behind(parts, list));
    if lists.is_empty() {
        return Ok(None);
    }
    let mut report = Report {
        log_was_there: true,
        waiting_is_left: is_left(&lists, parts, silent),
        ..Report::default()
    };
    let sources = Sources {
        log: Some(log_info(parts).await.map_err(interrupted)?),
        live: None,
        pending: Some(lists),
        passed_over: PassedOver::default(),
    };
    let held = parts.games.held().len();
    let mut found = gather::Found::default();
    let used = waiting::fit_all(parts, &mut found, &sources, silent, &mut report).await?;
    claim::take_over(parts, found, silent, &mut report).await?;
    waiting::drop_used(parts, &used).await;
    report.restored = parts.games.held().len().saturating_sub(held);
    report.took_ms = parts.clock.monotonic().since(began);
    tracing::info!(
        ?report,
        "restored {} games of which events waited",
        report.restored
    );
    Ok(Some(report))
}

/// Whether there are lists of writers that are not silent.
fn is_left(lists: &[PendingGame], parts: &RestoreParts, silent: &(dyn Fn(WriterId) -> bool + Sync)) -> bool {
    let mut others = lists.iter().map(|list| list.writer);
    others.any(|writer| writer != parts.games.writer() && !silent(writer))
}

/// None when it cannot be learnt in time: whoever is given a game that the log has further is refused there.
async fn passed_over(parts: &RestoreParts) -> PassedOver {
    let asked = newer::passed_over(parts.dead_letters.as_ref(), live::NAME);
    let why = match tokio::time::timeout(LOG_PATIENCE, asked).await {
        Ok(Ok(passed_over)) => return passed_over,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer".to_owned(),
    };
    tracing::debug!("it is not known which games were left to newer code: {why}");
    PassedOver::default()
}

async fn log_info(parts: &RestoreParts) -> Result<LogInfo, String> {
    match tokio::time::timeout(LOG_PATIENCE, parts.log.info()).await {
        Ok(info) => info.map_err(|error| error.to_string()),
        Err(_) => Err("no answer".to_owned()),
    }
}

async fn ask(parts: &RestoreParts) -> Result<Sources, NotYet> {
    // Before the live store: the projector forgets a letter when the store has what it was about.
    let (passed_over, log) = tokio::join!(passed_over(parts), log_info(parts));
    let live = parts.live.load().await.map_err(|error| error.to_string());
    let usable = live.as_ref().is_ok_and(|set| set.checkpoint.is_some());
    if let Err(why) = &log
        && !usable
    {
        let live = live.err().unwrap_or_else(|| "no checkpoint".to_owned());
        return Err(NotYet::NothingToRestoreFrom {
            log: why.clone(),
            live,
        });
    }
    let pending = match parts.pending.load().await {
        Ok(pending) => Some(pending),
        // Where the snapshots came from, what waits comes too: without it games would be claimed that go on otherwise.
        Err(error) if live.is_ok() => return Err(NotYet::Interrupted(error.to_string())),
        Err(error) => {
            tracing::warn!("events that may have waited for the log cannot be read yet: {error}");
            None
        }
    };
    Ok(Sources {
        log: log.ok(),
        live: live.ok(),
        pending,
        passed_over,
    })
}
