//! The newest state of each game that is not over: from snapshots and the log's tail, or compared with the log game by
//! game where the checkpoint says nothing.

use std::collections::BTreeMap;

use commands::ports::{LogInfo, Unavailable};
use commands::publish::Queued;
use commands::publish::queue::{Acked, LastMessage};
use contract::event::{DecodeError, Placement};
use contract::{Envelope, GameId, GameKey};

use super::{NotYet, Report, RestoreParts, Sources};
use crate::catch_up::{judge, message_at};
use crate::live::folded::{Folded, Step, step};
use crate::live::refold::{Refolded, refold};
use crate::live::stored::Held;
use crate::ports::{Checkpoint, LiveSet, LogFilter};

/// A tail longer than this for each game is not folded: comparing is quicker.
const TAIL_PER_GAME: u64 = 50;

/// A tail shorter than this is always folded.
const TAIL_AT_LEAST: u64 = 10_000;

/// So many games are compared at once.
const CHUNK: usize = 500;

/// So many messages are read at once.
const BATCH: usize = 1000;

/// A read of the log that brings nothing for this long is over, in milliseconds.
const READ_WAIT_MS: u64 = 1000;

/// A game as found.
pub(super) struct Candidate {
    pub(super) folded: Folded,
    /// What the log has of it.
    pub(super) acked: Option<Acked>,
    /// The log lost its tail: it gets the whole state first.
    pub(super) ahead: bool,
    /// Events that the log does not have, oldest first; the folded game includes them.
    pub(super) waiting: Vec<Queued>,
}

impl Candidate {
    fn as_folded(folded: Folded) -> Self {
        let acked = Some(Acked {
            place: folded.game.last_event,
            seq: folded.seq,
        });
        Self {
            folded,
            acked,
            ahead: false,
            waiting: Vec::new(),
        }
    }
}

pub(super) type Found = BTreeMap<GameId, Candidate>;

/// Finds them.
pub(super) async fn gather(
    parts: &RestoreParts,
    sources: &Sources,
    report: &mut Report,
) -> Result<Found, NotYet> {
    let mut games = decode(sources.live.as_ref(), report);
    let Some(log) = &sources.log else {
        return Ok(without_log(games));
    };
    let interrupted = |error: Unavailable| NotYet::Interrupted(error.to_string());
    let checkpoint = sources.live.as_ref().and_then(|set| set.checkpoint.clone());
    match checkpoint {
        Some(checkpoint)
            if tail_is_short(&checkpoint, log, games.len()) && is_valid(parts, &checkpoint, log).await =>
        {
            fold_tail(parts, &mut games, &checkpoint, log, report)
                .await
                .map_err(interrupted)
        }
        _ => compare_all(parts, games, report).await.map_err(interrupted),
    }
}

/// Snapshots and tombstones by game. What newer code wrote is parked; what cannot be read is refolded.
fn decode(live: Option<&LiveSet>, report: &mut Report) -> BTreeMap<GameKey, Option<Folded>> {
    let mut games = BTreeMap::new();
    for stored in live.iter().flat_map(|set| &set.snapshots) {
        match Held::of(Some(stored)) {
            Held::Game { folded, .. } => {
                games.insert(stored.key, Some(folded));
            }
            Held::Newer => report.parked += 1,
            Held::Unreadable(why) => {
                tracing::warn!(game.id = %stored.key.id, "the snapshot of {} cannot be read: {why}", stored.key.id);
                games.insert(stored.key, None);
            }
            Held::Nothing => {}
        }
    }
    games
}

/// The log is away: snapshots are all there is.
fn without_log(games: BTreeMap<GameKey, Option<Folded>>) -> Found {
    let live = games
        .into_values()
        .flatten()
        .filter(|folded| folded.game.is_live());
    live.map(|folded| (folded.game.id, Candidate::as_folded(folded)))
        .collect()
}

fn tail_is_short(checkpoint: &Checkpoint, log: &LogInfo, games: usize) -> bool {
    log.last.saturating_sub(checkpoint.seq) <= TAIL_AT_LEAST.max(TAIL_PER_GAME * games as u64)
}

async fn is_valid(parts: &RestoreParts, checkpoint: &Checkpoint, log: &LogInfo) -> bool {
    let verdict = if judge::must_be_looked_up(checkpoint, log) {
        match message_at(parts.reader.as_ref(), checkpoint.seq).await {
            Ok(message) => judge::against(checkpoint, message.as_ref()),
            Err(_) => return false,
        }
    } else {
        judge::at_sight(Some(checkpoint), log)
    };
    verdict == judge::Verdict::Valid
}

/// Folds what the log has after the checkpoint over the snapshots. Games that do not fold on are refolded.
async fn fold_tail(
    parts: &RestoreParts,
    games: &mut BTreeMap<GameKey, Option<Folded>>,
    checkpoint: &Checkpoint,
    log: &LogInfo,
    report: &mut Report,
) -> Result<Found, Unavailable> {
    let mut unreadable: Vec<GameKey> = games
        .iter()
        .filter(|(_, folded)| folded.is_none())
        .map(|(key, _)| *key)
        .collect();
    let mut cursor = parts.reader.open(checkpoint.seq, LogFilter::All).await?;
    let mut reached = checkpoint.seq;
    while reached < log.last {
        let entries = cursor.next(BATCH, READ_WAIT_MS).await?;
        let Some(last) = entries.last() else {
            return Err(Unavailable::new(
                "log",
                format!("nothing after {reached} of {}", log.last),
            ));
        };
        reached = last.seq;
        for entry in &entries {
            let folded = games.entry(entry.key).or_default();
            match Envelope::from_bytes(&entry.bytes) {
                Ok(envelope) => {
                    if step(folded, entry, &envelope) == Step::Refold {
                        unreadable.push(entry.key);
                    }
                }
                Err(DecodeError::Newer(_)) => {
                    games.remove(&entry.key);
                    report.parked += 1;
                }
                Err(DecodeError::Corrupt(_)) => unreadable.push(entry.key),
            }
        }
    }
    let mut found = Found::new();
    for (key, folded) in std::mem::take(games) {
        if !unreadable.contains(&key)
            && let Some(folded) = folded.filter(|folded| folded.game.is_live())
        {
            found.insert(key.id, Candidate::as_folded(folded));
        }
    }
    unreadable.sort_unstable();
    unreadable.dedup();
    for key in unreadable {
        if let Some(candidate) = from_own_messages(parts, key, report).await? {
            found.insert(key.id, candidate);
        }
    }
    Ok(found)
}

/// A game made from its own messages; `None` if it is over, parked or beyond repair.
pub(super) async fn from_own_messages(
    parts: &RestoreParts,
    key: GameKey,
    report: &mut Report,
) -> Result<Option<Candidate>, Unavailable> {
    let entries = parts.log.read_game(key, 0).await?;
    match refold(&entries) {
        Refolded::Game(folded) => {
            report.refolded += 1;
            Ok(folded.game.is_live().then(|| Candidate::as_folded(*folded)))
        }
        Refolded::Newer => {
            report.parked += 1;
            Ok(None)
        }
        Refolded::Nothing => Ok(None),
        Refolded::Broken(why) => {
            report.quarantined += 1;
            tracing::error!(game.id = %key.id, "{} cannot be restored: {why}", key.id);
            parts.live.quarantine(key.id, &why).await?;
            Ok(None)
        }
    }
}

/// Compares each game with its last message; the log's own unfinished games are among them.
async fn compare_all(
    parts: &RestoreParts,
    mut games: BTreeMap<GameKey, Option<Folded>>,
    report: &mut Report,
) -> Result<Found, Unavailable> {
    for key in parts.log.unfinished().await? {
        games.entry(key).or_default();
    }
    let games: Vec<(GameKey, Option<Folded>)> = games.into_iter().collect();
    let mut found = Found::new();
    for chunk in games.chunks(CHUNK) {
        let keys: Vec<GameKey> = chunk.iter().map(|(key, _)| *key).collect();
        let last = parts.log.last_of_each(&keys).await?;
        for ((key, folded), entry) in chunk.iter().zip(last) {
            let last = entry.as_ref().and_then(|entry| {
                let placement = Placement::from_bytes(&entry.bytes).ok()?;
                Some(LastMessage {
                    place: placement.place,
                    seq: entry.seq,
                })
            });
            if entry.is_some() && last.is_none() {
                continue;
            }
            if let Some(candidate) = compare(parts, *key, folded.clone(), last, report).await? {
                found.insert(key.id, candidate);
            }
        }
    }
    Ok(found)
}

async fn compare(
    parts: &RestoreParts,
    key: GameKey,
    folded: Option<Folded>,
    last: Option<LastMessage>,
    report: &mut Report,
) -> Result<Option<Candidate>, Unavailable> {
    let Some(mut folded) = folded else {
        return from_own_messages(parts, key, report).await;
    };
    let version = folded.game.version;
    match last {
        Some(last) if last.place == folded.game.last_event => {
            folded.seq = last.seq;
            Ok(folded.game.is_live().then(|| Candidate::as_folded(folded)))
        }
        Some(last) if last.place.version > version => from_own_messages(parts, key, report).await,
        Some(last) if !folded.game.chain.has_event(last.place, version) => {
            report.quarantined += 1;
            parts.live.quarantine(key.id, "the log has another chain").await?;
            from_own_messages(parts, key, report).await
        }
        behind => {
            report.reanchored += 1;
            let acked = behind.map(|last| Acked {
                place: last.place,
                seq: last.seq,
            });
            Ok(Some(Candidate {
                folded,
                acked,
                ahead: true,
                waiting: Vec::new(),
            }))
        }
    }
}
