//! Copies what the log could not take to the pending store, and trims the copy when the log has it.

use std::sync::Arc;
use std::time::Duration;

use contract::GameKey;

use super::room::{Inner, Room};
use super::{Shared, lock};
use crate::ports::{PendingGame, PendingItem, Unavailable};
use crate::publish::Queued;

/// Between two tries while the pending store is away.
pub(super) const TRY_AGAIN: Duration = Duration::from_millis(250);

impl Shared {
    /// The game's copy is not what it should be.
    pub(crate) fn copy_soon(&self, room: &Room, inner: &mut Inner) {
        if !inner.mirror.due {
            inner.mirror.due = true;
            lock(&self.to_copy).insert(room.key.id);
            self.copy_now.notify_one();
        }
    }

    /// The game is another process's by now. Its copy is set aside by the task that copies, behind a copy of it that is
    /// under way, and as often as it takes.
    pub(crate) fn set_aside_soon(&self, key: GameKey) {
        lock(&self.to_set_aside).insert(key);
        self.copy_now.notify_one();
    }

    /// Follows the connection to the pending store for ever.
    pub(crate) async fn follow_pending(self: Arc<Self>) {
        let mut link = self.pending.link();
        let mut known = *link.borrow_and_update();
        while link.changed().await.is_ok() {
            let now = *link.borrow_and_update();
            if now.is_up() && now != known {
                known = now;
                self.pending_is_back();
            }
        }
    }

    /// It may have come back empty or older: everything that waits goes there again at once, and a copy that it should
    /// have dropped is dropped when the game's next event is acknowledged, or by the next restore.
    fn pending_is_back(&self) {
        for room in self.all_rooms() {
            let mut inner = room.inner();
            let had_copy = inner.mirror.exists();
            inner.mirror.store_came_back();
            if had_copy || inner.mirror.with_kept || !inner.queue.is_empty() {
                self.copy_soon(&room, &mut inner);
            }
        }
    }

    /// Copies for ever.
    pub(crate) async fn keep_copies(self: Arc<Self>) {
        loop {
            self.copy_now.notified().await;
            while !self.copy_all().await {
                tokio::time::sleep(TRY_AGAIN).await;
            }
        }
    }

    /// Brings all copies up to date; false if the store failed, and what is left is due again. Whoever else does so is
    /// waited for.
    pub(crate) async fn copy_all(&self) -> bool {
        let _alone = self.copying.lock().await;
        let games = std::mem::take(&mut *lock(&self.to_copy));
        let mut failed = false;
        for id in games {
            let Some(room) = self.room(id) else { continue };
            if failed {
                lock(&self.to_copy).insert(id);
                continue;
            }
            if let Err(error) = self.copy(&room).await {
                tracing::warn!("events that wait for the log cannot be copied yet: {error}");
                room.inner().mirror.due = true;
                lock(&self.to_copy).insert(id);
                failed = true;
            }
        }
        self.set_all_aside().await && !failed
    }

    async fn set_all_aside(&self) -> bool {
        let games = std::mem::take(&mut *lock(&self.to_set_aside));
        let mut done = true;
        for key in games {
            if let Err(error) = self.set_aside(key).await {
                tracing::warn!(game.id = %key.id, "what waits of {} cannot be set aside yet: {error}", key.id);
                lock(&self.to_set_aside).insert(key);
                done = false;
            } else {
                self.copy_again(key);
            }
        }
        done
    }

    /// The game may be held here once more by now: then what waits of it was set aside too.
    fn copy_again(&self, key: GameKey) {
        let Some(room) = self.room(key.id) else { return };
        let mut inner = room.inner();
        inner.mirror.copied = None;
        if !inner.queue.is_empty() {
            self.copy_soon(&room, &mut inner);
        }
    }

    async fn copy(&self, room: &Room) -> Result<(), Unavailable> {
        let (copy, trim, returns) = {
            let mut inner = room.inner();
            inner.mirror.due = false;
            let (copy, trim) = self.wanted(room, &inner);
            (copy, trim, inner.mirror.returns)
        };
        if let Some(game) = copy {
            self.close_gap(room, &game).await?;
            room.inner().mirror.unsure = true;
            self.pending.append(&game).await?;
            let mut inner = room.inner();
            if inner.mirror.returns == returns {
                inner.mirror.unsure = false;
                inner.mirror.copied = game.items.last().map(|item| item.place);
            }
            if inner.queue.is_empty() && self.health.is_up() {
                // The log took them while they were copied, and nobody knew then that there was a copy to trim.
                self.copy_soon(room, &mut inner);
            }
        } else if let Some(place) = trim {
            self.pending.trim(room.key, self.writer, place).await?;
            let mut inner = room.inner();
            if inner.queue.is_empty() && inner.mirror.returns == returns {
                inner.mirror.copied = None;
                inner.mirror.unsure = false;
                // The log may have gone again meanwhile: then what is kept is to be copied once more.
                inner.mirror.with_kept &= !self.health.is_up();
            }
        }
        Ok(())
    }

    /// What the store has may end before what it gets next, when it was away while the log was not: nothing would follow
    /// it, so it goes first.
    async fn close_gap(&self, room: &Room, next: &PendingGame) -> Result<(), Unavailable> {
        let Some(base) = next.base else { return Ok(()) };
        let (copied, unsure) = {
            let mirror = &room.inner().mirror;
            (mirror.copied, mirror.unsure)
        };
        if unsure || copied.is_some_and(|copied| copied.version < base.version) {
            self.pending.trim(room.key, self.writer, base).await?;
        }
        Ok(())
    }

    /// What the store should get: everything that waits (with what was acknowledged lately, when the log is away), or
    /// the word that the log has it.
    fn wanted(&self, room: &Room, inner: &Inner) -> (Option<PendingGame>, Option<contract::EventId>) {
        let keeps_any = inner.queue.kept().next().is_some();
        let kept_is_wanted = inner.mirror.with_kept && keeps_any && !self.health.is_up();
        if inner.queue.is_empty() && !kept_is_wanted {
            let acked = inner.queue.acked().filter(|_| inner.mirror.exists());
            return (None, acked.map(|acked| acked.place));
        }
        let last = inner.queue.waiting().last().map(|last| last.place);
        if self.health.is_open() && inner.mirror.copied == last {
            // The queue drains, and is trimmed once it has: not for each event of it.
            return (None, None);
        }
        let kept: Vec<&Queued> = if inner.mirror.with_kept {
            inner.queue.kept().collect()
        } else {
            Vec::new()
        };
        let items: Vec<PendingItem> = kept
            .iter()
            .copied()
            .chain(inner.queue.waiting())
            .map(item)
            .collect();
        let base = match items.first() {
            Some(first) if !kept.is_empty() => first.previd,
            _ => inner.queue.acked().map(|acked| acked.place),
        };
        let game = PendingGame {
            key: room.key,
            writer: self.writer,
            base,
            items,
        };
        (Some(game).filter(|game| !game.items.is_empty()), None)
    }
}

fn item(event: &Queued) -> PendingItem {
    PendingItem {
        place: event.place,
        id: event.id,
        previd: event.previd,
        anchored: event.is_anchor(),
        name: event.name.to_owned(),
        bytes: event.bytes.clone(),
    }
}
