//! What happens when the log lost acknowledged events, or a queue has grown too long.

use contract::{EventId, GameState};

use super::{Acked, LastMessage, Phase, PublishQueue, Queued, Resolved};

impl PublishQueue {
    /// The log ends at `last`, before what it once acknowledged: the kept bytes go first into the queue, or, where they
    /// are gone, the whole state.
    pub(super) fn tail_lost(&mut self, last: Option<LastMessage>, game: &GameState) -> Resolved {
        let base = last.map(|last| last.place);
        let again = self.kept_after(base);
        self.acked = last.map(|last| Acked {
            place: last.place,
            seq: last.seq,
        });
        if let Some(events) = again {
            self.kept.retain(|kept| !events.contains(&kept.event));
            for event in events.into_iter().rev() {
                self.waiting.push_front(event);
            }
        } else {
            // Where the log has nothing of the game any more, its `started` must come again.
            let started = base.map_or_else(|| self.known("started"), |_| None);
            self.replace_by_anchor(started, game);
        }
        Resolved::TailLost
    }

    /// The kept events that follow `base` without a hole up to the last acknowledged one.
    fn kept_after(&self, base: Option<EventId>) -> Option<Vec<Queued>> {
        let acked = self.acked?;
        let mut previous = base;
        let mut found = Vec::new();
        for kept in &self.kept {
            let event = &kept.event;
            let follows = event.previd == previous
                || (event.is_anchor() && found.is_empty() && follows_base(event, base));
            if follows {
                previous = Some(event.place);
                found.push(event.clone());
            } else if !found.is_empty() {
                return None;
            }
        }
        (previous == Some(acked.place) && !found.is_empty()).then_some(found)
    }

    /// The event of this name, if its bytes are still here.
    fn known(&self, name: &str) -> Option<Queued> {
        let kept = self.kept.iter().map(|kept| &kept.event);
        self.waiting
            .iter()
            .chain(kept)
            .find(|event| event.name == name)
            .cloned()
    }

    /// One `anchored` of the newest state in place of everything, behind `started`; an ended game keeps its `ended`.
    pub(super) fn replace_by_anchor(&mut self, started: Option<Queued>, game: &GameState) {
        let ended = self.known("ended");
        let anchor = match (&ended, game.before_end()) {
            (Some(_), Some(before)) => self.anchor_at(&before, started.as_ref()),
            _ => self.anchor_at(game, started.as_ref()),
        };
        self.kept.clear();
        self.waiting = started.into_iter().chain([anchor]).chain(ended).collect();
    }

    /// Replaces what waits by one `anchored` of the newest state. `started` and `ended` stay, and so does a head that was
    /// sent: it may be in the log.
    pub(super) fn collapse(&mut self, game: &GameState) {
        let head = self
            .waiting
            .front()
            .filter(|head| head.name == "started" || self.phase != Phase::Idle)
            .cloned();
        let ended = self.waiting.back().filter(|tail| tail.name == "ended").cloned();
        let fixed = usize::from(head.is_some()) + usize::from(ended.is_some());
        if self.waiting.len() < fixed + 2 {
            return;
        }
        let state = if ended.is_some() {
            game.before_end()
        } else {
            Some(game.clone())
        };
        let Some(state) = state else { return };
        let anchor = self.anchor_at(&state, head.as_ref());
        self.waiting = head.into_iter().chain([anchor]).chain(ended).collect();
    }
}

/// An `anchored` continues any older state of its game.
fn follows_base(anchor: &Queued, base: Option<EventId>) -> bool {
    base.is_none_or(|base| base.version <= anchor.place.version)
}
