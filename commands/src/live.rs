//! The games that this process holds: [`LiveGames`] implements the [`Games`](crate::games::Games) port over them.
//!
//! One file per concern: `room` (one game), `store` (the cqrs-es adapter), `deciding` (a command, start to answer),
//! `starting` (queue and invitations), `watching` (who gets frames), `people` (connections), `driver` (to the log) and
//! `link` (whether that is there), `looking_over` (for what the log lost), `copying` (to the pending store), `fencing`
//! (another process took a game), `ticking` (what happens now and then), `timing` (what happens at an instant, with
//! `deadlines` and `turn_clock`), `stalling` (what happens to time that nobody had), `going_on` (what the rules do by
//! themselves), `adopting` (games that come back from a restore), `awaited` (who asked for them before), `over` (games
//! that ended and were forgotten), `load` (how much is held).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use contract::{Envelope, Event, GameId, GameKey, GameState, Running, Spectators, WriterId};
use cqrs_es::AggregateError;
use tokio::sync::{Mutex as AsyncMutex, Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::committed::CommittedEvents;
use crate::games::{Rejection, Role};
use crate::observer::Observer;
use crate::ports::{Clock, EventLog, Meter, Moment, Monotonic, PendingStore, ServerSeeds};
use crate::publish::Queued;
use crate::publish::health::Health;

mod adopting;
mod audience;
mod awaited;
mod copying;
mod deadlines;
mod deciding;
mod door;
mod driver;
mod fencing;
mod frames;
mod going_on;
mod leaving;
mod link;
mod load;
mod looking_over;
mod mirror;
mod over;
mod people;
mod refusals;
mod room;
mod stalling;
mod starting;
mod store;
mod ticking;
mod timing;
mod turn_clock;
mod watching;

pub use adopting::{Adopted, Settled};
pub use frames::{Frames, frames_of};
pub use leaving::LeftBehind;
pub use load::Load;

use deadlines::Deadlines;
use people::People;
use room::{Held, Room};

/// Bounds and lengths of the write side.
#[derive(Debug, Clone)]
pub struct Limits {
    /// After this long without an acknowledgement a command is answered `durable: false`, in milliseconds.
    pub ack_wait_ms: u64,
    /// With `required` durability: after this long the outcome is unknown, in milliseconds.
    pub required_wait_ms: u64,
    /// Acknowledged bytes are kept this long: three times the log's `sync_interval`, in milliseconds.
    pub keep_acked_ms: i64,
    /// How many live games this process holds at most.
    pub max_live_games: usize,
    /// How many finished games with an acknowledged `ended` stay in memory at most.
    pub max_finished: usize,
    /// How many games one connection watches at most.
    pub max_watches: usize,
    /// A live game gets an `anchored` this often: half of the log's finite `max_age`, in milliseconds. `None` where the log
    /// forgets nothing.
    pub anchor_every_ms: Option<i64>,
    /// The log's end is asked for this often, since it may have gone back without the connection's noticing, in
    /// milliseconds.
    pub ask_for_end_ms: u64,
    /// An ended game stays in memory at least this long, for those who come back, in milliseconds.
    pub ended_grace_ms: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            ack_wait_ms: 250,
            required_wait_ms: 2000,
            keep_acked_ms: 3000,
            max_live_games: 200_000,
            max_finished: 1000,
            max_watches: 100,
            anchor_every_ms: None,
            ask_for_end_ms: 10_000,
            ended_grace_ms: 60_000,
        }
    }
}

/// What the write side is made of.
pub struct Parts {
    /// This process.
    pub writer: WriterId,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Where events wait that the log could not take.
    pub pending: Arc<dyn PendingStore>,
    /// Where the server's seeds of games come from.
    pub seeds: Arc<dyn ServerSeeds>,
    /// Who is told of commits.
    pub observers: Vec<Arc<dyn Observer>>,
    /// Where committed events stay until they were read from the log in this process.
    pub committed: Arc<CommittedEvents>,
    /// Bounds.
    pub limits: Limits,
    /// Makes the ids of games paired from the queue.
    pub new_game_id: Box<dyn Fn() -> GameId + Send + Sync>,
}

/// Counts of what should be rare.
#[derive(Debug, Default)]
pub struct Counters {
    /// Games that another process extended.
    pub fenced: AtomicU64,
    /// Of those, games that the log had from this process before: the others were begun elsewhere.
    pub taken_over: AtomicU64,
    /// Games that the log has from another process and that are not held here. While this process is active nobody else
    /// should begin any; one that died may have.
    pub begun_elsewhere: AtomicU64,
    /// Games let go by stepping down for another process.
    pub handed_over: AtomicU64,
    /// Times that the log had lost acknowledged events.
    pub tail_lost: AtomicU64,
    /// Queues that the log refuses for good, or that failed inside.
    pub halted: AtomicU64,
    /// Games of others that this process set out to take over.
    pub claimed: AtomicU64,
    /// Of those, games that somebody else had extended first.
    pub claims_lost: AtomicU64,
    /// Whole states that were sent in place of events, or to keep a game when the log forgets, and that the log has.
    pub anchored: AtomicU64,
}

pub(crate) struct Shared {
    writer: WriterId,
    clock: Arc<dyn Clock>,
    log: Arc<dyn EventLog>,
    pending: Arc<dyn PendingStore>,
    seeds: Arc<dyn ServerSeeds>,
    observers: Vec<Arc<dyn Observer>>,
    committed: Arc<CommittedEvents>,
    meter: Arc<dyn Meter>,
    limits: Limits,
    new_game_id: Box<dyn Fn() -> GameId + Send + Sync>,
    tracker: TaskTracker,
    stop: CancellationToken,
    health: Health,
    /// An operator was told that the log takes nothing for now.
    log_refuses: AtomicBool,
    rooms: RwLock<BTreeMap<GameId, Arc<Room>>>,
    people: Mutex<People>,
    /// Games whose copy in the pending store is not what it should be.
    to_copy: Mutex<BTreeSet<GameId>>,
    /// Games of other processes by now, whose copy is to be set aside.
    to_set_aside: Mutex<BTreeSet<GameKey>>,
    copy_now: Notify,
    /// Held by whoever brings the copies up to date.
    copying: AsyncMutex<()>,
    /// Games whose number of spectators is to be told.
    recounted: Mutex<BTreeSet<GameId>>,
    /// When each game is to be looked at next.
    deadlines: Deadlines,
    /// When time was last noted.
    noted: Mutex<Moment>,
    /// When it was last noted that the process had stood still.
    stood_still: Mutex<Option<Monotonic>>,
    /// Keys of which was said that they are not configured.
    missing_keys: Mutex<BTreeSet<String>>,
    /// What was given back to running clocks then, and is not said yet.
    stalls: Mutex<Vec<stalling::Stall>>,
    /// Whether the clocks of games that wait for the log run, as it is there.
    clocks_run: AtomicBool,
    /// Ended games in memory, oldest first.
    ended: Mutex<VecDeque<GameId>>,
    /// History has every `ended` up to here.
    recorded_through: AtomicU64,
    role: watch::Sender<Role>,
    counters: Counters,
}

/// The games that this process holds. Clones share them.
#[derive(Clone)]
pub struct LiveGames {
    shared: Arc<Shared>,
}

impl LiveGames {
    /// Holds no games yet, and takes none before [`LiveGames::set_role`] says `Active`. [`LiveGames::run`] must run.
    pub fn new(parts: Parts) -> Self {
        Self::measured_by(Arc::new(()), parts)
    }

    /// The same, and `meter` is told what is done.
    pub fn measured_by(meter: Arc<dyn Meter>, parts: Parts) -> Self {
        let noted = parts.clock.moment();
        Self {
            shared: Arc::new(Shared {
                writer: parts.writer,
                clock: parts.clock,
                log: parts.log,
                pending: parts.pending,
                seeds: parts.seeds,
                observers: parts.observers,
                committed: parts.committed,
                meter,
                limits: parts.limits,
                new_game_id: parts.new_game_id,
                tracker: TaskTracker::new(),
                stop: CancellationToken::new(),
                health: Health::default(),
                log_refuses: AtomicBool::new(false),
                rooms: RwLock::default(),
                people: Mutex::default(),
                to_copy: Mutex::default(),
                to_set_aside: Mutex::default(),
                copy_now: Notify::new(),
                copying: AsyncMutex::default(),
                recounted: Mutex::default(),
                deadlines: Deadlines::default(),
                noted: Mutex::new(noted),
                stood_still: Mutex::default(),
                missing_keys: Mutex::default(),
                stalls: Mutex::default(),
                clocks_run: AtomicBool::new(false),
                ended: Mutex::default(),
                recorded_through: AtomicU64::new(0),
                role: watch::Sender::new(Role::Starting("restoring games".to_owned())),
                counters: Counters::default(),
            }),
        }
    }

    /// This process.
    pub fn writer(&self) -> WriterId {
        self.shared.writer
    }

    /// What this process is, now and from now on.
    pub fn roles(&self) -> watch::Receiver<Role> {
        self.shared.role.subscribe()
    }

    /// Says what this process is.
    pub fn set_role(&self, role: Role) {
        self.shared.role.send_replace(role);
    }

    /// What was committed here, for who reads it from the log.
    pub fn committed(&self) -> Arc<CommittedEvents> {
        self.shared.committed.clone()
    }

    /// What should be rare.
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }
}

/// A lock whose data stays whole when a holder panics: every change of it is a single insert or remove.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn room(&self, id: GameId) -> Option<Arc<Room>> {
        self.rooms
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&id)
            .cloned()
    }

    fn all_rooms(&self) -> Vec<Arc<Room>> {
        self.rooms
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }

    fn people(&self) -> MutexGuard<'_, People> {
        lock(&self.people)
    }

    fn role(&self) -> Role {
        self.role.borrow().clone()
    }

    /// What a command's context says of spectators.
    fn spectators_of(room: &Room) -> Spectators {
        room.inner().audience.figures()
    }

    /// Swaps a command's result in, queues its events and shows them (or holds them back until the log has them).
    /// Called under the gate; nothing in here waits.
    fn commit(
        self: &Arc<Self>,
        room: &Arc<Room>,
        game: Arc<GameState>,
        envelopes: Vec<Envelope>,
        queued: Vec<Queued>,
        received: Monotonic,
    ) -> Result<(), AggregateError<Rejection>> {
        let mut inner = room.inner();
        if inner.fenced {
            return Err(AggregateError::AggregateConflict);
        }
        let bytes: Vec<_> = queued.iter().map(|event| event.bytes.clone()).collect();
        for event in queued {
            inner.queue.push(event, &game);
        }
        if envelopes.iter().any(settles_time) || inner.game.as_deref().and_then(running) != running(&game) {
            inner.clock.stop();
        }
        inner.game = Some(game.clone());
        if Self::shows_at_once(&game, &envelopes) && inner.held.is_empty() {
            inner.start_clock(received);
            self.show(&mut inner, &game, &envelopes);
            self.committed.remember(bytes.into_iter().zip(envelopes));
        } else {
            inner.held.push_back(Held { game, envelopes });
        }
        if !self.health.is_open() {
            self.copy_soon(room, &mut inner);
        }
        self.replan(room, &inner);
        drop(inner);
        self.drive(room);
        Ok(())
    }

    /// `required` games, and starts by invitation (somebody may have used the link elsewhere), wait for the log.
    fn shows_at_once(game: &GameState, envelopes: &[Envelope]) -> bool {
        let by_invitation = game.origin == contract::Origin::Invitation;
        let starts = envelopes.first().is_some_and(|first| first.previd.is_none());
        game.durability == contract::Durability::BestEffort && !(by_invitation && starts)
    }

    /// Shows what is held back, up to `version`. Only now its players can go on: the next clock starts.
    fn release(&self, room: &Room, inner: &mut room::Inner, version: u64) {
        while inner
            .held
            .front()
            .is_some_and(|held| held.game.version <= version)
        {
            if let Some(held) = inner.held.pop_front() {
                self.show(inner, &held.game, &held.envelopes);
            }
        }
        if inner.held.is_empty() {
            inner.start_clock(self.clock.monotonic());
            self.replan(room, inner);
        }
    }

    fn show(&self, inner: &mut room::Inner, game: &Arc<GameState>, envelopes: &[Envelope]) {
        inner.show(game, envelopes);
        if envelopes.first().is_some_and(|first| first.previd.is_none()) {
            self.seat_players(inner, game);
        }
        if Room::ends(envelopes) {
            inner.ended_at = Some(self.clock.monotonic());
            let players = [&game.players.player1.user_id, &game.players.player2.user_id];
            self.people().presence.leave(game.id, players);
            lock(&self.ended).push_back(game.id);
        }
        if envelopes.iter().any(is_resumed) {
            self.tell_who_is_there(inner, game);
        }
        for observer in &self.observers {
            observer.committed(game, envelopes);
        }
    }

    /// Counts with a relaxed order: they are only ever read as figures.
    fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whose clock runs, and since when.
fn running(game: &GameState) -> Option<Running> {
    game.clocks?.running
}

/// Whether what the clock ran is charged with it, so that it begins anew. That cannot be told by whose clock runs and since
/// when: another turn of the same player can begin in the same millisecond of the day, if that was set back.
fn settles_time(envelope: &Envelope) -> bool {
    is_resumed(envelope) || matches!(envelope.event, Event::Moved(_))
}

fn is_resumed(envelope: &Envelope) -> bool {
    matches!(envelope.event, Event::Resumed(_))
}
