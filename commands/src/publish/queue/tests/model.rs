//! A log that loses, delays and forgets, and the one process whose queue is tried on it.

use bytes::Bytes;
use contract::{CommandHash, Envelope, Event, EventId, GameState, Seat, Seq, WriterId};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;

use super::super::{LastMessage, Next, PublishQueue, Queued, Resolved};
use crate::decide::fixtures::{WRITER, context, run, start};
use crate::decide::{Command, Context};
use crate::fold::refold;
use crate::ports::{Monotonic, Outgoing};

const OTHER: WriterId = WriterId(0xb0b);
const KEEP_MS: i64 = 3_000;

/// One step of a history.
#[derive(Debug, Clone)]
pub(super) enum Doing {
    /// A move is committed; a large one makes the queue collapse soon.
    Play { choice: Index, large: bool },
    /// The game ends.
    Leave,
    /// The head is sent, if it may be.
    Send,
    /// What was sent meets its fate.
    Answer(Outcome),
    /// If a look is due, it is tried.
    Look { answered: bool },
    /// A message lands that was given up.
    LateLands(Index),
    /// Another game's message takes a sequence.
    OtherGame,
    /// The whole state is written again, so that the log may forget what is old.
    Anchor,
    /// Time passes.
    TimePasses(i64),
    /// The connection comes back without a loss.
    Reconnect,
    /// The log comes back after `ms` milliseconds without its newest `lost` messages.
    Outage { lost: usize, ms: i64 },
    /// Another process claims the game.
    Claim,
}

/// What becomes of a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome {
    /// It is decided on, and the answer arrives.
    Answered,
    /// It is decided on, and the answer is lost.
    AnswerLost,
    /// It is lost.
    MessageLost,
    /// It is under way, and nobody waits for it any more.
    Late,
}

/// Which logs are meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Messages under way outlive an outage. (With two writers this can make two chains, since a log that forgot its tail
    /// gives the same sequences out again: no expectation helps then. A server that went down has lost its sockets.)
    pub(super) late_survives_outage: bool,
}

/// Spaces behind a document, which JSON allows.
pub(super) fn padded(bytes: &Bytes, len: usize) -> Bytes {
    let mut bytes = bytes.to_vec();
    bytes.resize(len.max(bytes.len()), b' ');
    bytes.into()
}

/// The log, the queue, and what is known to be true of both.
pub(super) struct World {
    rules: Rules,
    /// By sequence, from 1; another game's are `None`.
    log: Vec<Option<Bytes>>,
    queue: PublishQueue,
    game: GameState,
    flight: Option<(Outgoing, Seq)>,
    late: Vec<(Outgoing, Seq)>,
    now: i64,
    moves: u64,
    committed: Vec<Queued>,
    acked: Vec<EventId>,
    outages_with_loss: u32,
    claims: u32,
    fenced: bool,
    started_is_gone: bool,
}

impl World {
    pub(super) fn new(rules: Rules) -> Self {
        let (envelopes, game) = run(None, &start(), context(0));
        let mut world = Self {
            rules,
            log: Vec::new(),
            queue: PublishQueue::new(game.key(), WRITER),
            game,
            flight: None,
            late: Vec::new(),
            now: 0,
            moves: 0,
            committed: Vec::new(),
            acked: Vec::new(),
            outages_with_loss: 0,
            claims: 0,
            fenced: false,
            started_is_gone: false,
        };
        world.push(&envelopes, false);
        world
    }

    /// Does it all, lets it settle, and says whether the promises were kept.
    pub(super) fn live_through(mut self, doings: &[Doing]) -> Result<(), TestCaseError> {
        for doing in doings {
            if self.fenced {
                break;
            }
            self.execute(doing);
        }
        self.settle()?;
        self.check()
    }

    fn execute(&mut self, doing: &Doing) {
        match doing {
            Doing::Play { choice, large } => self.play(*choice, *large),
            Doing::Leave => self.commit(
                &Command::Leave {
                    seat: Seat::Player1,
                    hash: CommandHash(0),
                },
                false,
            ),
            Doing::Send => self.send(),
            Doing::Answer(outcome) => self.answer(*outcome),
            Doing::Look { answered } => self.look(*answered),
            Doing::LateLands(which) => self.late_lands(*which),
            Doing::OtherGame => self.log.push(None),
            Doing::Anchor => {
                if self.game.is_live() {
                    self.queue.anchor(&self.game);
                }
            }
            Doing::TimePasses(ms) => self.now += ms,
            Doing::Reconnect => {
                self.queue.verify();
            }
            Doing::Outage { lost, ms } => self.outage(*lost, *ms),
            Doing::Claim => self.claim(),
        }
    }

    fn push(&mut self, envelopes: &[Envelope], large: bool) {
        for envelope in envelopes {
            let bytes = envelope.to_bytes();
            let bytes = if large { padded(&bytes, 30_000) } else { bytes };
            let queued = Queued::with_bytes(envelope, bytes);
            self.committed.push(queued.clone());
            self.queue.push(queued, &self.game);
        }
    }

    fn commit(&mut self, command: &Command, large: bool) {
        if self.game.is_live() {
            let (envelopes, game) = run(Some(self.game.clone()), command, context(self.now));
            self.game = game;
            self.push(&envelopes, large);
        }
    }

    fn play(&mut self, choice: Index, large: bool) {
        let Some(seat) = self.game.to_move() else { return };
        self.moves += 1;
        let command = Command::Move {
            seat,
            hash: CommandHash(self.moves),
            position: self.game.position(),
            mv: choice.get(&self.game.state.legal_moves()).clone(),
            offer_draw: false,
        };
        self.commit(&command, large);
    }

    fn send(&mut self) {
        if self.flight.is_none()
            && !self.queue_looks()
            && let Next::Send(message, expected) = self.queue.step()
        {
            self.flight = Some((message, expected));
        }
    }

    fn queue_looks(&self) -> bool {
        self.queue.clone().step() == Next::Look
    }

    /// The game's newest sequence.
    fn newest(&self) -> Seq {
        self.log
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |index| index as Seq + 1)
    }

    fn append(&mut self, message: &Outgoing, expected: Seq) -> Option<Seq> {
        (self.newest() == expected).then(|| {
            self.log.push(Some(message.bytes.clone()));
            self.log.len() as Seq
        })
    }

    fn answer(&mut self, outcome: Outcome) {
        let Some((message, expected)) = self.flight.take() else {
            return;
        };
        match outcome {
            Outcome::Answered => {
                if let Some(seq) = self.append(&message, expected) {
                    self.queue.acknowledge(seq, Monotonic(self.now));
                    self.queue.forget(Monotonic(self.now), KEEP_MS);
                    self.note_acked();
                } else {
                    self.queue.unknown();
                }
                return;
            }
            Outcome::AnswerLost => {
                self.append(&message, expected);
            }
            Outcome::MessageLost => {}
            Outcome::Late => self.late.push((message, expected)),
        }
        self.queue.unknown();
    }

    fn note_acked(&mut self) {
        self.acked.extend(self.queue.acked().map(|acked| acked.place));
    }

    fn last(&self) -> Option<LastMessage> {
        let seq = self.newest();
        let bytes = self.log.get((seq as usize).checked_sub(1)?)?.as_ref()?;
        let envelope = Envelope::from_bytes(bytes).expect("only envelopes are written");
        Some(LastMessage {
            place: envelope.place(),
            seq,
        })
    }

    fn look(&mut self, answered: bool) {
        if self.flight.is_some() || !self.queue_looks() || !answered {
            return;
        }
        let kept_or_waiting = self
            .queue
            .kept()
            .chain(self.queue.waiting())
            .any(|event| event.name == "started");
        self.started_is_gone |= !kept_or_waiting && !self.has_name("started");
        let last = self.last();
        let resolved = self.queue.resolve(last, &self.game, Monotonic(self.now));
        self.fenced = resolved == Resolved::Fenced;
        self.note_acked();
    }

    fn late_lands(&mut self, which: Index) {
        if !self.late.is_empty() {
            let (message, expected) = self.late.remove(which.index(self.late.len()));
            self.append(&message, expected);
        }
    }

    fn outage(&mut self, lost: usize, ms: i64) {
        self.queue.forget(Monotonic(self.now), KEEP_MS);
        if let Some(sent) = self.flight.take() {
            self.queue.unknown();
            self.late.push(sent);
        }
        if !self.rules.late_survives_outage {
            self.late.clear();
        }
        for _ in 0..lost {
            if self.must_be_on_disk() {
                break;
            }
            if let Some(Some(_)) = self.log.pop() {
                self.outages_with_loss += 1;
            }
        }
        self.now += ms;
        self.queue.verify();
    }

    /// A game that is over sends nothing that would show a loss, so that only what is kept can be missed: the time of
    /// keeping is longer than the log takes to write to its disk.
    fn must_be_on_disk(&self) -> bool {
        let acked = |event: &Queued| self.acked.contains(&event.place);
        let kept = |place| self.queue.kept().any(|event| event.place == place);
        let newest = self.log.last().and_then(Option::as_ref).map(|bytes| {
            Envelope::from_bytes(bytes)
                .expect("only envelopes are written")
                .place()
        });
        !self.game.is_live()
            && self.committed.last().is_some_and(acked)
            && newest.is_some_and(|place| !kept(place))
    }

    fn claim(&mut self) {
        let Ok(Some(game)) = refold(&self.envelopes()) else {
            return;
        };
        if game.is_live() {
            let context = Context {
                writer: OTHER,
                ..context(self.now)
            };
            let (envelopes, _) = run(Some(game), &Command::Resume { downtime_ms: 0 }, context);
            self.log.extend(envelopes.iter().map(|e| Some(e.to_bytes())));
            self.claims += 1;
        }
    }

    fn envelopes(&self) -> Vec<Envelope> {
        self.log
            .iter()
            .flatten()
            .map(|bytes| Envelope::from_bytes(bytes).expect("only envelopes are written"))
            .collect()
    }

    fn has_name(&self, name: &str) -> bool {
        self.envelopes()
            .iter()
            .any(|envelope| envelope.event.name() == name)
    }

    /// Everything answers from now on. A last event shows a loss that nobody looked for.
    fn settle(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..2 {
            self.answer(Outcome::Answered);
            self.queue.verify();
            self.drain()?;
            if !self.fenced && self.game.to_move().is_some() {
                self.commit(&Command::Resume { downtime_ms: 0 }, false);
            }
            self.drain()?;
        }
        Ok(())
    }

    fn drain(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..1_000 {
            if self.fenced || !self.queue.has_work() {
                return Ok(());
            }
            self.send();
            self.answer(Outcome::Answered);
            self.look(true);
        }
        Err(TestCaseError::fail("the queue never comes to rest"))
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let envelopes = self.envelopes();
        no_version_has_two_events(&envelopes)?;
        if self.fenced {
            prop_assert!(self.claims > 0, "fenced, and nobody else wrote");
            return Ok(());
        }
        let folded = refold(&envelopes).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(folded.as_ref(), Some(&self.game));
        let in_log = |event: &Queued| self.log.iter().flatten().any(|bytes| *bytes == event.bytes);
        if self.outages_with_loss == 0 {
            let acked = self
                .committed
                .iter()
                .filter(|event| self.acked.contains(&event.place));
            for event in acked.filter(|event| !is_stood_for(event.place, &envelopes)) {
                prop_assert!(in_log(event), "{} was acknowledged and is not there", event.id);
            }
        }
        prop_assert!(
            self.started_is_gone || self.has_name("started"),
            "started disappeared"
        );
        for event in self.committed.iter().filter(|event| event.name == "ended") {
            prop_assert!(in_log(event), "ended disappeared");
        }
        Ok(())
    }
}

/// An acknowledged `anchored` has the place of the event that it stands for.
fn is_stood_for(place: EventId, envelopes: &[Envelope]) -> bool {
    envelopes
        .iter()
        .any(|envelope| matches!(envelope.event, Event::Anchored(_)) && envelope.place() == place)
}

fn no_version_has_two_events(envelopes: &[Envelope]) -> Result<(), TestCaseError> {
    let events = envelopes.iter().filter(|envelope| envelope.id.anchor.is_none());
    for event in events.clone() {
        let same = events.clone().find(|other| other.version() == event.version());
        prop_assert_eq!(same.map(|other| other.id), Some(event.id));
    }
    Ok(())
}
