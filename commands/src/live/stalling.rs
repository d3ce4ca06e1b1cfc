//! Who notices that the whole process stood still, or that the time of day was set: whoever measures time must know it
//! first. Nobody pays for either.

use std::sync::Arc;

use contract::{GameId, Version};

use super::timing::BEAT_MS;
use super::{Shared, lock, running};
use crate::decide::Command;
use crate::ports::Moment;
use crate::watcher::{self, stall};

/// Where the time of day goes another way than time by more than this between two beats, in milliseconds, it was set, or the
/// machine slept.
const SET_MS: i64 = 1_000;

/// A game whose clock ran while the process stood still, for so many milliseconds, at this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stall {
    game: GameId,
    version: Version,
    ms: i64,
}

impl Shared {
    /// Notes that time passes. If it did not for a while, as the process stood still, nobody shall pay for it: all
    /// deadlines and clocks move by as much.
    pub(crate) fn note_time(&self) {
        let moment = self.clock.moment();
        let before = std::mem::replace(&mut *lock(&self.noted), moment);
        self.note_time_of_day(before, moment);
        let now = moment.monotonic;
        let Some(ms) = stall(now.since(before.monotonic), BEAT_MS) else {
            return;
        };
        *lock(&self.stood_still) = Some(now);
        tracing::warn!("the service stood still for {ms} ms; all deadlines move by as much");
        self.people().presence.shift(ms);
        for room in self.all_rooms() {
            let mut inner = room.inner();
            inner.clock.give_back(ms, now);
            self.replan(&room, &inner);
            let live = inner.game.as_ref().filter(|game| game.is_live());
            if let Some(game) = live.filter(|game| running(game).is_some()) {
                lock(&self.stalls).push(Stall {
                    game: game.id,
                    version: game.version,
                    ms,
                });
            }
        }
    }

    /// Says in the log and to the players what was given back. A game that has gone on meanwhile was charged rightly, and
    /// says so itself.
    pub(super) fn tell_of_stalls(self: &Arc<Self>) {
        for stall in lock(&self.stalls).drain(..) {
            let shared = self.clone();
            self.tracker.spawn(async move { shared.tell_of(stall).await });
        }
    }

    async fn tell_of(self: &Arc<Self>, stall: Stall) {
        let Some(room) = self.room(stall.game) else { return };
        if !self.still_ours(&room).await {
            return;
        }
        let command = Command::StoodStill {
            version: stall.version,
            ms: stall.ms,
        };
        if let Err(refused) = self.execute(&room, command).await {
            tracing::debug!(game.id = %stall.game, "{} needed nothing: {refused:?}", stall.game);
        }
    }

    /// Absences are measured by the time of day, which clients count down by. If it is set, or goes on while the machine
    /// sleeps, they move along with it: nobody was away for longer because of that.
    fn note_time_of_day(&self, before: Moment, moment: Moment) {
        let set_ms = moment.now.since(before.now) - moment.monotonic.since(before.monotonic);
        if set_ms.abs() <= SET_MS {
            return;
        }
        tracing::warn!("the time of day was set by {set_ms} ms; all absences move by as much");
        self.people().presence.shift(set_ms);
        for room in self.all_rooms() {
            self.replan(&room, &room.inner());
        }
    }

    /// Whether the process stood still within the last round of the watcher, whoever noted it: another one may have taken
    /// games over meanwhile.
    pub(crate) fn stood_still_lately(&self) -> bool {
        let now = self.clock.monotonic();
        lock(&self.stood_still).is_some_and(|noted| now.since(noted) <= watcher::TICK_MS as i64)
    }
}
