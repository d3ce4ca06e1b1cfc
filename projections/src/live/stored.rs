//! What the live store holds of a game, decoded, and what is written of one, encoded: pure.

use commands::ports::{LogIdentity, Unavailable};
use commands::snapshot::{Snapshot, SnapshotError, Tombstone};
use contract::GameKey;

use super::folded::Folded;
use crate::ports::{SnapshotStatus, SnapshotWrite, StoredSnapshot};

/// What a store holds of a game.
#[expect(
    clippy::large_enum_variant,
    reason = "almost every one is a game, used where it is made"
)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Held {
    /// Nothing.
    Nothing,
    /// The game.
    Game {
        /// As folded.
        folded: Folded,
        /// Of which log.
        log: LogIdentity,
    },
    /// Something that newer code wrote.
    Newer,
    /// Something that cannot be read.
    Unreadable(String),
}

impl Held {
    pub(crate) fn of(stored: Option<&StoredSnapshot>) -> Self {
        let Some(stored) = stored else {
            return Self::Nothing;
        };
        match decode(stored) {
            Ok((folded, log)) => Self::Game { folded, log },
            Err(SnapshotError::Newer(_)) => Self::Newer,
            Err(SnapshotError::Corrupt(why)) => Self::Unreadable(why),
        }
    }
}

fn decode(stored: &StoredSnapshot) -> Result<(Folded, LogIdentity), SnapshotError> {
    match stored.status {
        SnapshotStatus::Live => {
            let Snapshot { game, seq, log, .. } = Snapshot::decode(&stored.bytes)?;
            Ok((
                Folded {
                    game,
                    seq,
                    ended: None,
                },
                log,
            ))
        }
        SnapshotStatus::Tombstone => {
            let Tombstone {
                ended,
                game,
                seq,
                log,
            } = Tombstone::decode(&stored.bytes)?;
            Ok((
                Folded {
                    game,
                    seq,
                    ended: Some(ended),
                },
                log,
            ))
        }
    }
}

/// How a game is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Manner {
    /// It may make a new key.
    pub(crate) create: bool,
    /// It replaces what is there whatever the version.
    pub(crate) force: bool,
}

/// The write of a folded game: a snapshot while it is live, a tombstone afterwards. The game is given back.
pub(crate) fn write_of(
    folded: Folded,
    log: &LogIdentity,
    manner: Manner,
) -> Result<(SnapshotWrite, Folded), Unavailable> {
    let Folded { game, seq, ended } = folded;
    let key = GameKey {
        kind: game.kind,
        id: game.id,
    };
    let version = game.version;
    let (status, bytes, folded) = match ended {
        None => {
            let snapshot = Snapshot::new(game, seq, log.clone());
            (
                SnapshotStatus::Live,
                snapshot.encode(),
                Folded {
                    game: snapshot.game,
                    seq,
                    ended: None,
                },
            )
        }
        Some(ended) => {
            let stone = Tombstone {
                ended,
                game,
                seq,
                log: log.clone(),
            };
            // It came from the log as an event that was decoded, so it is a document.
            let bytes = stone
                .encode()
                .map_err(|error| Unavailable::new("tombstone", error))?;
            (
                SnapshotStatus::Tombstone,
                bytes,
                Folded {
                    game: stone.game,
                    seq,
                    ended: Some(stone.ended),
                },
            )
        }
    };
    let Manner { create, force } = manner;
    Ok((
        SnapshotWrite {
            key,
            version,
            status,
            create,
            force,
            bytes,
        },
        folded,
    ))
}
