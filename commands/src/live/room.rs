//! One game in memory: its committed state, what is shown of it, its way into the log, its audience.
//!
//! Two locks. The *gate* is held by one command from load to commit, across awaits; readers never take it. `inner` is
//! held for moments, never across an await. Where more than one lock is needed, the order is gate, `inner`, people.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{Envelope, Event, GameKey, GameState, Seat, Seq, Version, WriterId};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, oneshot};

use super::audience::Audience;
use super::frames::{Frames, frames_of};
use super::mirror::Mirror;
use super::turn_clock::TurnClock;
use crate::games::Encoded;
use crate::ports::Monotonic;
use crate::publish::queue::Acked;
use crate::publish::{PublishQueue, Queued};

/// How many frames a game keeps for those who come back.
const RECENT: usize = 64;

/// What an acknowledgement brings to those who wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The log has it.
    Durable,
    /// Another process extended the game: nobody knows.
    Fenced,
}

pub(crate) struct Waiter {
    pub(crate) version: Version,
    pub(crate) tell: oneshot::Sender<Outcome>,
}

/// A commit that is not shown yet.
pub(crate) struct Held {
    pub(crate) game: Arc<GameState>,
    pub(crate) envelopes: Vec<Envelope>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, true or not whatever the others are"
)]
pub(crate) struct Inner {
    /// The newest committed state; none before `started`.
    pub(crate) game: Option<Arc<GameState>>,
    /// The newest state that anybody may see.
    pub(crate) shown: Option<Arc<GameState>>,
    pub(crate) held: VecDeque<Held>,
    pub(crate) queue: PublishQueue,
    /// Whether a task moves the queue.
    pub(crate) driving: bool,
    /// The log answers, and has refused the head of the queue for now.
    pub(crate) refused: bool,
    pub(crate) waiters: Vec<Waiter>,
    /// Somebody was told `durable: false`; the acknowledgement goes to all.
    pub(crate) owes_durable: bool,
    pub(crate) audience: Audience,
    pub(crate) recent: VecDeque<Frames>,
    pub(crate) mirror: Mirror,
    pub(crate) fenced: bool,
    /// How long the running clock has run.
    pub(crate) clock: TurnClock,
    /// Where `ended` is in the log.
    pub(crate) ended_seq: Option<Seq>,
    /// When it ended here.
    pub(crate) ended_at: Option<Monotonic>,
    /// When its whole state last went to the log, or when that was first asked.
    pub(crate) whole_at: Option<Monotonic>,
    /// What the log had of it when it was found that something waits, and when that was.
    pub(crate) unmoved: Option<(Version, Monotonic)>,
}

impl Inner {
    /// The version that is shown.
    pub(crate) fn shown_version(&self) -> Version {
        self.shown.as_ref().map_or(0, |game| game.version)
    }

    /// Remembers frames for those who come back, and pushes them.
    pub(crate) fn tell(&mut self, frames: Frames) {
        self.audience.tell(&frames);
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(frames);
    }

    /// The frames after `version` for `seat` or a spectator, if they are all still here.
    pub(crate) fn frames_after(&self, version: Version, seat: Option<Seat>) -> Option<Vec<Arc<Encoded>>> {
        let missing = self.shown_version().checked_sub(version)? as usize;
        (missing <= self.recent.len()).then(|| {
            self.recent
                .iter()
                .skip(self.recent.len() - missing)
                .map(|frames| frames.of(seat).clone())
                .collect()
        })
    }

    /// Makes a commit visible; the caller tells observers and players.
    pub(crate) fn show(&mut self, game: &Arc<GameState>, envelopes: &[Envelope]) {
        self.shown = Some(game.clone());
        let durable = self.queue.durable_version();
        for envelope in envelopes {
            if let Some(frames) = frames_of(envelope, &game.players, durable) {
                self.tell(frames);
            }
        }
    }

    /// If a clock runs that was not started yet, it runs from `at`.
    pub(crate) fn start_clock(&mut self, at: Monotonic) {
        let clocks = self.game.as_ref().and_then(|game| game.clocks);
        if clocks.is_some_and(|clocks| clocks.running.is_some()) && !self.clock.is_started() {
            self.clock.start(at);
        }
    }

    /// Tells those who wait for versions up to the durable one.
    pub(crate) fn wake(&mut self) {
        let durable = self.queue.durable_version();
        let (done, waiting): (Vec<_>, Vec<_>) = self
            .waiters
            .drain(..)
            .partition(|waiter| waiter.version <= durable);
        self.waiters = waiting;
        for waiter in done {
            // A caller that went away does not want to know any more.
            let _gone = waiter.tell.send(Outcome::Durable);
        }
    }
}

/// One game in memory.
pub(crate) struct Room {
    pub(crate) key: GameKey,
    gate: Arc<AsyncMutex<()>>,
    inner: Mutex<Inner>,
}

impl Room {
    /// A game that has not started.
    pub(crate) fn new(key: GameKey, writer: WriterId) -> Arc<Self> {
        Self::with(key, None, PublishQueue::new(key, writer))
    }

    /// A game that goes on.
    pub(crate) fn resumed(
        game: Arc<GameState>,
        acked: Option<Acked>,
        waiting: Vec<Queued>,
        writer: WriterId,
    ) -> Arc<Self> {
        let key = game.key();
        Self::with(key, Some(game), PublishQueue::resume(key, writer, acked, waiting))
    }

    fn with(key: GameKey, game: Option<Arc<GameState>>, queue: PublishQueue) -> Arc<Self> {
        let figures = game.as_ref().map(|game| game.spectators).unwrap_or_default();
        Arc::new(Self {
            key,
            gate: Arc::default(),
            inner: Mutex::new(Inner {
                shown: game.clone(),
                game,
                held: VecDeque::new(),
                queue,
                driving: false,
                refused: false,
                waiters: Vec::new(),
                owes_durable: false,
                audience: Audience::with_figures(figures),
                recent: VecDeque::new(),
                mirror: Mirror::default(),
                fenced: false,
                clock: TurnClock::default(),
                ended_seq: None,
                ended_at: None,
                whole_at: None,
                unmoved: None,
            }),
        })
    }

    /// The short lock. A panic while it was held can only come from a listener; the data is whole all the same.
    pub(crate) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The long lock: one command at a time.
    pub(crate) async fn enter(&self) -> OwnedMutexGuard<()> {
        self.gate.clone().lock_owned().await
    }

    /// What anybody may see.
    pub(crate) fn shown(&self) -> Option<Arc<GameState>> {
        self.inner().shown.clone()
    }

    /// Whether its `ended` is among these.
    pub(crate) fn ends(envelopes: &[Envelope]) -> bool {
        envelopes
            .iter()
            .any(|envelope| matches!(envelope.event, Event::Ended(_)))
    }
}
