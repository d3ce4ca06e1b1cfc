//! A server and the stores on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use commands::ports::LogIdentity;
use contract::{EventId, GameId, GameKey, Kind, Version, WriterId};
use projections::ports::{Checkpoint, LiveBatch, SnapshotStatus, SnapshotWrite};
use testkit::services;
use turnstream_valkey::{Deadlines, Valkey, ValkeyConfig};
use uuid::Uuid;

pub const ME: WriterId = WriterId(1);

/// A server, its stores with deadlines that a busy machine keeps, and a client to look behind them.
pub struct Opened {
    pub server: services::Valkey,
    pub valkey: Arc<Valkey>,
    pub prefix: String,
    pub raw: redis::aio::MultiplexedConnection,
}

pub async fn open() -> Opened {
    let server = services::Valkey::start().await.expect("Valkey is installed");
    let prefix = fresh_prefix();
    let valkey = Arc::new(connect(&server, &prefix, patient()));
    let client = redis::Client::open(server.url()).expect("a URL");
    let raw = client
        .get_multiplexed_async_connection()
        .await
        .expect("it answers");
    Opened {
        server,
        valkey,
        prefix,
        raw,
    }
}

/// What the contract suites open.
pub async fn store() -> (Arc<Valkey>, services::Valkey) {
    let Opened { server, valkey, .. } = open().await;
    (valkey, server)
}

pub fn connect(server: &services::Valkey, prefix: &str, deadlines: Deadlines) -> Valkey {
    let config = ValkeyConfig {
        prefix: prefix.into(),
        deadlines,
        ..ValkeyConfig::new(server.url())
    };
    Valkey::connect(config).expect("a URL")
}

pub fn fresh_prefix() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!(
        "test-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    )
}

pub fn patient() -> Deadlines {
    let long = Duration::from_secs(10);
    Deadlines {
        call: long,
        load: long,
        ping: long,
        connect: long,
    }
}

pub fn id(game: u128) -> GameId {
    GameId(Uuid::from_u128(game))
}

pub fn key(game: u128) -> GameKey {
    GameKey {
        kind: Kind::Mancala,
        id: id(game),
    }
}

pub fn snapshot(game: u128, version: Version) -> SnapshotWrite {
    SnapshotWrite {
        key: key(game),
        version,
        status: SnapshotStatus::Live,
        create: true,
        force: false,
        bytes: Bytes::from_static(b"a snapshot"),
    }
}

pub fn batch(from: Option<u64>, to: u64, writes: Vec<SnapshotWrite>) -> LiveBatch {
    let event_id = Some(EventId::new(id(1), to, ME));
    LiveBatch {
        from,
        to: Checkpoint {
            seq: to,
            event_id,
            log: LogIdentity("GAMES@1".into()),
        },
        writes,
    }
}
