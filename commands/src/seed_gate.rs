//! Until when the first throw of a game waits for the players' seeds.
//!
//! Whoever adds a seed of their own knows that the server could not choose the dice. Nobody has to: five seconds after
//! the start, public ids stand in for what is missing.

use contract::{GameState, Millis, Seat};
use rules::Next;

/// How long the first throw waits, in milliseconds from the start of the game.
pub const GATE_MS: i64 = 5_000;

/// Until when the game's first throw waits; `None` when nothing holds it up (any more).
pub fn waits_until(game: &GameState) -> Option<Millis> {
    let fairness = game.fairness.as_ref()?;
    let waits = takes_seeds(game) && !fairness.is_complete();
    waits.then(|| game.started_at.plus(GATE_MS))
}

/// Until when the first throw waits, if it does at `now`. A time of day before the start was set back since: nobody waits
/// for it to come again.
pub fn shut_until(game: &GameState, now: Millis) -> Option<Millis> {
    waits_until(game).filter(|until| (game.started_at..*until).contains(&now))
}

/// Whether a seed of `seat` would still count.
pub fn is_open_for(game: &GameState, seat: Seat) -> bool {
    let missing = |fairness: &contract::Fairness| fairness.client_seeds.of(seat).is_none();
    takes_seeds(game) && game.fairness.as_ref().is_some_and(missing)
}

/// Nothing has been thrown.
fn takes_seeds(game: &GameState) -> bool {
    game.is_live() && game.state.chance_index() == 0 && matches!(game.state.next(), Next::Chance(_))
}
