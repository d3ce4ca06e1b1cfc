//! What holds of a game's clocks from one event to the next: they run while a player is waited for and for nothing else,
//! and nobody gains time but by their own turns.

use commands::clocks::{Budget, awaited, initial};
use contract::event::Moved;
use contract::{Clocks, EndReason, Envelope, Event, GameState, Outcome, Running, Seat};

/// The time of day and the time that is charged are two clocks, read one after the other, each in whole milliseconds.
const READ_APART_MS: i64 = 5;

/// Panics nowhere: what is wrong is told.
///
/// # Errors
/// What does not hold.
pub(super) fn must_be_right(
    before: Option<&GameState>,
    after: &GameState,
    envelope: &Envelope,
) -> Result<(), String> {
    if let Event::Anchored(_) = envelope.event {
        // What it follows may be gone.
        return Ok(());
    }
    let Some(before) = before else {
        let expected = initial(
            after.kind,
            after.time_control,
            awaited(&after.state),
            envelope.time,
        );
        return must(after.clocks == expected, || {
            format!("begins with {:?}", after.clocks)
        });
    };
    let (old, new) = match (before.clocks, after.clocks) {
        (None, None) => return Ok(()),
        (Some(old), Some(new)) => (old, new),
        other => return Err(format!("makes clocks or takes them away: {other:?}")),
    };
    let wrong = |why: &str| format!("{why}: {old:?}, then {new:?}");
    must(
        Seat::BOTH.iter().all(|seat| *new.remaining_ms.of(*seat) >= 0),
        || wrong("leaves less than nothing"),
    )?;
    for seat in Seat::BOTH {
        let running = old.running.filter(|running| running.seat == seat);
        charge(before, &new, seat, running, envelope).map_err(|why| wrong(&why))?;
    }
    runs(&old, &new, after, envelope).map_err(|why| wrong(&why))?;
    if let Event::Ended(ended) = &envelope.event
        && ended.reason == EndReason::Flag
    {
        let loser = old.running.map(|running| running.seat);
        let lost = loser.is_some_and(|seat| {
            *new.remaining_ms.of(seat) == 0 && ended.result == Some(Outcome::win(seat.other()))
        });
        return must(lost, || wrong("is no fallen flag"));
    }
    Ok(())
}

/// What becomes of one seat's time.
fn charge(
    before: &GameState,
    new: &Clocks,
    seat: Seat,
    running: Option<Running>,
    envelope: &Envelope,
) -> Result<(), String> {
    let clocks = before.clocks.expect("there were clocks before");
    let (was, is) = (*clocks.remaining_ms.of(seat), *new.remaining_ms.of(seat));
    let budget = Budget::of(before.kind, before.time_control).ok_or("keeps no time")?;
    let Some(running) = running else {
        let turn_ms = match (budget, &envelope.event) {
            // The next turn has an amount of its own.
            (Budget::Turn { ms }, Event::Moved(moved)) if moved.seat == seat => ms,
            _ => was,
        };
        return must(is == turn_ms, || {
            format!("changes {seat:?}'s time, which did not run")
        });
    };
    let passed = envelope.time.since(running.since).max(0) + READ_APART_MS;
    match &envelope.event {
        Event::Moved(moved) if moved.seat == seat => {
            let thought = thought(moved, was, passed)?;
            let expected = match budget {
                Budget::Game { increment_ms, .. } => was - thought + increment_ms,
                Budget::Turn { ms } => ms,
            };
            must(is == expected, || {
                format!("charges {thought} ms of thought wrongly")
            })
        }
        _ => must((0..=passed).contains(&(was - is)), || {
            format!("charges {} ms for {passed} at most", was - is)
        }),
    }
}

/// How long a move was thought about: at least as long as nothing, less than there was, and no longer than time passed.
fn thought(moved: &Moved, was: i64, passed: i64) -> Result<i64, String> {
    let thought = moved.think_ms.ok_or("does not say how long was thought")?;
    must((0..=passed).contains(&thought) && thought < was, || {
        format!("was thought about for {thought} ms of {was}, while {passed} passed")
    })?;
    Ok(thought)
}

/// Which clock runs afterwards, and since when.
fn runs(old: &Clocks, new: &Clocks, after: &GameState, envelope: &Envelope) -> Result<(), String> {
    let seat = new.running.map(|running| running.seat);
    let expected = awaited(&after.state).filter(|_| after.is_live());
    must(seat == expected, || {
        format!("runs {seat:?}'s clock and waits for {expected:?}")
    })?;
    let at = envelope.time;
    let since = new.running.map(|running| running.since);
    must(
        new.running == old.running || since.is_none_or(|since| since == at),
        || format!("starts a clock at {since:?}"),
    )
}

fn must(holds: bool, else_say: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_say()) }
}
