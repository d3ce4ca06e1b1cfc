//! When each game is to be looked at next: one queue for all games, so that ten thousand of them cost one sleeping task.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use contract::GameId;
use tokio::sync::Notify;

use super::lock;
use crate::ports::Monotonic;

#[derive(Debug, Default)]
struct Planned {
    in_order: BTreeSet<(Monotonic, GameId)>,
    of: HashMap<GameId, Monotonic>,
}

/// At most one instant per game.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    planned: Mutex<Planned>,
    earlier: Notify,
}

impl Deadlines {
    /// The game is to be looked at at `due`, and no more at what was planned before; not at all if that is none.
    pub(crate) fn plan(&self, game: GameId, due: Option<Monotonic>) {
        let mut planned = lock(&self.planned);
        let before = match due {
            Some(due) => planned.of.insert(game, due),
            None => planned.of.remove(&game),
        };
        if before == due {
            return;
        }
        if let Some(before) = before {
            planned.in_order.remove(&(before, game));
        }
        if let Some(due) = due {
            planned.in_order.insert((due, game));
            if planned.in_order.first() == Some(&(due, game)) {
                self.earlier.notify_one();
            }
        }
    }

    /// When the first one is due.
    pub(crate) fn first(&self) -> Option<Monotonic> {
        lock(&self.planned).in_order.first().map(|(due, _)| *due)
    }

    /// Takes out what is due at `now`, in order.
    pub(crate) fn take_due(&self, now: Monotonic) -> Vec<GameId> {
        let mut planned = lock(&self.planned);
        let mut due = Vec::new();
        while let Some((at, game)) = planned.in_order.first().copied().filter(|(at, _)| *at <= now) {
            planned.in_order.remove(&(at, game));
            planned.of.remove(&game);
            due.push(game);
        }
        due
    }

    /// Returns when another one has become the first.
    pub(crate) async fn changed(&self) {
        self.earlier.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use uuid::Uuid;

    fn game(n: u128) -> GameId {
        GameId(Uuid::from_u128(n))
    }

    #[test]
    fn what_is_due_comes_out_once_and_in_order() {
        let deadlines = Deadlines::default();
        deadlines.plan(game(1), Some(Monotonic(30)));
        deadlines.plan(game(2), Some(Monotonic(10)));
        deadlines.plan(game(3), Some(Monotonic(31)));
        assert_eq!(deadlines.first(), Some(Monotonic(10)));
        assert_eq!(deadlines.take_due(Monotonic(30)), [game(2), game(1)]);
        assert!(deadlines.take_due(Monotonic(30)).is_empty());
        assert_eq!(deadlines.first(), Some(Monotonic(31)));
    }

    #[test]
    fn a_game_has_one_deadline_and_the_last_one_planned_counts() {
        let deadlines = Deadlines::default();
        deadlines.plan(game(1), Some(Monotonic(10)));
        deadlines.plan(game(1), Some(Monotonic(20)));
        assert!(deadlines.take_due(Monotonic(19)).is_empty());
        deadlines.plan(game(1), None);
        assert!(deadlines.take_due(Monotonic(99)).is_empty());
        assert_eq!(deadlines.first(), None);
    }

    #[test]
    fn whoever_waits_for_the_first_one_hears_of_an_earlier_one() {
        let deadlines = Deadlines::default();
        deadlines.plan(game(1), Some(Monotonic(10)));
        assert!(deadlines.changed().now_or_never().is_some());
        deadlines.plan(game(2), Some(Monotonic(20)));
        assert!(deadlines.changed().now_or_never().is_none());
        deadlines.plan(game(3), Some(Monotonic(5)));
        assert!(deadlines.changed().now_or_never().is_some());
    }
}
