//! [`LogFile`]: the log for those who only read it, from the file itself, whether or not a service has it open.
//!
//! Each read has a connection of its own, so that a file that was put in the place of another one is noticed, and no long
//! transaction keeps the service's log of changes from being folded in.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use commands::ports::{LogIdentity, LogInfo, Unavailable};
use contract::event::parse_time;
use contract::{Millis, Seq};
use futures::TryStreamExt;
use projections::ports::{LogPages, PAGE_BYTES, RawEntry, Wanted};
use serde::Deserialize;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Row, Sqlite, SqliteConnection};
use uuid::Uuid;

use crate::columns::{bytes, count};
use crate::database::cannot;
use crate::directory;

/// How long another process may hold the file.
const BUSY: Duration = Duration::from_secs(5);

/// So many messages before one are looked at too when a time is searched: games write theirs at the same time, and each
/// only nearly in turn.
const NEARLY: u64 = 1_000;

/// The log in a data directory, only read.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
}

/// Why there is no log to read.
#[derive(Debug, thiserror::Error)]
pub enum LogFileError {
    /// There is no file.
    #[error("there is no {}: no embedded service has kept its log here", .0.display())]
    Missing(PathBuf),
    /// There is one, and it cannot be read as a log.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: Unavailable,
    },
}

impl LogFile {
    /// The log in this directory.
    ///
    /// # Errors
    /// [`LogFileError`].
    pub async fn open(data_dir: &Path) -> Result<Self, LogFileError> {
        let path = directory::database_in(data_dir);
        if !path.exists() {
            return Err(LogFileError::Missing(path));
        }
        let file = Self { path };
        match file.info().await {
            Ok(_) => Ok(file),
            Err(why) => Err(LogFileError::Unreadable { path: file.path, why }),
        }
    }

    async fn read(&self) -> Result<SqliteConnection, Unavailable> {
        SqliteConnectOptions::new()
            .filename(&self.path)
            .read_only(true)
            .busy_timeout(BUSY)
            .connect()
            .await
            .map_err(cannot("open the file"))
    }
}

#[async_trait]
impl LogPages for LogFile {
    async fn info(&self) -> Result<LogInfo, Unavailable> {
        let mut file = self.read().await?;
        let info = info(&mut file).await.map_err(cannot("read what log it is"));
        close(file).await;
        info
    }

    async fn page(&self, from: Seq, wanted: &Wanted, max: usize) -> Result<Vec<RawEntry>, Unavailable> {
        let mut file = self.read().await?;
        let page = page(&mut file, from, wanted, max).await;
        close(file).await;
        page.map_err(cannot("read the log"))
    }

    /// By the times at which the events were written: messages have none of their own here, and follow at once.
    async fn at(&self, time: Millis) -> Result<Seq, Unavailable> {
        let mut file = self.read().await?;
        let found = at(&mut file, time).await;
        close(file).await;
        found.map_err(cannot("find a time in the log"))
    }

    /// Which file it is, as the system counts them: it may be another one at any time.
    fn connection(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |file| file.ino())
    }
}

/// What was read is read, whatever becomes of the connection.
async fn close(file: SqliteConnection) {
    let _ = file.close().await;
}

async fn info(file: &mut SqliteConnection) -> Result<LogInfo, sqlx::Error> {
    let row = sqlx::query(
        "SELECT (SELECT identity FROM log_identity) AS identity, (SELECT min(seq) FROM log) AS first,
                coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'log'), 0) AS last",
    )
    .fetch_one(file)
    .await?;
    let last = count(&row, "last")?;
    let first: Option<i64> = row.try_get("first")?;
    Ok(LogInfo {
        identity: LogIdentity(row.try_get("identity")?),
        first: first.map_or(last + 1, |first| first as Seq),
        last,
    })
}

async fn page(
    file: &mut SqliteConnection,
    from: Seq,
    wanted: &Wanted,
    max: usize,
) -> Result<Vec<RawEntry>, sqlx::Error> {
    let mut query = QueryBuilder::<Sqlite>::new("SELECT seq, kind, game, name, bytes FROM log WHERE seq >= ");
    query.push_bind(from as i64);
    if let Some(kind) = &wanted.kind {
        query.push(" AND kind = ").push_bind(kind.clone());
    }
    if let Some(game) = wanted.game {
        query.push(" AND game = ").push_bind(game.0);
    }
    if let Some(name) = &wanted.name {
        query.push(" AND name = ").push_bind(name.clone());
    }
    query.push(" ORDER BY seq LIMIT ").push_bind(max as i64);
    let mut rows = query.build().persistent(false).fetch(file);
    let (mut page, mut size) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        let entry = entry(&row)?;
        size += entry.bytes.len();
        page.push(entry);
        if size >= PAGE_BYTES {
            break;
        }
    }
    Ok(page)
}

fn entry(row: &SqliteRow) -> Result<RawEntry, sqlx::Error> {
    Ok(RawEntry {
        seq: count(row, "seq")?,
        kind: row.try_get("kind")?,
        game: row.try_get::<Uuid, _>("game")?.to_string(),
        name: row.try_get("name")?,
        bytes: bytes(row, "bytes")?,
    })
}

/// The first sequence from which on nothing is older; what cannot be read says nothing.
async fn at(file: &mut SqliteConnection, time: Millis) -> Result<Seq, sqlx::Error> {
    let log = info(file).await?;
    // Everything below `low` is older, as far as it is looked at; `high` and above is not.
    let (mut low, mut high) = (log.first, log.last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        match first_time(file, middle, high).await? {
            Some((seq, found)) if found < time => low = seq + 1,
            _ => high = middle,
        }
    }
    let nearly = page(
        file,
        low.saturating_sub(NEARLY),
        &Wanted::default(),
        NEARLY as usize,
    )
    .await?;
    let earlier = nearly
        .iter()
        .filter(|entry| entry.seq < low)
        .find(|entry| time_of(&entry.bytes).is_some_and(|found| found >= time));
    Ok(earlier.map_or(low, |entry| entry.seq))
}

/// The first event at or above `from` and below `to` that says when it was.
async fn first_time(
    file: &mut SqliteConnection,
    from: Seq,
    to: Seq,
) -> Result<Option<(Seq, Millis)>, sqlx::Error> {
    let mut from = from;
    while from < to {
        let next = page(file, from, &Wanted::default(), 1).await?;
        let Some(entry) = next.first().filter(|entry| entry.seq < to) else {
            return Ok(None);
        };
        if let Some(time) = time_of(&entry.bytes) {
            return Ok(Some((entry.seq, time)));
        }
        from = entry.seq + 1;
    }
    Ok(None)
}

fn time_of(bytes: &Bytes) -> Option<Millis> {
    #[derive(Deserialize)]
    struct Head {
        time: String,
    }
    parse_time(&serde_json::from_slice::<Head>(bytes).ok()?.time)
}
