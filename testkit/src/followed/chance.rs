//! What holds of whatever chance decides: each throw is the next one, comes when it is due, and follows from the seeds
//! that are revealed in the end.

use commands::seed_gate::waits_until;
use contract::event::Rolled;
use contract::{Envelope, Event, FinishedGame, GameState, State};
use rules::Next;
use rules::dicechess::Position;
use rules::fair::ServerSeed;

/// A throw that the game waits for, with its number, and not before both players have given their seeds or the wait for
/// those is over.
///
/// # Errors
/// What does not hold.
pub(super) fn must_be_due(before: Option<&GameState>, envelope: &Envelope) -> Result<(), String> {
    let Event::Rolled(rolled) = &envelope.event else {
        return Ok(());
    };
    let before = before.ok_or("throws dice before the game began")?;
    let Rolled {
        seat,
        index,
        dice,
        state,
        ..
    } = rolled;
    if before.state.next() != Next::Chance(*seat) || before.state.chance_index() != *index {
        return Err(format!("throws {index} for {seat:?}, which is not due"));
    }
    if waits_until(before).is_some_and(|until| envelope.time < until) {
        return Err("throws before the players' seeds are in".to_owned());
    }
    let thrown = before.state.thrown(dice).map_err(|refused| refused.to_string())?;
    if thrown != *state {
        return Err("does not come out as it says".to_owned());
    }
    Ok(())
}

/// A position is the same when it is written and read again.
///
/// # Errors
/// What does not hold.
pub(super) fn must_be_readable(state: &State) -> Result<(), String> {
    let State::DiceChess(game) = state else {
        return Ok(());
    };
    let position = game.position();
    let read = position.to_string().parse::<Position>();
    if read.as_ref() == Ok(position) {
        Ok(())
    } else {
        Err(format!("{position} is read as {read:?}"))
    }
}

/// Whoever has the record can compute every throw of it.
///
/// # Errors
/// What does not hold.
pub(super) fn must_be_recomputable(started: Option<&str>, record: &FinishedGame) -> Result<(), String> {
    let players = [&record.players.player1, &record.players.player2];
    let forgotten = players
        .iter()
        .any(|player| player.user_id.as_str().starts_with("erased:"));
    let Some(reveal) = &record.fairness else {
        return if record.kind.is_fair() && !forgotten {
            Err("reveals nothing".to_owned())
        } else {
            Ok(())
        };
    };
    if started.is_some_and(|commit| commit != reveal.commit) {
        return Err("reveals another commitment than was published".to_owned());
    }
    let seed = ServerSeed::from_hex(&reveal.seed).filter(|seed| seed.commit() == reveal.commit);
    let seed = seed.ok_or("reveals no seed, or another one than was committed to")?;
    let throws = record.moves.iter().map(|played| played.dice.clone());
    let last = record.final_state.chance();
    for (index, dice) in throws.chain(last.map(Some)).enumerate() {
        if dice != record.kind.throw(&seed, reveal.clients(), index as u64) {
            return Err(format!(
                "has a throw {index} that does not follow from the seeds: {dice:?}"
            ));
        }
    }
    Ok(())
}
