//! What the cases write, told by small numbers.

use bytes::Bytes;
use commands::ports::LogIdentity;
use contract::{EventId, GameId, GameKey, Kind, Seq, Version, WriterId};
use projections::ports::{Checkpoint, LiveBatch, LiveStore, SnapshotStatus, SnapshotWrite};
use uuid::Uuid;

pub(super) const ME: WriterId = WriterId(0xa11ce);

pub(super) const OTHER: WriterId = WriterId(0xb0b);

pub(super) fn id(game: u128) -> GameId {
    GameId(Uuid::from_u128(game))
}

pub(super) fn key(game: u128) -> GameKey {
    GameKey {
        kind: Kind::Mancala,
        id: id(game),
    }
}

pub(super) fn live(game: u128, version: Version) -> SnapshotWrite {
    SnapshotWrite {
        key: key(game),
        version,
        status: SnapshotStatus::Live,
        create: true,
        force: false,
        bytes: format!("game {game} at {version}").into(),
    }
}

pub(super) fn tombstone(game: u128, version: Version) -> SnapshotWrite {
    let bytes = format!("game {game} ended at {version}").into();
    SnapshotWrite {
        status: SnapshotStatus::Tombstone,
        bytes,
        ..live(game, version)
    }
}

pub(super) fn checkpoint(seq: Seq) -> Checkpoint {
    let event_id = Some(EventId::new(id(1), seq, ME));
    Checkpoint {
        seq,
        event_id,
        log: LogIdentity("GAMES@1".into()),
    }
}

pub(super) fn batch(from: Option<Seq>, to: Seq, writes: Vec<SnapshotWrite>) -> LiveBatch {
    LiveBatch {
        from,
        to: checkpoint(to),
        writes,
    }
}

pub(super) async fn stored(store: &dyn LiveStore, game: u128) -> Option<(Version, SnapshotStatus, Bytes)> {
    let snapshot = store.get(id(game)).await.unwrap()?;
    assert_eq!(snapshot.key.id, id(game));
    Some((snapshot.version, snapshot.status, snapshot.bytes))
}
