//! The server of the log, and the line of each process to it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use commands::ports::{
    AppendError, EventLog, Heartbeat, Link, LogEntry, LogIdentity, LogInfo, Outgoing, Unavailable,
};
use contract::Seq;
use projections::ports::{DeadLetters, LogReader, Watched};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use super::bus_words::Ears;
use super::{Chance, Life, Outside, Time};

/// The longest that a message takes, in milliseconds.
const TRAVEL_MS: u64 = 3;

/// As long as nobody answers: the deadline of every call.
pub(super) const DEADLINE: Duration = Duration::from_secs(1);

/// What becomes of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is decided on and answered.
    Answered,
    /// It never arrives, and no answer comes.
    Lost,
    /// It is decided on, and the answer is lost.
    AnswerLost,
    /// No answer comes; it arrives that many milliseconds later.
    Late(u64),
    /// The process dies before it is sent.
    DiesBefore,
    /// The process dies when it was decided on, before the answer.
    DiesAfter,
    /// The process dies; it arrives that many milliseconds later.
    DiesAndLate(u64),
}

/// A call by a process: what chance decides for.
pub(super) type Call = (usize, &'static str, u128);

/// The log as the adapters serve it.
pub(super) struct Served {
    pub(super) log: Arc<dyn EventLog>,
    pub(super) reader: Arc<dyn LogReader>,
}

/// The server of the log.
pub struct Bus {
    pub(super) outside: Arc<Outside>,
    pub(super) time: Arc<Time>,
    pub(super) chance: Chance,
    pub(super) identity: LogIdentity,
    served: Mutex<Served>,
    pub(super) dead_letters: Arc<dyn DeadLetters>,
    /// Whether it is there.
    up: AtomicBool,
    /// How often it started: readers of an earlier start are gone.
    pub(super) starts: AtomicU64,
    /// Whether readers of an earlier start say nothing in place of an error.
    pub(super) silent_readers: AtomicBool,
    pub(super) tail: watch::Sender<Seq>,
    /// What the log says of itself, as long as nothing is written.
    info: Mutex<Option<LogInfo>>,
    /// Every `started`, `resumed` and `anchored` so far.
    pub(super) takeovers: watch::Sender<Vec<LogEntry>>,
    pub(super) lines: Mutex<Vec<Arc<Line>>>,
    pub(super) tasks: TaskTracker,
}

impl Bus {
    /// One that serves the empty log of these adapters.
    ///
    /// # Panics
    /// If the log does not say which one it is.
    pub fn new(
        outside: Arc<Outside>,
        time: Arc<Time>,
        chance: Chance,
        log: Arc<dyn EventLog>,
        reader: Arc<dyn LogReader>,
        dead_letters: Arc<dyn DeadLetters>,
    ) -> Arc<Self> {
        let asked = Arc::clone(&log);
        let info = outside.call(async move { asked.info().await });
        Arc::new(Self {
            identity: info.expect("an embedded log answers").identity,
            outside,
            time,
            chance,
            served: Mutex::new(Served { log, reader }),
            dead_letters,
            up: AtomicBool::new(true),
            starts: AtomicU64::new(0),
            silent_readers: AtomicBool::new(false),
            tail: watch::Sender::new(0),
            info: Mutex::default(),
            takeovers: watch::Sender::default(),
            lines: Mutex::default(),
            tasks: TaskTracker::new(),
        })
    }

    /// A process's line to it.
    pub fn line(self: &Arc<Self>, life: Life) -> Arc<Line> {
        let mut lines = lock(&self.lines);
        let line = Arc::new(Line {
            number: lines.len(),
            bus: Arc::clone(self),
            life,
            reachable: AtomicBool::new(true),
            link: watch::Sender::new(Link::Down),
            fates: Mutex::default(),
            again: AtomicBool::new(false),
            swapped: AtomicBool::new(false),
            heartbeats: Ears::default(),
            counts: Ears::default(),
        });
        lines.push(Arc::clone(&line));
        drop(lines);
        line.look();
        line
    }

    /// The server ends.
    pub fn go_away(&self) {
        self.up.store(false, Ordering::Relaxed);
        self.look_at_lines();
    }

    /// The server starts. With `silent_readers` those who read before hear nothing more and are not told so.
    pub fn come_back(&self, silent_readers: bool) {
        self.silent_readers.store(silent_readers, Ordering::Relaxed);
        self.starts.fetch_add(1, Ordering::Relaxed);
        self.up.store(true, Ordering::Relaxed);
        self.look_at_lines();
    }

    fn look_at_lines(&self) {
        for line in lock(&self.lines).iter() {
            line.look();
        }
    }

    /// Serves another log from now on, under the same identity: the same one at an earlier time.
    pub fn serve(&self, log: Arc<dyn EventLog>, reader: Arc<dyn LogReader>, tail: Seq) {
        *lock(&self.served) = Served { log, reader };
        self.now_ends_at(tail);
    }

    fn now_ends_at(&self, tail: Seq) {
        *lock(&self.info) = None;
        self.tail.send_replace(tail);
    }

    /// The log itself, past all faults.
    pub fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&lock(&self.served).log)
    }

    /// Its reader, past all faults.
    pub fn reader(&self) -> Arc<dyn LogReader> {
        Arc::clone(&lock(&self.served).reader)
    }

    /// The dead letters, past all faults.
    pub fn dead_letters(&self) -> Arc<dyn DeadLetters> {
        Arc::clone(&self.dead_letters)
    }

    /// The log's end.
    pub fn end(&self) -> Seq {
        *self.tail.borrow()
    }

    /// A call to the adapters.
    pub(super) fn call<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        self.time.show();
        self.outside.call(work)
    }

    /// What the log says of itself.
    pub(super) fn info(&self) -> Result<LogInfo, Unavailable> {
        let mut known = lock(&self.info);
        if let Some(info) = &*known {
            return Ok(info.clone());
        }
        let log = self.log();
        let info = self.call(async move { log.info().await })?;
        let identity = self.identity.clone();
        Ok(known.insert(LogInfo { identity, ..info }).clone())
    }

    /// Decides on an append.
    pub(super) fn append(&self, message: Outgoing, expected: Seq) -> Result<Seq, AppendError> {
        if !self.up.load(Ordering::Relaxed) {
            return Err(AppendError::Unknown("the server is not there".to_owned()));
        }
        let log = self.log();
        let sent = message.clone();
        let seq = self.call(async move { log.append(&sent, expected).await })?;
        self.now_ends_at(seq);
        if matches!(message.name, "started" | "resumed" | "anchored") {
            let entry = LogEntry {
                seq,
                key: message.key,
                name: message.name.to_owned(),
                bytes: message.bytes,
            };
            self.takeovers.send_modify(|all| all.push(entry));
        }
        Ok(seq)
    }

    /// As long as a message is under way.
    pub(super) async fn travel(&self, call: Call) {
        let ms = self.chance.below(call, TRAVEL_MS + 1);
        if ms > 0 {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
    }

    /// Has an append arrive later, whatever becomes of who sent it; but not if the server starts again before that. What is
    /// under way is in a connection's buffers, and a connection does not outlive its server. What a client has kept in its own
    /// buffer it sends as soon as it is connected again, before whatever it asks then: such a message meets a log that nobody has
    /// seen yet, and is refused by its expectation if the log fell back.
    pub(super) fn append_later(self: &Arc<Self>, message: Outgoing, expected: Seq, ms: u64) {
        let bus = Arc::clone(self);
        let start = self.starts.load(Ordering::Relaxed);
        self.tasks.spawn(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            if bus.starts.load(Ordering::Relaxed) != start {
                return;
            }
            // Nobody waits for the answer.
            let _ = bus.append(message, expected);
        });
    }
}

/// The line of one process: its [`EventLog`] and [`LogReader`], and itself its [`Heartbeats`](commands::ports::Heartbeats),
/// [`SpectatorCounts`](projections::ports::SpectatorCounts) and [`DeadLetters`].
pub struct Line {
    /// Which of the bus's lines it is.
    pub(super) number: usize,
    pub(super) bus: Arc<Bus>,
    pub(super) life: Life,
    reachable: AtomicBool,
    pub(super) link: watch::Sender<Link>,
    fates: Mutex<VecDeque<Fate>>,
    /// The next batch of a reader comes twice.
    pub(super) again: AtomicBool,
    /// Two messages of one game come in the wrong order, to the next reader that gets two at once.
    pub(super) swapped: AtomicBool,
    pub(super) heartbeats: Ears<Heartbeat>,
    pub(super) counts: Ears<Watched>,
}

impl Line {
    /// Cuts this process off, and no other.
    pub fn cut(&self) {
        self.reachable.store(false, Ordering::Relaxed);
        self.look();
    }

    /// Ends that.
    pub fn mend(&self) {
        self.reachable.store(true, Ordering::Relaxed);
        self.look();
    }

    /// What becomes of an append to come, behind those that were said before.
    pub fn next_fate(&self, fate: Fate) {
        lock(&self.fates).push_back(fate);
    }

    /// The next batch that a reader gets comes twice.
    pub fn deliver_again(&self) {
        self.again.store(true, Ordering::Relaxed);
    }

    /// The next two messages of one game that a reader gets at once come in the wrong order. No log does that ("in order,
    /// without a hole"), and a reader that meets it must come to the same in the end: whatever made the hole, it is healed.
    pub fn swap(&self) {
        self.swapped.store(true, Ordering::Relaxed);
    }

    /// Forgets what was said of appends and readers to come.
    pub fn behave(&self) {
        lock(&self.fates).clear();
        self.again.store(false, Ordering::Relaxed);
        self.swapped.store(false, Ordering::Relaxed);
    }

    /// Finds out whether it is connected.
    fn look(&self) {
        let up = self.bus.up.load(Ordering::Relaxed) && self.reachable.load(Ordering::Relaxed);
        // A server that restarted is another connection, even if nobody looked in between.
        let connection = self.bus.starts.load(Ordering::Relaxed);
        self.link.send_if_modified(|link| {
            let now = match *link {
                _ if !up => Link::Down,
                Link::Down => Link::Up(connection + 1),
                Link::Up(number) => Link::Up(number.max(connection + 1)),
            };
            std::mem::replace(link, now) != now
        });
    }

    pub(super) fn is_up(&self) -> bool {
        self.link.borrow().is_up()
    }

    pub(super) fn fate(&self) -> Fate {
        lock(&self.fates).pop_front().unwrap_or(Fate::Answered)
    }

    /// The way there: fails at once while it is not connected.
    pub(super) async fn go(&self, what: &'static str, of: u128) -> Result<(), Unavailable> {
        self.life.pass().await;
        self.must_be_up()?;
        self.bus.travel((self.number, what, of)).await;
        self.must_be_up()
    }

    /// The way back.
    pub(super) async fn come(&self, what: &'static str, of: u128) -> Result<(), Unavailable> {
        self.bus.travel((self.number, what, of)).await;
        self.life.pass().await;
        self.must_be_up()
    }

    fn must_be_up(&self) -> Result<(), Unavailable> {
        if self.is_up() {
            Ok(())
        } else {
            Err(Unavailable::new("log", "it is not connected"))
        }
    }

    /// Asks the adapter for `what`, `of` some game perhaps, with the way there and back.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        what: &'static str,
        of: u128,
        work: impl Future<Output = Result<T, Unavailable>> + Send + 'static,
    ) -> Result<T, Unavailable> {
        self.go(what, of).await?;
        let answer = self.bus.call(work);
        self.come(what, of).await?;
        answer
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
