//! How games begin: from the queue, or by an invitation.

use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, PoisonError};

use contract::{
    ClientId, CommandHash, Durability, GameId, GameKey, Kind, Origin, PlayerSummary, Players, Seat,
    TimeControl, Version,
};
use futures::FutureExt;
use tokio::sync::OwnedMutexGuard;

use super::Shared;
use super::deciding::{Refused, unknown};
use super::room::{Outcome, Room};
use crate::decide::{Command, Start};
use crate::games::{Accepted, CommandError, Invitation, NotNow, Rejection, Sought};
use crate::matchmaking::Terms;

impl Shared {
    pub(crate) async fn seek(
        self: Arc<Self>,
        user: PlayerSummary,
        kind: Kind,
        time_control: TimeControl,
    ) -> Result<Sought, CommandError> {
        self.must_be_active()?;
        let terms = Terms { kind, time_control };
        let opponent = {
            let mut people = self.people();
            if let Some(game) = people.presence.game_of(&user.user_id) {
                return Err(Rejection::ActiveGame(game).into());
            }
            let now = self.clock.now();
            let opponent = people.matchmaking.seek(&user, terms, now);
            if !people.presence.is_connected(&user.user_id) {
                // Their last connection closed while they asked.
                people.matchmaking.lapse(&user.user_id, now);
            }
            opponent
        };
        let Some(opponent) = opponent else {
            return Ok(Sought::Waiting);
        };
        let key = GameKey {
            kind,
            id: (self.new_game_id)(),
        };
        let start = Start {
            kind,
            players: Players {
                player1: opponent.clone(),
                player2: user.clone(),
            },
            time_control,
            durability: Durability::BestEffort,
            origin: Origin::Queue,
            key_id: kind.is_fair().then(|| self.seeds.key_id()),
            command: None,
        };
        match self.start(key, start).await {
            Ok(_) => Ok(Sought::Paired(key.id)),
            Err(CommandError::Rejected {
                reason: Rejection::HostBusy,
                ..
            }) => {
                // The one who waited is in a game by now: ask the next one.
                Box::pin(self.seek(user, kind, time_control)).await
            }
            Err(error) => {
                self.put_back(&opponent, terms);
                Err(error)
            }
        }
    }

    /// The game did not come about, through no fault of the one who waited.
    fn put_back(&self, waiting: &PlayerSummary, terms: Terms) {
        let mut people = self.people();
        people.matchmaking.cancel(&waiting.user_id);
        people.matchmaking.put_back(waiting, terms);
        if !people.presence.is_connected(&waiting.user_id) {
            people.matchmaking.lapse(&waiting.user_id, self.clock.now());
        }
    }

    pub(crate) async fn join(
        self: Arc<Self>,
        invitation: Invitation,
        joiner: PlayerSummary,
        id: Option<ClientId>,
    ) -> Result<Accepted, CommandError> {
        self.must_be_active()?;
        if invitation.host.user_id == joiner.user_id {
            return Err(Rejection::OwnInvitation.into());
        }
        let seat = invitation.host_seat.other();
        let command = id.as_ref().map(|id| CommandHash::of(seat, id));
        if let Some(room) = self.begun(invitation.game).await {
            return self.joined_before(&room, seat, &joiner, command).await;
        }
        let key = GameKey {
            kind: invitation.kind,
            id: invitation.game,
        };
        let players = match invitation.host_seat {
            Seat::Player1 => Players {
                player1: invitation.host,
                player2: joiner.clone(),
            },
            Seat::Player2 => Players {
                player1: joiner.clone(),
                player2: invitation.host,
            },
        };
        let start = Start {
            kind: invitation.kind,
            players,
            time_control: invitation.time_control,
            durability: invitation.durability,
            origin: Origin::Invitation,
            key_id: Some(invitation.key_id),
            command,
        };
        let answer = self.start_seated(key, start, seat).await;
        if let Err(CommandError::Rejected {
            reason: Rejection::SeatTaken,
            ..
        }) = &answer
            && let Some(room) = self.begun(key.id).await
        {
            // Somebody was quicker; perhaps the same joiner, whose command came twice.
            return self.joined_before(&room, seat, &joiner, command).await;
        }
        answer
    }

    /// The game of this id, once whoever begins it is done with it.
    async fn begun(&self, game: GameId) -> Option<Arc<Room>> {
        while let Some(room) = self.room(game) {
            // They hold the gate until it has begun, or is out again.
            drop(room.enter().await);
            if self.is_placed(&room) {
                return Some(room);
            }
        }
        None
    }

    /// The game is there already: the same answer for the same joiner's same command, else the seat is taken.
    async fn joined_before(
        self: &Arc<Self>,
        room: &Arc<Room>,
        seat: Seat,
        joiner: &PlayerSummary,
        command: Option<CommandHash>,
    ) -> Result<Accepted, CommandError> {
        let same = {
            let inner = room.inner();
            let game = inner.game.as_ref().ok_or(Rejection::SeatTaken)?;
            let same_user = game.players.of(seat).user_id == joiner.user_id;
            same_user
                .then(|| command.and_then(|hash| game.version_of(seat, hash)))
                .flatten()
        };
        match same {
            Some(version) => self.answer(room, version).await,
            None => Err(Rejection::SeatTaken.into()),
        }
    }

    async fn start(self: &Arc<Self>, key: GameKey, start: Start) -> Result<Accepted, CommandError> {
        self.start_seated(key, start, Seat::Player2).await
    }

    /// Begins a game for the user in `asking`, who is answered; the other one waited or invited.
    async fn start_seated(
        self: &Arc<Self>,
        key: GameKey,
        start: Start,
        asking: Seat,
    ) -> Result<Accepted, CommandError> {
        if self.rooms.read().unwrap_or_else(PoisonError::into_inner).len() >= self.limits.max_live_games {
            return Err(CommandError::not_now(NotNow::Full));
        }
        if start.durability == Durability::Required && !self.health.is_open() {
            return Err(CommandError::not_now(NotNow::LogAway));
        }
        let players = start.players.clone();
        let room = Room::new(key, self.writer);
        let begin = Command::Start(Box::new(start.clone()));
        if key.kind.is_fair() && self.seed_for(&room, &begin).is_none() {
            return Err(CommandError::not_now(NotNow::Internal));
        }
        let gate = room.enter().await;
        if !self.place(&room) {
            return Err(Rejection::SeatTaken.into());
        }
        // Only now: who loses the race for the game must not take its players' seats, nor free them.
        if let Err(busy) = self.take_seats(key.id, &players, asking) {
            self.remove(&room);
            return Err(busy);
        }
        let wait = if start.origin == Origin::Invitation {
            Some(start.durability)
        } else {
            None
        };
        match self.decide_start(&room, gate, begin).await {
            Ok(version) => {
                if let Some(durability) = wait {
                    self.show_when_sure(&room, durability).await?;
                }
                self.answer(&room, version).await
            }
            Err(error) => {
                self.remove(&room);
                self.free_seats(key.id, &players);
                Err(error)
            }
        }
    }

    /// Decides on the start. An error, or a panic before there is a game, leaves nothing but the room and its seats.
    async fn decide_start(
        self: &Arc<Self>,
        room: &Arc<Room>,
        gate: OwnedMutexGuard<()>,
        start: Command,
    ) -> Result<Version, CommandError> {
        // The clock as well is read where a panic is caught.
        let deciding = async {
            let now = self.clock.moment();
            self.execute_behind(gate, room, start, now).await
        };
        match AssertUnwindSafe(deciding).catch_unwind().await {
            Ok(Ok(version)) => Ok(version),
            Ok(Err(Refused::Rejected(reason))) => Err(reason.into()),
            Ok(Err(Refused::Fenced)) => Err(Rejection::SeatTaken.into()),
            // It has begun, and goes on as after a panic in any other command.
            Err(panic) if room.inner().game.is_some() => resume_unwind(panic),
            Err(_) => {
                tracing::error!(game.id = %room.key.id, "the start of {} failed inside", room.key.id);
                Err(CommandError::not_now(NotNow::Internal))
            }
        }
    }

    /// A game from an invitation is shown when the log has its `started`: somebody may have used the link elsewhere.
    /// While the log is away it is shown after the usual wait all the same.
    async fn show_when_sure(
        self: &Arc<Self>,
        room: &Arc<Room>,
        durability: Durability,
    ) -> Result<(), CommandError> {
        let patient = durability == Durability::Required;
        let wait = if patient {
            self.limits.required_wait_ms
        } else {
            self.limits.ack_wait_ms
        };
        loop {
            match self.wait_for_log(room, 1, wait, true).await {
                Some(Outcome::Durable) => return Ok(()),
                Some(Outcome::Fenced) => return Err(Rejection::SeatTaken.into()),
                None if patient => return Err(unknown(NotNow::LogAway)),
                None if self.health.is_open() && !room.inner().queue.is_halted() => {}
                None => {
                    self.release(room, &mut room.inner(), Version::MAX);
                    return Ok(());
                }
            }
        }
    }

    fn take_seats(&self, game: GameId, players: &Players, asking: Seat) -> Result<(), CommandError> {
        let mut people = self.people();
        let asker = &players.of(asking).user_id;
        let other = &players.of(asking.other()).user_id;
        // The asker first: what they are told is about themselves if both are busy.
        match people.presence.enter(game, [asker, other], self.clock.now()) {
            Ok(()) => {
                people.matchmaking.cancel(asker);
                people.matchmaking.cancel(other);
                Ok(())
            }
            Err((user, active)) if user == *asker => Err(Rejection::ActiveGame(active).into()),
            Err(_) => Err(Rejection::HostBusy.into()),
        }
    }

    fn free_seats(&self, game: GameId, players: &Players) {
        self.people()
            .presence
            .leave(game, [&players.player1.user_id, &players.player2.user_id]);
    }

    /// Puts a new game where commands find it; false if there is one of that id.
    pub(crate) fn place(&self, room: &Arc<Room>) -> bool {
        match self
            .rooms
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(room.key.id)
        {
            Entry::Occupied(_) => false,
            Entry::Vacant(vacant) => {
                vacant.insert(room.clone());
                true
            }
        }
    }

    /// Whether commands find this very game.
    fn is_placed(&self, room: &Arc<Room>) -> bool {
        self.room(room.key.id)
            .is_some_and(|found| Arc::ptr_eq(&found, room))
    }

    /// Takes this very game out; another one of the same id stays.
    pub(crate) fn remove(&self, room: &Arc<Room>) {
        let mut rooms = self.rooms.write().unwrap_or_else(PoisonError::into_inner);
        if rooms
            .get(&room.key.id)
            .is_some_and(|found| Arc::ptr_eq(found, room))
        {
            rooms.remove(&room.key.id);
            self.deadlines.plan(room.key.id, None);
        }
    }
}
