//! Watching for `started`, `resumed` and `anchored`, from now on.

use std::sync::Arc;

use commands::ports::LogEntry;
use contract::Seq;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::entries;
use super::recent::Recent;
use crate::database::Database;

/// How many are read at once.
const BATCH: usize = 256;

/// The watch of one receiver. It reads what is committed rather than being told, so that a slow receiver delays nobody
/// and misses nothing.
#[derive(Debug)]
pub(super) struct Watch {
    db: Arc<Database>,
    tail: watch::Receiver<Seq>,
    recent: Arc<Recent>,
    after: Seq,
    found: mpsc::Sender<LogEntry>,
}

impl Watch {
    /// From the log's present end on.
    pub(super) fn new(
        db: Arc<Database>,
        mut tail: watch::Receiver<Seq>,
        recent: Arc<Recent>,
        found: mpsc::Sender<LogEntry>,
    ) -> Self {
        let after = *tail.borrow_and_update();
        Self {
            db,
            tail,
            recent,
            after,
            found,
        }
    }

    /// Watches until the receiver or the log is gone, or until `stopping`.
    pub(super) async fn run(mut self, stopping: CancellationToken) {
        let found = self.found.clone();
        tokio::select! {
            () = self.follow() => {}
            () = found.closed() => {}
            () = stopping.cancelled() => {}
        }
    }

    async fn takeovers(&self, to: Seq) -> Result<Vec<LogEntry>, sqlx::Error> {
        let wanted = |entry: &LogEntry| matches!(entry.name.as_str(), "started" | "resumed" | "anchored");
        match self.recent.between(self.after, to, BATCH, wanted) {
            Some(found) => Ok(found),
            None => entries::takeovers_between(self.db.reads(), self.after, to, BATCH).await,
        }
    }

    async fn follow(&mut self) {
        while self.tail.changed().await.is_ok() {
            let tail = *self.tail.borrow_and_update();
            while self.after < tail {
                match self.takeovers(tail).await {
                    Ok(entries) => {
                        self.after = if entries.len() < BATCH {
                            tail
                        } else {
                            entries[BATCH - 1].seq
                        };
                        for entry in entries {
                            if self.found.send(entry).await.is_err() {
                                return;
                            }
                        }
                    }
                    Err(error) => {
                        tracing::error!(%error, "cannot read takeovers; looking again with the next event");
                        break;
                    }
                }
            }
        }
    }
}
