//! A command on one game, from the check of its id to its answer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::{CommandHash, Durability, GameId, GameState, Kind, PlayerSummary, Position, Seat, Version};
use cqrs_es::{AggregateError, CqrsFramework};
use tokio::sync::{OwnedMutexGuard, oneshot};

use super::room::{Inner, Outcome, Room, Waiter};
use super::store::RoomStore;
use super::{Shared, lock};
use crate::decide::{Command, Context};
use crate::games::{Accepted, CommandError, NotNow, PlayerCommand, Rejection, Role};
use crate::ports::Moment;
use crate::view::live_game;

/// Why a command made nothing.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The rules, or the game's state.
    Rejected(Rejection),
    /// Another process extended the game meanwhile.
    Fenced,
}

impl Shared {
    /// Which games this process takes commands for, as an error when it takes none.
    pub(crate) fn must_be_active(&self) -> Result<(), CommandError> {
        match self.role() {
            Role::Active => Ok(()),
            Role::Standby => Err(CommandError::not_now(NotNow::Standby)),
            Role::Starting(_) => Err(CommandError::not_now(NotNow::Restoring)),
            Role::Leaving => Err(CommandError::not_now(NotNow::Leaving)),
        }
    }

    pub(crate) async fn player_command(
        self: Arc<Self>,
        id: GameId,
        user: PlayerSummary,
        command: PlayerCommand,
        received: Moment,
    ) -> (Option<Kind>, Result<Accepted, CommandError>) {
        match self.must_be_active() {
            Err(CommandError::Unavailable {
                reason: NotNow::Standby,
                ..
            }) => return (None, Err(CommandError::Elsewhere)),
            Err(error) => return (None, Err(error)),
            Ok(()) => {}
        }
        match self.room(id) {
            Some(room) => {
                let answer = self.decide_for(&room, &user, &command, received).await;
                (Some(room.key.kind), answer)
            }
            None => (None, self.answer_from_log(id, &user, &command).await),
        }
    }

    async fn decide_for(
        self: &Arc<Self>,
        room: &Arc<Room>,
        user: &PlayerSummary,
        command: &PlayerCommand,
        received: Moment,
    ) -> Result<Accepted, CommandError> {
        let game = room.inner().game.clone().ok_or(Rejection::NoSuchGame)?;
        let seat = game
            .players
            .seat_of(&user.user_id)
            .ok_or(Rejection::NotYourGame)?;
        self.touch(&user.user_id);
        let hash = CommandHash::of(seat, command.id());
        let version = match self
            .seen_or_decided(room, (seat, hash), command, received)
            .await?
        {
            Ok(version) => version,
            Err(Refused::Fenced) => return Err(unknown(NotNow::Internal)),
            Err(Refused::Rejected(reason)) => return Err(self.rejected(room, user, reason)),
        };
        self.answer(room, version).await
    }

    /// The version that the command made before, or makes now. Both under the gate: the same command may be decided on
    /// right now, and so may another one that the log must have before.
    async fn seen_or_decided(
        self: &Arc<Self>,
        room: &Arc<Room>,
        (seat, hash): (Seat, CommandHash),
        command: &PlayerCommand,
        received: Moment,
    ) -> Result<Result<Version, Refused>, CommandError> {
        let gate = room.enter().await;
        let game = room.inner().game.clone().ok_or(Rejection::NoSuchGame)?;
        if let Some(version) = game.version_of(seat, hash) {
            return Ok(Ok(version));
        }
        self.log_must_be_ready(room, &game)?;
        let command = to_command(seat, hash, command);
        Ok(self.execute_behind(gate, room, command, received).await)
    }

    /// Runs a command through the framework, under the game's gate. Returns the version it made.
    pub(crate) async fn execute(
        self: &Arc<Self>,
        room: &Arc<Room>,
        command: Command,
    ) -> Result<Version, Refused> {
        let gate = room.enter().await;
        self.execute_behind(gate, room, command, self.clock.moment())
            .await
    }

    /// The same by one who holds the gate already, for a command that was received before.
    pub(crate) async fn execute_behind(
        self: &Arc<Self>,
        gate: OwnedMutexGuard<()>,
        room: &Arc<Room>,
        command: Command,
        received: Moment,
    ) -> Result<Version, Refused> {
        // Before time is measured: what passed while the process stood still is nobody's.
        self.note_time();
        let made = Arc::new(Mutex::new(None));
        let store = RoomStore {
            shared: self.clone(),
            room: room.clone(),
            gate: Mutex::new(Some(gate)),
            received: received.monotonic,
            made: made.clone(),
        };
        let ran_ms = room.inner().clock.ran_ms(received.monotonic);
        let context = Context {
            now: received.now,
            ran_ms,
            writer: self.writer,
            spectators: Self::spectators_of(room),
            seed: self.seed_for(room, &command),
        };
        let id = room.key.id.to_string();
        let done = CqrsFramework::new(store, Vec::new(), ())
            .execute(&id, (command, context))
            .await;
        match done {
            Ok(()) => lock(&made).ok_or(Refused::Fenced),
            Err(AggregateError::UserError(reason)) => Err(Refused::Rejected(reason)),
            Err(_) => Err(Refused::Fenced),
        }
    }

    /// With `required` durability nothing is decided while the log is away or behind.
    fn log_must_be_ready(&self, room: &Room, game: &GameState) -> Result<(), CommandError> {
        if game.durability == Durability::Required
            && (!self.health.is_open() || !room.inner().queue.is_empty())
        {
            return Err(CommandError::not_now(NotNow::LogAway));
        }
        Ok(())
    }

    /// The answer to an accepted command: as soon as the log has it, or when the wait is over.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        room: &Arc<Room>,
        version: Version,
    ) -> Result<Accepted, CommandError> {
        let required = room
            .inner()
            .game
            .as_ref()
            .is_some_and(|game| game.durability == Durability::Required);
        let wait = if required {
            self.limits.required_wait_ms
        } else {
            self.limits.ack_wait_ms
        };
        let waiting = Waiting {
            shared: self,
            room,
            version,
            owes: !required,
        };
        match waiting
            .over(self.wait_for_log(room, version, wait, required))
            .await
        {
            Some(Outcome::Fenced) => return Err(unknown(NotNow::Internal)),
            None if required => return Err(unknown(NotNow::LogAway)),
            _ => {}
        }
        let mut inner = room.inner();
        let durable_version = inner.queue.durable_version();
        let durable = durable_version >= version;
        if !durable {
            self.owe_durable(room, &mut inner);
        }
        let writer = inner.game.as_ref().and_then(|game| game.chain.writer_of(version));
        let Some(writer) = writer else {
            return Err(unknown(NotNow::Internal));
        };
        let position = Position { version, writer };
        Ok(Accepted {
            game: room.key.id,
            version,
            position,
            durable,
            durable_version,
        })
    }

    /// Something was shown that is not durable yet: it is copied, and all are told when it is.
    fn owe_durable(&self, room: &Room, inner: &mut Inner) {
        inner.owes_durable = true;
        self.copy_soon(room, inner);
    }

    /// Waits until the log has `version`: at most `wait_ms`, and not at all while it is away, unless `patient`.
    pub(crate) async fn wait_for_log(
        &self,
        room: &Room,
        version: Version,
        wait_ms: u64,
        patient: bool,
    ) -> Option<Outcome> {
        let told = {
            let mut inner = room.inner();
            if inner.fenced {
                return Some(Outcome::Fenced);
            }
            if inner.queue.durable_version() >= version {
                return Some(Outcome::Durable);
            }
            if !patient && !self.health.is_open() {
                return None;
            }
            let (tell, told) = oneshot::channel();
            inner.waiters.push(Waiter { version, tell });
            told
        };
        match tokio::time::timeout(Duration::from_millis(wait_ms), told).await {
            Ok(Ok(outcome)) => Some(outcome),
            // The sender is dropped only together with the game.
            Ok(Err(_)) => Some(Outcome::Fenced),
            Err(_) => None,
        }
    }

    fn rejected(&self, room: &Room, user: &PlayerSummary, reason: Rejection) -> CommandError {
        let stale = matches!(reason, Rejection::Stale);
        let game = if stale { self.view_for(room, user) } else { None };
        CommandError::Rejected { reason, game }
    }

    fn view_for(&self, room: &Room, user: &PlayerSummary) -> Option<Box<contract::view::LiveGame>> {
        let inner = room.inner();
        let shown = inner.shown.clone().filter(|game| game.is_live())?;
        live_game(&shown, self.context_of(&inner, &shown), Some(&user.user_id))
            .ok()
            .map(Box::new)
    }
}

/// A wait for the log. When it is cancelled, since whoever asked is gone, the version is there all the same, and what is owed for
/// it is owed.
struct Waiting<'a> {
    shared: &'a Shared,
    room: &'a Room,
    version: Version,
    owes: bool,
}

impl Waiting<'_> {
    /// Waits to the end.
    async fn over<T>(mut self, wait: impl Future<Output = T>) -> T {
        let outcome = wait.await;
        self.owes = false;
        outcome
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut inner = self.room.inner();
        if self.owes && !inner.fenced && inner.queue.durable_version() < self.version {
            self.shared.owe_durable(self.room, &mut inner);
        }
    }
}

pub(crate) fn unknown(reason: NotNow) -> CommandError {
    CommandError::Unavailable {
        reason,
        retry_after_ms: 1000,
        outcome_unknown: true,
    }
}

/// What the edge's command is for a seat.
fn to_command(seat: Seat, hash: CommandHash, command: &PlayerCommand) -> Command {
    match command {
        PlayerCommand::Move {
            position,
            mv,
            offer_draw,
            ..
        } => Command::Move {
            seat,
            hash,
            position: *position,
            mv: mv.clone(),
            offer_draw: *offer_draw,
        },
        PlayerCommand::Leave { .. } => Command::Leave { seat, hash },
        PlayerCommand::OfferDraw { offer, .. } => Command::ArmDraw {
            seat,
            hash,
            armed: *offer,
        },
        PlayerCommand::AnswerDraw { accept, .. } => Command::AnswerDraw {
            seat,
            hash,
            accept: *accept,
        },
        PlayerCommand::Seed { seed, .. } => Command::Seed {
            seat,
            hash,
            seed: seed.clone(),
        },
    }
}
