//! Games compared with their snapshots, which follow the log at a small distance.

use std::collections::{BTreeMap, BTreeSet};

use commands::ports::{LogEntry, LogIdentity, Unavailable};
use contract::{GameKey, Version};
use futures::{StreamExt, TryStreamExt, stream};

use super::super::mend::is_right;
use super::super::{OperationParts, Stopped, Work};
use crate::live::folded::Folded;
use crate::live::refold::{Refolded, refold};
use crate::live::stored::Held;
use crate::ports::StoredSnapshot;

/// How often a game that differs is looked at again.
const ROUNDS: usize = 10;

/// How long to wait in between: a projector needs a moment for a batch.
const ROUND_MS: u64 = 300;

/// So many games are read at once.
const READS: usize = 8;

/// What a comparison says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Compared {
    /// The store has what the log has.
    Same,
    /// It has less, and what it has is right.
    Behind { has: Version, of: Version },
    /// It has something else.
    Differs(String),
}

/// The games whose snapshot is not what their messages make, though it was given time to become so; how each differs.
pub(super) async fn settled(
    parts: &OperationParts,
    work: &Work,
    keys: BTreeSet<GameKey>,
) -> Result<BTreeMap<GameKey, String>, Stopped> {
    let identity = parts.log.info().await?.identity;
    let mut first_seen: BTreeMap<GameKey, Version> = BTreeMap::new();
    let mut left: Vec<GameKey> = keys.into_iter().collect();
    let mut differing = BTreeMap::new();
    for round in 0..ROUNDS {
        if round > 0 {
            parts.clock.sleep(ROUND_MS).await;
        }
        differing.clear();
        for chunk in left.chunks(100) {
            work.go_on()?;
            for (key, compared) in look(parts, &identity, chunk).await? {
                match compared {
                    Compared::Same => {}
                    // It moves: the projector is at it.
                    Compared::Behind { has, .. } if first_seen.get(&key).is_some_and(|seen| *seen < has) => {}
                    Compared::Behind { has, of } => {
                        first_seen.entry(key).or_insert(has);
                        differing.insert(key, behind(has, of));
                    }
                    Compared::Differs(what) => {
                        differing.insert(key, what);
                    }
                }
            }
            if round == 0 {
                work.did(chunk.len() as u64);
            }
        }
        left = differing.keys().copied().collect();
        if left.is_empty() {
            break;
        }
    }
    Ok(differing)
}

fn behind(has: Version, of: Version) -> String {
    if has == 0 {
        format!("there is no snapshot of version {of}")
    } else {
        format!("the snapshot stays at version {has} of {of}")
    }
}

async fn look(
    parts: &OperationParts,
    identity: &LogIdentity,
    keys: &[GameKey],
) -> Result<Vec<(GameKey, Compared)>, Unavailable> {
    stream::iter(keys.to_vec())
        .map(|key| async move {
            // Before the log, so that it is not further only because it was read later.
            let stored = parts.live.get(key.id).await?;
            let entries = parts.log.read_game(key, 0).await?;
            Ok((key, compare(stored.as_ref(), &entries, identity)))
        })
        .buffered(READS)
        .try_collect()
        .await
}

fn compare(stored: Option<&StoredSnapshot>, entries: &[LogEntry], identity: &LogIdentity) -> Compared {
    let held = Held::of(stored);
    let folded = match refold(entries) {
        Refolded::Game(folded) => *folded,
        Refolded::Nothing if entries.is_empty() && !matches!(held, Held::Nothing | Held::Newer) => {
            return Compared::Differs("the log has nothing of it".to_owned());
        }
        // What is wrong with the messages is said of the log.
        Refolded::Nothing | Refolded::Broken(_) | Refolded::Newer => return Compared::Same,
    };
    match &held {
        Held::Newer => Compared::Same,
        Held::Unreadable(why) => Compared::Differs(format!("the snapshot cannot be read: {why}")),
        // Its row is compared; a tombstone is not kept for ever.
        Held::Nothing if folded.ended.is_some() => Compared::Same,
        Held::Nothing => Compared::Behind {
            has: 0,
            of: folded.game.version,
        },
        Held::Game { folded: stored, .. } => compare_held(&held, stored, &folded, entries, identity),
    }
}

fn compare_held(
    held: &Held,
    stored: &Folded,
    folded: &Folded,
    entries: &[LogEntry],
    identity: &LogIdentity,
) -> Compared {
    let (has, of) = (stored.game.version, folded.game.version);
    if is_right(held, folded, identity) {
        return Compared::Same;
    }
    if has > of {
        return Compared::Differs(format!("the snapshot is at version {has}, the log at {of}"));
    }
    if has == of {
        return Compared::Differs(format!(
            "the snapshot of version {of} is not what the messages make"
        ));
    }
    // As of its own version?
    let until = entries.iter().position(|entry| entry.seq > stored.seq);
    let earlier = &entries[..until.unwrap_or(entries.len())];
    match refold(earlier) {
        Refolded::Game(earlier) if is_right(held, &earlier, identity) => Compared::Behind { has, of },
        _ => Compared::Differs(format!(
            "the snapshot of version {has} is not what the messages make"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::refold::tests::{entries, folded, game};
    use crate::live::stored::{Manner, write_of};
    use contract::{EndReason, Envelope};

    fn log() -> LogIdentity {
        LogIdentity("one".into())
    }

    fn stored(folded: Folded) -> StoredSnapshot {
        let manner = Manner {
            create: true,
            force: false,
        };
        let (write, _) = write_of(folded, &log(), manner).unwrap();
        StoredSnapshot {
            key: write.key,
            version: write.version,
            status: write.status,
            bytes: write.bytes,
        }
    }

    fn compared(stored_events: &[Envelope], events: &[Envelope]) -> Compared {
        compare(Some(&stored(folded(stored_events))), &entries(events), &log())
    }

    #[test]
    fn a_snapshot_is_the_same_behind_or_something_else() {
        let (_, events) = game(3);
        assert_eq!(compared(&events, &events), Compared::Same);
        assert_eq!(
            compared(&events[..2], &events),
            Compared::Behind { has: 2, of: 4 }
        );
        assert_eq!(
            compare(None, &entries(&events), &log()),
            Compared::Behind { has: 0, of: 4 }
        );
        for version in [2, 4] {
            let mut wrong = folded(&events[..version]);
            wrong.game.rated = true;
            let wrong = stored(wrong);
            assert!(matches!(
                compare(Some(&wrong), &entries(&events), &log()),
                Compared::Differs(_)
            ));
        }
        assert!(
            matches!(compared(&events, &events[..3]), Compared::Differs(_)),
            "ahead"
        );
        assert!(
            matches!(compared(&events, &[]), Compared::Differs(_)),
            "without a log"
        );
    }

    #[test]
    fn an_ended_game_has_a_tombstone_or_nothing() {
        let (mut game, mut events) = game(3);
        events.push(game.end(EndReason::Left));
        assert_eq!(compared(&events, &events), Compared::Same);
        assert_eq!(compare(None, &entries(&events), &log()), Compared::Same);
        assert_eq!(
            compared(&events[..4], &events),
            Compared::Behind { has: 4, of: 5 }
        );
    }
}
