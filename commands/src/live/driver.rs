//! Moves one game's queue into the log, one event at a time, and brings the answers back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use contract::event::Placement;
use contract::frames::ServerFrame;
use contract::frames::server::Durable;
use contract::{GameKey, Seq};
use futures::FutureExt;
use tokio::time::Instant;
use tracing::Instrument;

use super::Shared;
use super::link::PROBE_EVERY;
use super::refusals::Refusals;
use super::room::{Inner, Room};
use crate::games::Encoded;
use crate::ports::{AppendError, LogEntry, Outgoing, Published};
use crate::publish::queue::LastMessage;
use crate::publish::{Next, Resolved};
use crate::trace::Way;

/// Between two looks that were not answered.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Why a driver stops for now.
enum Stop {
    /// Nothing to do.
    Idle,
    /// The log has what it had before.
    NothingNew,
    /// The log is away; the queue goes on when it is back.
    Away,
    /// The game is not held any more.
    Fenced,
}

impl Shared {
    /// Makes sure that a task moves the game's queue, if there is something to move.
    pub(crate) fn drive(self: &Arc<Self>, room: &Arc<Room>) {
        let mut inner = room.inner();
        if inner.driving || inner.fenced || !inner.queue.has_work() || !self.health.is_open() {
            return;
        }
        inner.driving = true;
        drop(inner);
        let (shared, room) = (self.clone(), room.clone());
        self.tracker.spawn(async move {
            let driving = AssertUnwindSafe(shared.drive_on(&room)).catch_unwind();
            if driving.await.is_err() {
                // What it left half done nobody knows: this game's queue stays as it is, and no other one's.
                shared.halt(&room, "its sending failed inside");
            }
        });
    }

    async fn drive_on(self: &Arc<Self>, room: &Arc<Room>) {
        let mut refusals = Refusals::default();
        loop {
            let mut refused = None;
            let (next, way) = {
                let mut inner = room.inner();
                if inner.fenced {
                    return;
                }
                let next = if self.health.is_open() {
                    inner.queue.step()
                } else {
                    Next::Nothing
                };
                if matches!(next, Next::Nothing | Next::Halted) {
                    // Under the lock, so that a commit that comes now starts a new driver.
                    inner.driving = false;
                    return;
                }
                (next, inner.queue.way())
            };
            let stop = match next {
                Next::Send(message, expected) => match self.send(&message, expected, &way).await {
                    Ok(seq) => {
                        self.log_answered();
                        self.log_takes_events();
                        if message.name == "anchored" {
                            Self::count(&self.counters.anchored);
                        }
                        self.acknowledged(room, seq);
                        Stop::Idle
                    }
                    Err(AppendError::Permanent(why)) => {
                        self.halt(room, &format!("the log refuses an event for good: {why}"));
                        Stop::Idle
                    }
                    Err(AppendError::Refused(why)) => {
                        tracing::debug!(game.id = %room.key.id, "publish of {} was refused: {why}", room.key.id);
                        self.log_answered();
                        room.inner().queue.unknown();
                        refused = Some(why);
                        self.look(room).await
                    }
                    Err(AppendError::Unknown(why)) => {
                        tracing::debug!(game.id = %room.key.id, "publish of {} has no answer: {why}", room.key.id);
                        room.inner().queue.unknown();
                        self.health.unanswered();
                        refused = Some(why);
                        self.hold_clocks();
                        self.look(room).await
                    }
                },
                _ => self.look(room).await,
            };
            match stop {
                Stop::Idle => refusals.over(),
                Stop::NothingNew => {
                    if let Some(why) = refused {
                        self.refused_for_now(room, &why, &mut refusals).await;
                    }
                }
                Stop::Away => {
                    {
                        let mut inner = room.inner();
                        inner.driving = false;
                        self.copy_soon(room, &mut inner);
                    }
                    // The log may have answered another game meanwhile, when this one still seemed to be moved.
                    self.drive(room);
                    return;
                }
                Stop::Fenced => {
                    self.fence(room).await;
                    return;
                }
            }
        }
    }

    async fn send(&self, message: &Outgoing, expected: Seq, way: &Way) -> Result<Seq, AppendError> {
        let began = Instant::now();
        let sent = self.log.append(message, expected).instrument(way.attempt()).await;
        let answer = match &sent {
            Ok(_) => Published::Acknowledged,
            Err(AppendError::Refused(_)) => Published::Refused,
            Err(AppendError::Unknown(_)) => Published::Unanswered,
            Err(AppendError::Permanent(_)) => Published::Impossible,
        };
        self.meter.published(answer, began.elapsed());
        sent
    }

    /// Reads the game's newest message until there is an answer, and says what it means.
    async fn look(self: &Arc<Self>, room: &Arc<Room>) -> Stop {
        loop {
            match self.last_message(room.key).await {
                Ok(last) => {
                    self.log_answered();
                    return self.resolve(room, last);
                }
                Err(why) => {
                    tracing::debug!(game.id = %room.key.id, "look at {} failed: {why}", room.key.id);
                    self.health.unanswered();
                    self.hold_clocks();
                    if !self.health.is_open() {
                        return Stop::Away;
                    }
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            }
        }
    }

    pub(crate) async fn last_message(&self, key: GameKey) -> Result<Option<LastMessage>, String> {
        let Some(entry) = self.log.last(key).await.map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        LastMessage::of(&entry)
            .map(Some)
            .map_err(|error| error.to_string())
    }

    fn resolve(self: &Arc<Self>, room: &Arc<Room>, last: Option<LastMessage>) -> Stop {
        let now = self.clock.monotonic();
        let mut inner = room.inner();
        let Some(game) = inner.game.clone().filter(|_| !inner.fenced) else {
            return Stop::Fenced;
        };
        let before = inner.queue.durable_version();
        match inner.queue.resolve(last, &game, now) {
            Resolved::GoOn => {
                if inner.queue.durable_version() != before {
                    self.progressed(room, &mut inner);
                    return Stop::Idle;
                }
                if inner.mirror.exists() {
                    // What was copied because it might be lost is not.
                    self.copy_soon(room, &mut inner);
                }
                Stop::NothingNew
            }
            Resolved::TailLost => {
                Self::count(&self.counters.tail_lost);
                tracing::warn!(game.id = %room.key.id, "the log lost acknowledged events of {}; they are sent again", room.key.id);
                Stop::Idle
            }
            Resolved::Fenced => Stop::Fenced,
        }
    }

    fn acknowledged(self: &Arc<Self>, room: &Arc<Room>, seq: Seq) {
        let now = self.clock.monotonic();
        let mut inner = room.inner();
        if inner.fenced {
            return;
        }
        inner.queue.acknowledge(seq, now);
        inner.queue.forget(now, self.limits.keep_acked_ms);
        self.progressed(room, &mut inner);
    }

    /// The log has more than before: whoever waits is told, what was held back is shown, the copy is trimmed.
    fn progressed(self: &Arc<Self>, room: &Arc<Room>, inner: &mut Inner) {
        let durable_version = inner.queue.durable_version();
        inner.refused = false;
        self.release(room, inner, durable_version);
        inner.wake();
        if let (Some(game), Some(acked)) = (inner.game.clone(), inner.queue.acked())
            && !game.is_live()
            && acked.place.version == game.version
        {
            inner.ended_seq = Some(acked.seq);
        }
        if inner.owes_durable && inner.queue.is_empty() {
            inner.owes_durable = false;
            let frame = ServerFrame::OnDurable(Durable {
                game_id: room.key.id,
                durable_version,
            });
            inner.audience.push(&Encoded::new(frame));
        }
        if inner.mirror.exists() {
            self.copy_soon(room, inner);
        }
    }

    fn halt(self: &Arc<Self>, room: &Arc<Room>, why: &str) {
        Self::count(&self.counters.halted);
        tracing::error!(game.id = %room.key.id, "nothing of {} is sent any more: {why}", room.key.id);
        let mut inner = room.inner();
        inner.driving = false;
        inner.queue.halt();
        self.copy_soon(room, &mut inner);
    }

    /// Watches for other processes beginning games and taking them over.
    pub(crate) async fn follow_takeovers(self: Arc<Self>) {
        let mut is_told = false;
        loop {
            match self.log.takeovers().await {
                Ok(mut entries) => {
                    is_told = false;
                    while let Some(entry) = entries.recv().await {
                        self.taken_over(&entry).await;
                    }
                }
                // Once for each outage, however often it is tried.
                Err(error) if !std::mem::replace(&mut is_told, true) => {
                    tracing::warn!("cannot watch for takeovers yet: {error}");
                }
                Err(_) => {}
            }
            tokio::time::sleep(PROBE_EVERY).await;
        }
    }

    async fn taken_over(self: &Arc<Self>, entry: &LogEntry) {
        let Ok(placement) = Placement::from_bytes(&entry.bytes) else {
            return;
        };
        let Some(room) = self.room(entry.key.id) else {
            if placement.id.writer != self.writer {
                Self::count(&self.counters.begun_elsewhere);
            }
            return;
        };
        let foreign = {
            let inner = room.inner();
            let Some(game) = &inner.game else { return };
            placement.id.writer != self.writer && !game.chain.has_event(placement.place, game.version)
        };
        if foreign {
            self.fence(&room).await;
        }
    }
}
