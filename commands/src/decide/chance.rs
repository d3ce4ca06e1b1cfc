//! The players' share in chance: a seed of each, before the first throw.

use contract::event::{CommandBy, Seeded};
use contract::{Event, GameState, Millis};
use rules::fair::is_client_seed;

use super::Context;
use super::consequences::and_what_follows;
use crate::games::Rejection;
use crate::seed_gate;

/// A seed that comes twice or too late changes nothing, and is no mistake: the dice are fair without it.
pub(super) fn seed(
    game: &GameState,
    by: CommandBy,
    seed: &str,
    at: Millis,
    context: Context,
) -> Result<Vec<Event>, Rejection> {
    if game.fairness.is_none() {
        return Err(Rejection::NoSeeds);
    }
    if !is_client_seed(seed) {
        return Err(Rejection::BadSeed);
    }
    if !seed_gate::is_open_for(game, by.seat) {
        return Ok(Vec::new());
    }
    let seeded = Event::Seeded(Seeded {
        seat: by.seat,
        command: by.hash,
        seed: seed.to_owned(),
        spectators: game.spectators.max(context.spectators),
    });
    Ok(and_what_follows(game, seeded, Some(by), at, context))
}
