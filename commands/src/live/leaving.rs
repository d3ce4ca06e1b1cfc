//! How a process stops: what waits goes into the log, or into the pending store, and it is said which.

use std::time::Duration;

use contract::frames::CloseCode;

use super::LiveGames;
use super::audience::give;
use super::copying::TRY_AGAIN;
use crate::games::{Push, Role};

/// Between two looks whether the queues have drained.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What a process that stopped leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftBehind {
    /// How many events the log does not have.
    pub waiting: usize,
    /// Whether the pending store is up to date: it has all of those, and none that the log has.
    pub copied: bool,
}

impl LiveGames {
    /// Takes no more commands, lets the queues drain for at most `patience`, copies for at most as long what still
    /// waits, closes all connections, and stops.
    pub async fn shutdown(&self, patience: Duration) -> LeftBehind {
        self.set_role(Role::Leaving);
        // Whether they have drained is seen below, when the rest was copied.
        let _in_time = tokio::time::timeout(patience, self.drained()).await;
        let copied = tokio::time::timeout(patience, self.copies_up_to_date()).await;
        let left = LeftBehind {
            waiting: self.waiting(),
            copied: copied.unwrap_or(false),
        };
        left.tell();
        for listener in self.shared.people().listeners() {
            give(&*listener, Push::Close(CloseCode::Reconnect));
        }
        self.shared.stop.cancel();
        self.shared.tracker.close();
        if tokio::time::timeout(patience, self.shared.tracker.wait())
            .await
            .is_err()
        {
            tracing::warn!("some tasks did not end in time");
        }
        left
    }

    async fn drained(&self) {
        while self.waiting() > 0 {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Copies what waits and drops what need not, for as long as it takes. Whether the store did so: one that is away is
    /// waited for only by what would be lost.
    async fn copies_up_to_date(&self) -> bool {
        let link = self.shared.pending.link();
        for room in self.shared.all_rooms() {
            let mut inner = room.inner();
            if !inner.queue.is_empty() {
                self.shared.copy_soon(&room, &mut inner);
            }
        }
        while !self.shared.copy_all().await {
            if !link.borrow().is_up() && self.waiting() == 0 {
                return false;
            }
            tokio::time::sleep(TRY_AGAIN).await;
        }
        true
    }
}

impl LeftBehind {
    fn tell(self) {
        let waiting = self.waiting;
        match (waiting, self.copied) {
            (0, true) => {}
            (0, false) => tracing::warn!("the pending store may have copies of what the log has"),
            (_, true) => {
                tracing::warn!("{waiting} events still wait for the log; they are in the pending store");
            }
            (_, false) => tracing::error!(
                "{waiting} events that the log does not have are gone with this process, but for those that the \
                 pending store took before"
            ),
        }
    }
}
