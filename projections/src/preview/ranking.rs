//! Live games in the order in which lists show them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use contract::{GameId, GameState, Millis, Seat, UserId, WriterId};

use super::SHOWN;

/// Most spectators first, then the latest move; ids make it a total order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    spectators: Reverse<u32>,
    last_move: Reverse<Millis>,
    id: GameId,
}

#[derive(Debug)]
struct Entry {
    game: Arc<GameState>,
    spectators: u32,
    /// Whether this process holds it. What another one's log says of a game that is held here is old.
    here: bool,
}

impl Entry {
    fn place(&self) -> Place {
        let last_move = self
            .game
            .moves
            .last()
            .map_or(self.game.started_at, |played| played.at);
        Place {
            spectators: Reverse(self.spectators),
            last_move: Reverse(last_move),
            id: self.game.id,
        }
    }
}

/// The games. Each change costs a logarithm of their number and says whether it touched what is shown.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    games: HashMap<GameId, Entry>,
    order: BTreeSet<Place>,
    by_player: HashMap<UserId, GameId>,
}

impl Ranking {
    pub(super) fn len(&self) -> usize {
        self.games.len()
    }

    /// The first `n` games with their spectators.
    pub(super) fn top(&self, n: usize) -> Vec<(Arc<GameState>, u32)> {
        let entries = self
            .order
            .iter()
            .take(n)
            .filter_map(|place| self.games.get(&place.id));
        entries
            .map(|entry| (Arc::clone(&entry.game), entry.spectators))
            .collect()
    }

    pub(super) fn game(&self, id: GameId) -> Option<(Arc<GameState>, u32)> {
        let entry = self.games.get(&id)?;
        Some((Arc::clone(&entry.game), entry.spectators))
    }

    pub(super) fn spectators_of(&self, id: GameId) -> u32 {
        self.games.get(&id).map_or(0, |entry| entry.spectators)
    }

    /// How many games each writer has written last.
    pub(super) fn owners(&self) -> BTreeMap<WriterId, usize> {
        let mut owners = BTreeMap::new();
        for entry in self.games.values() {
            *owners.entry(entry.game.last_event.writer).or_default() += 1;
        }
        owners
    }

    pub(super) fn game_of(&self, user: &UserId) -> Option<(Arc<GameState>, u32)> {
        self.game(*self.by_player.get(user)?)
    }

    /// A live game that is held here, as it is now.
    pub(super) fn put(&mut self, game: &Arc<GameState>) -> bool {
        self.put_as(game, true)
    }

    /// The live games that are held elsewhere are these.
    pub(super) fn elsewhere_are(&mut self, games: &[Arc<GameState>]) -> bool {
        let ids: HashSet<GameId> = games.iter().map(|game| game.id).collect();
        let elsewhere = self.games.iter().filter(|(_, entry)| !entry.here);
        let over: Vec<GameId> = elsewhere
            .map(|(id, _)| *id)
            .filter(|id| !ids.contains(id))
            .collect();
        let mut shown = false;
        for id in over {
            shown |= self.remove(id);
        }
        for game in games {
            shown |= self.elsewhere_is(game);
        }
        shown
    }

    /// A live game that is held elsewhere, as the log has it.
    pub(super) fn elsewhere_is(&mut self, game: &Arc<GameState>) -> bool {
        !self.is_here(game.id) && self.put_as(game, false)
    }

    /// A game that is held elsewhere is not live any more.
    pub(super) fn gone_elsewhere(&mut self, id: GameId) -> bool {
        !self.is_here(id) && self.remove(id)
    }

    fn is_here(&self, id: GameId) -> bool {
        self.games.get(&id).is_some_and(|entry| entry.here)
    }

    fn put_as(&mut self, game: &Arc<GameState>, here: bool) -> bool {
        // What another process counted are no spectators here.
        let counted = self.games.get(&game.id).filter(|entry| entry.here == here);
        let spectators = counted.map_or(0, |entry| entry.spectators);
        let before = self.take(game.id);
        for seat in Seat::BOTH {
            self.by_player
                .insert(game.players.of(seat).user_id.clone(), game.id);
        }
        self.insert(Entry {
            game: Arc::clone(game),
            spectators,
            here,
        }) || before.is_some_and(|(_, shown)| shown)
    }

    /// A game has this many spectators. A game that is not live has none that matter.
    pub(super) fn watched_by(&mut self, id: GameId, spectators: u32) -> bool {
        if self
            .games
            .get(&id)
            .is_none_or(|entry| entry.spectators == spectators)
        {
            return false;
        }
        let Some((entry, shown)) = self.take(id) else {
            return false;
        };
        self.insert(Entry { spectators, ..entry }) || shown
    }

    /// The same of a game that is held elsewhere: whether there is such a game, and whether that is shown.
    pub(super) fn watched_elsewhere(&mut self, id: GameId, spectators: u32) -> (bool, bool) {
        if self.games.get(&id).is_none_or(|entry| entry.here) {
            return (false, false);
        }
        (true, self.watched_by(id, spectators))
    }

    /// How many watch a game that is held here.
    pub(super) fn spectators_here(&self, id: GameId) -> Option<u32> {
        let entry = self.games.get(&id).filter(|entry| entry.here)?;
        Some(entry.spectators)
    }

    /// The games that are held here and that anybody watches.
    pub(super) fn watched_here(&self) -> Vec<GameId> {
        let watched = self.order.iter().take_while(|place| place.spectators.0 > 0);
        let here = watched.filter(|place| self.spectators_here(place.id).is_some());
        here.map(|place| place.id).collect()
    }

    /// A game is not live any more.
    pub(super) fn remove(&mut self, id: GameId) -> bool {
        let Some((entry, shown)) = self.take(id) else {
            return false;
        };
        for seat in Seat::BOTH {
            let user = &entry.game.players.of(seat).user_id;
            // They may be in a newer game already.
            if self.by_player.get(user) == Some(&id) {
                self.by_player.remove(user);
            }
        }
        shown
    }

    /// Takes a game out, and whether it was among the first.
    fn take(&mut self, id: GameId) -> Option<(Entry, bool)> {
        let entry = self.games.remove(&id)?;
        let shown = self.is_shown(id);
        self.order.remove(&entry.place());
        Some((entry, shown))
    }

    /// Puts a game in its place, and whether that is among the first.
    fn insert(&mut self, entry: Entry) -> bool {
        let id = entry.game.id;
        self.order.insert(entry.place());
        self.games.insert(id, entry);
        self.is_shown(id)
    }

    fn is_shown(&self, id: GameId) -> bool {
        self.order.iter().take(SHOWN).any(|place| place.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Kind, WriterId};
    use testkit::fixtures::Game;

    fn game() -> Arc<GameState> {
        Arc::new(Game::start(Kind::Mancala, WriterId(1)).0.state().clone())
    }

    fn ids(ranking: &Ranking) -> Vec<GameId> {
        ranking.top(SHOWN).iter().map(|(game, _)| game.id).collect()
    }

    #[test]
    fn games_are_ordered_by_spectators_and_then_by_latest_move() {
        let mut ranking = Ranking::default();
        let (quiet, busy, watched) = (game(), game(), game());
        let busy = Arc::new(GameState {
            started_at: busy.started_at.plus(5),
            ..(*busy).clone()
        });
        for game in [&quiet, &busy, &watched] {
            ranking.put(game);
        }
        ranking.watched_by(watched.id, 1);
        assert_eq!(ids(&ranking), [watched.id, busy.id, quiet.id]);
    }

    #[test]
    fn a_change_below_the_first_five_is_not_shown() {
        let mut ranking = Ranking::default();
        for _ in 0..SHOWN {
            let game = game();
            ranking.put(&game);
            ranking.watched_by(game.id, 9);
        }
        let other = game();
        assert!(!ranking.put(&other));
        assert!(!ranking.watched_by(other.id, 3));
        assert!(ranking.watched_by(other.id, 10));
        assert!(ranking.watched_by(other.id, 0), "it leaves the first five");
        assert!(!ranking.remove(other.id));
    }

    #[test]
    fn a_game_that_is_held_here_is_not_what_the_log_of_another_process_says() {
        let mut ranking = Ranking::default();
        let (here, there) = (game(), game());
        ranking.put(&here);
        assert!(!ranking.elsewhere_is(&here));
        assert!(ranking.elsewhere_is(&there));
        assert!(!ranking.gone_elsewhere(here.id));
        assert!(ranking.elsewhere_are(&[]), "the other one is gone");
        assert_eq!(ids(&ranking), [here.id]);
        ranking.elsewhere_is(&there);
        ranking.put(&there);
        assert!(!ranking.elsewhere_are(&[]), "it is held here by now");
        assert_eq!(ranking.len(), 2);
    }

    #[test]
    fn spectators_elsewhere_are_counted_there_and_none_of_those_that_are_held_here() {
        let mut ranking = Ranking::default();
        let (here, there) = (game(), game());
        ranking.put(&here);
        ranking.elsewhere_is(&there);
        ranking.watched_by(here.id, 2);
        assert_eq!(ranking.watched_elsewhere(here.id, 7), (false, false));
        assert_eq!(ranking.watched_elsewhere(there.id, 7), (true, true));
        assert_eq!(ranking.watched_elsewhere(game().id, 7), (false, false));
        assert_eq!(ids(&ranking), [there.id, here.id]);
        ranking.elsewhere_is(&there);
        assert_eq!(ranking.spectators_of(there.id), 7, "a move changes nothing of it");
        assert_eq!(ranking.watched_here(), [here.id]);
        ranking.put(&there);
        assert_eq!(
            ranking.spectators_here(there.id),
            Some(0),
            "they watched elsewhere"
        );
    }

    #[test]
    fn a_player_is_found_in_their_newest_game() {
        let mut ranking = Ranking::default();
        let first = game();
        let second = Arc::new(GameState {
            players: first.players.clone(),
            ..(*game()).clone()
        });
        let user = &first.players.player1.user_id;
        ranking.put(&first);
        ranking.put(&second);
        ranking.remove(first.id);
        assert_eq!(ranking.game_of(user).map(|(game, _)| game.id), Some(second.id));
        ranking.remove(second.id);
        assert!(ranking.game_of(user).is_none());
        assert_eq!(
            (ranking.len(), ranking.order.len(), ranking.by_player.len()),
            (0, 0, 0)
        );
    }
}
