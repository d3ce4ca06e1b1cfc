//! Games that wait for no player: their first throw when the players' seeds are in or the wait for them is over, and
//! whatever else the rules do by themselves and was not done yet.

use std::sync::Arc;

use contract::{GameId, GameState};
use rules::fair::ServerSeed;

use super::room::Room;
use super::{LiveGames, Shared, lock};
use crate::decide::Command;
use crate::seed_gate;

impl LiveGames {
    /// Lets a game go on that waits for no player: one that was taken over between a move and what follows from it.
    pub async fn go_on(&self, game: GameId) {
        let Some(room) = self.shared.room(game) else {
            return;
        };
        self.shared.go_on(&room).await;
        self.shared.replan(&room, &room.inner());
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
        // Each game that needs it is tried again and again; what is wrong is wrong once.
        if seed.is_none() && lock(&self.missing_keys).insert(key_id.clone()) {
            tracing::error!(game.id = %room.key.id, "the key `{key_id}` is not configured: nothing can be thrown in {} and others that were begun with it", room.key.id);
        }
        seed
    }

    /// Whether a game waits for no player now, and for nothing else either.
    pub(super) fn goes_on(&self, game: &GameState) -> bool {
        self.goes_on_in_ms(game) == Some(0)
    }

    /// In how many milliseconds the game goes on without a player, if it will.
    pub(super) fn goes_on_in_ms(&self, game: &GameState) -> Option<i64> {
        // One that comes back from a restore is taken over first, by an event of its own.
        let is_taken_over = game.last_event.writer == self.writer;
        if !game.is_live() || !is_taken_over || game.state.next().is_a_players() {
            return None;
        }
        let now = self.clock.now();
        Some(seed_gate::shut_until(game, now).map_or(0, |until| until.since(now)))
    }

    pub(super) async fn go_on(self: &Arc<Self>, room: &Arc<Room>) {
        if let Err(refused) = self.execute(room, Command::GoOn).await {
            tracing::debug!(game.id = %room.key.id, "{} did not go on: {refused:?}", room.key.id);
        }
    }
}
