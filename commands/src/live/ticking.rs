//! What happens now and then: absent players lose, spectator counts are told, ended games are forgotten, seeks lapse.

use std::sync::Arc;

use contract::frames::ServerFrame;
use contract::frames::server::SpectatorCount;
use contract::view::FinishedGameSummary;
use contract::{GameId, Seq, UserId};

use super::deciding::Refused;
use super::room::Room;
use super::{Shared, lock};
use crate::decide::Command;
use crate::games::{Encoded, Role};
use crate::view::finished_summary;
use crate::watcher::{self, judge};

/// Spectator counts are told at most this often, in milliseconds.
const RECOUNT_MS: u64 = 1000;

impl Shared {
    /// The watcher: every ten seconds, while this process is active.
    pub(crate) async fn watch_absence(self: Arc<Self>) {
        loop {
            self.clock.sleep(watcher::TICK_MS).await;
            self.note_time();
            if self.role() == Role::Active {
                self.end_absent(self.stood_still_lately()).await;
            }
            self.anchor_old();
            self.note_unmoved();
            self.people().matchmaking.expire(self.clock.now());
            self.forget_ended();
        }
    }

    /// Where the log forgets old messages, each live game's whole state goes there again before its beginning is gone.
    fn anchor_old(self: &Arc<Self>) {
        let Some(every_ms) = self.limits.anchor_every_ms else {
            return;
        };
        let now = self.clock.monotonic();
        for room in self.all_rooms() {
            let mut inner = room.inner();
            let Some(game) = inner.game.clone().filter(|game| game.is_live()) else {
                continue;
            };
            if now.since(*inner.whole_at.get_or_insert(now)) >= every_ms {
                inner.whole_at = Some(now);
                inner.queue.anchor(&game);
                drop(inner);
                self.drive(&room);
            }
        }
    }

    /// Notes since when the log has taken nothing of a game of which something waits.
    fn note_unmoved(&self) {
        let now = self.clock.monotonic();
        for room in self.all_rooms() {
            let mut inner = room.inner();
            let waits = !inner.queue.is_empty();
            let durable = inner.queue.durable_version();
            let before = inner.unmoved.filter(|(version, _)| *version == durable);
            inner.unmoved = waits.then(|| before.unwrap_or((durable, now)));
        }
    }

    /// Ends the games whose players were away too long. After a stall each is first looked at in the log: another
    /// process may have taken it over meanwhile.
    async fn end_absent(self: &Arc<Self>, look_first: bool) {
        for room in self.all_rooms() {
            if self.judgement(&room).is_none() || (look_first && !self.still_ours(&room).await) {
                continue;
            }
            if let Err(refused) = self.end_if_still_absent(&room).await {
                tracing::debug!(game.id = %room.key.id, "{} was not ended: {refused:?}", room.key.id);
            }
        }
    }

    /// Judges behind the game's gate: whoever came back, or played, while the log was looked at or another command was
    /// decided on is not absent any more.
    async fn end_if_still_absent(self: &Arc<Self>, room: &Arc<Room>) -> Result<(), Refused> {
        let gate = room.enter().await;
        let Some(command) = self.judgement(room) else {
            return Ok(());
        };
        self.execute_behind(gate, room, command, self.clock.moment())
            .await
            .map(drop)
    }

    fn judgement(&self, room: &Room) -> Option<Command> {
        let game = room.inner().game.clone()?;
        let away = self.people().presence.away(&game.players);
        judge(&game, away, self.clock.now())
    }

    pub(crate) async fn still_ours(self: &Arc<Self>, room: &Arc<Room>) -> bool {
        match self.last_message(room.key).await {
            Ok(last) => {
                let ours = {
                    let inner = room.inner();
                    let (Some(game), Some(last)) = (&inner.game, last) else {
                        return false;
                    };
                    game.chain.has_event(last.place, game.version)
                };
                if !ours {
                    self.fence(room).await;
                }
                ours
            }
            // While the log is away nobody else can have taken the game over either, but it is no hurry.
            Err(_) => false,
        }
    }

    /// Tells changed spectator counts, at most once a second.
    pub(crate) async fn tell_spectators(self: Arc<Self>) {
        loop {
            self.clock.sleep(RECOUNT_MS).await;
            let games = std::mem::take(&mut *lock(&self.recounted));
            for id in games {
                let Some(room) = self.room(id) else { continue };
                let inner = room.inner();
                let count = SpectatorCount {
                    game_id: id,
                    durable_version: inner.queue.durable_version(),
                    now: inner.audience.now(),
                    figures: inner.audience.figures(),
                };
                inner
                    .audience
                    .push(&Encoded::new(ServerFrame::OnSpectators(count)));
            }
        }
    }

    /// History has every `ended` up to `seq`.
    pub(crate) fn recorded(&self, seq: Seq) {
        self.recorded_through
            .fetch_max(seq, std::sync::atomic::Ordering::AcqRel);
        self.forget_ended();
    }

    /// Ended games that history is not known to have, newest end first; those of `of`, or all.
    pub(crate) fn just_finished(&self, of: Option<&UserId>) -> Vec<FinishedGameSummary> {
        let recorded = self.recorded_through.load(std::sync::atomic::Ordering::Acquire);
        let ended: Vec<GameId> = lock(&self.ended).iter().rev().copied().collect();
        let rooms = ended.into_iter().filter_map(|id| self.room(id));
        let games = rooms.filter_map(|room| {
            let inner = room.inner();
            let is_recorded = inner.ended_seq.is_some_and(|seq| seq <= recorded);
            let shown = inner.shown.as_ref().filter(|_| !is_recorded)?;
            let is_theirs = of.is_none_or(|user| shown.players.seat_of(user).is_some());
            let ending = shown.ending.as_ref().filter(|_| is_theirs)?;
            Some(finished_summary(&shown.finished(ending, shown.spectators)))
        });
        games.collect()
    }

    /// Forgets ended games that history has and nobody comes back for; of the others at most a bounded number.
    fn forget_ended(&self) {
        let recorded = self.recorded_through.load(std::sync::atomic::Ordering::Acquire);
        let now = self.clock.monotonic();
        // Copied, not locked: a game that ends right now adds itself while it is locked.
        let ended: Vec<GameId> = lock(&self.ended).iter().copied().collect();
        let mut acknowledged = 0;
        let mut forgotten = std::collections::BTreeSet::new();
        // Newest first, so that the bound drops the oldest.
        for id in ended.into_iter().rev() {
            let Some(room) = self.room(id) else {
                forgotten.insert(id);
                continue;
            };
            let (seq, since) = {
                let inner = room.inner();
                (
                    inner.ended_seq,
                    inner.ended_at.map_or(i64::MAX, |at| now.since(at)),
                )
            };
            let is_recorded = seq.is_some_and(|seq| seq <= recorded) && since >= self.limits.ended_grace_ms;
            acknowledged += usize::from(seq.is_some());
            if is_recorded || (seq.is_some() && acknowledged > self.limits.max_finished) {
                self.remove(&room);
                forgotten.insert(id);
            }
        }
        lock(&self.ended).retain(|id| !forgotten.contains(id));
    }
}
