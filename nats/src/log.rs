//! [`NatsLog`]: the ports over one connection.

use std::sync::Arc;

use async_trait::async_trait;
use commands::ports::{
    AppendError, EventLog, Heartbeat, Heartbeats, Link, LogEntry, LogIdentity, LogInfo, Outgoing, Unavailable,
};
use contract::{GameId, GameKey, Seq};
use projections::ports::{
    DeadLetter, DeadLetters, LogCursor, LogEraser, LogFilter, LogReader, SpectatorCounts, Watched,
};
use tokio::sync::{mpsc, watch};

use crate::api::StreamInfo;
use crate::config::NatsConfig;
use crate::connection::{self, ConnectError};
use crate::cursor::Cursor;
use crate::shared::Shared;
use crate::subjects::{self, GAMES_STREAM};
use crate::{api, append, dead, game, plain, takeovers, unfinished};

/// The event log, heartbeats, counts of spectators and dead letters on NATS.
///
/// Dropping it ends its tasks soon; [`close`](Self::close) ends them before it returns.
#[derive(Debug)]
pub struct NatsLog {
    shared: Arc<Shared>,
}

impl NatsLog {
    /// Starts to connect, and goes on trying for as long as it lives. Returns when the log is up, when the first attempt
    /// has failed, or after two seconds: see [`EventLog::link`].
    ///
    /// # Errors
    /// If the server is there but can never hold the log, or the configuration makes no sense. A server that turns out
    /// unfit later leaves the link down, and is logged once.
    pub async fn connect(config: &NatsConfig) -> Result<Self, ConnectError> {
        Ok(Self {
            shared: connection::connect(config).await?,
        })
    }

    /// Returns when the task died that looks after the connection: no other one would ever be used.
    pub async fn died(&self) {
        self.shared.lifeline.cut().await;
    }

    /// Ends every task, each of which takes back what it has on the server, and with them cursors and listeners.
    pub async fn close(&self) {
        self.shared.closed.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

impl Drop for NatsLog {
    fn drop(&mut self) {
        self.shared.closed.cancel();
    }
}

/// Identity and ends of the log.
pub async fn info(shared: &Shared) -> Result<LogInfo, Unavailable> {
    let info = api::stream_info(shared.ready()?, GAMES_STREAM).await?;
    Ok(of_stream(&info))
}

/// What the stream says of the log.
pub fn of_stream(info: &StreamInfo) -> LogInfo {
    let last = info.state.last_seq;
    LogInfo {
        identity: LogIdentity(format!("{GAMES_STREAM}@{}", info.created)),
        first: if info.state.messages == 0 {
            last + 1
        } else {
            info.state.first_seq
        },
        last,
    }
}

#[async_trait]
impl EventLog for NatsLog {
    async fn info(&self) -> Result<LogInfo, Unavailable> {
        info(&self.shared).await
    }

    async fn append(&self, message: &Outgoing, expected: Seq) -> Result<Seq, AppendError> {
        append::append(&self.shared, message, expected).await
    }

    async fn last(&self, key: GameKey) -> Result<Option<LogEntry>, Unavailable> {
        game::last(&self.shared, key).await
    }

    async fn last_of_each(&self, keys: &[GameKey]) -> Result<Vec<Option<LogEntry>>, Unavailable> {
        game::last_of_each(&self.shared, keys).await
    }

    async fn read_game(&self, key: GameKey, after: Seq) -> Result<Vec<LogEntry>, Unavailable> {
        game::read(&self.shared, key, after).await
    }

    async fn find_ended(&self, id: GameId) -> Result<Option<LogEntry>, Unavailable> {
        game::find_ended(&self.shared, id).await
    }

    async fn unfinished(&self) -> Result<Vec<GameKey>, Unavailable> {
        unfinished::unfinished(&self.shared).await
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.shared.link.watch()
    }

    async fn takeovers(&self) -> Result<mpsc::Receiver<LogEntry>, Unavailable> {
        takeovers::watch(&self.shared).await
    }
}

#[async_trait]
impl LogReader for NatsLog {
    async fn open(&self, after: Seq, filter: LogFilter) -> Result<Box<dyn LogCursor>, Unavailable> {
        let filters = match filter {
            LogFilter::All => Vec::new(),
            LogFilter::Ended => vec![subjects::all_named("ended")],
        };
        Ok(Box::new(Cursor::open(&self.shared, after, filters).await?))
    }
}

#[async_trait]
impl Heartbeats for NatsLog {
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), Unavailable> {
        plain::say(&self.shared, subjects::heartbeat(heartbeat.writer), heartbeat).await
    }

    async fn listen(&self) -> Result<mpsc::Receiver<Heartbeat>, Unavailable> {
        plain::listen(&self.shared, subjects::HEARTBEATS).await
    }
}

#[async_trait]
impl SpectatorCounts for NatsLog {
    async fn tell(&self, count: Watched) -> Result<(), Unavailable> {
        plain::say(&self.shared, subjects::spectators(count.game), &count).await
    }

    async fn listen(&self) -> Result<mpsc::Receiver<Watched>, Unavailable> {
        plain::listen(&self.shared, subjects::SPECTATORS).await
    }
}

#[async_trait]
impl DeadLetters for NatsLog {
    async fn put(&self, letter: &DeadLetter) -> Result<(), Unavailable> {
        dead::put(&self.shared, letter).await
    }

    async fn count(&self) -> Result<u64, Unavailable> {
        dead::count(&self.shared).await
    }

    async fn list(&self, max: usize) -> Result<Vec<DeadLetter>, Unavailable> {
        dead::list(&self.shared, max).await
    }

    async fn find(&self, projector: &str, seq: Seq) -> Result<Option<DeadLetter>, Unavailable> {
        dead::find(&self.shared, projector, seq).await
    }

    async fn remove(&self, projector: &str, seq: Seq) -> Result<bool, Unavailable> {
        dead::remove(&self.shared, projector, seq).await
    }
}

#[async_trait]
impl LogEraser for NatsLog {
    async fn erase_below(&self, key: GameKey, below: Seq) -> Result<u64, Unavailable> {
        game::erase_below(&self.shared, key, below).await
    }
}
