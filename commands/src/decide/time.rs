//! What time decides: a flag that falls, a player who stays away, time that nobody had.

use contract::event::Resumed;
use contract::{EndReason, Event, GameState, Millis, Outcome, Seat, Version};

use super::{Command, Context, end};
use crate::clocks;
use crate::games::Rejection;

/// A player's command that comes when somebody's time is up is too late, whoever sent it: the game is decided, even if its
/// `ended` is not there yet.
pub(super) fn must_be_left(game: &GameState, command: &Command, context: Context) -> Result<(), Rejection> {
    let by_a_player = matches!(
        command,
        Command::Move { .. } | Command::Leave { .. } | Command::ArmDraw { .. } | Command::AnswerDraw { .. }
    );
    if by_a_player && game.is_live() && clocks::time_is_up(game.clocks.as_ref(), context.ran_ms).is_some() {
        return Err(Rejection::TimeIsUp);
    }
    Ok(())
}

pub(super) fn flag(
    game: &GameState,
    seat: Seat,
    at: Millis,
    context: Context,
) -> Result<Vec<Event>, Rejection> {
    if clocks::time_is_up(game.clocks.as_ref(), context.ran_ms) != Some(seat) {
        return Err(Rejection::TimeIsLeft);
    }
    let winner = Outcome::win(seat.other());
    Ok(vec![end(
        game,
        Some(winner),
        EndReason::Flag,
        None,
        None,
        at,
        context,
    )])
}

/// It counts as leaving.
pub(super) fn absent(game: &GameState, seat: Seat, at: Millis, context: Context) -> Event {
    let leaver = game.players.of(seat).user_id.clone();
    let winner = Outcome::win(seat.other());
    end(
        game,
        Some(winner),
        EndReason::Left,
        Some(leaver),
        None,
        at,
        context,
    )
}

/// What was given back, where a clock ran: `context.ran_ms` is without it.
pub(super) fn stood_still(
    game: &GameState,
    version: Version,
    ms: i64,
    at: Millis,
    context: Context,
) -> Option<Event> {
    let clocks = game.clocks.filter(|clocks| clocks.running.is_some())?;
    (game.version == version).then(|| {
        Event::Resumed(Resumed {
            downtime_ms: ms,
            clocks: Some(clocks::as_of(clocks, context.ran_ms, at)),
            spectators: game.spectators.max(context.spectators),
        })
    })
}
