//! One game's way into the log, as a pure state machine: what to send next, and what an answer means.
//!
//! At most one event is in flight. Whatever is not a clean acknowledgement means *unknown*, and the only way on from there is to
//! look at the game's last message. The rules are those of `docs/ARCHITECTURE.md`, "Publishing".

use std::collections::VecDeque;

use bytes::Bytes;
use contract::event::{DecodeError, Placement};
use contract::{Envelope, Event, EventId, GameKey, GameState, Seq, Version, WriterId};

use crate::ports::{LogEntry, Monotonic, Outgoing};
use crate::trace::Way;

mod tail;
#[cfg(test)]
mod tests;

/// A queue larger than this collapses into one `anchored`, in bytes.
pub const COLLAPSE_ABOVE: usize = 64 * 1024;

/// An event waiting for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// The id that comparisons use (of an `anchored`, what it stands for).
    pub place: EventId,
    /// Its own id.
    pub id: EventId,
    /// The event before it.
    pub previd: Option<EventId>,
    /// Its name.
    pub name: &'static str,
    /// Its document; made once.
    pub bytes: Bytes,
    /// Its way to the log, for whoever records it.
    pub way: Way,
}

impl Queued {
    /// The event of an envelope, with its bytes.
    pub fn of(envelope: &Envelope) -> Self {
        Self::with_bytes(envelope, envelope.to_bytes())
    }

    /// The event of an envelope whose bytes were made before.
    pub fn with_bytes(envelope: &Envelope, bytes: Bytes) -> Self {
        Self {
            place: envelope.place(),
            id: envelope.id,
            previd: envelope.previd,
            name: envelope.event.name(),
            bytes,
            way: Way::default(),
        }
    }

    /// Whether it carries the whole state.
    pub fn is_anchor(&self) -> bool {
        self.id.anchor.is_some()
    }
}

/// What the log has acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acked {
    /// The last event.
    pub place: EventId,
    /// Its sequence.
    pub seq: Seq,
}

#[derive(Debug, Clone)]
struct Kept {
    event: Queued,
    at: Monotonic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The head was not sent.
    Idle,
    /// The head was sent and has no answer yet.
    InFlight,
    /// Nobody knows what became of the head (or whether the log still has what it acknowledged).
    Unknown,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing.
    Nothing,
    /// Send this, expecting the game's newest message to have this sequence.
    Send(Outgoing, Seq),
    /// Read the game's newest message and call [`PublishQueue::resolve`].
    Look,
    /// The log refuses the head for good.
    Halted,
}

/// What a look showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolved {
    /// Go on: some events may be acknowledged by it.
    GoOn,
    /// The log lost its tail; what it lost is in the queue again.
    TailLost,
    /// Another writer extended the game.
    Fenced,
}

/// The game's newest message, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastMessage {
    /// Its id as comparisons read it.
    pub place: EventId,
    /// Its sequence.
    pub seq: Seq,
}

impl LastMessage {
    /// What a message of the log is, by its head alone.
    ///
    /// # Errors
    /// [`DecodeError`] when the head cannot be read.
    pub fn of(entry: &LogEntry) -> Result<Self, DecodeError> {
        let placement = Placement::from_bytes(&entry.bytes)?;
        Ok(Self {
            place: placement.place,
            seq: entry.seq,
        })
    }
}

/// One game's queue.
#[derive(Debug, Clone)]
pub struct PublishQueue {
    key: GameKey,
    writer: WriterId,
    acked: Option<Acked>,
    waiting: VecDeque<Queued>,
    kept: VecDeque<Kept>,
    phase: Phase,
    halted: bool,
    anchors: u32,
}

impl PublishQueue {
    /// The queue of a game that the log does not have yet.
    pub fn new(key: GameKey, writer: WriterId) -> Self {
        Self::resume(key, writer, None, [])
    }

    /// The queue of a game that the log has up to `acked`, with what waits behind that.
    pub fn resume(
        key: GameKey,
        writer: WriterId,
        acked: Option<Acked>,
        waiting: impl IntoIterator<Item = Queued>,
    ) -> Self {
        let waiting: VecDeque<Queued> = waiting.into_iter().collect();
        Self {
            key,
            writer,
            acked,
            // A number is not used twice: an `anchored` of a restore may be among those that wait.
            anchors: waiting
                .iter()
                .filter_map(|event| event.id.anchor)
                .max()
                .unwrap_or(0),
            waiting,
            kept: VecDeque::new(),
            phase: Phase::Idle,
            halted: false,
        }
    }

    /// What the log has.
    pub fn acked(&self) -> Option<Acked> {
        self.acked
    }

    /// The last version that the log has.
    pub fn durable_version(&self) -> Version {
        self.acked.map_or(0, |acked| acked.place.version)
    }

    /// The way of what goes next.
    pub fn way(&self) -> Way {
        self.waiting
            .front()
            .map(|head| head.way.clone())
            .unwrap_or_default()
    }

    /// What waits, oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Queued> {
        self.waiting.iter()
    }

    /// How many bytes wait.
    pub fn bytes(&self) -> usize {
        self.waiting.iter().map(|waiting| waiting.bytes.len()).sum()
    }

    /// Whether the log has everything.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether there is anything to do: something waits, or a look is due.
    pub fn has_work(&self) -> bool {
        !self.halted && (!self.waiting.is_empty() || self.phase == Phase::Unknown)
    }

    /// Whether the log refuses the head for good.
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// The acknowledged events that are still kept, oldest first.
    pub fn kept(&self) -> impl Iterator<Item = &Queued> {
        self.kept.iter().map(|kept| &kept.event)
    }

    /// Adds a committed event. `game` is the state after it; a queue that has grown too long collapses into it.
    pub fn push(&mut self, event: Queued, game: &GameState) {
        self.waiting.push_back(event);
        if self.bytes() > COLLAPSE_ABOVE {
            self.collapse(game);
        }
    }

    /// Queues the whole state without a new version, so that the log can forget what came before. Nothing happens while
    /// anything waits: its turn comes again.
    pub fn anchor(&mut self, game: &GameState) {
        if self.waiting.is_empty() && self.phase == Phase::Idle {
            let anchor = self.anchor_at(game, None);
            self.waiting.push_back(anchor);
        }
    }

    /// What to do next. A send puts the head in flight: it must be answered by [`Self::acknowledge`] or [`Self::unknown`].
    pub fn step(&mut self) -> Next {
        match self.phase {
            _ if self.halted => Next::Halted,
            Phase::Unknown => Next::Look,
            Phase::InFlight => Next::Nothing,
            Phase::Idle => match self.waiting.front() {
                None => Next::Nothing,
                Some(head) => {
                    self.phase = Phase::InFlight;
                    let message = Outgoing {
                        key: self.key,
                        name: head.name,
                        bytes: head.bytes.clone(),
                    };
                    Next::Send(message, self.acked.map_or(0, |acked| acked.seq))
                }
            },
        }
    }

    /// The head was acknowledged with this sequence.
    pub fn acknowledge(&mut self, seq: Seq, now: Monotonic) {
        self.phase = Phase::Idle;
        if let Some(head) = self.waiting.pop_front() {
            self.acked = Some(Acked {
                place: head.place,
                seq,
            });
            self.keep(head, now);
        }
    }

    /// Acknowledged events stay for a while. Their way is over.
    fn keep(&mut self, event: Queued, at: Monotonic) {
        let event = Queued {
            way: Way::default(),
            ..event
        };
        self.kept.push_back(Kept { event, at });
    }

    /// The head's fate is not known.
    pub fn unknown(&mut self) {
        self.phase = Phase::Unknown;
    }

    /// The head can never be written: the queue halts, and what waits stays.
    pub fn halt(&mut self) {
        self.phase = Phase::Idle;
        self.halted = true;
    }

    /// Forgets acknowledged events older than `keep_ms`; not before a look that is due, which may find them lost.
    pub fn forget(&mut self, now: Monotonic, keep_ms: i64) {
        if self.phase == Phase::Unknown {
            return;
        }
        while self.kept.front().is_some_and(|kept| now.since(kept.at) > keep_ms) {
            self.kept.pop_front();
        }
        if self.kept.is_empty() && self.waiting.is_empty() {
            // At rest: most games are, most of the time.
            (self.kept, self.waiting) = (VecDeque::new(), VecDeque::new());
        }
    }

    /// After a reconnect: if anything was acknowledged recently, the log may have lost it. True if a look is due.
    pub fn verify(&mut self) -> bool {
        if !self.kept.is_empty() && self.phase == Phase::Idle {
            self.phase = Phase::Unknown;
        }
        self.phase == Phase::Unknown
    }

    /// Whether the log has everything, as far as anybody knows, and nothing is under way.
    pub fn is_at_rest(&self) -> bool {
        self.acked.is_some() && self.waiting.is_empty() && self.phase == Phase::Idle && !self.halted
    }

    /// The game's newest message, read in passing. If a queue at rest would have another one there, a look is due: true.
    pub fn compare(&mut self, last: Option<LastMessage>) -> bool {
        let same = |acked: Acked| last.is_some_and(|last| last.place == acked.place && last.seq == acked.seq);
        let differs = self.is_at_rest() && !self.acked.is_some_and(same);
        if differs {
            self.phase = Phase::Unknown;
        }
        differs
    }

    /// What the game's newest message says. `game` is the newest committed state.
    pub fn resolve(&mut self, last: Option<LastMessage>, game: &GameState, now: Monotonic) -> Resolved {
        self.phase = Phase::Idle;
        let Some(last) = last else {
            return if self.acked.is_none() {
                Resolved::GoOn
            } else {
                self.tail_lost(None, game)
            };
        };
        if let Some(acked) = self.acked
            && last.place == acked.place
        {
            self.take_anchor_in_place(acked, last, now);
            self.acked = Some(Acked {
                place: acked.place,
                seq: last.seq,
            });
            return Resolved::GoOn;
        }
        let acked_version = self.durable_version();
        if self.waiting.iter().any(|waiting| waiting.place == last.place)
            || (last.place.version > acked_version && game.chain.has_event(last.place, game.version))
        {
            let jumps = self.jumps_to(last);
            self.acknowledge_through(last, now);
            if jumps {
                self.replace_by_anchor(None, game);
            }
            return Resolved::GoOn;
        }
        if last.place.version <= acked_version && game.chain.has_event(last.place, game.version) {
            return self.tail_lost(Some(last), game);
        }
        Resolved::Fenced
    }

    /// An `anchored` that stands for what the log has already shows only by its sequence.
    fn take_anchor_in_place(&mut self, acked: Acked, last: LastMessage, now: Monotonic) {
        let found = |head: &Queued| head.is_anchor() && head.place == last.place && acked.seq < last.seq;
        if self.waiting.front().is_some_and(found)
            && let Some(event) = self.waiting.pop_front()
        {
            self.keep(event, now);
        }
    }

    /// Whether the message found waits behind one that was never acknowledged. One event is in flight at a time, so it
    /// was sent before the log lost its tail, and what is before it may be missing.
    fn jumps_to(&self, last: LastMessage) -> bool {
        let index = self
            .waiting
            .iter()
            .position(|waiting| waiting.place == last.place);
        index.is_some_and(|index| index > 0 && !self.waiting[index].is_anchor())
    }

    /// Everything up to the message found is in the log.
    fn acknowledge_through(&mut self, last: LastMessage, now: Monotonic) {
        while self
            .waiting
            .front()
            .is_some_and(|head| head.place.version <= last.place.version)
        {
            if let Some(event) = self.waiting.pop_front() {
                self.keep(event, now);
            }
        }
        self.acked = Some(Acked {
            place: last.place,
            seq: last.seq,
        });
    }

    fn next_anchor(&mut self) -> u32 {
        self.anchors += 1;
        self.anchors
    }

    /// An `anchored` of `game`, behind `head` or, without one, behind what the log has.
    fn anchor_at(&mut self, game: &GameState, head: Option<&Queued>) -> Queued {
        let k = self.next_anchor();
        let before = head
            .map(|head| head.place)
            .or(self.acked.map(|acked| acked.place));
        Queued::of(&anchored(game, self.writer, k, before))
    }
}

/// An `anchored` event that stands for the last event of `game`.
pub fn anchored(game: &GameState, writer: WriterId, k: u32, previd: Option<EventId>) -> Envelope {
    Envelope {
        id: EventId {
            game: game.id,
            version: game.version,
            writer,
            anchor: Some(k),
        },
        kind: game.kind,
        previd,
        time: game.last_at,
        traceparent: None,
        event: Event::Anchored(contract::event::Anchored {
            stands_for: game.last_event,
            game: Box::new(game.clone()),
        }),
    }
}
