//! Log, live store and history store compared, game by game.
//!
//! Each game's messages are folded and played through the rules again ([`chain`]); what comes of it is held against the
//! snapshot ([`snapshot`]) or the row ([`row`]). A store that merely has not come so far yet is given a moment, and is
//! no difference if it moves. Rows of games that the log has nothing of are *beyond the log*: counted, never touched.

use std::collections::{BTreeSet, HashMap, HashSet};

use commands::ports::{LogEntry, LogInfo, Unavailable};
use contract::{FinishedGame, GameId, GameKey};
use futures::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::mend::{Mended, mend};
use super::rebuild::put;
use super::{OperationParts, Stopped, Work, find, has_any, no_such_game};
use crate::ports::LogFilter;

pub mod audit;
mod chain;
mod row;
mod snapshot;

use chain::Chain;

/// So many messages are read at once.
const BATCH: usize = 500;

/// How long a read waits for a first message.
const WAIT_MS: u64 = 1_000;

/// A reader that says nothing for so many waits, before the log's end, is not believed.
const SILENCES: usize = 10;

/// So many rows are asked for at once.
const READS: usize = 8;

/// So many ids of rows are read at once.
const PAGE: u32 = 1_000;

/// So many differences are named; further ones are counted.
const NAMED: usize = 10_000;

/// Where something differs from what the log makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// In the log itself: its messages contradict each other, or the rules.
    Log,
    /// In the live store.
    Live,
    /// In the history store.
    History,
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// Of which game.
    pub game: GameId,
    /// Where.
    pub place: Place,
    /// What it is.
    pub what: String,
    /// Whether it is put right by now.
    pub repaired: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Games that the log has.
    pub games: u64,
    /// Of those, the ones that have not ended.
    pub live: u64,
    /// Of those, the ones that newer code wrote: not looked at.
    pub parked: u64,
    /// Rows of games that the log has nothing of: older than it, or of another log.
    pub beyond_log: u64,
    /// Finished games that the history projector has not come to yet.
    pub not_yet: u64,
    /// How many differences there were.
    pub different: u64,
    /// How many of them were put right.
    pub repaired: u64,
    /// The first of them, by name.
    pub differences: Vec<Difference>,
}

impl Verified {
    /// Whether nothing differs (any more).
    pub fn is_well(&self) -> bool {
        self.different == self.repaired
    }

    fn add(&mut self, difference: Difference) {
        self.different += 1;
        self.repaired += u64::from(difference.repaired);
        if self.differences.len() < NAMED {
            self.differences.push(difference);
        }
    }
}

/// What to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Only this game; all of them if nothing is said.
    #[serde(default)]
    pub game: Option<GameId>,
    /// Whether to put right what differs in a store.
    #[serde(default)]
    pub repair: bool,
}

/// Compares, and repairs if asked to.
///
/// # Errors
/// [`Stopped`]; what was repaired stays repaired.
pub async fn verify(parts: &OperationParts, request: &Request, work: &Work) -> Result<Verified, Stopped> {
    let mut verifier = Verifier {
        parts,
        work,
        repair: request.repair,
        log: parts.log.info().await?,
        found: Verified::default(),
        ended: HashSet::new(),
        faulty: HashSet::new(),
    };
    match request.game {
        Some(id) => verifier.one(id).await?,
        None => verifier.all().await?,
    }
    Ok(verifier.found)
}

struct Verifier<'a> {
    parts: &'a OperationParts,
    work: &'a Work,
    repair: bool,
    log: LogInfo,
    found: Verified,
    /// The games that the log has the end of.
    ended: HashSet<GameId>,
    /// The games whose messages contradict each other: nothing is repaired from them.
    faulty: HashSet<GameId>,
}

impl Verifier<'_> {
    async fn one(&mut self, id: GameId) -> Result<(), Stopped> {
        self.work.phase("games", Some(1));
        let Some((key, entries)) = find(self.parts.log.as_ref(), id).await? else {
            return self.without_log(id).await;
        };
        let mut chain = Chain::new(self.log.first);
        for entry in &entries {
            chain.take(entry);
        }
        let mut games = HashMap::from([(key, chain)]);
        self.close(&mut games).await?;
        self.note_open(games);
        for id in self.parts.history.existing(&[id]).await? {
            self.row_of(id).await?;
        }
        self.live(BTreeSet::from([key])).await
    }

    /// A game that only a row, or nobody, knows of.
    async fn without_log(&mut self, id: GameId) -> Result<(), Stopped> {
        if self.parts.history.existing(&[id]).await?.is_empty() {
            return Err(no_such_game(id));
        }
        self.found.beyond_log += 1;
        Ok(())
    }

    async fn all(&mut self) -> Result<(), Stopped> {
        let open = self.read_log().await?;
        let mut keys: BTreeSet<GameKey> = open.keys().copied().collect();
        self.note_open(open);
        let stored = self.parts.live.load().await?;
        keys.extend(stored.snapshots.iter().map(|stored| stored.key));
        self.live(keys).await?;
        self.rows_beyond().await
    }

    /// Reads the log as it is now; the games that have not ended in it are left over.
    async fn read_log(&mut self) -> Result<HashMap<GameKey, Chain>, Stopped> {
        self.work.phase("messages", Some(self.log.last));
        let mut games: HashMap<GameKey, Chain> = HashMap::new();
        let mut cursor = self.parts.reader.open(0, LogFilter::All).await?;
        let (mut reached, mut silences) = (0, 0);
        while reached < self.log.last {
            self.work.go_on()?;
            let entries = cursor.next(BATCH, WAIT_MS).await?;
            silences = if entries.is_empty() { silences + 1 } else { 0 };
            if silences > SILENCES {
                // What is at the end may have been erased.
                if self.parts.log.info().await?.last <= self.log.last {
                    break;
                }
                let why = format!("the log's reader is silent at {reached} of {}", self.log.last);
                return Err(Stopped::Unavailable(why));
            }
            for entry in &entries {
                self.take(&mut games, entry);
            }
            if let Some(last) = entries.last() {
                reached = last.seq;
            }
            self.work.is_at(reached);
            self.close(&mut games).await?;
        }
        Ok(games)
    }

    fn take(&mut self, games: &mut HashMap<GameKey, Chain>, entry: &LogEntry) {
        if self.ended.contains(&entry.key.id) {
            self.differs(
                entry.key.id,
                Place::Log,
                format!("message {} comes after the end", entry.seq),
            );
            self.faulty.insert(entry.key.id);
            return;
        }
        let chain = games
            .entry(entry.key)
            .or_insert_with(|| Chain::new(self.log.first));
        chain.take(entry);
    }

    /// Takes out the games that have ended, or cannot be told, and compares the rows of those that have.
    async fn close(&mut self, games: &mut HashMap<GameKey, Chain>) -> Result<(), Stopped> {
        let over: Vec<GameKey> = games
            .iter()
            .filter(|(_, chain)| chain.is_over())
            .map(|(key, _)| *key)
            .collect();
        let mut records = Vec::with_capacity(over.len());
        for key in over {
            let Some(chain) = games.remove(&key) else { continue };
            self.ended.insert(key.id);
            let seq = chain.last_seq();
            if let Some(record) = self.finish(key.id, chain) {
                records.push((seq, record));
            }
        }
        self.rows(records).await
    }

    /// The games that have not ended.
    fn note_open(&mut self, games: HashMap<GameKey, Chain>) {
        self.found.live += games.len() as u64;
        for (key, chain) in games {
            self.finish(key.id, chain);
        }
    }

    /// Notes what is wrong with a game's messages; its record, if it has one.
    fn finish(&mut self, id: GameId, chain: Chain) -> Option<FinishedGame> {
        self.found.games += 1;
        if chain.is_newer() {
            self.found.parked += 1;
            return None;
        }
        let (faults, record) = chain.finish();
        if !faults.is_empty() {
            self.faulty.insert(id);
        }
        for what in faults {
            self.differs(id, Place::Log, what);
        }
        record
    }

    async fn rows(&mut self, records: Vec<(u64, FinishedGame)>) -> Result<(), Stopped> {
        let parts = self.parts;
        let log = &self.log.identity;
        let compared: Vec<(FinishedGame, row::Compared)> = stream::iter(records)
            .map(|(seq, record)| async move {
                let compared = row::compare(parts, log, seq, &record).await?;
                Ok::<_, Unavailable>((record, compared))
            })
            .buffer_unordered(READS)
            .try_collect()
            .await?;
        for (record, compared) in compared {
            match compared {
                row::Compared::Same => {}
                row::Compared::NotYet => self.found.not_yet += 1,
                row::Compared::Differs(what) => self.row_differs(&record, what).await?,
            }
        }
        Ok(())
    }

    async fn row_differs(&mut self, record: &FinishedGame, what: String) -> Result<(), Stopped> {
        let mut difference = Difference {
            game: record.id,
            place: Place::History,
            what,
            repaired: false,
        };
        if self.repair && !self.faulty.contains(&record.id) {
            match put(self.parts, record).await {
                Ok(()) => difference.repaired = true,
                Err(Stopped::Refused(why)) => {
                    difference.what = format!("{}; not repaired: {why}", difference.what);
                }
                Err(stopped) => return Err(stopped),
            }
        }
        self.found.add(difference);
        Ok(())
    }

    /// Compares games with their snapshots: those that have not ended, and all that the live store holds.
    async fn live(&mut self, keys: BTreeSet<GameKey>) -> Result<(), Stopped> {
        self.work.phase("snapshots", Some(keys.len() as u64));
        let differing = snapshot::settled(self.parts, self.work, keys).await?;
        for (key, what) in differing {
            self.work.go_on()?;
            self.snapshot_differs(key, what).await?;
        }
        Ok(())
    }

    async fn snapshot_differs(&mut self, key: GameKey, what: String) -> Result<(), Stopped> {
        let mut difference = Difference {
            game: key.id,
            place: Place::Live,
            what,
            repaired: false,
        };
        if self.repair && !self.faulty.contains(&key.id) {
            let parts = self.parts;
            let mended = mend(
                parts.log.as_ref(),
                parts.live.as_ref(),
                parts.history.as_ref(),
                key,
            )
            .await?;
            match mended {
                Mended::Written | Mended::Deleted | Mended::Same => difference.repaired = true,
                Mended::Ahead | Mended::Newer => {}
                Mended::NotFoldable(why) => {
                    difference.what = format!("{}; not repaired: {why}", difference.what);
                }
            }
        }
        self.found.add(difference);
        Ok(())
    }

    async fn rows_beyond(&mut self) -> Result<(), Stopped> {
        self.work.phase("rows", None);
        let mut after = None;
        loop {
            self.work.go_on()?;
            let ids = self.parts.history.ids(after, PAGE).await?;
            let Some(last) = ids.last() else { return Ok(()) };
            after = Some(*last);
            for id in &ids {
                self.row_of(*id).await?;
            }
            self.work.did(ids.len() as u64);
        }
    }

    /// A game that has a row: one that the log has no end of is older than the log, or it has not ended.
    async fn row_of(&mut self, id: GameId) -> Result<(), Stopped> {
        let log = self.parts.log.as_ref();
        // It may have ended since the log was read.
        if self.ended.contains(&id) || log.find_ended(id).await?.is_some() {
            return Ok(());
        }
        if has_any(log, id).await? {
            let what = "there is a row, and the log has no end of the game".to_owned();
            self.differs(id, Place::History, what);
        } else {
            self.found.beyond_log += 1;
        }
        Ok(())
    }

    fn differs(&mut self, game: GameId, place: Place, what: String) {
        self.found.add(Difference {
            game,
            place,
            what,
            repaired: false,
        });
    }
}
