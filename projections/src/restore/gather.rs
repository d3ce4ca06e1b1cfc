//! The newest state of each game that is not over, or was not when it was last stored: from snapshots and the log's tail,
//! or compared with the log game by game where the checkpoint says nothing.

use std::collections::{BTreeMap, BTreeSet};

use commands::ports::{LogInfo, Unavailable};
use commands::publish::Queued;
use commands::publish::queue::{Acked, LastMessage};
use contract::event::DecodeError;
use contract::{Envelope, GameId, GameKey, Kind};

use super::{NotYet, Report, RestoreParts, Sources};
use crate::catch_up::{judge, message_at};
use crate::live::folded::{Folded, Step, step};
use crate::live::refold::{Refolded, refold};
use crate::live::stored::Held;
use crate::newer::Readable;
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
    /// A game of which the log has everything.
    pub(super) fn as_folded(folded: Folded) -> Self {
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

/// The games as found.
#[derive(Default)]
pub(super) struct Found {
    /// Those to hold.
    pub(super) games: BTreeMap<GameId, Candidate>,
    /// Those that newer code wrote: they, and what waits for them, stay as they are.
    pub(super) parked: BTreeSet<GameId>,
}

impl Found {
    fn add(&mut self, candidate: Candidate) {
        self.games.insert(candidate.folded.game.id, candidate);
    }

    /// Leaves a game to newer code.
    pub(super) fn park(&mut self, id: GameId, report: &mut Report) {
        if self.parked.insert(id) {
            report.parked += 1;
        }
    }
}

/// What the live store holds; `None` is to be made from the log.
type Stored = BTreeMap<GameKey, Option<Folded>>;

/// Finds them.
pub(super) async fn gather(
    parts: &RestoreParts,
    sources: &Sources,
    report: &mut Report,
) -> Result<Found, NotYet> {
    let mut found = Found::default();
    let mut games = decode(sources.live.as_ref(), &mut found, report);
    let Some(log) = &sources.log else {
        without_log(games, &mut found);
        return Ok(found);
    };
    for game in &sources.passed_over.unreadable {
        found.park(*game, report);
    }
    games.retain(|key, _| !found.parked.contains(&key.id));
    for Readable { key, .. } in &sources.passed_over.readable {
        if !found.parked.contains(&key.id) {
            games.insert(*key, None);
        }
    }
    let interrupted = |error: Unavailable| NotYet::Interrupted(error.to_string());
    let checkpoint = sources.live.as_ref().and_then(|set| set.checkpoint.clone());
    match checkpoint {
        Some(checkpoint)
            if tail_is_short(&checkpoint, log, games.len()) && is_valid(parts, &checkpoint, log).await =>
        {
            fold_tail(parts, games, &checkpoint, log, &mut found, report)
                .await
                .map_err(interrupted)?;
            let missing = sources.live.iter().flat_map(|set| &set.missing);
            refold_missing(parts, missing, &mut found, report).await
        }
        _ => compare_all(parts, games, &mut found, report).await,
    }
    .map_err(interrupted)?;
    Ok(found)
}

/// Snapshots and tombstones by game. What newer code wrote is parked; what cannot be read is refolded.
fn decode(live: Option<&LiveSet>, found: &mut Found, report: &mut Report) -> Stored {
    let mut games = Stored::new();
    for stored in live.iter().flat_map(|set| &set.snapshots) {
        match Held::of(Some(stored)) {
            Held::Game { folded, .. } => {
                games.insert(stored.key, Some(folded));
            }
            Held::Newer => found.park(stored.key.id, report),
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
fn without_log(games: Stored, found: &mut Found) {
    let live = games
        .into_values()
        .flatten()
        .filter(|folded| folded.game.is_live());
    for folded in live {
        found.add(Candidate::as_folded(folded));
    }
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
    mut games: Stored,
    checkpoint: &Checkpoint,
    log: &LogInfo,
    found: &mut Found,
    report: &mut Report,
) -> Result<(), Unavailable> {
    // A game that ends in the tail still looks live in the store: it is held until that is put right.
    let over: BTreeSet<GameKey> = games
        .iter()
        .filter(|(_, folded)| folded.as_ref().is_some_and(|folded| !folded.game.is_live()))
        .map(|(key, _)| *key)
        .collect();
    let mut to_refold: BTreeSet<GameKey> = games
        .iter()
        .filter(|(_, folded)| folded.is_none())
        .map(|(key, _)| *key)
        .collect();
    let mut cursor = parts.reader.open(checkpoint.seq, LogFilter::All).await?;
    let mut reached = checkpoint.seq;
    while reached < log.last {
        let entries = cursor.next(BATCH, READ_WAIT_MS).await?;
        reached = match entries.last() {
            Some(last) => last.seq,
            None if cursor.passed() > reached => cursor.passed(),
            None => {
                return Err(Unavailable::new(
                    "log",
                    format!("nothing after {reached} of {}", log.last),
                ));
            }
        };
        for entry in &entries {
            if found.parked.contains(&entry.key.id) {
                continue;
            }
            match Envelope::from_bytes(&entry.bytes) {
                Ok(envelope) => {
                    let folded = games.entry(entry.key).or_default();
                    if step(folded, entry, &envelope) == Step::Refold {
                        to_refold.insert(entry.key);
                    }
                }
                Err(DecodeError::Newer(_)) => found.park(entry.key.id, report),
                Err(DecodeError::Corrupt(_)) => {
                    to_refold.insert(entry.key);
                }
            }
        }
    }
    for (key, folded) in games {
        let is_known = !over.contains(&key) && !to_refold.contains(&key) && !found.parked.contains(&key.id);
        if let Some(folded) = folded.filter(|_| is_known) {
            found.add(Candidate::as_folded(folded));
        }
    }
    for key in to_refold {
        if found.parked.contains(&key.id) {
            continue;
        }
        if let Some(candidate) = from_own_messages(parts, key, found, report).await? {
            found.add(candidate);
        }
    }
    Ok(())
}

/// Games of which the store kept the name only are made from the log, which knows their kind.
async fn refold_missing(
    parts: &RestoreParts,
    missing: impl Iterator<Item = &GameId>,
    found: &mut Found,
    report: &mut Report,
) -> Result<(), Unavailable> {
    for &id in missing {
        for &kind in Kind::ALL {
            if found.games.contains_key(&id) || found.parked.contains(&id) {
                break;
            }
            let candidate = from_own_messages(parts, GameKey { kind, id }, found, report).await?;
            if let Some(candidate) = candidate.filter(|candidate| candidate.folded.game.is_live()) {
                tracing::warn!(game.id = %id, "the live store had lost {id}; it was made anew from the log");
                found.add(candidate);
            }
        }
    }
    Ok(())
}

/// A game made from its own messages; `None` if it is parked or beyond repair.
pub(super) async fn from_own_messages(
    parts: &RestoreParts,
    key: GameKey,
    found: &mut Found,
    report: &mut Report,
) -> Result<Option<Candidate>, Unavailable> {
    let entries = parts.log.read_game(key, 0).await?;
    match refold(&entries) {
        Refolded::Game(folded) => {
            report.refolded += 1;
            Ok(Some(Candidate::as_folded(*folded)))
        }
        Refolded::Newer => {
            found.park(key.id, report);
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
    mut games: Stored,
    found: &mut Found,
    report: &mut Report,
) -> Result<(), Unavailable> {
    for key in parts.log.unfinished().await? {
        if !found.parked.contains(&key.id) {
            games.entry(key).or_default();
        }
    }
    let games: Vec<(GameKey, Option<Folded>)> = games.into_iter().collect();
    for chunk in games.chunks(CHUNK) {
        let keys: Vec<GameKey> = chunk.iter().map(|(key, _)| *key).collect();
        let last = parts.log.last_of_each(&keys).await?;
        for ((key, folded), entry) in chunk.iter().zip(last) {
            let last = entry.as_ref().and_then(|entry| LastMessage::of(entry).ok());
            // A last message that cannot be read says nothing; the refold finds out what to do about it.
            let folded = folded.clone().filter(|_| entry.is_none() || last.is_some());
            if let Some(candidate) = compare(parts, *key, folded, last, found, report).await? {
                found.add(candidate);
            }
        }
    }
    Ok(())
}

async fn compare(
    parts: &RestoreParts,
    key: GameKey,
    folded: Option<Folded>,
    last: Option<LastMessage>,
    found: &mut Found,
    report: &mut Report,
) -> Result<Option<Candidate>, Unavailable> {
    let Some(mut folded) = folded else {
        return from_own_messages(parts, key, found, report).await;
    };
    let version = folded.game.version;
    match last {
        Some(last) if last.place == folded.game.last_event => {
            folded.seq = last.seq;
            Ok(folded.game.is_live().then(|| Candidate::as_folded(folded)))
        }
        Some(last) if last.place.version > version => from_own_messages(parts, key, found, report).await,
        Some(last) if !folded.game.chain.has_event(last.place, version) => {
            report.quarantined += 1;
            parts.live.quarantine(key.id, "the log has another chain").await?;
            from_own_messages(parts, key, found, report).await
        }
        behind => {
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
