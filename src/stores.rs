//! Which adapter serves which port: the one place that knows them all.

use std::sync::Arc;

use commands::ports::{Clock, EventLog, Heartbeats, PendingStore, ServiceKeys};
use embedded::{Embedded, EmbeddedConfig};
use futures::future::OptionFuture;
use nats::{NatsConfig, NatsLog};
use postgres::PostgresHistory;
use projections::ports::{
    Cache, DeadLetters, HistoryRepair, LiveRepair, LogEraser, LogReader, SpectatorCounts,
};
use valkey::{Valkey, ValkeyConfig};

use crate::app::Served;
use crate::config::{ServersConfig, Synchronous};

mod watched;

pub use watched::Watched;

const EMBEDDED: &str = "embedded (SQLite)";
const IN_MEMORY: &str = "embedded (in memory)";
const NATS: &str = "NATS JetStream";
const VALKEY: &str = "Valkey";
const POSTGRES: &str = "Postgres";

/// Every port, served.
pub struct Stores {
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// Its reader.
    pub reader: Arc<dyn LogReader>,
    /// What removes messages from it, for personal data.
    pub eraser: Arc<dyn LogEraser>,
    /// The bus that heartbeats travel on.
    pub heartbeats: Arc<dyn Heartbeats>,
    /// The bus that counts of spectators travel on.
    pub spectator_counts: Arc<dyn SpectatorCounts>,
    /// The store of the services' keys.
    pub keys: Arc<dyn ServiceKeys>,
    /// Where events wait.
    pub pending: Arc<dyn PendingStore>,
    /// Live snapshots.
    pub live: Arc<dyn LiveRepair>,
    /// Finished games.
    pub history: Arc<dyn HistoryRepair>,
    /// Cached lists.
    pub cache: Arc<dyn Cache>,
    /// Dead letters.
    pub dead_letters: Arc<dyn DeadLetters>,
    /// Which adapter serves which port.
    pub served: Vec<Served>,
    /// Whether other processes may share the log.
    pub shared_log: bool,
    servers: Servers,
}

/// The ports that the server of the log serves.
struct Events {
    log: Arc<dyn EventLog>,
    reader: Arc<dyn LogReader>,
    eraser: Arc<dyn LogEraser>,
    heartbeats: Arc<dyn Heartbeats>,
    spectator_counts: Arc<dyn SpectatorCounts>,
    dead_letters: Arc<dyn DeadLetters>,
}

impl Events {
    fn of_nats(nats: &Arc<NatsLog>) -> Self {
        Self {
            log: nats.clone(),
            reader: nats.clone(),
            eraser: nats.clone(),
            heartbeats: nats.clone(),
            spectator_counts: nats.clone(),
            dead_letters: nats.clone(),
        }
    }

    fn of_embedded(local: &Embedded) -> Self {
        Self {
            log: local.log(),
            reader: local.reader(),
            eraser: local.log(),
            heartbeats: local.heartbeats(),
            spectator_counts: local.spectator_counts(),
            dead_letters: local.dead_letters(),
        }
    }
}

/// The ports that the server of running games serves.
struct Running {
    live: Arc<dyn LiveRepair>,
    pending: Arc<dyn PendingStore>,
    cache: Arc<dyn Cache>,
    keys: Arc<dyn ServiceKeys>,
}

impl Running {
    fn of_valkey(valkey: &Arc<Valkey>) -> Self {
        Self {
            live: valkey.clone(),
            pending: valkey.clone(),
            cache: valkey.clone(),
            keys: valkey.clone(),
        }
    }

    fn of_embedded(local: &Embedded) -> Self {
        Self {
            live: local.live(),
            pending: local.pending(),
            cache: local.cache(),
            keys: local.service_keys(),
        }
    }
}

#[derive(Default)]
struct Servers {
    embedded: Option<Embedded>,
    nats: Option<Arc<NatsLog>>,
    valkey: Option<Arc<Valkey>>,
    postgres: Option<Arc<PostgresHistory>>,
}

impl Stores {
    /// Opens the embedded database if any port needs it, and begins to connect to the servers that are configured.
    ///
    /// # Errors
    /// The embedded database is in use or unreadable, a URL is not one, or the server is not fit for use. A server that
    /// is away is no error.
    pub async fn open(config: &ServersConfig, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let nats = match config.nats.connection()? {
            Some(connection) => {
                let settings = NatsConfig {
                    replicas: config.nats_replicas.into(),
                    max_age_ms: config.nats_max_age_ms(),
                    sync_interval_ms: config.nats_sync_interval_ms,
                    ..connection
                };
                Some(Arc::new(NatsLog::connect(&settings).await?))
            }
            None => None,
        };
        let valkey = match config.valkey.connection()? {
            Some(connection) => {
                let settings = ValkeyConfig {
                    prefix: config.key_prefix.clone(),
                    ..connection
                };
                Some(Arc::new(Valkey::connect(settings)?))
            }
            None => None,
        };
        let postgres = match config.database.connection()? {
            Some(settings) => Some(Arc::new(PostgresHistory::new(&settings)?)),
            None => None,
        };
        let complete = nats.is_some() && valkey.is_some() && postgres.is_some();
        let embedded = if complete {
            None
        } else {
            Some(Embedded::open(embedded_config(config), clock).await?)
        };
        let own = if config.in_memory { IN_MEMORY } else { EMBEDDED };
        Self::wire(
            Servers {
                embedded,
                nats,
                valkey,
                postgres,
            },
            own,
        )
    }

    fn wire(servers: Servers, own: &'static str) -> anyhow::Result<Self> {
        let Servers {
            embedded,
            nats,
            valkey,
            postgres,
        } = &servers;
        let missing = || anyhow::anyhow!("the embedded database is not open");
        let local = || embedded.as_ref().ok_or_else(missing);
        let mut served = Vec::new();
        let mut serve = |port, adapter| served.push(Served { port, adapter });
        let events = if let Some(nats) = nats {
            serve("event log", NATS);
            Events::of_nats(nats)
        } else {
            serve("event log", own);
            Events::of_embedded(local()?)
        };
        let running = if let Some(valkey) = valkey {
            serve("live games", VALKEY);
            Running::of_valkey(valkey)
        } else {
            serve("live games", own);
            Running::of_embedded(local()?)
        };
        let history: Arc<dyn HistoryRepair> = if let Some(postgres) = postgres {
            serve("finished games", POSTGRES);
            postgres.clone()
        } else {
            serve("finished games", own);
            local()?.history()
        };
        let shared_log = nats.is_some() && embedded.is_none();
        let Events {
            log,
            reader,
            eraser,
            heartbeats,
            spectator_counts,
            dead_letters,
        } = events;
        let Running {
            live,
            pending,
            cache,
            keys,
        } = running;
        Ok(Self {
            log,
            reader,
            eraser,
            heartbeats,
            spectator_counts,
            keys,
            pending,
            live,
            history,
            cache,
            dead_letters,
            served,
            shared_log,
            servers,
        })
    }

    /// Brings the database's schema up to date, as often as it takes while the database is away.
    ///
    /// # Errors
    /// The schema is newer than this program, or a migration fails.
    pub async fn migrate(history: Option<Arc<PostgresHistory>>, clock: Arc<dyn Clock>) -> anyhow::Result<()> {
        let Some(history) = history else { return Ok(()) };
        loop {
            match history.migrate().await {
                Ok(()) => return Ok(()),
                Err(postgres::MigrateError::Unavailable(error)) => {
                    tracing::warn!("the database cannot be migrated yet: {error}");
                    clock.sleep(1000).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The database that has migrations to run.
    pub fn database(&self) -> Option<Arc<PostgresHistory>> {
        self.servers.postgres.clone()
    }

    /// Refuses a Valkey that may throw keys away. One that is away is asked later, by its own watch.
    ///
    /// # Errors
    /// The policy, by name.
    pub async fn check_valkey(&self) -> anyhow::Result<()> {
        let Some(valkey) = &self.servers.valkey else {
            return Ok(());
        };
        match valkey.check_policy().await {
            Ok(()) => Ok(()),
            Err(valkey::PolicyError::Unavailable(error)) => {
                tracing::warn!("Valkey's memory policy is not known yet: {error}");
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What can be seen of the adapters from outside.
    pub fn watched(&self) -> Watched {
        let servers = &self.servers;
        Watched {
            embedded: servers.embedded.as_ref().map(Embedded::pools),
            nats: servers.nats.clone(),
            valkey: servers.valkey.clone(),
            postgres: servers.postgres.clone(),
            log: self.log.link(),
        }
    }

    /// Returns when a task of an adapter died that nothing takes the place of: which one.
    pub fn died(&self) -> impl Future<Output = &'static str> + Send + use<> {
        let Servers {
            embedded,
            nats,
            valkey,
            ..
        } = &self.servers;
        let embedded = embedded.as_ref().map(Embedded::lifeline);
        let (nats, valkey) = (nats.clone(), valkey.clone());
        async move {
            let embedded = OptionFuture::from(embedded);
            let nats = OptionFuture::from(nats.as_ref().map(|nats| nats.died()));
            let valkey = OptionFuture::from(valkey.as_ref().map(|valkey| valkey.died()));
            tokio::select! {
                Some(()) = embedded => "the writer of the embedded log",
                Some(()) = nats => "the watch on the connection to NATS",
                Some(()) = valkey => "the watch on the connection to Valkey",
                else => std::future::pending().await,
            }
        }
    }

    /// Ends all connections and gives the data directory back.
    pub async fn close(self) {
        if let Some(nats) = self.servers.nats {
            nats.close().await;
        }
        if let Some(valkey) = self.servers.valkey {
            valkey.close().await;
        }
        if let Some(embedded) = self.servers.embedded {
            embedded.close().await;
        }
    }
}

fn embedded_config(config: &ServersConfig) -> EmbeddedConfig {
    EmbeddedConfig {
        data_dir: (!config.in_memory).then(|| config.data_dir.clone()),
        full_sync: config.synchronous == Synchronous::Full,
    }
}
