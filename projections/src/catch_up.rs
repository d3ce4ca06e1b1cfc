//! The loop that every projector runs on: take the token, judge the checkpoint, read on from it, write, and begin
//! again whenever anything is in doubt.
//!
//! **Belongs here:** when to read, to renew, to re-open the reader, to wait and to start over. **Does not:** what an
//! event does to a store: that is a [`Projection`].
//!
//! There is one way out of every trouble: the session ends, and the next one reads the checkpoint from the store
//! again. A batch whose write failed is thus read and written again; one whose write did happen, though nobody said
//! so, is not; and a store that came back empty or older is noticed.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{Clock, EventLog, Link, LogEntry, LogInfo, Monotonic, Unavailable};
use contract::event::Placement;
use contract::{Envelope, Millis, Seq};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::ports::{Checkpoint, LogCursor, LogFilter, LogReader, Written};

pub mod judge;
mod pace;
pub mod status;

pub use judge::{Doubt, Verdict};
pub use status::{Counts, Progress, ProjectorState, ProjectorStatus};

use pace::{Stall, backoff_ms};

/// How many messages are read and written at once.
pub const BATCH: usize = 500;

/// After a batch that was not full, so long the next one gathers: what happens to a game meanwhile becomes one snapshot, and
/// all of it one transaction. A store that is this much behind costs a restore nothing that could be noticed.
const GATHER: Duration = Duration::from_millis(50);

/// How long a read waits for a first message. Each silence of this length is used to look around.
const WAIT_MS: u64 = 1_000;

/// A busy projector looks around this often: renews its lease (of ten seconds), asks for the log's end.
const LOOK_EVERY_MS: i64 = 2_000;

/// How long to wait while another process runs this projector.
const HELD_ELSEWHERE_MS: u64 = 1_000;

/// Messages that belong together, with the checkpoint that they lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The messages, in order; never none.
    pub entries: Vec<LogEntry>,
    /// The checkpoint after the last of them.
    pub to: Checkpoint,
}

/// Where a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// What the store says.
    pub stored: Option<Checkpoint>,
    /// What to think of it.
    pub verdict: Verdict,
    /// The log, as it was before the checkpoint was judged.
    pub log: LogInfo,
}

impl Start {
    /// How many messages the store is behind, as far as its checkpoint can be believed.
    pub fn lag(&self) -> u64 {
        let from = match self.verdict {
            Verdict::Valid | Verdict::Gap => self.stored.as_ref().map_or(0, |stored| stored.seq),
            Verdict::Doubtful(_) => 0,
        };
        self.log.last.saturating_sub(from)
    }
}

/// A fold of the log into a store.
#[async_trait]
pub trait Projection: Send + Sync {
    /// Takes or renews the right to write.
    async fn acquire(&mut self) -> Result<bool, Unavailable>;

    /// Gives it back.
    async fn release(&mut self) -> Result<(), Unavailable>;

    /// The checkpoint that the store holds.
    async fn checkpoint(&mut self) -> Result<Option<Checkpoint>, Unavailable>;

    /// Makes ready: forgets what was in memory, repairs the store if the checkpoint is in doubt. The sequence to read
    /// on from, or `None` if the right to write was lost meanwhile.
    async fn begin(&mut self, start: &Start) -> Result<Option<Seq>, Unavailable>;

    /// Which messages to read, `lag` messages behind the log's end. A filtered reader's silence proves nothing, so
    /// the loop goes over to all messages then.
    fn filter(&self, lag: u64) -> LogFilter;

    /// Writes a batch with its checkpoint.
    async fn apply(&mut self, batch: &Batch) -> Result<Written, Unavailable>;

    /// Whether the store's checkpoint is where this session has left it: a store that was put back behind everybody's
    /// back is noticed without a write.
    async fn is_as_left(&mut self) -> Result<bool, Unavailable> {
        Ok(true)
    }

    /// There is nothing to read just now.
    async fn idle(&mut self) -> Result<Written, Unavailable>;

    /// Another process runs this projector; it has come this far in its store.
    async fn held_elsewhere(&mut self, _log: &LogInfo) -> Result<(), Unavailable> {
        Ok(())
    }
}

/// The loop.
pub struct CatchUp<P> {
    /// The projection that it runs.
    pub projection: P,
    /// The log's ends and its link.
    pub log: Arc<dyn EventLog>,
    /// The log's messages.
    pub reader: Arc<dyn LogReader>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where the figures go.
    pub progress: Arc<Progress>,
}

/// Why a session ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Another process has the token.
    HeldElsewhere,
    /// The checkpoint must be judged again: the link was new, the log is shorter or another, a write was refused.
    StartOver,
}

/// Why the reader's messages are not followed any longer.
enum Left {
    /// It fell silent, or all messages are wanted from now on.
    Reopen(LogFilter),
    /// The session ends.
    End(End),
}

impl<P: Projection> CatchUp<P> {
    /// Runs until cancelled, through every outage. A write that is under way when it is cancelled happens whole or not
    /// at all, with its checkpoint.
    pub async fn run(mut self, cancel: CancellationToken) {
        let mut failures = 0;
        while !cancel.is_cancelled() {
            tokio::select! {
                biased;
                () = cancel.cancelled() => break,
                () = self.round(&mut failures) => {}
            }
        }
        if let Err(error) = self.projection.release().await {
            tracing::debug!(projector = self.progress.name(), %error, "the token was not given back; it lapses");
        }
        self.progress.is_now(ProjectorState::Stopped);
    }

    /// One session and the wait after it.
    async fn round(&mut self, failures: &mut u32) {
        match self.session(failures).await {
            Ok(End::StartOver) => {
                // Once is ordinary; again and again without a write in between is not, and must not spin.
                if *failures > 0 {
                    self.pause(backoff_ms(*failures)).await;
                }
                *failures += 1;
            }
            Ok(End::HeldElsewhere) => {
                *failures = 0;
                self.progress.is_now(ProjectorState::HeldElsewhere);
                self.clock.sleep(HELD_ELSEWHERE_MS).await;
            }
            Err(error) => {
                if *failures == 0 {
                    tracing::warn!(projector = self.progress.name(), %error, "the projector waits");
                }
                self.progress.is_now(ProjectorState::Waiting(error.to_string()));
                self.pause(backoff_ms(*failures)).await;
                *failures += 1;
            }
        }
    }

    /// Waits for `ms`, or until the log is connected anew.
    async fn pause(&self, ms: u64) {
        let mut link = self.log.link();
        let before = *link.borrow_and_update();
        tokio::select! {
            biased;
            () = self.clock.sleep(ms) => {}
            () = connected_anew(&mut link, before) => {}
        }
    }

    async fn session(&mut self, failures: &mut u32) -> Result<End, Unavailable> {
        if !self.projection.acquire().await? {
            let info = self.log.info().await?;
            self.projection.held_elsewhere(&info).await?;
            return Ok(End::HeldElsewhere);
        }
        let link = self.log.link();
        let connection = *link.borrow();
        let start = self.look_at_checkpoint().await?;
        let Some(after) = self.projection.begin(&start).await? else {
            return Ok(End::StartOver);
        };
        let mut session = Session {
            connection,
            link,
            log: start.log.clone(),
            position: after,
            looked: self.clock.monotonic(),
            stall: Stall::default(),
        };
        self.progress.reached(after, session.log.last);
        self.progress.is_now(ProjectorState::Running);
        let mut filter = self.projection.filter(session.log.last.saturating_sub(after));
        loop {
            let mut cursor = self.reader.open(session.position, filter).await?;
            match self
                .follow(&mut session, cursor.as_mut(), filter, failures)
                .await?
            {
                Left::Reopen(next) => filter = next,
                Left::End(end) => return Ok(end),
            }
        }
    }

    /// Reads the checkpoint, the log's ends, and the message that the checkpoint names.
    async fn look_at_checkpoint(&mut self) -> Result<Start, Unavailable> {
        let log = self.log.info().await?;
        let stored = self.projection.checkpoint().await?;
        let verdict = match &stored {
            Some(checkpoint) if judge::must_be_looked_up(checkpoint, &log) => {
                judge::against(checkpoint, self.message_at(checkpoint.seq).await?.as_ref())
            }
            other => judge::at_sight(other.as_ref(), &log),
        };
        if let Verdict::Doubtful(doubt) = verdict {
            let projector = self.progress.name();
            if doubt == judge::Doubt::Absent {
                self.progress.count(|counts| counts.empty += 1);
                tracing::info!(projector, "the store has no checkpoint yet");
            } else {
                self.progress.count(|counts| counts.doubts += 1);
                tracing::warn!(projector, ?doubt, ?stored, "the checkpoint is not the log's");
            }
        }
        Ok(Start { stored, verdict, log })
    }

    /// The message at `seq`, if there is one.
    async fn message_at(&self, seq: Seq) -> Result<Option<LogEntry>, Unavailable> {
        message_at(self.reader.as_ref(), seq).await
    }

    /// Reads and writes until the reader must be opened anew or the session ends.
    async fn follow(
        &mut self,
        session: &mut Session,
        cursor: &mut dyn LogCursor,
        filter: LogFilter,
        failures: &mut u32,
    ) -> Result<Left, Unavailable> {
        loop {
            let entries = cursor.next(BATCH, WAIT_MS).await?;
            let silent = entries.is_empty();
            let few = !silent && entries.len() < BATCH;
            let written = match batch(entries, session) {
                Some(batch) => self.projection.apply(&batch).await?,
                None => self.projection.idle().await?,
            };
            match written {
                Written::Done => *failures = 0,
                // Starting over finds out whether another process has the token, or readers went over to a store that
                // this session does not write.
                Written::LostToken | Written::MovedCheckpoint => return Ok(Left::End(End::StartOver)),
            }
            if session.is_on_another_connection() {
                return Ok(Left::End(End::StartOver));
            }
            if silent || self.clock.monotonic().since(session.looked) >= LOOK_EVERY_MS {
                if let Some(end) = self.look_around(session).await? {
                    return Ok(Left::End(end));
                }
                let passed = session.position.max(cursor.passed());
                if session
                    .stall
                    .is_stalled(self.clock.monotonic(), passed, session.log.last)
                {
                    self.progress.count(|counts| counts.reopened += 1);
                    tracing::warn!(
                        projector = self.progress.name(),
                        at = session.position,
                        "the reader fell silent"
                    );
                    return Ok(Left::Reopen(filter));
                }
            }
            if silent && filter != LogFilter::All {
                return Ok(Left::Reopen(LogFilter::All));
            }
            if few {
                tokio::time::sleep(GATHER).await;
            }
        }
    }

    /// Renews the token and asks for the log's end. Ends the session if the log is not the one that was read.
    async fn look_around(&mut self, session: &mut Session) -> Result<Option<End>, Unavailable> {
        session.looked = self.clock.monotonic();
        if !self.projection.acquire().await? {
            return Ok(Some(End::HeldElsewhere));
        }
        if !self.projection.is_as_left().await? {
            return Ok(Some(End::StartOver));
        }
        let info = self.log.info().await?;
        if info.identity != session.log.identity || info.last < session.position {
            return Ok(Some(End::StartOver));
        }
        self.progress.end_is(info.last);
        session.log = info;
        Ok(None)
    }
}

/// What one session knows.
struct Session {
    link: watch::Receiver<Link>,
    connection: Link,
    log: LogInfo,
    /// The last sequence that was read (and given to the projection).
    position: Seq,
    looked: Monotonic,
    stall: Stall,
}

impl Session {
    fn is_on_another_connection(&self) -> bool {
        let now = *self.link.borrow();
        now.is_up() && now != self.connection
    }
}

fn batch(entries: Vec<LogEntry>, session: &mut Session) -> Option<Batch> {
    let to = checkpoint_after(entries.last()?, &session.log);
    session.position = to.seq;
    Some(Batch { entries, to })
}

/// The checkpoint of a store that has the effect of everything up to `entry`.
pub(crate) fn checkpoint_after(entry: &LogEntry, log: &LogInfo) -> Checkpoint {
    // A message that is no event has no id; the checkpoint then remembers just that.
    let event_id = Placement::from_bytes(&entry.bytes)
        .ok()
        .map(|placement| placement.id);
    Checkpoint {
        seq: entry.seq,
        event_id,
        log: log.identity.clone(),
    }
}

/// The message at `seq`, if there is one of a known kind: `seq` must not be above the log's end.
pub(crate) async fn message_at(reader: &dyn LogReader, seq: Seq) -> Result<Option<LogEntry>, Unavailable> {
    let mut cursor = reader.open(seq - 1, LogFilter::All).await?;
    match cursor.next(1, WAIT_MS).await?.pop() {
        Some(entry) => Ok((entry.seq == seq).then_some(entry)),
        // It is of a kind that only newer code knows.
        None if cursor.passed() >= seq => Ok(None),
        // Something is there at or after `seq`, since the log's end is: the reader is silent.
        None => Err(Unavailable::new(
            "log",
            format!("the message at {seq} did not come"),
        )),
    }
}

/// When the first event after `seq` was committed; `None` if there is none, or it cannot be read.
///
/// # Errors
/// The log is away.
pub async fn first_time_after(reader: &dyn LogReader, seq: Seq) -> Result<Option<Millis>, Unavailable> {
    let mut cursor = reader.open(seq, LogFilter::All).await?;
    let first = cursor.next(1, WAIT_MS).await?.pop();
    Ok(first
        .and_then(|entry| Envelope::from_bytes(&entry.bytes).ok())
        .map(|envelope| envelope.time))
}

/// Returns once the link is up by another connection than `before`; never, if its sender is gone.
async fn connected_anew(link: &mut watch::Receiver<Link>, before: Link) {
    if link.wait_for(|now| now.is_up() && *now != before).await.is_err() {
        std::future::pending::<()>().await;
    }
}
