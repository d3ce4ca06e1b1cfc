//! When an absent player loses: the rule, without clock or loop. The loop runs it every ten seconds.

use contract::player::BySeat;
use contract::{GameState, Millis, Seat, TimeControl};

use crate::decide::Command;
use crate::view::TURN_TIMEOUT_MS;

/// How often the watcher looks, in milliseconds.
pub const TICK_MS: u64 = 10_000;

/// A tick later than this was a stall: nobody shall pay for it.
pub const STALL_MS: i64 = 2_000;

/// What the watcher does to a game, given since when each player is away.
///
/// Both away, and the later of them for five minutes: `inactive`. Else the player to move away for five minutes, and the
/// other there: `timeout`. The opponent of an online mover is never timed out.
pub fn judge(game: &GameState, away: BySeat<Option<Millis>>, now: Millis) -> Option<Command> {
    if !game.is_live() {
        return None;
    }
    let long = |since: Millis| now.since(since) >= TURN_TIMEOUT_MS;
    match (away.player1, away.player2) {
        (Some(first), Some(second)) => long(first.max(second)).then_some(Command::Inactive { ended_at: now }),
        _ => match game.time_control {
            TimeControl::Unlimited => absent_mover(game, away)
                .filter(|(_, since)| long(*since))
                .map(|(seat, _)| Command::Timeout { seat }),
            // Their clock decides.
            _ => None,
        },
    }
}

fn absent_mover(game: &GameState, away: BySeat<Option<Millis>>) -> Option<(Seat, Millis)> {
    let seat = game.to_move()?;
    away.of(seat).map(|since| (seat, since))
}

/// How long the service stood still, if this tick, `elapsed_ms` after the one before, is so late that it did.
pub fn stall(elapsed_ms: i64, tick_ms: u64) -> Option<i64> {
    let late = elapsed_ms - tick_ms as i64;
    (late > STALL_MS).then_some(late)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::fixtures::live_game;

    const FIVE: i64 = TURN_TIMEOUT_MS;

    fn away(player1: Option<i64>, player2: Option<i64>) -> BySeat<Option<Millis>> {
        BySeat {
            player1: player1.map(Millis),
            player2: player2.map(Millis),
        }
    }

    #[test]
    fn the_absent_mover_loses_after_five_minutes() {
        let game = live_game();
        assert_eq!(judge(&game, away(Some(0), None), Millis(FIVE - 1)), None);
        assert_eq!(
            judge(&game, away(Some(0), None), Millis(FIVE)),
            Some(Command::Timeout { seat: Seat::Player1 })
        );
    }

    #[test]
    fn the_opponent_of_an_online_mover_is_never_timed_out() {
        assert_eq!(judge(&live_game(), away(None, Some(0)), Millis(10 * FIVE)), None);
    }

    #[test]
    fn both_away_is_inactive_five_minutes_after_the_later_left() {
        let game = live_game();
        assert_eq!(judge(&game, away(Some(0), Some(1000)), Millis(FIVE + 999)), None);
        let now = Millis(FIVE + 1000);
        assert_eq!(
            judge(&game, away(Some(0), Some(1000)), now),
            Some(Command::Inactive { ended_at: now })
        );
    }

    #[test]
    fn a_late_tick_is_a_stall() {
        assert_eq!(stall(10_000, TICK_MS), None);
        assert_eq!(stall(12_000, TICK_MS), None);
        assert_eq!(stall(400_000, TICK_MS), Some(390_000));
    }
}
