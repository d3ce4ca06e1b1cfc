//! What the next generation takes over from the old one, because the log does not have it.

use std::collections::HashSet;

use commands::ports::{LogEntry, LogIdentity};
use commands::publish::queue::LastMessage;
use contract::GameId;

use super::super::{OperationParts, Stopped, Work};
use super::OVERTAKEN;
use crate::live::compare::{Comparison, compare};
use crate::live::stored::Held;
use crate::ports::{SnapshotStatus, SnapshotWrite, StoredSnapshot};

/// So many snapshots are compared at once.
const CHUNK: usize = 200;

/// What is taken over.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) writes: Vec<SnapshotWrite>,
    /// Snapshots on another chain than the log's: the log wins.
    pub(super) put_aside: u64,
    aside: Vec<GameId>,
}

/// Finds what is taken over, and puts aside what contradicts the log.
pub(super) async fn over(
    parts: &OperationParts,
    work: &Work,
    from: u64,
    keep: &HashSet<GameId>,
) -> Result<Carried, Stopped> {
    let carried = plan(parts, work, from, keep).await?;
    for id in &carried.aside {
        work.go_on()?;
        parts
            .live
            .quarantine(*id, "on another chain than the log")
            .await?;
    }
    Ok(carried)
}

/// The same without touching anything.
pub(super) async fn plan(
    parts: &OperationParts,
    work: &Work,
    from: u64,
    keep: &HashSet<GameId>,
) -> Result<Carried, Stopped> {
    let set = parts.live.load().await?;
    if set.generation != from {
        return Err(Stopped::Busy(OVERTAKEN.to_owned()));
    }
    work.phase("snapshots to take over", Some(set.snapshots.len() as u64));
    let identity = parts.log.info().await?.identity;
    let mut carried = Carried::default();
    for chunk in set.snapshots.chunks(CHUNK) {
        work.go_on()?;
        let keys: Vec<_> = chunk.iter().map(|stored| stored.key).collect();
        let last = parts.log.last_of_each(&keys).await?;
        for (stored, last) in chunk.iter().zip(&last) {
            match place(stored, last.as_ref(), &identity, keep) {
                Place::Taken => carried.writes.push(write(stored)),
                Place::Left => {}
                Place::Aside => {
                    carried.put_aside += 1;
                    carried.aside.push(stored.key.id);
                }
            }
        }
        work.did(chunk.len() as u64);
    }
    Ok(carried)
}

/// What becomes of a snapshot of the old generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is taken over.
    Taken,
    /// The log makes it, or a newer one.
    Left,
    /// It contradicts the log.
    Aside,
}

fn place(
    stored: &StoredSnapshot,
    last: Option<&LogEntry>,
    identity: &LogIdentity,
    keep: &HashSet<GameId>,
) -> Place {
    // A tombstone is read until its row is there, and swept then.
    if stored.status == SnapshotStatus::Tombstone || keep.contains(&stored.key.id) {
        return Place::Taken;
    }
    let held = Held::of(Some(stored));
    let last = last.and_then(|entry| LastMessage::of(entry).ok());
    match compare(&held, last, identity) {
        Comparison::Ahead | Comparison::Newer => Place::Taken,
        Comparison::Same => Place::Left,
        Comparison::Differs => match (&held, last) {
            (Held::Game { folded, .. }, Some(last))
                if last.place.version <= folded.game.version
                    && !folded.game.chain.has_event(last.place, folded.game.version) =>
            {
                Place::Aside
            }
            _ => Place::Left,
        },
    }
}

fn write(stored: &StoredSnapshot) -> SnapshotWrite {
    SnapshotWrite {
        key: stored.key,
        version: stored.version,
        status: stored.status,
        create: true,
        force: false,
        bytes: stored.bytes.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::refold::tests::{entries, folded, game};
    use crate::live::stored::{Manner, write_of};
    use contract::{EndReason, Envelope, WriterId};

    fn log() -> LogIdentity {
        LogIdentity("one".into())
    }

    fn stored(events: &[Envelope]) -> StoredSnapshot {
        let manner = Manner {
            create: true,
            force: false,
        };
        let (write, _) = write_of(folded(events), &log(), manner).unwrap();
        StoredSnapshot {
            key: write.key,
            version: write.version,
            status: write.status,
            bytes: write.bytes,
        }
    }

    fn placed(stored: &StoredSnapshot, logged: &[Envelope]) -> Place {
        place(stored, entries(logged).last(), &log(), &HashSet::new())
    }

    #[test]
    fn what_the_log_has_too_or_newer_is_left() {
        let (_, events) = game(3);
        assert_eq!(placed(&stored(&events), &events), Place::Left);
        assert_eq!(placed(&stored(&events[..2]), &events), Place::Left);
    }

    #[test]
    fn what_is_ahead_of_the_log_or_unknown_to_it_is_taken_over() {
        let (_, events) = game(3);
        assert_eq!(placed(&stored(&events), &events[..2]), Place::Taken);
        assert_eq!(placed(&stored(&events), &[]), Place::Taken);
    }

    #[test]
    fn a_tombstone_is_taken_over() {
        let (mut game, mut events) = game(3);
        events.push(game.end(EndReason::Left));
        assert_eq!(placed(&stored(&events), &events), Place::Taken);
    }

    #[test]
    fn a_snapshot_of_a_game_that_the_log_cannot_make_is_taken_over() {
        let (_, events) = game(3);
        let stored = stored(&events[..2]);
        let keep = HashSet::from([stored.key.id]);
        assert_eq!(
            place(&stored, entries(&events).last(), &log(), &keep),
            Place::Taken
        );
    }

    #[test]
    fn a_snapshot_on_another_chain_is_put_aside() {
        let (mut mine, mut events) = game(2);
        let mut other = mine.clone();
        let mut logged = events.clone();
        events.extend([mine.play(), mine.play()]);
        logged.push(other.resume(WriterId(2)));
        assert_eq!(placed(&stored(&events), &logged), Place::Aside);
    }
}
