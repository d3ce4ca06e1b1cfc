//! A place in the log that is read on from, over outages, without a gap and without a repeat.

use std::sync::Arc;
use std::time::Duration;

use commands::ports::{LogIdentity, LogInfo, Unavailable};
use contract::Seq;
use projections::ports::{LogPages, RawEntry, Wanted};

/// Messages of one page.
const PAGE: usize = 500;

/// Between two looks for what is new.
const LOOK: Duration = Duration::from_millis(250);

/// After a failure.
const AGAIN: Duration = Duration::from_secs(1);

/// The log is not the one that was read so far: where to go on nobody can say.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Gone {
    /// It was made anew, or is another one.
    #[error("this is another log than the one that was read so far: begin again with --from")]
    AnotherLog,
    /// It ends before what was read, or has something else there.
    #[error(
        "the log has lost its newest events since they were read, up to sequence {read}: begin again with --from"
    )]
    LostTail {
        /// What was read last.
        read: Seq,
    },
}

/// A place in the log.
pub(super) struct Reading {
    log: Arc<dyn LogPages>,
    wanted: Wanted,
    identity: LogIdentity,
    /// The next sequence to be read.
    next: Seq,
    /// What was read last.
    last: Option<RawEntry>,
    /// By which connection; another one may lead to another log.
    connection: u64,
    /// Whether a read failed since the log was last looked at.
    in_doubt: bool,
}

impl Reading {
    pub(super) fn of(log: Arc<dyn LogPages>, info: &LogInfo, wanted: Wanted, from: Seq) -> Self {
        Self {
            connection: log.connection(),
            log,
            wanted,
            identity: info.identity.clone(),
            next: from,
            last: None,
            in_doubt: false,
        }
    }

    /// The next messages, as soon as there are some. It waits as long as the log is away, and says so to `away`, each time
    /// for another reason.
    ///
    /// # Errors
    /// [`Gone`].
    pub(super) async fn more(&mut self, mut away: impl FnMut(&Unavailable)) -> Result<Vec<RawEntry>, Gone> {
        let mut told = String::new();
        loop {
            match self.page().await {
                Ok(page) if !page.is_empty() => return Ok(page),
                Ok(_) => {
                    told.clear();
                    tokio::time::sleep(LOOK).await;
                }
                Err(Failed::Gone(gone)) => return Err(gone),
                Err(Failed::Away(error)) => {
                    if told != error.why {
                        away(&error);
                        told.clone_from(&error.why);
                    }
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// The next messages; none if there are none now.
    ///
    /// # Errors
    /// [`Failed`]; it may be tried again after [`Failed::Away`].
    pub(super) async fn page(&mut self) -> Result<Vec<RawEntry>, Failed> {
        loop {
            let connection = self.log.connection();
            if self.in_doubt || connection != self.connection {
                self.in_doubt = true;
                self.look_over().await?;
                self.in_doubt = false;
                self.connection = connection;
            }
            let page = self.log.page(self.next, &self.wanted, PAGE).await;
            let page = page.inspect_err(|_| self.in_doubt = true)?;
            // What came by another connection than the one that was looked over may be of another log.
            if self.log.connection() != connection {
                continue;
            }
            if let Some(last) = page.last() {
                self.next = last.seq + 1;
                self.last = Some(last.clone());
            }
            return Ok(page);
        }
    }

    /// Whether the log still is the one that was read.
    async fn look_over(&self) -> Result<(), Failed> {
        let info = self.log.info().await?;
        if info.identity != self.identity {
            return Err(Failed::Gone(Gone::AnotherLog));
        }
        let Some(last) = &self.last else { return Ok(()) };
        let lost = Failed::Gone(Gone::LostTail { read: last.seq });
        if info.last < last.seq {
            return Err(lost);
        }
        let there = self.log.page(last.seq, &self.wanted, 1).await?;
        // One that was deleted since (of a person who is forgotten, or of an age) is not there, and no contradiction.
        match there.first() {
            Some(entry) if entry.seq == last.seq && entry.bytes != last.bytes => Err(lost),
            _ => Ok(()),
        }
    }
}

/// A read that failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    /// The log is away.
    #[error(transparent)]
    Away(#[from] Unavailable),
    /// It is not the same log any more.
    #[error(transparent)]
    Gone(#[from] Gone),
}

#[cfg(test)]
mod tests;
