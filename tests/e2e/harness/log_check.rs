//! What holds of every game in the log, however the service and its servers were treated (P4 and P5).
//!
//! The log is read whole, with the adapter that wrote it, and each game is followed as `testkit::followed` does. The
//! embedded database belongs to one process: there it is for after the service has ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use commands::ports::{EventLog, LogEntry, PendingStore};
use contract::GameId;
use embedded::{Embedded, EmbeddedConfig};
use nats::{NatsConfig, NatsLog};
use postgres::{PostgresConfig, PostgresHistory};
use projections::ports::{HistoryStore, LiveStore, LogFilter, LogReader};
use testkit::followed::{Followed, Logged};
use turnstream::system_clock::SystemClock;
use valkey::{Valkey, ValkeyConfig};

use super::{World, eventually};

/// So many messages are read at once.
const BATCH: usize = 1000;

/// A read that brings nothing for this long is no answer, in milliseconds.
const SILENCE_MS: u64 = 5_000;

/// The stores of a world, seen from outside the service.
pub struct Stores {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Its reader.
    pub reader: Arc<dyn LogReader>,
    /// The rows.
    pub history: Arc<dyn HistoryStore>,
    /// The snapshots.
    pub live: Arc<dyn LiveStore>,
    /// What waits for the log.
    pub pending: Arc<dyn PendingStore>,
    embedded: Option<Embedded>,
}

impl Stores {
    /// Opens them.
    pub async fn of(world: &World) -> Self {
        if world.is_embedded() {
            return Self::embedded(world).await;
        }
        let nats = Arc::new(NatsLog::connect(&nats_config(world)).await.expect("NATS"));
        let valkey = world
            .valkey
            .as_ref()
            .expect("a world of servers has Valkey")
            .url();
        let valkey = Arc::new(Valkey::connect(ValkeyConfig::new(valkey)).expect("a URL"));
        let url = world
            .postgres
            .as_ref()
            .expect("a world of servers has Postgres")
            .url();
        let history = PostgresHistory::new(&PostgresConfig {
            max_connections: 2,
            ..PostgresConfig::new(url)
        });
        let history = history.expect("a URL");
        Self {
            log: nats.clone(),
            reader: nats,
            history: Arc::new(history),
            live: valkey.clone(),
            pending: valkey,
            embedded: None,
        }
    }

    async fn embedded(world: &World) -> Self {
        let config = EmbeddedConfig {
            data_dir: Some(world.data_dir()),
            full_sync: false,
        };
        let embedded = Embedded::open(config, Arc::new(SystemClock::default()))
            .await
            .expect("no service runs on the data directory");
        Self {
            log: embedded.log(),
            reader: embedded.reader(),
            history: embedded.history(),
            live: embedded.live(),
            pending: embedded.pending(),
            embedded: Some(embedded),
        }
    }

    /// Gives an embedded database back.
    pub async fn close(self) {
        let Self { embedded, .. } = self;
        if let Some(embedded) = embedded {
            embedded.close().await;
        }
    }

    /// The whole log. Panics unless every game in it is as it should be.
    pub async fn checked_log(&self) -> Log {
        Log::follow(&self.entries().await)
    }

    /// Panics unless every game that ended in the log has the row that its `ended` says.
    pub async fn check_rows(&self, log: &Log) {
        for (id, game) in &log.games {
            if let Some(record) = &game.record {
                let row = async || self.history.game(*id).await.ok();
                let row = eventually("the history answers", row).await;
                assert_eq!(row.as_ref(), Some(record), "the row of {id}");
            }
        }
    }

    async fn entries(&self) -> Vec<LogEntry> {
        let end = eventually("the log answers", async || self.log.info().await.ok()).await;
        let mut cursor = self
            .reader
            .open(0, LogFilter::All)
            .await
            .expect("the log can be read");
        let mut entries: Vec<LogEntry> = Vec::new();
        while entries.last().map_or(0, |entry| entry.seq) < end.last {
            let batch = cursor.next(BATCH, SILENCE_MS).await.expect("the log can be read");
            assert!(
                !batch.is_empty(),
                "the reader fell silent before {} of {end:?}",
                entries.len()
            );
            entries.extend(batch);
        }
        entries
    }
}

/// How the log of a world is reached.
pub fn nats_config(world: &World) -> NatsConfig {
    let one = world.nats.as_ref().map(|nats| NatsConfig::new(nats.url()));
    one.unwrap_or_else(|| {
        let cluster = world.cluster.as_ref().expect("a world of servers has NATS");
        NatsConfig {
            replicas: 3,
            ..NatsConfig::new(cluster.url())
        }
    })
}

/// Every game that the log knows.
#[derive(Debug, Default)]
pub struct Log {
    /// By their ids.
    pub games: BTreeMap<GameId, Logged>,
}

impl Log {
    /// Follows all games. Panics at the first that is not as it should be.
    fn follow(entries: &[LogEntry]) -> Self {
        let followed = Followed::of(entries);
        let followed = followed.unwrap_or_else(|wrong| panic!("{wrong}"));
        Self {
            games: followed.games,
        }
    }

    /// A game, by the id that clients know.
    pub fn game(&self, id: &str) -> &Logged {
        let id: GameId = id.parse().expect("clients have ids of games");
        self.games
            .get(&id)
            .unwrap_or_else(|| panic!("the log has nothing of {id}"))
    }
}
