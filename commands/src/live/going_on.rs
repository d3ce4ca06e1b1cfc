//! Games that wait for no player: their first throw when the players' seeds are in or the wait for them is over, and
//! whatever else the rules do by themselves and was not done yet.

use std::sync::Arc;

use contract::GameId;
use rules::fair::ServerSeed;

use super::room::Room;
use super::{LiveGames, Shared};
use crate::decide::Command;
use crate::seed_gate;

impl LiveGames {
    /// Lets a game go on that waits for no player: one that was taken over between a move and what follows from it.
    pub async fn go_on(&self, game: GameId) {
        let Some(room) = self.shared.room(game) else {
            return;
        };
        self.shared.go_on(&room).await;
        self.shared.go_on_in_time(&room);
    }
}

impl Shared {
    /// The server's seed of a game, for a command on it.
    pub(super) fn seed_for(&self, room: &Room, command: &Command) -> Option<ServerSeed> {
        if !room.key.kind.is_fair() {
            return None;
        }
        let key_id = match command {
            Command::Start(start) => start.key_id.clone(),
            _ => room.inner().game.as_ref().and_then(|game| game.key_id.clone()),
        }?;
        let seed = self.seeds.seed(&key_id, room.key.id);
        if seed.is_none() {
            tracing::error!(game.id = %room.key.id, "the key `{key_id}` is not configured: nothing can be thrown in {}", room.key.id);
        }
        seed
    }

    /// Sees to it that a game whose first throw waits for seeds goes on when the wait is over.
    pub(super) fn go_on_in_time(self: &Arc<Self>, room: &Arc<Room>) {
        let until = room.inner().game.as_deref().and_then(seed_gate::waits_until);
        let Some(until) = until else { return };
        let (shared, room) = (self.clone(), room.clone());
        self.tracker.spawn(async move {
            let mut left = until.since(shared.clock.now());
            while left > 0 {
                tokio::select! {
                    () = shared.clock.sleep(left as u64) => {}
                    () = shared.stop.cancelled() => return,
                }
                left = until.since(shared.clock.now());
            }
            shared.go_on(&room).await;
        });
    }

    pub(super) async fn go_on(self: &Arc<Self>, room: &Arc<Room>) {
        if let Err(refused) = self.execute(room, Command::GoOn).await {
            tracing::debug!(game.id = %room.key.id, "{} did not go on: {refused:?}", room.key.id);
        }
    }
}
