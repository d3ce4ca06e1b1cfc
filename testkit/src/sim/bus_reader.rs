//! Readers at the end of a process's line.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{LogEntry, Unavailable};
use contract::Seq;
use projections::ports::{LogCursor, LogFilter, LogReader};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::bus::Line;

/// A reader is given up to so many messages at once, however many it asks for, so that batches end anywhere.
const AT_ONCE: u64 = 12;

struct LineReader(Arc<Line>);

impl Line {
    /// Its reader.
    pub fn reader(self: &Arc<Self>) -> Arc<dyn LogReader> {
        Arc::new(LineReader(Arc::clone(self)))
    }
}

#[async_trait]
impl LogReader for LineReader {
    async fn open(&self, after: Seq, filter: LogFilter) -> Result<Box<dyn LogCursor>, Unavailable> {
        let line = Arc::clone(&self.0);
        let reader = line.bus.reader();
        let cursor = line
            .ask(
                "open",
                after.into(),
                async move { reader.open(after, filter).await },
            )
            .await?;
        Ok(Box::new(LineCursor {
            start: line.bus.starts.load(Ordering::Relaxed),
            tail: line.bus.tail.subscribe(),
            cursor: Some(cursor),
            place: after,
            looked_to: after,
            again: Vec::new(),
            line,
        }))
    }
}

struct LineCursor {
    line: Arc<Line>,
    /// Of which start of the server it is.
    start: u64,
    tail: watch::Receiver<Seq>,
    /// `None` only while it is used.
    cursor: Option<Box<dyn LogCursor>>,
    /// The last sequence that it returned.
    place: Seq,
    /// Up to where it has looked and found nothing more.
    looked_to: Seq,
    /// What comes once more.
    again: Vec<LogEntry>,
}

impl LineCursor {
    /// What is there and was not returned yet.
    fn found(&mut self, max: usize) -> Result<Vec<LogEntry>, Unavailable> {
        if !self.again.is_empty() {
            return Ok(std::mem::take(&mut self.again));
        }
        let bus = &self.line.bus;
        let end = bus.end();
        if self.looked_to >= end {
            return Ok(Vec::new());
        }
        let most = bus.chance.below((self.line.number, "most", self.place), AT_ONCE);
        let max = max.min(1 + most as usize);
        let mut cursor = self.cursor.take().expect("it is put back below");
        let (cursor, found) = bus.call(async move {
            let found = cursor.next(max, 0).await;
            (cursor, found)
        });
        self.cursor = Some(cursor);
        let mut found = found?;
        self.place = found.last().map_or(self.place, |last| last.seq);
        if found.len() < max {
            self.looked_to = end;
        }
        let of_one_game = found.windows(2).position(|pair| pair[0].key == pair[1].key);
        if let Some(first) = of_one_game
            && self.line.swapped.swap(false, Ordering::Relaxed)
        {
            found.swap(first, first + 1);
        }
        if !found.is_empty() && self.line.again.swap(false, Ordering::Relaxed) {
            self.again.clone_from(&found);
        }
        Ok(found)
    }

    /// Whether the server is not the one it was opened on.
    fn is_of_earlier_start(&self) -> bool {
        self.start != self.line.bus.starts.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl LogCursor for LineCursor {
    async fn next(&mut self, max: usize, wait_ms: u64) -> Result<Vec<LogEntry>, Unavailable> {
        let deadline = Instant::now() + Duration::from_millis(wait_ms);
        loop {
            self.line.life.pass().await;
            if !self.line.is_up() {
                return Err(Unavailable::new("log", "it is not connected"));
            }
            if self.is_of_earlier_start() {
                if !self.line.bus.silent_readers.load(Ordering::Relaxed) {
                    return Err(Unavailable::new("log", "the reader is gone"));
                }
                tokio::time::sleep_until(deadline).await;
                self.line.life.pass().await;
                return Ok(Vec::new());
            }
            self.tail.borrow_and_update();
            let found = self.found(max)?;
            if !found.is_empty() {
                self.line.come("next", self.place.into()).await?;
                return Ok(found);
            }
            let changed = timeout_at(deadline, self.tail.changed()).await;
            if changed.is_err() {
                self.line.life.pass().await;
                return Ok(Vec::new());
            }
        }
    }
}
