//! A log that answers and does not take an event for now: its store is full, or it has no leader. It is asked again, more
//! and more seldom, and an operator is told once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Shared;
use super::room::Room;

/// How long a driver waits after the first refusal; twice as long after each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// It waits no longer than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// So many refusals in a row of one game are no passing matter.
const TOLD_AFTER: u32 = 3;

/// The refusals in a row that one driver has met.
#[derive(Debug, Default)]
pub(super) struct Refusals(u32);

impl Refusals {
    /// Something was taken.
    pub(super) fn over(&mut self) {
        self.0 = 0;
    }

    /// How long to wait after one more.
    fn one_more(&mut self) -> Duration {
        let pause = FIRST_PAUSE * (1 << self.0.min(16));
        self.0 = self.0.saturating_add(1);
        pause.min(LONGEST_PAUSE)
    }
}

impl Shared {
    /// The log has answered that it does not have the event. Waits until it is time to send it again; meanwhile the game
    /// counts as one whose events wait, and they are copied.
    pub(super) async fn refused_for_now(
        self: &Arc<Self>,
        room: &Arc<Room>,
        why: &str,
        refusals: &mut Refusals,
    ) {
        let pause = refusals.one_more();
        if refusals.0 == TOLD_AFTER && !self.log_refuses.swap(true, Ordering::AcqRel) {
            tracing::error!("the log does not take events for now, and they wait: {why}");
        }
        {
            let mut inner = room.inner();
            inner.refused = true;
            self.copy_soon(room, &mut inner);
        }
        tokio::time::sleep(pause).await;
    }

    /// The log has taken an event.
    pub(super) fn log_takes_events(&self) {
        if self.log_refuses.load(Ordering::Acquire) && self.log_refuses.swap(false, Ordering::AcqRel) {
            tracing::info!("the log takes events again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_five_seconds_and_begins_anew_after_a_success() {
        let mut refusals = Refusals::default();
        let pauses: Vec<u128> = (0..7).map(|_| refusals.one_more().as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000]);
        for _ in 0..100 {
            assert_eq!(refusals.one_more(), LONGEST_PAUSE);
        }
        refusals.over();
        assert_eq!(refusals.one_more(), FIRST_PAUSE);
    }
}
