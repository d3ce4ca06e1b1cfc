//! What time a turn costs, decided purely: from the clocks before and how long one of them ran come the clocks after.
//!
//! **Belongs here:** what a time control gives, when a clock starts and stops, what is charged, added and given back.
//! **Does not:** how long a clock ran (whoever calls says so: the service measures it on a clock that never goes back),
//! when somebody looks at it (`live/timing.rs`), or whose turn it is (`rules`).
//!
//! A clock runs while the game waits for its player's command, and for nothing else: not while dice are thrown, while a
//! `required` game waits for the log, or while nobody serves the game. Every event that changes a clock carries both,
//! so a replay takes them from the events and computes nothing.

use contract::player::BySeat;
use contract::{Clocks, GameState, Kind, Millis, Running, Seat, State, TimeControl};
use rules::Next;

#[cfg(test)]
mod tests;

const SECOND_MS: i64 = 1000;

/// The time of a player, as a time control gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// One amount for all turns, to which each turn adds.
    Game {
        /// What each player begins with, in milliseconds.
        initial_ms: i64,
        /// What each turn adds, in milliseconds.
        increment_ms: i64,
    },
    /// The same amount for each turn.
    Turn {
        /// In milliseconds.
        ms: i64,
    },
}

impl Budget {
    /// What `control` gives in a game of `kind`; `None` where no time is kept.
    pub fn of(kind: Kind, control: TimeControl) -> Option<Self> {
        let ms = |seconds: u32| i64::from(seconds) * SECOND_MS;
        match control {
            TimeControl::Unlimited => kind.longest_turn_s().map(|s| Self::Turn { ms: ms(s) }),
            TimeControl::SuddenDeath { initial_s } => Some(Self::Game {
                initial_ms: ms(initial_s),
                increment_ms: 0,
            }),
            TimeControl::Fischer {
                initial_s,
                increment_s,
            } => Some(Self::Game {
                initial_ms: ms(initial_s),
                increment_ms: ms(increment_s),
            }),
            TimeControl::PerMove { seconds } => Some(Self::Turn { ms: ms(seconds) }),
        }
    }

    fn initial_ms(self) -> i64 {
        match self {
            Self::Game { initial_ms, .. } => initial_ms,
            Self::Turn { ms } => ms,
        }
    }

    /// What a player has after a turn of which `left_ms` was left.
    fn after_turn(self, left_ms: i64) -> i64 {
        match self {
            Self::Game { increment_ms, .. } => left_ms + increment_ms,
            Self::Turn { ms } => ms,
        }
    }

    /// What a player has after a turn that they did not choose, of which nothing was charged. The next turn has an amount of
    /// its own, also if the answer to an offer took some of this one's.
    fn after_forced(self, left_ms: i64) -> i64 {
        match self {
            Self::Game { .. } => left_ms,
            Self::Turn { ms } => ms,
        }
    }
}

/// The seat whose command the game waits for: its clock runs.
pub fn awaited(state: &State) -> Option<Seat> {
    match state.next() {
        Next::Choose(seat) | Next::Answer(seat) => Some(seat),
        Next::Forced(..) | Next::Chance(_) | Next::Over(_) => None,
    }
}

/// The clocks that a game begins with; `awaited` is the seat that it waits for, if any.
pub fn initial(kind: Kind, control: TimeControl, awaited: Option<Seat>, at: Millis) -> Option<Clocks> {
    let initial_ms = Budget::of(kind, control)?.initial_ms();
    Some(Clocks {
        remaining_ms: BySeat {
            player1: initial_ms,
            player2: initial_ms,
        },
        running: awaited.map(|seat| Running { seat, since: at }),
    })
}

/// The clocks after `seat` moved at `at`, when its clock had run for `ran_ms`; `awaited` is the seat that the game waits
/// for now. A move that the player did not choose, as nobody was waited for, costs no time and adds none.
pub fn after_move(
    game: &GameState,
    seat: Seat,
    ran_ms: i64,
    awaited: Option<Seat>,
    at: Millis,
) -> Option<Clocks> {
    let mut clocks = game.clocks?;
    let budget = Budget::of(game.kind, game.time_control)?;
    let chosen = stop(&mut clocks, ran_ms) == Some(seat);
    let left = clocks.remaining_ms.of_mut(seat);
    *left = if chosen {
        budget.after_turn(*left)
    } else {
        budget.after_forced(*left)
    };
    clocks.running = awaited.map(|seat| Running { seat, since: at });
    Some(clocks)
}

/// The clocks after something that is no move (a throw, a draw offer or its answer): if the game still waits for the
/// same seat, its clock runs on.
pub fn after_other(clocks: Option<Clocks>, ran_ms: i64, awaited: Option<Seat>, at: Millis) -> Option<Clocks> {
    let mut clocks = clocks?;
    if clocks.running.map(|running| running.seat) != awaited {
        stop(&mut clocks, ran_ms);
        clocks.running = awaited.map(|seat| Running { seat, since: at });
    }
    Some(clocks)
}

/// How long `seat` thought, if its clock ran: what a move is recorded with.
pub fn think_ms(clocks: Option<&Clocks>, seat: Seat, ran_ms: i64) -> Option<i64> {
    let running = clocks?.running?;
    (running.seat == seat).then_some(ran_ms.max(0))
}

/// The clocks at the end of a game.
pub fn at_end(clocks: Option<Clocks>, ran_ms: i64) -> Option<Clocks> {
    let mut clocks = clocks?;
    stop(&mut clocks, ran_ms);
    Some(clocks)
}

/// The clocks of a game that is taken over at `at`, after `downtime_ms` in which nobody served it: that is given back to
/// the one that runs. What it ran before that is charged, as far as it can be told.
pub fn after_downtime(clocks: Option<Clocks>, downtime_ms: i64, at: Millis) -> Option<Clocks> {
    let mut clocks = clocks?;
    if let Some(running) = clocks.running {
        let ran_ms = at.since(running.since).saturating_sub(downtime_ms.max(0));
        stop(&mut clocks, ran_ms);
        clocks.running = Some(Running { since: at, ..running });
    }
    Some(clocks)
}

/// The seat whose time is up, when the running clock has run for `ran_ms`.
pub fn time_is_up(clocks: Option<&Clocks>, ran_ms: i64) -> Option<Seat> {
    let (seat, left_ms) = left(clocks?)?;
    (ran_ms >= left_ms).then_some(seat)
}

/// Whose clock runs, and how many milliseconds it had when it began to.
pub fn left(clocks: &Clocks) -> Option<(Seat, i64)> {
    let running = clocks.running?;
    Some((running.seat, *clocks.remaining_ms.of(running.seat)))
}

/// The same clocks as of `at`, when the running one has run for `ran_ms`: for a client, which counts down from when it
/// gets them and needs to know nothing of what was given back.
pub fn as_of(clocks: Clocks, ran_ms: i64, at: Millis) -> Clocks {
    let running = clocks.running.map(|running| Running { since: at, ..running });
    let mut clocks = clocks;
    stop(&mut clocks, ran_ms);
    Clocks { running, ..clocks }
}

/// Stops the running clock and charges it; nobody has less than nothing. Returns whose it was.
fn stop(clocks: &mut Clocks, ran_ms: i64) -> Option<Seat> {
    let running = clocks.running.take()?;
    let left = clocks.remaining_ms.of_mut(running.seat);
    *left = (*left - ran_ms.max(0)).max(0);
    Some(running.seat)
}
