//! Looks for games whose end the log lost although nothing of them is being sent: a log that comes back older tells nobody,
//! and a game without a further move would never find out.

use std::sync::Arc;
use std::time::Duration;

use contract::{GameKey, Seq};

use super::Shared;
use super::room::Room;
use crate::ports::{LogEntry, Unavailable};
use crate::publish::queue::LastMessage;

/// So many games are looked at in one step.
const AT_ONCE: usize = 200;

/// Between two steps: ten thousand games take five seconds, and leave the log to its moves.
const PAUSE: Duration = Duration::from_millis(100);

/// Between two rounds that the log did not answer.
const AGAIN: Duration = Duration::from_secs(1);

impl Shared {
    /// Looks over all games after each new connection to the log, and whenever it has become shorter, for ever.
    pub(crate) async fn keep_looking_over(self: Arc<Self>) {
        let mut link = self.log.link();
        let every = Duration::from_millis(self.limits.ask_for_end_ms);
        loop {
            let is_up = link.borrow_and_update().is_up();
            let looking = async {
                if is_up {
                    self.look_until_done().await;
                }
                loop {
                    tokio::time::sleep(every).await;
                    if is_up && self.is_log_shorter().await {
                        tracing::warn!("the log ends before what it acknowledged; all games are looked at");
                        self.look_until_done().await;
                    }
                }
            };
            tokio::select! {
                biased;
                () = looking => unreachable!("it looks for ever"),
                changed = link.changed() => if changed.is_err() { return },
            }
        }
    }

    async fn look_until_done(self: &Arc<Self>) {
        while let Err(error) = self.look_over().await {
            tracing::debug!("not all games were looked at yet: {error}");
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Compares each game that is at rest with its newest message.
    async fn look_over(self: &Arc<Self>) -> Result<(), Unavailable> {
        let mut rooms = self.all_rooms();
        rooms.retain(|room| room.inner().queue.is_at_rest());
        for rooms in rooms.chunks(AT_ONCE) {
            let keys: Vec<GameKey> = rooms.iter().map(|room| room.key).collect();
            let newest = self.log.last_of_each(&keys).await?;
            for (room, entry) in rooms.iter().zip(&newest) {
                self.compare(room, entry.as_ref());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// A game that moved on meanwhile is looked at once more than necessary, which does no harm.
    fn compare(self: &Arc<Self>, room: &Arc<Room>, entry: Option<&LogEntry>) {
        match entry.map(LastMessage::of).transpose() {
            Ok(last) => {
                let differs = room.inner().queue.compare(last);
                if differs {
                    self.drive(room);
                }
            }
            Err(error) => {
                tracing::warn!(game.id = %room.key.id, "the newest message of {} cannot be read: {error}", room.key.id);
            }
        }
    }

    /// Whether it is. If it is not, what it had acknowledged some time before it was asked is safe there, and needs not be
    /// kept: a game without a further move has no acknowledgement that would say so.
    async fn is_log_shorter(&self) -> bool {
        // Before the log is asked, since it goes on growing.
        let (acked, asked) = (self.newest_acked(), self.clock.monotonic());
        let Ok(info) = self.log.info().await else {
            return false;
        };
        if info.last < acked {
            return true;
        }
        for room in self.all_rooms() {
            room.inner().queue.forget(asked, self.limits.keep_acked_ms);
        }
        false
    }

    fn newest_acked(&self) -> Seq {
        let rooms = self.all_rooms();
        let acked = rooms.iter().filter_map(|room| room.inner().queue.acked());
        acked.map(|acked| acked.seq).max().unwrap_or(0)
    }
}
