//! Tells other processes how many watch the games that are held here.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use commands::observer::Observer;
use commands::ports::Clock;
use contract::{Envelope, GameId, GameState};
use tokio_util::sync::CancellationToken;

use super::Preview;
use crate::ports::{SpectatorCounts, Watched};

/// A changed game is told of at most this often, in milliseconds.
const EVERY_MS: u64 = 1_000;

/// So many games are told of at once; the others wait for the next time.
const AT_ONCE: usize = 1_000;

/// Every this many times all games that anybody watches are told of once more, for those who listen since then, or
/// missed it.
const ALL_EVERY: u32 = 30;

/// A count that was not told again for this long is none any more, in milliseconds.
pub(super) const LAPSES_MS: i64 = 3 * ALL_EVERY as i64 * EVERY_MS as i64;

/// Tells counts.
pub struct Teller {
    preview: Arc<Preview>,
    counts: Arc<dyn SpectatorCounts>,
    due: Mutex<Due>,
}

/// The games to tell of, each once, in turn.
#[derive(Debug, Default)]
struct Due {
    order: VecDeque<GameId>,
    games: HashSet<GameId>,
}

impl Due {
    fn add(&mut self, game: GameId) {
        if self.games.insert(game) {
            self.order.push_back(game);
        }
    }

    fn take(&mut self, n: usize) -> Vec<GameId> {
        let taken: Vec<GameId> = self.order.drain(..n.min(self.order.len())).collect();
        for game in &taken {
            self.games.remove(game);
        }
        taken
    }
}

impl Teller {
    /// Of the games in `preview` that are held here, on `counts`.
    pub fn new(preview: Arc<Preview>, counts: Arc<dyn SpectatorCounts>) -> Arc<Self> {
        Arc::new(Self {
            preview,
            counts,
            due: Mutex::default(),
        })
    }

    /// Tells until cancelled.
    pub async fn run(&self, clock: &dyn Clock, cancel: CancellationToken) {
        let telling = async {
            for n in 1_u32.. {
                clock.sleep(EVERY_MS).await;
                if n.is_multiple_of(ALL_EVERY) {
                    let watched = self.preview.ranking().watched_here();
                    let mut due = self.due();
                    for game in watched {
                        due.add(game);
                    }
                }
                self.tell_due().await;
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            () = telling => {}
        }
    }

    async fn tell_due(&self) {
        let due = self.due().take(AT_ONCE);
        for game in due {
            let Some(spectators) = self.preview.ranking().spectators_here(game) else {
                continue;
            };
            if let Err(error) = self.counts.tell(Watched { game, spectators }).await {
                // Whoever missed it gets it with the next round of all games.
                tracing::debug!("spectators are not told of: {error}");
                return;
            }
        }
    }

    fn due(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Teller {
    fn committed(&self, _game: &Arc<GameState>, _events: &[Envelope]) {}

    fn spectators(&self, game: GameId, _now: u32) {
        self.due().add(game);
    }

    fn gone(&self, _game: GameId) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::fixtures::game_id;

    #[test]
    fn a_game_that_changes_often_is_due_once_and_every_game_has_its_turn() {
        let (one, other) = (game_id(), game_id());
        let mut due = Due::default();
        for game in [one, other, one] {
            due.add(game);
        }
        assert_eq!(due.take(1), [one]);
        due.add(one);
        assert_eq!(due.take(5), [other, one]);
        assert_eq!(due.take(5), []);
    }
}
