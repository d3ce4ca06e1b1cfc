//! The event log: a table whose sequence the fence is decided on, written by one task, read as it is committed.

mod ends;
mod entries;
mod eraser;
mod fence;
mod log_reader;
mod recent;
mod takeovers;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{AppendError, EventLog, Link, LogEntry, LogIdentity, LogInfo, Outgoing, Unavailable};
use contract::{GameId, GameKey, Seq};
use sqlx::Row;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::columns::count;
use crate::database::{Database, cannot};
use crate::directory::OpenError;
use crate::tasks::Tasks;
use recent::Recent;
use writer::{AppendRequest, Writer};

pub use log_reader::SqliteReader;

/// How long a caller waits; what it asked for may be done later.
const DEADLINE: Duration = Duration::from_secs(1);

/// How large a message may be, in bytes: as large as the stream's servers take, so that a game that can be logged here
/// can be logged there.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;

/// How many appends may wait for the writer. Each game has one in flight, so that more wait in their games.
const WAITING: usize = 4_096;

/// How many takeovers may wait for who watches them.
const TAKEOVERS_WAITING: usize = 256;

/// The log. It can always be reached, until it is closed.
#[derive(Debug)]
pub struct SqliteLog {
    db: Arc<Database>,
    identity: LogIdentity,
    requests: mpsc::Sender<AppendRequest>,
    tail: watch::Receiver<Seq>,
    recent: Arc<Recent>,
    link: watch::Sender<Link>,
    tasks: Tasks,
}

impl SqliteLog {
    pub(crate) async fn open(db: Arc<Database>, tasks: Tasks) -> Result<Self, OpenError> {
        let identity = sqlx::query_scalar("SELECT identity FROM log_identity")
            .fetch_one(db.reads())
            .await?;
        let (_, last) = ends(&db).await?;
        let (requests, waiting) = mpsc::channel(WAITING);
        let (committed, tail) = watch::channel(last);
        let recent = Arc::new(Recent::default());
        let writer = Writer::new(Arc::clone(&db), waiting, committed, Arc::clone(&recent));
        tasks.spawn_vital(writer.run(tasks.stopping()));
        Ok(Self {
            db,
            identity: LogIdentity(identity),
            requests,
            tail,
            recent,
            link: watch::Sender::new(Link::Up(1)),
            tasks,
        })
    }

    pub(crate) fn reader(&self) -> SqliteReader {
        SqliteReader::new(Arc::clone(&self.db), self.tail.clone(), Arc::clone(&self.recent))
    }
}

/// The oldest and the newest sequence.
async fn ends(db: &Database) -> Result<(Seq, Seq), sqlx::Error> {
    // The newest that there ever was, even if its row is gone: a sequence is not given out twice.
    let row = sqlx::query(
        "SELECT (SELECT min(seq) FROM log) AS first,
                coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'log'), 0) AS last",
    )
    .fetch_one(db.reads())
    .await?;
    let last = count(&row, "last")?;
    let first = row
        .try_get::<Option<i64>, _>("first")?
        .map_or(last + 1, |first| first as Seq);
    Ok((first, last))
}

#[async_trait]
impl EventLog for SqliteLog {
    async fn info(&self) -> Result<LogInfo, Unavailable> {
        let (first, last) = timeout(DEADLINE, ends(&self.db))
            .await
            .map_err(|_| Unavailable::new("sqlite", "the ends of the log were not read within a second"))?
            .map_err(cannot("read the ends of the log"))?;
        Ok(LogInfo {
            identity: self.identity.clone(),
            first,
            last,
        })
    }

    async fn append(&self, message: &Outgoing, expected: Seq) -> Result<Seq, AppendError> {
        if message.bytes.len() > MAX_MESSAGE {
            let size = message.bytes.len();
            return Err(AppendError::Permanent(format!(
                "{size} bytes are more than {MAX_MESSAGE}"
            )));
        }
        let (reply, outcome) = oneshot::channel();
        let request = AppendRequest {
            message: message.clone(),
            expected,
            reply,
        };
        let decided = async {
            self.requests
                .send(request)
                .await
                .map_err(|_| unknown("the log is closed"))?;
            outcome
                .await
                .map_err(|_| unknown("the log was closed meanwhile"))?
        };
        timeout(DEADLINE, decided)
            .await
            .map_err(|_| unknown("no answer within a second"))?
    }

    async fn last(&self, key: GameKey) -> Result<Option<LogEntry>, Unavailable> {
        entries::last(self.db.reads(), key)
            .await
            .map_err(cannot("read a game's last event"))
    }

    async fn last_of_each(&self, keys: &[GameKey]) -> Result<Vec<Option<LogEntry>>, Unavailable> {
        entries::last_of_each(self.db.reads(), keys)
            .await
            .map_err(cannot("read the games' last events"))
    }

    async fn read_game(&self, key: GameKey, after: Seq) -> Result<Vec<LogEntry>, Unavailable> {
        entries::of_game(self.db.reads(), key, after)
            .await
            .map_err(cannot("read a game's events"))
    }

    async fn find_ended(&self, id: GameId) -> Result<Option<LogEntry>, Unavailable> {
        entries::ended(self.db.reads(), id)
            .await
            .map_err(cannot("find how a game ended"))
    }

    async fn unfinished(&self) -> Result<Vec<GameKey>, Unavailable> {
        entries::unfinished(self.db.reads())
            .await
            .map_err(cannot("list the unfinished games"))
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    async fn takeovers(&self) -> Result<mpsc::Receiver<LogEntry>, Unavailable> {
        let (found, takeovers) = mpsc::channel(TAKEOVERS_WAITING);
        let watch = takeovers::Watch::new(
            Arc::clone(&self.db),
            self.tail.clone(),
            Arc::clone(&self.recent),
            found,
        );
        self.tasks.spawn(watch.run(self.tasks.stopping()));
        Ok(takeovers)
    }
}

fn unknown(why: &str) -> AppendError {
    AppendError::Unknown(why.to_owned())
}
