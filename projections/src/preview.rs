//! The preview: all live games as lists show them, in memory, and the five most watched pushed to whoever subscribed.
//!
//! **Belongs here:** the order of live games, who subscribed, when a change is sent, how games that another process
//! holds are followed ([`elsewhere`]), and how processes tell each other how many watch ([`telling`]). **Does not:** counting spectators (`commands::presence`), what a summary holds
//! (`commands::view`).
//!
//! It is told of every commit under the game's lock, thousands of times a second: a change costs a few steps in an
//! ordered index, nothing is sorted, and only a change among the games that are shown wakes the sender. A frame is
//! encoded once for all subscribers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use commands::games::{ConnectionId, Encoded, Listener};
use commands::observer::Observer;
use commands::ports::Clock;
use commands::view::live_summary;
use contract::frames::ServerFrame;
use contract::frames::server::LiveGames;
use contract::view::LiveGameSummary;
use contract::{Envelope, GameId, GameState, UserId, WriterId};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub mod elsewhere;
mod heard;
mod ranking;
mod subscribers;
pub mod telling;
mod throttle;

use ranking::Ranking;
use subscribers::Subscribers;
use throttle::Throttle;

/// How many games `on_live_games` shows.
pub const SHOWN: usize = 5;

/// How often it is sent at most, in milliseconds.
const PERIOD_MS: i64 = 1_000;

/// All live games, and the subscribers to the most watched of them.
#[derive(Default)]
pub struct Preview {
    ranking: Mutex<Ranking>,
    subscribers: Mutex<Subscribers>,
    changed: Notify,
}

impl Preview {
    /// One without games.
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// The first `n` live games.
    pub fn top(&self, n: usize) -> Vec<LiveGameSummary> {
        let top = self.ranking().top(n);
        // Summaries are made after the lock is gone.
        top.iter()
            .map(|(game, spectators)| live_summary(game, *spectators))
            .collect()
    }

    /// How many live games there are.
    pub fn live_games(&self) -> usize {
        self.ranking().len()
    }

    /// How many watch a live game.
    pub fn spectators_of(&self, game: GameId) -> u32 {
        self.ranking().spectators_of(game)
    }

    /// A live game as it was shown last, and how many watch it.
    pub fn game(&self, id: GameId) -> Option<(Arc<GameState>, u32)> {
        self.ranking().game(id)
    }

    /// How many live games each writer holds, by who wrote a game's last event.
    pub fn owners(&self) -> BTreeMap<WriterId, usize> {
        self.ranking().owners()
    }

    /// The live game that a user plays in.
    pub fn game_of(&self, user: &UserId) -> Option<LiveGameSummary> {
        let found = self.ranking().game_of(user);
        found.map(|(game, spectators)| live_summary(&game, spectators))
    }

    /// Pushes `on_live_games` now and whenever it changes, at most once a second, until [`unsubscribe`](Self::unsubscribe).
    pub fn subscribe(&self, connection: ConnectionId, user: Option<UserId>, listener: Arc<dyn Listener>) {
        let mut subscribers = self.subscribers();
        subscribers.show(self.shown());
        subscribers.add(connection, user, listener);
    }

    /// The connection gets no further pushes.
    pub fn unsubscribe(&self, connection: ConnectionId) {
        self.subscribers().remove(connection);
    }

    /// On how many connections a user subscribed.
    pub fn subscriptions_of(&self, user: &UserId) -> usize {
        self.subscribers().of_user(user)
    }

    /// How many subscribed: users once each, and connections without a user.
    pub fn subscribed(&self) -> usize {
        self.subscribers().count()
    }

    /// Sends changes to the subscribers until cancelled.
    pub async fn run(&self, clock: &dyn Clock, cancel: CancellationToken) {
        let mut throttle = Throttle::every(PERIOD_MS);
        let sending = async {
            loop {
                self.changed.notified().await;
                let wait = throttle.wait_ms(clock.monotonic());
                if wait > 0 {
                    clock.sleep(wait).await;
                }
                if self.send() {
                    throttle.sent(clock.monotonic());
                }
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            () = sending => {}
        }
    }

    /// Pushes what is shown now to all who do not have it; whether there was anybody.
    fn send(&self) -> bool {
        let mut subscribers = self.subscribers();
        if subscribers.is_empty() {
            return false;
        }
        subscribers.show(self.shown());
        subscribers.push_to_all()
    }

    fn shown(&self) -> Arc<Encoded> {
        Encoded::new(ServerFrame::OnLiveGames(LiveGames {
            games: self.top(SHOWN),
        }))
    }

    fn changed_if(&self, shown: bool) {
        if shown {
            self.changed.notify_one();
        }
    }

    /// A panic in between leaves at worst one game at an older place, which its next change mends.
    fn ranking(&self) -> MutexGuard<'_, Ranking> {
        self.ranking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Preview {
    fn committed(&self, game: &Arc<GameState>, _events: &[Envelope]) {
        let shown = if game.is_live() {
            self.ranking().put(game)
        } else {
            self.ranking().remove(game.id)
        };
        self.changed_if(shown);
    }

    fn spectators(&self, game: GameId, now: u32) {
        let shown = self.ranking().watched_by(game, now);
        self.changed_if(shown);
    }

    fn gone(&self, game: GameId) {
        let shown = self.ranking().remove(game);
        self.changed_if(shown);
    }
}

#[cfg(test)]
mod tests;
