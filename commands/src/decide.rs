//! What a command does, decided purely: from the game, the command and the time come events or a rejection.
//!
//! Nothing here reads a clock, rolls dice or knows who is connected; all of that is in the command.

use contract::event::{CommandBy, Ended, Resumed, Started};
use contract::game_state::Ending;
use contract::{
    CommandHash, Durability, EndReason, Event, GameState, Kind, Millis, Move, Origin, Outcome, Players,
    Position, Seat, Spectators, State, TimeControl, UserId, Version, WriterId,
};

use rules::Leaving;
use rules::fair::ServerSeed;

use crate::clocks;
use crate::games::Rejection;
use consequences::{Mover, and_what_follows, moved, seed_of, what_follows};

mod chance;
mod consequences;
mod draws;
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
    /// The server's seed of the game, in a kind in which chance decides. It goes into no event but `ended`.
    pub seed: Option<ServerSeed>,
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
        /// Whether a draw is offered with it.
        offer_draw: bool,
    },
    /// A player will offer a draw with their next move, or not any more.
    ArmDraw {
        /// Who.
        seat: Seat,
        /// Which command.
        hash: CommandHash,
        /// Whether they will.
        armed: bool,
    },
    /// A player answers the offer of a draw.
    AnswerDraw {
        /// Who.
        seat: Seat,
        /// Which command.
        hash: CommandHash,
        /// Whether they accept.
        accept: bool,
    },
    /// A player adds a seed of their own.
    Seed {
        /// Who.
        seat: Seat,
        /// Which command.
        hash: CommandHash,
        /// What.
        seed: String,
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
    /// The process stood still, and no time passes for whoever is to move.
    StoodStill {
        /// The game's version then. One that has gone on since has charged its clocks rightly, and nothing happens.
        version: Version,
        /// For how long, in milliseconds.
        ms: i64,
    },
    /// Nobody waits for a player: the game goes on by its rules. The dice are thrown, a forced move is made, or the game
    /// gets its `ended`. Nothing happens if it waits for a player after all.
    GoOn,
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
                offer_draw,
            },
        ) => {
            let by = by(*seat, *hash);
            play(game, by, *position, (mv, *offer_draw), at, context)
        }
        (Some(game), Command::ArmDraw { seat, hash, armed }) => {
            draws::arm(game, by(*seat, *hash), *armed, context)
        }
        (Some(game), Command::AnswerDraw { seat, hash, accept }) => {
            draws::answer(game, by(*seat, *hash), *accept, at, context)
        }
        (Some(game), Command::Seed { seat, hash, seed }) => {
            chance::seed(game, by(*seat, *hash), seed, at, context)
        }
        (Some(game), Command::Leave { seat, hash }) => Ok(vec![leave(game, by(*seat, *hash), at, context)]),
        (Some(game), Command::Flag { seat }) => time::flag(game, *seat, at, context),
        (Some(game), Command::Absent { seat }) => Ok(vec![time::absent(game, *seat, at, context)]),
        (Some(game), Command::Timeout { seat }) => timeout(game, *seat, at, context),
        (Some(game), Command::Inactive { ended_at }) => Ok(vec![end(
            game,
            None,
            EndReason::Inactive,
            None,
            None,
            *ended_at,
            context,
        )]),
        (Some(game), Command::Resume { downtime_ms }) => Ok(vec![Event::Resumed(Resumed {
            downtime_ms: *downtime_ms,
            clocks: clocks::after_downtime(game.clocks, *downtime_ms, at),
            spectators: game.spectators.max(context.spectators),
        })]),
        (Some(game), Command::StoodStill { version, ms }) => {
            Ok(time::stood_still(game, *version, *ms, at, context)
                .into_iter()
                .collect())
        }
        (Some(game), Command::GoOn) => Ok(what_follows(game.clone(), None, at, context)),
    }
}

fn by(seat: Seat, hash: CommandHash) -> CommandBy {
    CommandBy { seat, hash }
}

/// A game whose last move was played is over for everybody, even before it has its `ended`. It can only be taken over
/// and get that.
fn is_over_for(game: &GameState, command: &Command) -> bool {
    let gives_it_its_end = matches!(command, Command::Resume { .. } | Command::GoOn);
    !game.is_live() || (game.state.ending().is_some() && !gives_it_its_end)
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
        commit: context.seed.map(|seed| seed.commit()),
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
    by: CommandBy,
    position: Position,
    (mv, offer_draw): (&Move, bool),
    at: Millis,
    context: Context,
) -> Result<Vec<Event>, Rejection> {
    if is_stale(game, position) {
        return Err(Rejection::Stale);
    }
    if game.to_move() != Some(by.seat) {
        return Err(Rejection::NotYourTurn);
    }
    let mover = Mover {
        seat: by.seat,
        by: Some(by),
        forced: false,
    };
    let armed = if offer_draw {
        Some(game.state.arm_draw(by.seat, true).map_err(Rejection::Draw)?)
    } else {
        None
    };
    let state = armed.as_ref().unwrap_or(&game.state);
    let moved = moved(game, mover, state, mv, at, context).map_err(Rejection::Illegal)?;
    Ok(and_what_follows(game, moved, Some(by), at, context))
}

fn leave(game: &GameState, by: CommandBy, at: Millis, context: Context) -> Event {
    let winner = Outcome::win(by.seat.other());
    let (reason, leaver) = match game.kind.leaving() {
        Leaving::Left => (EndReason::Left, Some(game.players.of(by.seat).user_id.clone())),
        Leaving::Resigned => (EndReason::Resigned, None),
    };
    end(game, Some(winner), reason, leaver, Some(by), at, context)
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
        None,
        at,
        context,
    )])
}

fn end(
    game: &GameState,
    result: Option<Outcome>,
    reason: EndReason,
    left_user_id: Option<UserId>,
    by: Option<CommandBy>,
    ended_at: Millis,
    context: Context,
) -> Event {
    let seed = seed_of(game, context).map(|seed| seed.reveal());
    let reveal = game.fairness.as_ref().zip(seed);
    let spectators = game.spectators.max(context.spectators);
    let ending = Ending {
        result,
        reason,
        left_user_id: left_user_id.clone(),
        at: ended_at,
        reveal: reveal.map(|(fairness, seed)| fairness.reveal(seed, &game.players)),
    };
    Event::Ended(Box::new(Ended {
        result,
        reason,
        left_user_id,
        command: by,
        clocks: clocks::at_end(game.clocks, context.ran_ms),
        record: Box::new(game.finished(&ending, spectators)),
        spectators,
    }))
}
