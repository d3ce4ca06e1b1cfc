//! What time decides: a flag that falls, a player who stays away.

use contract::{EndReason, Event, GameState, Millis, Outcome, Seat};

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
