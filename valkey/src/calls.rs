//! How a call is made: on a connection that answers, within a deadline, once.

use std::time::Duration;

use commands::ports::Unavailable;
use redis::aio::MultiplexedConnection;
use redis::{
    Cmd, ErrorKind, FromRedisValue, Pipeline, RedisError, RedisResult, ScriptInvocation, ServerErrorKind,
};
use tokio::time::{Instant, timeout};

use crate::Valkey;
use crate::connection::Numbered;

/// How many games one step reads, deletes or sweeps: about half a megabyte of snapshots.
pub(crate) const STEP: usize = 200;

pub(crate) fn unavailable(why: impl std::fmt::Display) -> Unavailable {
    Unavailable::new("valkey", why)
}

impl Valkey {
    /// Runs a script within the usual deadline.
    pub(crate) async fn run<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, Unavailable> {
        self.run_within(self.deadlines.call, script).await
    }

    pub(crate) async fn run_within<T: FromRedisValue>(
        &self,
        deadline: Duration,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, Unavailable> {
        self.within(deadline, async |mut connection| {
            script.invoke_async(&mut connection).await
        })
        .await
    }

    /// Sends one command within the usual deadline.
    pub(crate) async fn command<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Unavailable> {
        self.command_within(self.deadlines.call, command).await
    }

    pub(crate) async fn command_within<T: FromRedisValue>(
        &self,
        deadline: Duration,
        command: &Cmd,
    ) -> Result<T, Unavailable> {
        self.within(deadline, async |mut connection| {
            command.query_async(&mut connection).await
        })
        .await
    }

    /// Sends several commands at once.
    pub(crate) async fn pipeline<T: FromRedisValue>(&self, commands: &Pipeline) -> Result<T, Unavailable> {
        self.within(self.deadlines.call, async |mut connection| {
            commands.query_async(&mut connection).await
        })
        .await
    }

    async fn within<T>(
        &self,
        deadline: Duration,
        call: impl AsyncFnOnce(MultiplexedConnection) -> RedisResult<T>,
    ) -> Result<T, Unavailable> {
        let began = Instant::now();
        let answer = timeout(deadline, async {
            let Numbered { number, connection } = self.connection.current().await.map_err(unavailable)?;
            tokio::select! {
                answer = call(connection) => answer.map_err(|error| self.failed(&error)),
                () = self.connection.given_up(number) => Err(unavailable("the connection was given up")),
            }
        });
        let answer = answer.await.unwrap_or_else(|_| {
            self.connection.doubt();
            Err(unavailable(format_args!(
                "no answer within {} ms",
                deadline.as_millis()
            )))
        });
        self.tally.add(answer.is_ok(), began.elapsed());
        answer
    }

    fn failed(&self, error: &RedisError) -> Unavailable {
        let read_only = error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly);
        if read_only || error.is_io_error() || error.is_unrecoverable_error() {
            self.connection.doubt();
        }
        unavailable(error)
    }
}
