//! Connects, checks that the server answers, and connects again.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, InfoDict, RedisError};
use tokio::time::{error::Elapsed, sleep, timeout};

use super::{Connection, State};
use crate::Deadlines;
use crate::policy::evicting_policy;

/// Between two checks of a connection.
const CHECK: Duration = Duration::from_millis(500);
/// Between two attempts to connect.
const ATTEMPT: Duration = Duration::from_millis(100);

#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error(transparent)]
    Refused(#[from] RedisError),
    #[error("it does not answer in time")]
    Late(#[from] Elapsed),
    #[error("it is a read-only replica")]
    ReadOnly,
}

impl Connection {
    /// Runs until it is dropped.
    pub async fn watch_over(self, client: Client, deadlines: Deadlines) {
        let mut number = 0;
        loop {
            match establish(&client, deadlines).await {
                Ok(connection) => {
                    number += 1;
                    tracing::info!(connection = number, "valkey is connected");
                    self.established(number, connection.clone());
                    let why = self.until_silent(connection, deadlines.ping).await;
                    tracing::warn!(connection = number, %why, "valkey is lost");
                    self.lost(&why.to_string());
                }
                Err(why) => {
                    if matches!(&*self.state.borrow(), State::Starting) {
                        tracing::warn!(%why, "valkey cannot be reached");
                    }
                    self.lost(&why.to_string());
                    sleep(ATTEMPT).await;
                }
            }
        }
    }

    /// Returns why the connection is of no more use.
    async fn until_silent(&self, mut connection: MultiplexedConnection, deadline: Duration) -> NoAnswer {
        loop {
            // An elapsed wait is the usual case: nobody doubts the connection.
            let doubted = timeout(CHECK, self.doubt.notified()).await.is_ok();
            let answer = if doubted {
                timeout(deadline, writable(&mut connection)).await
            } else {
                timeout(deadline, ping(&mut connection)).await
            };
            match answer {
                Ok(Ok(())) => {}
                Ok(Err(why)) => return why,
                Err(late) => return late.into(),
            }
        }
    }
}

async fn establish(client: &Client, deadlines: Deadlines) -> Result<MultiplexedConnection, NoAnswer> {
    // Deadlines are the callers' own: the load of a whole store may take longer than any other call.
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(deadlines.connect))
        .set_response_timeout(None);
    let connecting = client.get_multiplexed_async_connection_with_config(&config);
    let mut connection = timeout(deadlines.connect, connecting).await??;
    timeout(deadlines.ping, writable(&mut connection)).await??;
    if let Some(policy) = timeout(deadlines.ping, evicting_policy(&mut connection)).await?? {
        // A running game does not stop for it; a service that starts refuses it.
        tracing::error!(
            policy,
            "valkey may evict keys: set maxmemory-policy to noeviction"
        );
    }
    Ok(connection)
}

/// A server that still loads its file answers with an error.
async fn ping(connection: &mut MultiplexedConnection) -> Result<(), NoAnswer> {
    Ok(redis::cmd("PING").query_async(connection).await?)
}

/// After a failover the connection may still be to the old primary.
async fn writable(connection: &mut MultiplexedConnection) -> Result<(), NoAnswer> {
    ping(connection).await?;
    let found: InfoDict = redis::cmd("INFO")
        .arg("replication")
        .query_async(connection)
        .await?;
    let role: Option<String> = found.get("role");
    if role.as_deref() == Some("slave") {
        Err(NoAnswer::ReadOnly)
    } else {
        Ok(())
    }
}
