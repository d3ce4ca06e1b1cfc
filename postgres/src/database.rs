//! Connections, and how long anything may take.
//!
//! A hung server counts as down: a call's time includes the wait for a connection, and a connection whose call was given
//! up is closed, as nobody knows when it would answer.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, Postgres};
use tokio::time::{Instant, timeout_at};

use crate::config::{InvalidUrl, PostgresConfig};
use crate::failure::Failure;
use crate::figures::{Call, Figures, Tally};
use crate::gate::{Entry, Gate, Look};

/// What somebody waits for: lists and games.
pub const READ: Duration = Duration::from_secs(1);

/// What a projector waits for: half of its lease.
pub const WRITE: Duration = Duration::from_secs(5);

/// What the server is told about every session.
const SESSION: [(&str, &str); 3] = [
    // Bounds for what goes on there after we have given up. A transaction that nobody continues would hold the
    // projector's lease, and with it the standby.
    ("statement_timeout", "5s"),
    ("idle_in_transaction_session_timeout", "5s"),
    // A plan that knows how long the page is. One for pages of any length joins all games that there are.
    ("plan_cache_mode", "force_custom_plan"),
];

/// The database as a whole.
pub struct Database {
    pool: PgPool,
    options: PgConnectOptions,
    gate: Gate,
    tally: Tally,
}

/// A connection for one call.
pub struct Lease<'database> {
    connection: PoolConnection<Postgres>,
    database: &'database Database,
    /// What came of it so far, but for how long it has run.
    call: Call,
    /// When it got its connection.
    got: Instant,
    deadline: Instant,
}

impl Database {
    /// Connects to nothing yet.
    pub fn new(config: &PostgresConfig) -> Result<Self, InvalidUrl> {
        let options = config.options()?.application_name("turnstream");
        let pool = PgPoolOptions::new()
            .max_connections(config.max_connections)
            // Refused connections are tried again for as long.
            .acquire_timeout(READ)
            .connect_lazy_with(options.clone().options(SESSION));
        Ok(Self {
            pool,
            options,
            gate: Gate::new(),
            tally: Tally::default(),
        })
    }

    /// A connection to ask `what`, within `limit`; at once an error while the server is known to be away.
    pub async fn lease(&self, what: &'static str, limit: Duration) -> Result<Lease<'_>, Failure> {
        let began = Instant::now();
        let deadline = began + limit;
        let connection = self.connection(limit, deadline).await;
        let got = Instant::now();
        let call = Call {
            what,
            limit,
            waited: got - began,
            ran: None,
            answered: false,
        };
        match connection {
            Ok(connection) => Ok(Lease {
                connection,
                database: self,
                call,
                got,
                deadline,
            }),
            Err(Failure::Away) => {
                self.tally.refuse();
                Err(Failure::Away)
            }
            Err(failure) => {
                self.tally.add(&call);
                Err(failure)
            }
        }
    }

    async fn connection(
        &self,
        limit: Duration,
        deadline: Instant,
    ) -> Result<PoolConnection<Postgres>, Failure> {
        self.pass_gate(limit, deadline).await?;
        match timeout_at(deadline, self.pool.acquire()).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(error)) => Err(self.lost(error.into())),
            Err(_) => Err(self.lost(Failure::Deadline(limit))),
        }
    }

    /// How calls went, and how many connections there are.
    pub fn figures(&self) -> Figures {
        Figures {
            connections: self.pool.size(),
            idle: self.pool.num_idle() as u32,
            most: self.pool.options().get_max_connections(),
            is_away: self.gate.is_away(),
            ..self.tally.figures()
        }
    }

    /// A connection outside of the pool, without bounds on what it runs.
    pub async fn connect_alone(&self) -> Result<PgConnection, Failure> {
        let connecting = timeout_at(Instant::now() + WRITE, self.options.connect());
        connecting
            .await
            .map_err(|_| Failure::Deadline(WRITE))?
            .map_err(Failure::from)
    }

    async fn pass_gate(&self, limit: Duration, deadline: Instant) -> Result<(), Failure> {
        loop {
            match self.gate.enter(Instant::now()) {
                Entry::Pass => return Ok(()),
                Entry::Refused => return Err(Failure::Away),
                Entry::Look(look) => return self.look(look, limit, deadline).await,
                Entry::Wait => timeout_at(deadline, self.gate.looked())
                    .await
                    .map_err(|_| Failure::Deadline(limit))?,
            }
        }
    }

    async fn look(&self, look: Look<'_>, limit: Duration, deadline: Instant) -> Result<(), Failure> {
        // A connection of its own: the pool would try a refused one again until its time is up.
        let answer = timeout_at(deadline, async { self.options.connect().await?.close().await }).await;
        match answer {
            Ok(Ok(())) => {
                look.found();
                Ok(())
            }
            Ok(Err(error)) => {
                look.missed(Instant::now());
                Err(error.into())
            }
            Err(_) => {
                look.missed(Instant::now());
                Err(Failure::Deadline(limit))
            }
        }
    }

    fn lost(&self, failure: Failure) -> Failure {
        self.gate.suspect();
        failure
    }
}

impl Lease<'_> {
    /// When the call must have its answer.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The connection to work on.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.connection
    }

    /// Ends the call with what came of it before its deadline.
    pub fn settle<T>(
        mut self,
        answer: Result<Result<T, Failure>, tokio::time::error::Elapsed>,
    ) -> Result<T, Failure> {
        self.call.answered = answer.is_ok();
        let result = answer.unwrap_or(Err(Failure::Deadline(self.call.limit)));
        if result.as_ref().is_err_and(Failure::is_of_the_connection) {
            self.database.gate.suspect();
        }
        result
    }
}

impl Drop for Lease<'_> {
    /// Back in the pool, a connection that has not answered would be waited for without end.
    fn drop(&mut self) {
        if !self.call.answered {
            self.connection.close_on_drop();
        }
        self.database.tally.add(&Call {
            ran: Some(self.got.elapsed()),
            ..self.call
        });
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use testkit::services::Postgres;
    use tracing::subscriber::DefaultGuard;

    use super::*;

    /// A quarter of [`READ`], and some more.
    const SLOW: Duration = Duration::from_millis(400);

    /// With a single connection.
    async fn database() -> (Database, Postgres) {
        let server = Postgres::start().await.unwrap();
        let config = PostgresConfig {
            max_connections: 1,
            ..PostgresConfig::new(server.url())
        };
        (Database::new(&config).unwrap(), server)
    }

    /// What is logged, as JSON.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Log {
        fn of_this_thread() -> (Self, DefaultGuard) {
            let log = Self::default();
            let writer = log.clone();
            let subscriber = tracing_subscriber::fmt()
                .json()
                .with_writer(move || writer.clone())
                .finish();
            (log, tracing::subscriber::set_default(subscriber))
        }

        /// The fields of the lines on slow calls.
        fn slow_calls(&self) -> Vec<serde_json::Value> {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            lines
                .map(|line: serde_json::Value| line["fields"].clone())
                .filter(|fields| fields["message"].as_str().unwrap().starts_with("a slow call"))
                .collect()
        }
    }

    async fn sleep_in(database: &Database, time: Duration) {
        let mut call = database.lease("sleep", READ).await.unwrap();
        let sleep = sqlx::query("SELECT pg_sleep($1)")
            .bind(time.as_secs_f64())
            .execute(call.connection());
        let answer = timeout_at(Instant::now() + WRITE, sleep).await;
        call.settle(answer.map(|slept| slept.map_err(Failure::from)))
            .unwrap();
    }

    #[tokio::test]
    async fn a_slow_statement_is_told_from_a_slow_pool() {
        let (database, _server) = database().await;
        let (log, _guard) = Log::of_this_thread();
        sleep_in(&database, Duration::ZERO).await;
        let before = database.figures();
        sleep_in(&database, SLOW).await;
        let after = database.figures();
        assert_eq!(
            (after.slow_by_statement, after.slow_by_pool),
            (before.slow_by_statement + 1, before.slow_by_pool)
        );
        assert!(after.ran >= before.ran + SLOW);
        assert!(after.waited < before.waited + SLOW);

        // Somebody keeps the only connection; whoever comes now waits for it, and is answered at once then.
        let kept = database.lease("kept", READ).await.unwrap();
        let figures = database.figures();
        assert_eq!((figures.connections, figures.idle, figures.most), (1, 0, 1));
        let patient = sleep_in(&database, Duration::ZERO);
        let keeper = async {
            tokio::time::sleep(SLOW).await;
            kept.settle(Ok(Ok(()))).unwrap();
        };
        tokio::join!(patient, keeper);
        let last = database.figures();
        assert_eq!(last.slow_by_pool, after.slow_by_pool + 1);
        assert!(last.waited >= after.waited + SLOW);
        assert_eq!((last.without_connection, last.failed), (0, 0));

        let told = log.slow_calls();
        let by = |slow: &str| {
            let mut of_it = told.iter().filter(|told| told["call"] == "sleep");
            of_it
                .rfind(|told| told["message"].as_str().is_some_and(|said| said.contains(slow)))
                .unwrap_or_else(|| panic!("nothing of {slow} in {told:#?}"))
        };
        let (statement, pool) = (by("the statement"), by("the wait for a connection"));
        assert!(statement["ran_ms"].as_u64() >= Some(400), "{statement}");
        assert!(statement["ran_ms"].as_u64() > statement["waited_ms"].as_u64());
        assert!(pool["waited_ms"].as_u64() >= Some(400), "{pool}");
        assert!(pool["waited_ms"].as_u64() > pool["ran_ms"].as_u64());
    }

    #[tokio::test]
    async fn a_call_that_gets_no_connection_or_no_answer_is_counted() {
        let (database, _server) = database().await;
        sleep_in(&database, Duration::ZERO).await;
        let before = database.figures();
        assert_eq!((before.answered, before.failed), (1, 0));
        let kept = database.lease("kept", READ).await.unwrap();
        let in_vain = database.lease("late", SLOW).await.map(drop);
        assert!(matches!(in_vain, Err(Failure::Deadline(SLOW))), "{in_vain:?}");
        let figures = database.figures();
        assert_eq!((figures.without_connection, figures.failed), (1, 1));
        assert_eq!(figures.slow_by_pool, before.slow_by_pool + 1);
        // Nobody waits for its answer any more.
        drop(kept);
        let figures = database.figures();
        assert_eq!((figures.without_connection, figures.failed), (1, 2));
        assert_eq!(figures.answered, 1);
    }

    #[tokio::test]
    async fn every_session_is_set_up() {
        let (database, _server) = database().await;
        let mut lease = database.lease("settings", READ).await.unwrap();
        for (name, expected) in SESSION {
            let setting: String = sqlx::query_scalar("SELECT current_setting($1)")
                .bind(name)
                .fetch_one(lease.connection())
                .await
                .unwrap();
            assert_eq!(setting, expected, "{name}");
        }
    }
}
