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
}

/// A connection for one call.
pub struct Lease<'database> {
    connection: PoolConnection<Postgres>,
    gate: &'database Gate,
    limit: Duration,
    deadline: Instant,
    answered: bool,
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
        })
    }

    /// A connection, within `limit`; at once an error while the server is known to be away.
    pub async fn lease(&self, limit: Duration) -> Result<Lease<'_>, Failure> {
        let deadline = Instant::now() + limit;
        self.pass_gate(limit, deadline).await?;
        match timeout_at(deadline, self.pool.acquire()).await {
            Ok(Ok(connection)) => Ok(Lease {
                connection,
                gate: &self.gate,
                limit,
                deadline,
                answered: false,
            }),
            Ok(Err(error)) => Err(self.lost(error.into())),
            Err(_) => Err(self.lost(Failure::Deadline(limit))),
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
        self.answered = answer.is_ok();
        let result = answer.unwrap_or(Err(Failure::Deadline(self.limit)));
        if result.as_ref().is_err_and(Failure::is_of_the_connection) {
            self.gate.suspect();
        }
        result
    }
}

impl Drop for Lease<'_> {
    /// Back in the pool, a connection that has not answered would be waited for without end.
    fn drop(&mut self) {
        if !self.answered {
            self.connection.close_on_drop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_session_is_set_up() {
        let server = testkit::services::Postgres::start().await.unwrap();
        let config = PostgresConfig {
            max_connections: 1,
            ..PostgresConfig::new(server.url())
        };
        let database = Database::new(&config).unwrap();
        let mut lease = database.lease(READ).await.unwrap();
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
