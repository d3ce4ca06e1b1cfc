//! What follows from an event by the rules alone: dice are thrown, forced moves made, the game ends.
//!
//! One loop for all kinds of games: as long as the game does not wait for a player, the next event follows at once, and
//! belongs to the command that caused the one before. What is thrown follows from seeds (`rules::fair`); the server's is
//! part of the command's context and of no event before `ended`.

use contract::event::{CommandBy, Moved, Rolled};
use contract::{Event, GameState, Millis, Move, Seat};
use rules::fair::ServerSeed;
use rules::{IllegalMove, Next};

use super::{Context, end};
use crate::{clocks, fold, seed_gate};

/// `first`, which continues `game`, and what follows from it.
pub(super) fn and_what_follows(
    game: &GameState,
    first: Event,
    by: Option<CommandBy>,
    at: Millis,
    context: Context,
) -> Vec<Event> {
    if first.state().is_some_and(|state| state.next().is_a_players()) {
        return vec![first];
    }
    let mut after = game.clone();
    fold::apply(&mut after, &first, at, context.writer);
    let mut events = vec![first];
    events.extend(what_follows(after, by, at, context));
    events
}

/// What follows from the state of `game` before a player does anything.
pub(super) fn what_follows(
    mut game: GameState,
    by: Option<CommandBy>,
    at: Millis,
    context: Context,
) -> Vec<Event> {
    // Whatever clock ran has been charged; none ran while nobody was waited for.
    let context = Context { ran_ms: 0, ..context };
    let mut events = Vec::new();
    while let Some(event) = next_event(&game, by, at, context) {
        fold::apply(&mut game, &event, at, context.writer);
        events.push(event);
    }
    events
}

fn next_event(game: &GameState, by: Option<CommandBy>, at: Millis, context: Context) -> Option<Event> {
    if !game.is_live() {
        return None;
    }
    match game.state.next() {
        Next::Choose(_) | Next::Answer(_) => None,
        Next::Chance(seat) => throw(game, seat, by, at, context),
        Next::Forced(seat, mv) => {
            let forced = Mover {
                seat,
                by,
                forced: true,
            };
            let event = moved(game, forced, &game.state, &mv, at, context);
            Some(event.expect("what the rules force they allow"))
        }
        Next::Over(ending) => {
            let (result, reason) = (Some(ending.outcome), ending.reason.into());
            // What is only noticed now has ended when it was played.
            let ended_at = by.map_or(game.last_played_at(), |_| at);
            Some(end(game, result, reason, None, by, ended_at, context))
        }
    }
}

/// Whose move it is, and what led to it.
#[derive(Clone, Copy)]
pub(super) struct Mover {
    pub(super) seat: Seat,
    pub(super) by: Option<CommandBy>,
    pub(super) forced: bool,
}

/// The event of a move in `state`, which is the game's or was made ready for the move.
pub(super) fn moved(
    game: &GameState,
    mover: Mover,
    state: &contract::State,
    mv: &Move,
    at: Millis,
    context: Context,
) -> Result<Event, IllegalMove> {
    let Mover { seat, by, forced } = mover;
    let played = state.play(seat, mv)?;
    let awaited = clocks::awaited(&played.state);
    let think_ms = if forced {
        game.clocks.map(|_| 0)
    } else {
        clocks::think_ms(game.clocks.as_ref(), seat, context.ran_ms)
    };
    Ok(Event::Moved(Moved {
        seat,
        command: by.map(|by| by.hash),
        command_seat: by.map(|by| by.seat).filter(|whose| *whose != seat),
        forced,
        mv: mv.clone(),
        steps: played.steps,
        next_seat: played.state.to_move(),
        state: played.state,
        think_ms,
        clocks: clocks::after_move(game, seat, context.ran_ms, awaited, at),
        spectators: game.spectators.max(context.spectators),
    }))
}

/// Nothing is thrown while the players' seeds are waited for, nor without the seed that the game was begun with: it waits
/// until that is there again.
fn throw(game: &GameState, seat: Seat, by: Option<CommandBy>, at: Millis, context: Context) -> Option<Event> {
    if seed_gate::shut_until(game, context.now).is_some() {
        return None;
    }
    let seed = seed_of(game, context)?;
    let clients = game.fairness.as_ref()?.clients(&game.players);
    let index = game.state.chance_index();
    let dice = game.kind.throw(&seed, clients, index)?;
    let state = game
        .state
        .thrown(&dice)
        .expect("the game waits for a throw of its kind");
    let awaited = clocks::awaited(&state);
    Some(Event::Rolled(Rolled {
        seat,
        index,
        dice,
        command: by,
        state,
        clocks: clocks::after_other(game.clocks, context.ran_ms, awaited, at),
        spectators: game.spectators.max(context.spectators),
    }))
}

/// The server's seed of the game, if it is the one that the game was begun with.
pub(super) fn seed_of(game: &GameState, context: Context) -> Option<ServerSeed> {
    let fairness = game.fairness.as_ref()?;
    context.seed.filter(|seed| seed.commit() == fairness.commit)
}
