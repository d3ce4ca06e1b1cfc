//! A snapshot as arguments of a script, and as a row of its answer.

use bytes::Bytes;
use contract::{GameId, GameKey};
use projections::ports::{SnapshotStatus, SnapshotWrite, StoredSnapshot};
use redis::ScriptInvocation;

const LIVE: &str = "live";
const TOMBSTONE: &str = "tombstone";

/// `kind`, `version`, `status`, `bytes`; all of them `None` when there is no such game.
pub(super) type Row = (Option<String>, Option<String>, Option<String>, Option<Bytes>);

/// How scripts know a status.
pub(super) fn status_name(status: SnapshotStatus) -> &'static str {
    match status {
        SnapshotStatus::Live => LIVE,
        SnapshotStatus::Tombstone => TOMBSTONE,
    }
}

pub(super) fn add_writes(script: &mut ScriptInvocation<'_>, writes: &[SnapshotWrite]) {
    for write in writes {
        let status = status_name(write.status);
        let id = write.key.id.to_string();
        script
            .arg(id)
            .arg(write.key.kind.as_str())
            .arg(write.version)
            .arg(status);
        script
            .arg(u8::from(write.create))
            .arg(u8::from(write.force))
            .arg(&write.bytes[..]);
    }
}

/// A row that cannot be read counts as missing, so that it does not stop the others: its game is refolded from the log.
pub(super) fn readable(id: GameId, row: Row) -> Option<StoredSnapshot> {
    if row == (None, None, None, None) {
        return None;
    }
    let snapshot = parse(id, row);
    if snapshot.is_none() {
        tracing::error!(game = %id, "a live snapshot's kind, version or status cannot be read");
    }
    snapshot
}

fn parse(id: GameId, (kind, version, status, bytes): Row) -> Option<StoredSnapshot> {
    let status = match status?.as_str() {
        LIVE => SnapshotStatus::Live,
        TOMBSTONE => SnapshotStatus::Tombstone,
        _ => return None,
    };
    let key = GameKey {
        kind: kind?.parse().ok()?,
        id,
    };
    Some(StoredSnapshot {
        key,
        version: version?.parse().ok()?,
        status,
        bytes: bytes?,
    })
}
