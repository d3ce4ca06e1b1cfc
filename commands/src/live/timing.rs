//! What happens at an instant, and not at a tick: a flag falls, an absent player's time away is over, the wait for
//! the players' seeds is.
//!
//! That the whole process stood still is noticed in `stalling`.

use std::sync::Arc;

use contract::{Durability, GameId};

use super::Shared;
use super::room::{Inner, Room};
use crate::clocks::time_is_up;
use crate::decide::Command;
use crate::games::Role;
use crate::ports::Monotonic;
use crate::watcher;

/// Time is noted at least this often, in milliseconds, so that a stall is told from a long sleep.
pub(super) const BEAT_MS: u64 = 500;

/// What time decides and could not be decided, as the log was away or another process might have the game, is tried again
/// after so long, in milliseconds.
const RETRY_MS: i64 = 250;

impl Shared {
    /// Decides on games at the instants planned for them, while this process is active.
    pub(crate) async fn keep_time(self: Arc<Self>) {
        let mut role = self.role.subscribe();
        loop {
            let now = self.clock.monotonic();
            let active = *role.borrow_and_update() == Role::Active;
            let wait = match self.deadlines.first().filter(|_| active) {
                Some(due) => u64::try_from(due.since(now)).map_or(0, |ms| ms.min(BEAT_MS)),
                None => BEAT_MS,
            };
            if wait > 0 {
                tokio::select! {
                    () = self.clock.sleep(wait) => {}
                    () = self.deadlines.changed() => {}
                    changed = role.changed() => if changed.is_err() { return },
                }
            }
            self.note_time();
            if active {
                self.tell_of_stalls();
                self.take_due(self.stood_still_lately());
            }
        }
    }

    /// Each game is decided on in a task of its own: one that has to wait for its turn holds up no other.
    fn take_due(self: &Arc<Self>, stalled: bool) {
        for game in self.deadlines.take_due(self.clock.monotonic()) {
            let shared = self.clone();
            self.tracker
                .spawn(async move { shared.decide_due(game, stalled).await });
        }
    }

    async fn decide_due(self: &Arc<Self>, game: GameId, look_first: bool) {
        let Some(room) = self.room(game) else { return };
        if self.due(&room).is_some() && (!look_first || self.still_ours(&room).await) {
            self.decide_if_still_due(&room).await;
        }
        if self.due(&room).is_some() {
            let again = Monotonic(self.clock.monotonic().0 + RETRY_MS);
            self.deadlines.plan(game, Some(again));
        } else {
            self.replan(&room, &room.inner());
        }
    }

    /// Looks once more behind the game's gate: whoever came back, or played, while it was waited for is not absent any
    /// more. A command that was received in time and waits there comes first.
    async fn decide_if_still_due(self: &Arc<Self>, room: &Arc<Room>) {
        let gate = room.enter().await;
        let Some(command) = self.due(room) else { return };
        let now = self.clock.moment();
        if let Err(refused) = self.execute_behind(gate, room, command, now).await {
            tracing::debug!(game.id = %room.key.id, "{} was not ended: {refused:?}", room.key.id);
        }
    }

    /// What time decides now.
    fn due(&self, room: &Room) -> Option<Command> {
        let inner = room.inner();
        let game = inner.game.clone().filter(|game| game.is_live())?;
        let ran_ms = inner.clock.ran_ms(self.clock.monotonic());
        if let Some(seat) = time_is_up(game.clocks.as_ref(), ran_ms) {
            return Some(Command::Flag { seat });
        }
        if self.goes_on(&game) {
            return Some(Command::GoOn);
        }
        let away = self.people().presence.away(&game.players);
        watcher::absent(&game, away, self.clock.now())
    }

    /// Plans when the game is to be looked at next. To be called whenever its clocks change, or who is there.
    pub(crate) fn replan(&self, room: &Room, inner: &Inner) {
        let live = inner.game.as_ref().filter(|game| game.is_live() && !inner.fenced);
        let due = live.and_then(|game| {
            let flag = game
                .clocks
                .as_ref()
                .and_then(|clocks| inner.clock.runs_out_at(clocks));
            let away = self.people().presence.away(&game.players);
            let absence = watcher::next_absence(game, away).map(|at| {
                let in_ms = at.since(self.clock.now()).max(0);
                Monotonic(self.clock.monotonic().0 + in_ms)
            });
            let goes_on = self
                .goes_on_in_ms(game)
                .map(|ms| Monotonic(self.clock.monotonic().0 + ms));
            flag.into_iter().chain(absence).chain(goes_on).min()
        });
        self.deadlines.plan(room.key.id, due);
    }

    /// Games that wait for the log take no command while it is away, so their clocks stand still.
    pub(crate) fn hold_clocks(&self) {
        let open = self.health.is_open();
        if self.clocks_run.swap(open, std::sync::atomic::Ordering::AcqRel) == open {
            return;
        }
        let now = self.clock.monotonic();
        for room in self.all_rooms() {
            let mut inner = room.inner();
            let waits = inner
                .game
                .as_ref()
                .is_some_and(|game| game.durability == Durability::Required && game.clocks.is_some());
            if waits {
                if open {
                    inner.clock.go_on(now);
                } else {
                    inner.clock.hold(now);
                }
                self.replan(&room, &inner);
            }
        }
    }
}
