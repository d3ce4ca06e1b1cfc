//! Games that come back from a restore.

use std::sync::Arc;

use contract::frames::CloseCode;
use contract::{Envelope, GameId, GameState};
use futures::{StreamExt, stream};

use super::audience::give;
use super::room::Room;
use super::{LiveGames, Shared, lock};
use crate::decide::Command;
use crate::games::Push;
use crate::matchmaking::Matchmaking;
use crate::publish::Queued;
use crate::publish::queue::Acked;

/// So many games are let go at once: for each the log is read.
const AT_ONCE: usize = 32;

/// A game as the restore found it.
#[derive(Debug, Clone)]
pub struct Adopted {
    /// Its newest state, the waiting events included.
    pub game: GameState,
    /// What the log has of it.
    pub acked: Option<Acked>,
    /// Events that the log does not have yet, oldest first.
    pub waiting: Vec<Queued>,
    /// The event that made its newest version, for those who observe commits.
    pub last: Option<Envelope>,
}

/// What became of a game's claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The log has everything.
    Durable,
    /// The log has not answered yet.
    UnderWay,
    /// The log is away (or refuses the queue): it is held, and its events wait.
    Waits,
    /// It is not held.
    Gone,
}

impl LiveGames {
    /// What became of a game's claim.
    pub fn settled(&self, game: GameId) -> Settled {
        let Some(room) = self.shared.room(game) else {
            return Settled::Gone;
        };
        let inner = room.inner();
        if inner.queue.is_empty() {
            Settled::Durable
        } else if inner.refused || inner.queue.is_halted() || !self.shared.health.is_open() {
            Settled::Waits
        } else {
            Settled::UnderWay
        }
    }

    /// Those of `games` that are live and held here.
    pub fn held_among(&self, games: &[GameId]) -> Vec<Arc<GameState>> {
        let shown = games.iter().filter_map(|id| self.shared.room(*id)?.shown());
        shown.filter(|game| game.is_live()).collect()
    }

    /// Whether a game is held here, live or over, or is about to begin here.
    pub fn holds(&self, game: GameId) -> bool {
        self.shared.room(game).is_some()
    }

    /// The newest state of a game that is held here, live or over.
    pub fn state_of(&self, game: GameId) -> Option<Arc<GameState>> {
        self.shared.room(game)?.inner().game.clone()
    }

    /// While held back, nothing is sent to the log: claims that had to wait are sent only once their owner is known to be
    /// silent.
    pub fn hold_back(&self, held_back: bool) {
        self.shared.health.hold_back(held_back);
        self.shared.hold_clocks();
        if !held_back {
            for room in self.shared.all_rooms() {
                self.shared.drive(&room);
            }
        }
    }

    /// Holds a game from now on. Both players count as away until they connect. False if it is held already.
    pub fn adopt(&self, adopted: Adopted) -> bool {
        let game = Arc::new(adopted.game);
        let shared = &self.shared;
        let room = Room::resumed(game.clone(), adopted.acked, adopted.waiting, shared.writer);
        if !shared.place(&room) {
            return false;
        }
        if game.is_live() {
            shared.seat_again(&game);
            shared.show_to_waiting(&room, &game);
        } else {
            let mut inner = room.inner();
            inner.ended_at = Some(shared.clock.monotonic());
            inner.ended_seq = adopted
                .acked
                .filter(|acked| acked.place.version == game.version)
                .map(|a| a.seq);
            drop(inner);
            lock(&shared.ended).push_back(game.id);
        }
        let events: Vec<Envelope> = adopted.last.into_iter().collect();
        for observer in &shared.observers {
            observer.committed(&game, &events);
        }
        if !room.inner().queue.is_empty() {
            let mut inner = room.inner();
            inner.owes_durable = true;
            shared.copy_soon(&room, &mut inner);
        }
        shared.drive(&room);
        true
    }

    /// Takes an adopted game over with a `resumed` event that waits for the log like any other (while the log is away).
    pub async fn claim(&self, game: GameId, downtime_ms: i64) {
        if self.run_on(game, Command::Resume { downtime_ms }).await {
            Shared::count(&self.shared.counters.claimed);
        }
    }

    /// Ends a game without a winner, as of when something was last played.
    pub async fn end_inactive(&self, game: GameId) {
        let Some(ended_at) = self
            .shared
            .room(game)
            .and_then(|room| room.shown())
            .map(|game| game.last_played_at())
        else {
            return;
        };
        self.run_on(game, Command::Inactive { ended_at }).await;
    }

    /// Whether the command was accepted.
    async fn run_on(&self, game: GameId, command: Command) -> bool {
        let Some(room) = self.shared.room(game) else {
            return false;
        };
        let done = self.shared.execute(&room, command).await;
        done.inspect_err(|refused| tracing::debug!(game.id = %game, "{game} needed nothing: {refused:?}"))
            .is_ok()
    }

    /// The live games held here.
    pub fn held(&self) -> Vec<Arc<GameState>> {
        self.shared
            .all_rooms()
            .iter()
            .filter_map(|room| room.shown())
            .filter(|game| game.is_live())
            .collect()
    }

    /// Lets all games go without a word to the log: another process holds them now. Everybody comes back to find out
    /// where; who waited in the queue asks again there.
    pub async fn let_all_go(&self) {
        let shared = &self.shared;
        let going = stream::iter(shared.all_rooms());
        going
            .for_each_concurrent(AT_ONCE, async |room| shared.hand_over(&room).await)
            .await;
        let listeners = {
            let mut people = shared.people();
            people.matchmaking = Matchmaking::default();
            people.listeners()
        };
        for listener in listeners {
            give(&*listener, Push::Close(CloseCode::Reconnect));
        }
    }
}

impl Shared {
    fn seat_again(&self, game: &GameState) {
        let players = [&game.players.player1.user_id, &game.players.player2.user_id];
        let now = self.clock.now();
        if let Err((user, other)) = self.people().presence.enter(game.id, players, now) {
            // The restore ends the older of two live games of a user.
            tracing::warn!(game.id = %game.id, "{user} is in {other} and in {}", game.id);
        }
    }
}
