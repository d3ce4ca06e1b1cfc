//! One game's snapshot put right, from the game's own messages.

use commands::ports::{EventLog, LogEntry, LogIdentity, Unavailable};
use commands::publish::queue::LastMessage;
use contract::GameKey;

use crate::live::compare::{Comparison, compare};
use crate::live::folded::Folded;
use crate::live::refold::{Refolded, refold};
use crate::live::stored::{Held, Manner, write_of};
use crate::ports::{HistoryStore, LiveRepair, SnapshotStatus, SnapshotWrite, StoredSnapshot};

/// A game that is played meanwhile is tried again as often.
const TRIES: usize = 20;

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mended {
    /// It was right.
    Same,
    /// It is as the log says now.
    Written,
    /// It is gone, as the game is over and has its row.
    Deleted,
    /// It is further than the log, on the same chain, or the log has nothing of it: it stays, for its owner to anchor.
    Ahead,
    /// Newer code wrote it: it stays.
    Newer,
    /// The game's messages do not make a game: it stays.
    NotFoldable(String),
}

/// Puts a game's snapshot right. Whoever projects begins anew then, since it may have the wrong one in memory.
///
/// # Errors
/// A store is away, or others write the game all the time.
pub async fn mend(
    log: &dyn EventLog,
    live: &dyn LiveRepair,
    history: &dyn HistoryStore,
    key: GameKey,
) -> Result<Mended, Unavailable> {
    for _ in 0..TRIES {
        let generation = live.generation().await?;
        let (stored, wanted) = look(log, live, history, key).await?;
        let wanted = match wanted {
            Wanted::Nothing(mended) => return Ok(mended),
            Wanted::Put(write) => write,
        };
        if live
            .mend(generation, key.id, stored.as_ref(), wanted.as_ref())
            .await?
        {
            return Ok(put(wanted.as_ref()));
        }
    }
    Err(Unavailable::new(
        "live store",
        format_args!("game {} changes all the time", key.id),
    ))
}

/// What [`mend`] would do. Touches nothing.
///
/// # Errors
/// A store is away.
pub async fn plan(
    log: &dyn EventLog,
    live: &dyn LiveRepair,
    history: &dyn HistoryStore,
    key: GameKey,
) -> Result<Mended, Unavailable> {
    Ok(match look(log, live, history, key).await?.1 {
        Wanted::Nothing(mended) => mended,
        Wanted::Put(write) => put(write.as_ref()),
    })
}

fn put(write: Option<&SnapshotWrite>) -> Mended {
    write.map_or(Mended::Deleted, |_| Mended::Written)
}

/// What is stored, and what is to be done about it.
async fn look(
    log: &dyn EventLog,
    live: &dyn LiveRepair,
    history: &dyn HistoryStore,
    key: GameKey,
) -> Result<(Option<StoredSnapshot>, Wanted), Unavailable> {
    let identity = log.info().await?.identity;
    // Before the log, so that it is not further only because it was read later.
    let stored = live.get(key.id).await?;
    let entries = log.read_game(key, 0).await?;
    let has_row = !history.existing(&[key.id]).await?.is_empty();
    let wanted = wanted(stored.as_ref(), &entries, has_row, &identity)?;
    Ok((stored, wanted))
}

/// What is to be done.
enum Wanted {
    /// Nothing, and why.
    Nothing(Mended),
    /// This in the place of what is there.
    Put(Option<SnapshotWrite>),
}

fn wanted(
    stored: Option<&StoredSnapshot>,
    entries: &[LogEntry],
    has_row: bool,
    identity: &LogIdentity,
) -> Result<Wanted, Unavailable> {
    let held = Held::of(stored);
    let folded = match refold(entries) {
        Refolded::Game(folded) => *folded,
        Refolded::Newer => return Ok(Wanted::Nothing(Mended::Newer)),
        Refolded::Nothing if entries.is_empty() && held == Held::Nothing => {
            return Ok(Wanted::Nothing(Mended::Same));
        }
        Refolded::Nothing if entries.is_empty() => return Ok(Wanted::Nothing(Mended::Ahead)),
        Refolded::Nothing => return Ok(not_foldable("the log does not have its beginning")),
        Refolded::Broken(why) => return Ok(not_foldable(&why)),
    };
    let last = entries.last().and_then(|entry| LastMessage::of(entry).ok());
    match compare(&held, last, identity) {
        Comparison::Ahead => return Ok(Wanted::Nothing(Mended::Ahead)),
        Comparison::Newer => return Ok(Wanted::Nothing(Mended::Newer)),
        Comparison::Same | Comparison::Differs => {}
    }
    let is_right = is_right(&held, &folded, identity);
    if is_right || (folded.ended.is_some() && has_row && held == Held::Nothing) {
        return Ok(Wanted::Nothing(Mended::Same));
    }
    if folded.ended.is_some() && has_row && stored.is_some_and(|stored| stored.status == SnapshotStatus::Live)
    {
        return Ok(Wanted::Put(None));
    }
    let manner = Manner {
        create: true,
        force: true,
    };
    let (write, _) = write_of(folded, identity, manner)?;
    Ok(Wanted::Put(Some(write)))
}

/// Whether a store holds just what the log makes.
pub(super) fn is_right(held: &Held, folded: &Folded, identity: &LogIdentity) -> bool {
    matches!(held, Held::Game { folded: stored, log } if stored == folded && log == identity)
}

fn not_foldable(why: &str) -> Wanted {
    Wanted::Nothing(Mended::NotFoldable(why.to_owned()))
}
