//! Live snapshots, pending events, caches and the services' presence on one Valkey (or Redis 7) server.
//!
//! **Belongs here:** how the ports of `commands` and `projections` are kept in keys, and how the connection is watched.
//! **Does not:** what a snapshot or an event means, when to write, when to try again.
//!
//! A folder per port: the Rust that builds the arguments and reads the answers, and beside it its scripts. Whatever must
//! happen in one step is one script; whatever may be large is read and deleted in steps, so that nobody waits for it.
//! Scripts name further keys than those they are given, so a cluster with several shards is not supported.
//!
//! **To add** a key: a function in `keys`, where all names are.

mod cache;
mod calls;
mod config;
mod connection;
mod figures;
mod keys;
mod live;
mod pending;
mod policy;
mod quarantine;
mod services;

use std::sync::Arc;

use commands::lifeline::Lifeline;
use commands::ports::Link;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

pub use config::{ConfigError, Deadlines, Tls, ValkeyConfig};
pub use figures::Figures;
pub use policy::PolicyError;
pub use quarantine::Quarantined;

use connection::Connection;
use figures::Tally;
use keys::Keys;

/// The stores on one server. Clones share one connection, which is watched until the last of them is dropped or one is
/// [closed](Self::close).
#[derive(Clone)]
pub struct Valkey {
    connection: Connection,
    deadlines: Deadlines,
    keys: Keys,
    tally: Arc<Tally>,
    watching: Arc<Watching>,
}

/// The task that watches the connection.
struct Watching {
    tasks: TaskTracker,
    lifeline: Lifeline,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

impl Valkey {
    /// Begins to connect, and returns at once whether or not there is a server. To be called within a runtime.
    pub fn connect(config: ValkeyConfig) -> Result<Self, ConfigError> {
        let client = config.client()?;
        let connection = Connection::new();
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let watch = connection.clone().watch_over(client, config.deadlines);
        let watch = stop.clone().run_until_cancelled_owned(watch);
        let lifeline = Lifeline::default();
        let watch = async { watch.await.unwrap_or_default() };
        tasks.spawn(lifeline.clone().hold(stop.clone(), watch));
        tasks.close();
        let watching = Watching {
            tasks,
            lifeline,
            _stop_on_drop: stop.clone().drop_guard(),
            stop,
        };
        Ok(Self {
            connection,
            deadlines: config.deadlines,
            keys: Keys::new(config.prefix),
            tally: Arc::default(),
            watching: Arc::new(watching),
        })
    }

    /// Whether the server answers, now and from now on. A hung one does not.
    pub fn link(&self) -> watch::Receiver<Link> {
        self.connection.link()
    }

    /// How calls went since the start, those of all clones together.
    pub fn figures(&self) -> Figures {
        self.tally.figures()
    }

    /// Returns when the task died that watches the connection: it would never be replaced.
    pub async fn died(&self) {
        self.watching.lifeline.cut().await;
    }

    /// Ends the connection, for every clone. Calls fail from here on.
    pub async fn close(&self) {
        self.watching.stop.cancel();
        self.watching.tasks.wait().await;
        self.connection.lost("closed");
    }
}
