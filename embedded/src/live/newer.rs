//! Which snapshots of a batch replace what is stored. Pure.

use std::collections::HashMap;

use contract::{GameId, Version};
use projections::ports::SnapshotWrite;

/// The writes that change something, in their order, given the stored versions.
pub(super) fn newer(writes: &[SnapshotWrite], mut stored: HashMap<GameId, Version>) -> Vec<&SnapshotWrite> {
    let mut kept = Vec::with_capacity(writes.len());
    for write in writes {
        let changes = match stored.get(&write.key.id) {
            None => write.create,
            Some(version) => write.force || write.version > *version,
        };
        if changes {
            stored.insert(write.key.id, write.version);
            kept.push(write);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use contract::{GameKey, Kind};
    use projections::ports::SnapshotStatus;
    use uuid::Uuid;

    use super::*;

    fn write(version: Version, create: bool, force: bool) -> SnapshotWrite {
        SnapshotWrite {
            key: GameKey {
                kind: Kind::Mancala,
                id: GameId(Uuid::nil()),
            },
            version,
            status: SnapshotStatus::Live,
            create,
            force,
            bytes: Bytes::new(),
        }
    }

    #[test]
    fn a_batch_that_has_a_game_twice_ends_with_the_newer_one() {
        let batch = [
            write(2, true, false),
            write(3, false, false),
            write(1, true, false),
        ];
        assert_eq!(newer(&batch, HashMap::new()), [&batch[0], &batch[1]]);
    }

    #[test]
    fn force_does_not_create() {
        assert!(newer(&[write(2, false, true)], HashMap::new()).is_empty());
    }
}
