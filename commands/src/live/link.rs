//! The connection to the log: while it is away, or answers nothing, no queue moves.

use std::sync::Arc;
use std::time::Duration;

use super::Shared;
use crate::ports::Link;

/// Between two probes of a log that does not answer.
pub(super) const PROBE_EVERY: Duration = Duration::from_millis(250);

impl Shared {
    /// Follows the connection to the log for ever: closes the queues when it goes, opens them when it is back, and
    /// probes a log that is connected and does not answer.
    pub(crate) async fn follow_link(self: Arc<Self>) {
        let mut link = self.log.link();
        loop {
            let now = *link.borrow_and_update();
            match now {
                Link::Down => self.log_went_away(),
                Link::Up(_) => self.log_is_back(),
            }
            loop {
                tokio::select! {
                    biased;
                    changed = link.changed() => {
                        if changed.is_err() {
                            return;
                        }
                        break;
                    }
                    () = tokio::time::sleep(PROBE_EVERY) => self.probe().await,
                }
            }
        }
    }

    /// Whatever answered: if the queues had stopped, they go on.
    pub(super) fn log_answered(self: &Arc<Self>) {
        if self.health.answered() {
            self.hold_clocks();
            for room in self.all_rooms() {
                self.drive(&room);
            }
        }
    }

    fn log_went_away(self: &Arc<Self>) {
        if !self.health.is_up() {
            // An attempt to connect that came to nothing. What the log may have lost is not forgotten while it is away.
            return;
        }
        self.health.set_up(false);
        self.hold_clocks();
        let now = self.clock.monotonic();
        for room in self.all_rooms() {
            let mut inner = room.inner();
            inner.queue.forget(now, self.limits.keep_acked_ms);
            if !inner.queue.is_empty() || inner.queue.kept().next().is_some() {
                inner.mirror.with_kept = true;
                self.copy_soon(&room, &mut inner);
            }
        }
    }

    /// What was acknowledged just before it went away may be lost, however long it was away: those games are looked at
    /// before anything else is sent.
    fn log_is_back(self: &Arc<Self>) {
        self.health.set_up(true);
        self.hold_clocks();
        for room in self.all_rooms() {
            {
                let mut inner = room.inner();
                if !inner.queue.verify() && inner.mirror.exists() {
                    self.copy_soon(&room, &mut inner);
                }
            }
            self.drive(&room);
        }
    }

    async fn probe(self: &Arc<Self>) {
        if self.health.is_up() && !self.health.is_open() && self.log.info().await.is_ok() {
            self.log_answered();
        }
    }
}
