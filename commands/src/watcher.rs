//! When an absent player loses: the rule, without clock or loop. The loop runs it every ten seconds.

use contract::player::BySeat;
use contract::{GameState, Millis, Seat};

use crate::decide::Command;
use crate::presence::Away;
use crate::seed_gate;
use crate::view::TURN_TIMEOUT_MS;

/// How often the watcher looks, in milliseconds.
pub const TICK_MS: u64 = 10_000;

/// A tick later than this was a stall: nobody shall pay for it.
pub const STALL_MS: i64 = 2_000;

/// What the watcher does to a game, given which players are away.
///
/// Where a kind bounds each absence, see [`absent`]. Where a clock runs, the clock decides, and nothing else. Otherwise:
/// both away, and the later of them for five minutes: `inactive`. Else the player to move away for five minutes, and the
/// other there: `timeout`. The opponent of an online mover is never timed out.
pub fn judge(game: &GameState, away: Away, now: Millis) -> Option<Command> {
    if !game.is_live() {
        return None;
    }
    if !game.state.next().is_a_players() && seed_gate::shut_until(game, now).is_none() {
        // It should have gone on by itself.
        return Some(Command::GoOn);
    }
    if game.kind.longest_absence_s().is_some() {
        return absent(game, away, now);
    }
    if let (None, Some(first), Some(second)) = (game.clocks, away.player1, away.player2) {
        let later = first.since.max(second.since);
        return (now.since(later) >= TURN_TIMEOUT_MS).then_some(Command::Inactive { ended_at: now });
    }
    let forfeits = forfeits(game, away);
    let seat = game.to_move()?;
    (*forfeits.of(seat))
        .is_some_and(|at| at <= now)
        .then_some(Command::Timeout { seat })
}

/// When each player loses by their absence, if nothing changes; clients count down to it.
pub fn forfeits(game: &GameState, away: Away) -> BySeat<Option<Millis>> {
    let at = |seat: Seat| {
        let absence = away.of(seat).filter(|_| game.is_live())?;
        if let Some(longest_s) = game.kind.longest_absence_s() {
            return absence
                .came
                .then(|| absence.since.plus(i64::from(longest_s) * 1000));
        }
        let alone = away.of(seat.other()).is_none();
        let loses = game.clocks.is_none() && alone && game.to_move() == Some(seat);
        loses.then(|| absence.since.plus(TURN_TIMEOUT_MS))
    };
    BySeat {
        player1: at(Seat::Player1),
        player2: at(Seat::Player2),
    }
}

/// Where a kind bounds each absence: who was away for so long loses, whosever turn it is. Of two who are away, the one who
/// went first loses; if both went at once, nobody wins.
pub fn absent(game: &GameState, away: Away, now: Millis) -> Option<Command> {
    let at = next_absence(game, away).filter(|at| *at <= now)?;
    let BySeat { player1, player2 } = forfeits(game, away);
    Some(match (player1 == Some(at), player2 == Some(at)) {
        (true, true) => Command::Inactive { ended_at: now },
        (true, false) => Command::Absent { seat: Seat::Player1 },
        (false, _) => Command::Absent { seat: Seat::Player2 },
    })
}

/// When the first of the players loses by such an absence.
pub fn next_absence(game: &GameState, away: Away) -> Option<Millis> {
    game.kind.longest_absence_s()?;
    let BySeat { player1, player2 } = forfeits(game, away);
    player1.into_iter().chain(player2).min()
}

/// How long the service stood still, if this tick, `elapsed_ms` after the one before, is so late that it did.
pub fn stall(elapsed_ms: i64, tick_ms: u64) -> Option<i64> {
    let late = elapsed_ms - tick_ms as i64;
    (late > STALL_MS).then_some(late)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::fixtures::{context, live_game, run, start_with};
    use crate::presence::Absence;
    use contract::TimeControl;

    const FIVE: i64 = TURN_TIMEOUT_MS;

    fn away(player1: Option<i64>, player2: Option<i64>) -> Away {
        let absence = |since: i64| Absence {
            since: Millis(since),
            came: true,
        };
        BySeat {
            player1: player1.map(absence),
            player2: player2.map(absence),
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
    fn where_a_clock_runs_it_decides_alone() {
        let control = TimeControl::SuddenDeath { initial_s: 10_800 };
        let game = run(None, &start_with(control), context(0)).1;
        for away in [away(Some(0), None), away(None, Some(0)), away(Some(0), Some(0))] {
            assert_eq!(judge(&game, away, Millis(10 * FIVE)), None);
            assert_eq!(forfeits(&game, away), BySeat::default());
        }
    }

    #[test]
    fn a_late_tick_is_a_stall() {
        assert_eq!(stall(10_000, TICK_MS), None);
        assert_eq!(stall(12_000, TICK_MS), None);
        assert_eq!(stall(400_000, TICK_MS), Some(390_000));
    }
}
