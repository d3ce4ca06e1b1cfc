//! Games for tests of this crate.

use contract::{
    Durability, Envelope, EventId, GameId, GameState, Kind, Millis, Origin, PlayerSummary, Players,
    Spectators, TimeControl, UserId, WriterId,
};
use uuid::Uuid;

use super::{Command, Context, Start, decide};
use crate::fold::fold;

pub(crate) const WRITER: WriterId = WriterId(0xa11ce);

pub(crate) fn context(now: i64) -> Context {
    Context {
        now: Millis(now),
        ran_ms: 0,
        writer: WRITER,
        spectators: Spectators::default(),
        seed: None,
    }
}

pub(crate) fn players() -> Players {
    let player = |name: &str| PlayerSummary {
        user_id: UserId::new(format!("guest:{name}")),
        name: Some(name.to_owned()),
        is_guest: true,
    };
    Players {
        player1: player("ann"),
        player2: player("ben"),
    }
}

pub(crate) fn start() -> Command {
    start_with(TimeControl::Unlimited)
}

pub(crate) fn start_with(time_control: TimeControl) -> Command {
    start_of(Kind::Mancala, time_control)
}

pub(crate) fn start_of(kind: Kind, time_control: TimeControl) -> Command {
    Command::Start(Box::new(Start {
        kind,
        players: players(),
        time_control,
        durability: Durability::BestEffort,
        origin: Origin::Queue,
        key_id: None,
        command: None,
    }))
}

/// The envelopes of a command, and the game after them.
pub(crate) fn run(
    game: Option<GameState>,
    command: &Command,
    context: Context,
) -> (Vec<Envelope>, GameState) {
    let events = decide(game.as_ref(), command, context).expect("the command is allowed");
    let kind = match (&game, command) {
        (Some(game), _) => game.kind,
        (None, Command::Start(start)) => start.kind,
        (None, _) => panic!("only a start needs no game"),
    };
    let mut game = game;
    let mut envelopes = Vec::new();
    for event in events {
        let id = GameId(Uuid::from_u128(7));
        let version = game.as_ref().map_or(1, |game| game.version + 1);
        let envelope = Envelope {
            id: EventId::new(id, version, context.writer),
            kind,
            previd: game.as_ref().map(|game| game.last_event),
            time: context.now,
            traceparent: None,
            event,
        };
        game = Some(fold(game, &envelope).expect("the event follows the game"));
        envelopes.push(envelope);
    }
    (envelopes, game.expect("an event makes a game"))
}

pub(crate) fn live_game() -> GameState {
    run(None, &start(), context(0)).1
}
