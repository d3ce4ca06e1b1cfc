//! Draws by agreement, as far as the rules of a kind have them.

use contract::event::{CommandBy, DrawAnswered, DrawArmed};
use contract::{Event, GameState, Millis};

use super::Context;
use super::consequences::and_what_follows;
use crate::clocks;
use crate::games::Rejection;

/// To arm what is armed, or to withdraw what is not, changes nothing.
pub(super) fn arm(
    game: &GameState,
    by: CommandBy,
    armed: bool,
    context: Context,
) -> Result<Vec<Event>, Rejection> {
    let state = game.state.arm_draw(by.seat, armed).map_err(Rejection::Draw)?;
    if state == game.state {
        return Ok(Vec::new());
    }
    Ok(vec![Event::DrawArmed(DrawArmed {
        seat: by.seat,
        command: by.hash,
        armed,
        state,
        spectators: game.spectators.max(context.spectators),
    })])
}

pub(super) fn answer(
    game: &GameState,
    by: CommandBy,
    accepted: bool,
    at: Millis,
    context: Context,
) -> Result<Vec<Event>, Rejection> {
    let state = game
        .state
        .answer_draw(by.seat, accepted)
        .map_err(Rejection::Draw)?;
    let awaited = clocks::awaited(&state);
    let answered = Event::DrawAnswered(DrawAnswered {
        seat: by.seat,
        command: by.hash,
        accepted,
        state,
        clocks: clocks::after_other(game.clocks, context.ran_ms, awaited, at),
        spectators: game.spectators.max(context.spectators),
    });
    Ok(and_what_follows(game, answered, Some(by), at, context))
}
