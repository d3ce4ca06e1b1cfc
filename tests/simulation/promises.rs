//! What the service said, to be held against what is true in the end.

use std::collections::{BTreeMap, BTreeSet};

use commands::games::Accepted;
use contract::{ClientId, EventId, GameId, Position, UserId, Version};

/// What was said.
#[derive(Debug, Default)]
pub struct Promises {
    /// Versions that the log was said to have.
    durable_up_to: BTreeMap<GameId, Version>,
    /// Positions that were answered durable.
    durable: BTreeSet<(GameId, Position)>,
    /// What was accepted, durable or not, and by which process.
    accepted: BTreeSet<(GameId, Position)>,
    /// By command: the position it was told, and whether that was durable.
    answers: BTreeMap<(UserId, String), (GameId, Position, bool)>,
    /// Events that the log had and lost.
    pub lost: BTreeSet<EventId>,
}

impl Promises {
    /// Somebody was told that the log has the game up to this version.
    pub fn durable_up_to(&mut self, game: GameId, version: Version) {
        let known = self.durable_up_to.entry(game).or_default();
        *known = version.max(*known);
    }

    /// A command was accepted. One with the same id, if it is remembered, was answered the same, unless that answer was
    /// worth nothing.
    ///
    /// # Errors
    /// A durable answer is followed by another one.
    pub fn accepted(
        &mut self,
        user: &UserId,
        id: Option<&ClientId>,
        accepted: &Accepted,
    ) -> Result<(), String> {
        let position = accepted.position;
        self.accepted.insert((accepted.game, position));
        self.durable_up_to(accepted.game, accepted.durable_version);
        if accepted.durable {
            self.durable.insert((accepted.game, position));
        }
        let Some(id) = id else { return Ok(()) };
        let key = (user.clone(), format!("{id:?}"));
        let answer = (accepted.game, position, accepted.durable);
        match self.answers.get(&key) {
            Some(before) if before.2 && !self.is_lost(before.0, before.1) && before.1 != position => {
                Err(format!(
                    "{user}'s {id} was answered {position} after {} was durable",
                    before.1
                ))
            }
            Some(before) if before.2 => Ok(()),
            _ => {
                self.answers.insert(key, answer);
                Ok(())
            }
        }
    }

    fn is_lost(&self, game: GameId, position: Position) -> bool {
        self.lost
            .contains(&EventId::new(game, position.version, position.writer))
    }

    /// Every position that was answered durable, the lost ones excepted.
    pub fn durable(&self) -> impl Iterator<Item = (GameId, Position)> {
        self.durable
            .iter()
            .copied()
            .filter(|(game, position)| !self.is_lost(*game, *position))
    }

    /// Every position that was accepted, the lost ones excepted.
    pub fn all_accepted(&self) -> impl Iterator<Item = (GameId, Position)> {
        self.accepted
            .iter()
            .copied()
            .filter(|(game, position)| !self.is_lost(*game, *position))
    }

    /// How far the log was said to have each game.
    pub fn versions(&self) -> impl Iterator<Item = (GameId, Version)> {
        self.durable_up_to.iter().map(|(game, version)| (*game, *version))
    }
}
