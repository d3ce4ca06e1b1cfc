//! What a command does, decided purely: from the game, the command and the time come events or a rejection.
//!
//! Nothing here reads a clock, rolls dice or knows who is connected; all of that is in the command.

use contract::event::{Ended, EndedBy, Moved, Resumed, Started};
use contract::game_state::Ending;
use contract::{
    CommandHash, Durability, EndReason, Event, GameState, Kind, Millis, Move, Origin, Outcome, Players,
    Position, Seat, Spectators, State, TimeControl, UserId, WriterId,
};

use crate::clocks;
use crate::fold;
use crate::games::Rejection;

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;
mod time;

/// What holds for every command: when, by which process, before whose eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// The time that the command was received.
    pub now: Millis,
    /// How long the game's running clock had run then, in milliseconds; 0 if none runs.
    pub ran_ms: i64,
    /// This process.
    pub writer: WriterId,
    /// Who watches.
    pub spectators: Spectators,
}

/// What `started` needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// Which game.
    pub kind: Kind,
    /// Who plays.
    pub players: Players,
    /// How long a player may think.
    pub time_control: TimeControl,
    /// When moves are shown.
    pub durability: Durability,
    /// How the players came together.
    pub origin: Origin,
    /// Which of the service's keys the game's secrets are derived from.
    pub key_id: Option<String>,
    /// The joiner's command.
    pub command: Option<CommandHash>,
}

/// A command, with everything that its decision depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Begin a game.
    Start(Box<Start>),
    /// A player moves.
    Move {
        /// Who.
        seat: Seat,
        /// Which command.
        hash: CommandHash,
        /// What the player saw.
        position: Position,
        /// The move.
        mv: Move,
    },
    /// A player leaves.
    Leave {
        /// Who.
        seat: Seat,
        /// Which command.
        hash: CommandHash,
    },
    /// The time of `seat`, whose clock runs, is up.
    Flag {
        /// Who loses.
        seat: Seat,
    },
    /// `seat` was away for as long as its kind of game allows, whosever turn it is.
    Absent {
        /// Who loses.
        seat: Seat,
    },
    /// The watcher: `seat`, whose turn it is, was away too long.
    Timeout {
        /// Who loses.
        seat: Seat,
    },
    /// The watcher: both were away too long.
    Inactive {
        /// When the game counts as ended.
        ended_at: Millis,
    },
    /// This process takes the game over.
    Resume {
        /// How long nobody served it.
        downtime_ms: i64,
    },
    /// The last move was played, but the game has no `ended`.
    Complete,
}

/// The game's own time: never earlier than its last event.
pub fn event_time(game: Option<&GameState>, now: Millis) -> Millis {
    game.map_or(now, |game| now.max(game.last_at))
}

/// The events of a command, in order, or why there are none.
///
/// # Errors
/// [`Rejection`]; nothing has happened then.
pub fn decide(
    game: Option<&GameState>,
    command: &Command,
    context: Context,
) -> Result<Vec<Event>, Rejection> {
    let at = event_time(game, context.now);
    if let Some(game) = game {
        time::must_be_left(game, command, context)?;
    }
    match (game, command) {
        (None, Command::Start(begin)) => Ok(vec![start(begin, at, context)]),
        (None, _) => Err(Rejection::NoSuchGame),
        (Some(_), Command::Start(_)) => Err(Rejection::SeatTaken),
        (Some(game), command) if is_over_for(game, command) => Err(Rejection::GameOver),
        (
            Some(game),
            Command::Move {
                seat,
                hash,
                position,
                mv,
            },
        ) => play(game, *seat, *hash, *position, mv, at, context),
        (Some(game), Command::Leave { seat, hash }) => Ok(vec![leave(game, *seat, *hash, at, context)]),
        (Some(game), Command::Flag { seat }) => time::flag(game, *seat, at, context),
        (Some(game), Command::Absent { seat }) => Ok(vec![time::absent(game, *seat, at, context)]),
        (Some(game), Command::Timeout { seat }) => timeout(game, *seat, at, context),
        (Some(game), Command::Inactive { ended_at }) => Ok(vec![end(
            game,
            None,
            EndReason::Inactive,
            None,
            *ended_at,
            context,
        )]),
        (Some(game), Command::Resume { downtime_ms }) => Ok(vec![Event::Resumed(Resumed {
            downtime_ms: *downtime_ms,
            clocks: clocks::after_downtime(game.clocks, *downtime_ms, at),
            spectators: game.spectators.max(context.spectators),
        })]),
        (Some(game), Command::Complete) => complete(game, context),
    }
}

/// A game whose last move was played is over for everybody, even before it has its `ended`. It can only be taken over
/// and get that.
fn is_over_for(game: &GameState, command: &Command) -> bool {
    let gives_it_its_end = matches!(command, Command::Resume { .. } | Command::Complete);
    !game.is_live() || (game.state.outcome().is_some() && !gives_it_its_end)
}

fn start(begin: &Start, at: Millis, context: Context) -> Event {
    let state = State::initial(begin.kind);
    Event::Started(Box::new(Started {
        players: begin.players.clone(),
        rules: begin.kind.rules().to_owned(),
        rules_version: begin.kind.rules_version(),
        time_control: begin.time_control,
        durability: begin.durability,
        origin: begin.origin,
        rated: false,
        key_id: begin.key_id.clone(),
        clocks: clocks::initial(begin.kind, begin.time_control, clocks::awaited(&state), at),
        state,
        command: begin.command,
        spectators: context.spectators,
    }))
}

/// A move is stale unless its position is on the game's chain and no `started`, `moved` or `rolled` follows it.
fn is_stale(game: &GameState, position: Position) -> bool {
    position.version < game.turn_version || !game.chain.has(position, game.version)
}

fn play(
    game: &GameState,
    seat: Seat,
    hash: CommandHash,
    position: Position,
    mv: &Move,
    at: Millis,
    context: Context,
) -> Result<Vec<Event>, Rejection> {
    if is_stale(game, position) {
        return Err(Rejection::Stale);
    }
    if game.to_move() != Some(seat) {
        return Err(Rejection::NotYourTurn);
    }
    let played = game.state.play(seat, mv).map_err(Rejection::Illegal)?;
    let awaited = clocks::awaited(&played.state);
    let moved = Event::Moved(Moved {
        seat,
        command: hash,
        mv: mv.clone(),
        steps: played.steps,
        next_seat: played.state.to_move(),
        state: played.state,
        think_ms: clocks::think_ms(game.clocks.as_ref(), seat, context.ran_ms),
        clocks: clocks::after_move(game, seat, context.ran_ms, awaited, at),
        spectators: game.spectators.max(context.spectators),
    });
    let mut events = vec![moved];
    if let Event::Moved(moved) = &events[0]
        && let Some(outcome) = moved.state.outcome()
    {
        let mut after = game.clone();
        fold::apply(&mut after, &events[0], at, context.writer);
        let ended = end(&after, Some(outcome), EndReason::Completed, None, at, context);
        events.push(with_command(ended, seat, hash));
    }
    Ok(events)
}

fn with_command(event: Event, seat: Seat, hash: CommandHash) -> Event {
    match event {
        Event::Ended(mut ended) => {
            ended.command = Some(EndedBy { seat, hash });
            Event::Ended(ended)
        }
        other => other,
    }
}

fn leave(game: &GameState, seat: Seat, hash: CommandHash, at: Millis, context: Context) -> Event {
    let leaver = game.players.of(seat).user_id.clone();
    let winner = Outcome::win(seat.other());
    with_command(
        end(game, Some(winner), EndReason::Left, Some(leaver), at, context),
        seat,
        hash,
    )
}

fn timeout(game: &GameState, seat: Seat, at: Millis, context: Context) -> Result<Vec<Event>, Rejection> {
    if game.to_move() != Some(seat) {
        return Err(Rejection::NotYourTurn);
    }
    let winner = Outcome::win(seat.other());
    Ok(vec![end(
        game,
        Some(winner),
        EndReason::Timeout,
        None,
        at,
        context,
    )])
}

/// Its time is now, but the game ended with its last event.
fn complete(game: &GameState, context: Context) -> Result<Vec<Event>, Rejection> {
    let outcome = game.state.outcome().ok_or(Rejection::NotYourTurn)?;
    Ok(vec![end(
        game,
        Some(outcome),
        EndReason::Completed,
        None,
        game.last_at,
        context,
    )])
}

fn end(
    game: &GameState,
    result: Option<Outcome>,
    reason: EndReason,
    left_user_id: Option<UserId>,
    ended_at: Millis,
    context: Context,
) -> Event {
    let spectators = game.spectators.max(context.spectators);
    let ending = Ending {
        result,
        reason,
        left_user_id: left_user_id.clone(),
        at: ended_at,
    };
    Event::Ended(Box::new(Ended {
        result,
        reason,
        left_user_id,
        command: None,
        clocks: clocks::at_end(game.clocks, context.ran_ms),
        record: Box::new(game.finished(&ending, spectators)),
        spectators,
    }))
}
