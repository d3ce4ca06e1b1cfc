//! Whether a game ends as the rules and its own reason have it. That its record is what was played is compared elsewhere.

use contract::event::Ended;
use contract::{EndReason, GameState, Outcome, Seat};
use rules::Ending;

/// Looks at the end of a game that was `game` before it. Rules of another version may have seen it otherwise.
pub(super) fn by_the_rules(game: &GameState, ended: &Ended) -> Result<(), String> {
    if game.rules_version != game.kind.rules_version() {
        return Ok(());
    }
    match game.state.ending() {
        Some(ruled) => as_ruled(ruled, ended),
        None => as_reasoned(game, ended),
    }
}

fn as_ruled(ruled: Ending, ended: &Ended) -> Result<(), String> {
    let expected = (Some(ruled.outcome), EndReason::from(ruled.reason));
    if (ended.result, ended.reason) == expected {
        Ok(())
    } else {
        Err(format!(
            "it ends with {:?}, {}; by the rules with {:?}, {}",
            ended.result,
            ended.reason.as_str(),
            expected.0,
            expected.1.as_str()
        ))
    }
}

/// By the rules it would go on: somebody lost for another reason, or nobody did.
fn as_reasoned(game: &GameState, ended: &Ended) -> Result<(), String> {
    let is_right = match loser(game, ended) {
        Loser::Nobody => ended.result.is_none(),
        Loser::One(seat) => ended.result == Some(Outcome::win(seat.other())),
        Loser::Either => matches!(ended.result, Some(Outcome::Player1 | Outcome::Player2)),
        Loser::CannotBe => false,
    };
    if is_right {
        Ok(())
    } else {
        Err(format!(
            "it ends with {:?}, {}, which cannot be",
            ended.result,
            ended.reason.as_str()
        ))
    }
}

/// Who lost.
enum Loser {
    Nobody,
    One(Seat),
    /// The reason does not say which.
    Either,
    /// By the rules it goes on, so they have not ended it.
    CannotBe,
}

fn loser(game: &GameState, ended: &Ended) -> Loser {
    let seat = match ended.reason {
        EndReason::Inactive => return Loser::Nobody,
        EndReason::Flag => return Loser::Either,
        EndReason::Left => {
            let leaver = ended.left_user_id.as_ref();
            leaver.and_then(|leaver| game.players.seat_of(leaver))
        }
        EndReason::Resigned => ended.command.map(|by| by.seat),
        EndReason::Timeout => game.to_move(),
        EndReason::Completed | EndReason::KingCaptured | EndReason::DrawAgreed | EndReason::DrawRule => None,
    };
    seat.map_or(Loser::CannotBe, Loser::One)
}
