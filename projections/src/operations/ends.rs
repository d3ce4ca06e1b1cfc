//! The ends of games in the log, read in order.

use commands::ports::LogEntry;
use contract::Seq;

use super::{OperationParts, Stopped};
use crate::ports::{LogCursor, LogFilter};

/// So many messages are read at once.
const BATCH: usize = 200;

/// How long a read waits for a first message.
const WAIT_MS: u64 = 1_000;

/// A reader of all messages that says nothing for so many waits, before the log's end, is not believed.
const SILENCES: usize = 10;

/// Reads them. That a filtered reader says nothing does not prove that there is nothing, so that what is behind the last
/// end is read whole: other messages come too.
pub(super) struct Ends<'a> {
    parts: &'a OperationParts,
    reached: Seq,
    filter: LogFilter,
    cursor: Option<Box<dyn LogCursor>>,
    silences: usize,
}

impl<'a> Ends<'a> {
    /// Those above `reached`.
    pub(super) fn after(parts: &'a OperationParts, reached: Seq) -> Self {
        Self {
            parts,
            reached,
            filter: LogFilter::Ended,
            cursor: None,
            silences: 0,
        }
    }

    /// How far everything has been read.
    pub(super) fn reached(&self) -> Seq {
        self.reached
    }

    /// Further messages; none if all up to `end` have been read.
    pub(super) async fn next(&mut self, end: Seq) -> Result<Option<Vec<LogEntry>>, Stopped> {
        while self.reached < end {
            let entries = self.read().await?;
            if let Some(last) = entries.last() {
                self.reached = last.seq;
                self.silences = 0;
                return Ok(Some(entries));
            }
            self.heard_nothing(end).await?;
        }
        // It would not live through a long pause.
        self.cursor = None;
        Ok(None)
    }

    async fn read(&mut self) -> Result<Vec<LogEntry>, Stopped> {
        let cursor = match &mut self.cursor {
            Some(cursor) => cursor,
            none => none.insert(self.parts.reader.open(self.reached, self.filter).await?),
        };
        Ok(cursor.next(BATCH, WAIT_MS).await?)
    }

    async fn heard_nothing(&mut self, end: Seq) -> Result<(), Stopped> {
        if self.filter == LogFilter::Ended {
            (self.filter, self.cursor) = (LogFilter::All, None);
            return Ok(());
        }
        self.silences += 1;
        if self.silences <= SILENCES {
            return Ok(());
        }
        // The end itself may be a message that was erased; whatever is before it has been read.
        if self.parts.log.info().await?.last <= end {
            self.reached = end;
            return Ok(());
        }
        let why = format!("the log's reader is silent at {} of {end}", self.reached);
        Err(Stopped::Unavailable(why))
    }
}
