//! Cursors over what is committed. A cursor is a place and nothing else: it holds no connection between two reads.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{LogEntry, Unavailable};
use contract::Seq;
use projections::ports::{LogCursor, LogFilter, LogReader};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::entries;
use super::recent::Recent;
use crate::database::{Database, cannot};

/// Opens cursors.
#[derive(Debug)]
pub struct SqliteReader {
    db: Arc<Database>,
    tail: watch::Receiver<Seq>,
    recent: Arc<Recent>,
}

impl SqliteReader {
    pub(super) fn new(db: Arc<Database>, tail: watch::Receiver<Seq>, recent: Arc<Recent>) -> Self {
        Self { db, tail, recent }
    }
}

#[async_trait]
impl LogReader for SqliteReader {
    async fn open(&self, after: Seq, filter: LogFilter) -> Result<Box<dyn LogCursor>, Unavailable> {
        Ok(Box::new(Cursor {
            db: Arc::clone(&self.db),
            tail: self.tail.clone(),
            recent: Arc::clone(&self.recent),
            after,
            filter,
        }))
    }
}

struct Cursor {
    db: Arc<Database>,
    tail: watch::Receiver<Seq>,
    recent: Arc<Recent>,
    after: Seq,
    filter: LogFilter,
}

impl Cursor {
    /// What is committed and not yet returned.
    async fn committed(&mut self, max: usize) -> Result<Vec<LogEntry>, Unavailable> {
        let tail = *self.tail.borrow_and_update();
        if tail <= self.after || max == 0 {
            return Ok(Vec::new());
        }
        let passes = |entry: &LogEntry| self.filter == LogFilter::All || entry.name == "ended";
        let found = match self.recent.between(self.after, tail, max, passes) {
            Some(found) => found,
            None => entries::between(self.db.reads(), self.filter, self.after, tail, max)
                .await
                .map_err(cannot("read the log on"))?,
        };
        // Nothing up to the tail passed the filter: there is no need to look there again.
        self.after = found.last().map_or(tail, |entry| entry.seq);
        Ok(found)
    }
}

#[async_trait]
impl LogCursor for Cursor {
    async fn next(&mut self, max: usize, wait_ms: u64) -> Result<Vec<LogEntry>, Unavailable> {
        let deadline = Instant::now() + Duration::from_millis(wait_ms);
        loop {
            let found = self.committed(max).await?;
            if !found.is_empty() {
                return Ok(found);
            }
            match timeout_at(deadline, self.tail.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Err(Unavailable::new("sqlite", "the log is closed")),
                Err(_) => return Ok(Vec::new()),
            }
        }
    }

    fn passed(&self) -> Seq {
        self.after
    }
}
