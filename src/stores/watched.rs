//! What can be seen of the adapters from outside, for operators.

use std::sync::Arc;

use commands::ports::Link;
use embedded::Pools;
use nats::NatsLog;
use postgres::PostgresHistory;
use tokio::sync::watch;
use valkey::Valkey;

use crate::metrics::{Figures, Label};

/// The name of a pool, where there is only one.
const POSTGRES_POOL: Label = ("pool", "postgres");
const POSTGRES: Label = ("store", "postgres");
const VALKEY: Label = ("store", "valkey");

/// The adapters.
#[derive(Clone)]
pub struct Watched {
    pub(super) embedded: Option<Pools>,
    pub(super) nats: Option<Arc<NatsLog>>,
    pub(super) valkey: Option<Arc<Valkey>>,
    pub(super) postgres: Option<Arc<PostgresHistory>>,
    pub(super) log: watch::Receiver<Link>,
}

impl Watched {
    /// Connections, pools, and how calls went.
    pub fn add_to(&self, figures: &mut Figures) {
        self.links(figures);
        self.pools(figures);
        self.calls(figures);
    }

    fn links(&self, figures: &mut Figures) {
        let of = |server| [("server", server)];
        let nats = self
            .nats
            .as_ref()
            .map(|_| (of("nats"), self.log.borrow().is_up()));
        let valkey = self.valkey.as_ref();
        let valkey = valkey.map(|valkey| (of("valkey"), valkey.link().borrow().is_up()));
        let postgres = self.postgres.as_ref();
        let postgres = postgres.map(|postgres| (of("postgres"), !postgres.figures().is_away));
        figures.gauges(
            "turnstream_server_up",
            "Whether a server answers, as far as is known",
            [nats, valkey, postgres].into_iter().flatten(),
        );
    }

    fn pools(&self, figures: &mut Figures) {
        let mut pool = Pooled::of(figures);
        for embedded in self.embedded.iter().flat_map(Pools::now) {
            let name = match embedded.name {
                "reads" => ("pool", "embedded-reads"),
                _ => ("pool", "embedded-writes"),
            };
            pool.connections(name, embedded.connections, embedded.idle, embedded.most);
            if let Some((waits, waited)) = embedded.waits {
                pool.waits(name, waits, waited, 0);
            }
        }
        if let Some(postgres) = self.postgres.as_ref().map(|postgres| postgres.figures()) {
            let name = POSTGRES_POOL;
            pool.connections(name, postgres.connections, postgres.idle, postgres.most);
            pool.waits(name, postgres.waits, postgres.waited, postgres.without_connection);
        }
    }

    fn calls(&self, figures: &mut Figures) {
        let postgres = self.postgres.as_ref().map(|postgres| postgres.figures());
        let valkey = self.valkey.as_ref().map(|valkey| valkey.figures());
        let calls = |of: Label, answered: u64, failed: u64| {
            [
                ([of, ("outcome", "answered")], answered),
                ([of, ("outcome", "failed")], failed),
            ]
        };
        let of_postgres = postgres.map(|p| calls(POSTGRES, p.answered, p.failed));
        let of_valkey = valkey.map(|v| calls(VALKEY, v.answered, v.failed));
        figures.counters(
            "turnstream_store_calls",
            "Calls of a store by whether they were answered",
            [of_postgres, of_valkey].into_iter().flatten().flatten(),
        );
        let of_postgres = postgres.map(|p| ([POSTGRES], p.ran));
        let of_valkey = valkey.map(|v| ([VALKEY], v.took));
        figures.counters(
            "turnstream_store_call_seconds",
            "How long a store has worked on calls, all together",
            [of_postgres, of_valkey].into_iter().flatten(),
        );
        figures.counters(
            "turnstream_slow_calls",
            "Slow calls of the database by what took most of the time",
            postgres
                .map(|p| {
                    [
                        ([POSTGRES, ("cause", "pool")], p.slow_by_pool),
                        ([POSTGRES, ("cause", "statement")], p.slow_by_statement),
                    ]
                })
                .into_iter()
                .flatten(),
        );
    }
}

/// Figures of pools.
struct Pooled<'a>(&'a mut Figures);

impl<'a> Pooled<'a> {
    /// They are described even where there is no pool.
    fn of(figures: &'a mut Figures) -> Self {
        Self(figures)
    }

    fn connections(&mut self, pool: Label, all: u32, idle: u32, most: u32) {
        self.0.gauges(
            "turnstream_pool_connections",
            "Connections of a pool by whether anybody uses them",
            [
                ([pool, ("state", "idle")], idle),
                ([pool, ("state", "used")], all.saturating_sub(idle)),
            ],
        );
        self.0.gauges(
            "turnstream_pool_connections_max",
            "The most connections that a pool may have",
            [([pool], most)],
        );
    }

    fn waits(&mut self, pool: Label, waits: u64, waited: std::time::Duration, in_vain: u64) {
        self.0.counters(
            "turnstream_pool_waits",
            "Times that a connection of a pool was asked for",
            [([pool], waits)],
        );
        self.0.counters(
            "turnstream_pool_wait_seconds",
            "How long connections of a pool were waited for, all together",
            [([pool], waited)],
        );
        self.0.counters(
            "turnstream_pool_timeouts",
            "Times that a connection of a pool was waited for in vain",
            [([pool], in_vain)],
        );
    }
}
