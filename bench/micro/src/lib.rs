//! The steps of a move's way, one by one, for benchmarks that time them and for those that count their instructions.
//!
//! **Belongs here:** what is measured, on a game in its middle. **Does not:** how it is measured (`benches/`, and
//! `bench/counts` by way of `src/bin/repeat.rs`), and what waits for a disk or a socket (the load generator).

use std::hint::black_box;

use bytes::Bytes;
use commands::decide::{Command, Context, Start, decide};
use commands::fold::fold;
use commands::live::frames_of;
use commands::ports::LogIdentity;
use commands::snapshot::Snapshot;
use contract::frames::ClientFrame;
use contract::player::BySeat;
use contract::{
    ClientId, CommandHash, Durability, Envelope, Event, EventId, GameId, GameState, Kind, Millis, Move,
    Origin, PlayerSummary, Position, Seat, Spectators, TimeControl, UserId, WriterId,
};
use uuid::Uuid;

/// A game of about twice as many moves is in its middle.
const MOVES: usize = 20;
const WRITER: WriterId = WriterId(0x0f49_5e1a_77c0_21d8);
const STARTED_AT: i64 = 1_790_000_000_000;
const BEAT_MS: i64 = 1_700;

/// A game in its middle, and everything that belongs to its next move.
pub struct Middle {
    state: rules::mancala::State,
    seat: Seat,
    pit: rules::mancala::Move,
    game: GameState,
    command: Command,
    context: Context,
    /// The next move's event.
    next: Envelope,
    bytes: Bytes,
    frame: String,
    snapshot: Snapshot,
    kept: Bytes,
}

/// A step: its name, and one run of it.
pub type Step = (&'static str, fn(&Middle));

/// All steps.
pub const STEPS: [Step; 12] = [
    ("rules: a move", |m| {
        let _ = black_box(black_box(&m.state).advance(m.seat, m.pit));
    }),
    ("rules: a move with its steps", |m| {
        let _ = black_box(black_box(&m.state).play(m.seat, m.pit));
    }),
    ("read a client's frame", |m| {
        let _ = black_box(ClientFrame::parse(black_box(&m.frame)));
    }),
    ("decide", |m| {
        let _ = black_box(decide(Some(black_box(&m.game)), &m.command, m.context));
    }),
    ("copy a game", |m| {
        black_box(black_box(&m.game).clone());
    }),
    ("copy a game and fold", |m| {
        let _ = black_box(fold(Some(black_box(&m.game).clone()), &m.next));
    }),
    ("encode an event", |m| {
        black_box(black_box(&m.next).to_bytes());
    }),
    ("decode an event", |m| {
        let _ = black_box(Envelope::from_bytes(black_box(&m.bytes)));
    }),
    ("encode the players' frame", |m| {
        let frames = frames_of(black_box(&m.next), &m.game.players, m.game.version);
        black_box(frames.map(|frames| frames.of(None).text().len()));
    }),
    ("encode a snapshot", |m| {
        black_box(black_box(&m.snapshot).encode());
    }),
    ("decode a snapshot", |m| {
        let _ = black_box(Snapshot::decode(black_box(&m.kept)));
    }),
    ("decide, fold and encode", |m| {
        black_box(m.decided(black_box(&m.game)));
    }),
];

impl Middle {
    /// The same game each time.
    ///
    /// # Panics
    /// If the rules do not allow it, so never.
    pub fn new() -> Self {
        let mut game = started();
        for _ in 0..MOVES {
            let (command, context) = next_move(&game);
            let events = decide(Some(&game), &command, context).expect("a legal move");
            for event in events {
                let envelope = envelope(&game, event, context.now);
                game = fold(Some(game), &envelope).expect("the event follows the game");
            }
        }
        let (command, context) = next_move(&game);
        let event = decide(Some(&game), &command, context)
            .expect("a legal move")
            .remove(0);
        let next = envelope(&game, event, context.now);
        let (state, seat, pit) = by_the_rules_alone();
        let snapshot = Snapshot::new(
            game.clone(),
            4711,
            LogIdentity("GAMES/2026-11-30T12:00:00Z".to_owned()),
        );
        Self {
            bytes: next.to_bytes(),
            frame: frame(&game, pit),
            kept: snapshot.encode(),
            state,
            seat,
            pit,
            command,
            context,
            next,
            snapshot,
            game,
        }
    }

    /// The game after the next move, and the move's bytes.
    fn decided(&self, game: &GameState) -> (GameState, Bytes) {
        let mut events = decide(Some(game), &self.command, self.context).expect("a legal move");
        let envelope = envelope(game, events.remove(0), self.context.now);
        let after = fold(Some(game.clone()), &envelope).expect("the event follows the game");
        (after, envelope.to_bytes())
    }
}

impl Default for Middle {
    fn default() -> Self {
        Self::new()
    }
}

fn started() -> GameState {
    let player = |n: u128, name: &str| PlayerSummary {
        user_id: UserId::new(format!(
            "guest:{}",
            Uuid::from_u128(0x0197_a3c4_0000_7000_8000_0000_0000_0000 + n)
        )),
        name: Some(name.to_owned()),
        is_guest: true,
    };
    let begin = Command::Start(Box::new(Start {
        kind: Kind::Mancala,
        players: BySeat {
            player1: player(1, "Ada"),
            player2: player(2, "Ben"),
        },
        time_control: TimeControl::Unlimited,
        durability: Durability::BestEffort,
        origin: Origin::Queue,
        key_id: None,
        command: None,
    }));
    let context = context(0);
    let started = decide(None, &begin, context).expect("a game may begin").remove(0);
    let first = Envelope {
        id: EventId::new(GameId(Uuid::from_u128(7)), 1, WRITER),
        kind: Kind::Mancala,
        previd: None,
        time: context.now,
        traceparent: None,
        event: started,
    };
    fold(None, &first).expect("`started` makes a game")
}

/// The same position, who moves, and what they move.
fn by_the_rules_alone() -> (rules::mancala::State, Seat, rules::mancala::Move) {
    let mut state = rules::mancala::State::initial();
    let next = |state: &rules::mancala::State| (state.to_move(), state.legal_moves().last());
    for _ in 0..MOVES {
        if let (Some(seat), Some(pit)) = next(&state) {
            state = state.advance(seat, pit).expect("a legal move");
        }
    }
    let (seat, pit) = next(&state);
    let middle = "it is the middle of the game";
    (state, seat.expect(middle), pit.expect(middle))
}

fn context(moves: i64) -> Context {
    Context {
        now: Millis(STARTED_AT + moves * BEAT_MS),
        ran_ms: 0,
        writer: WRITER,
        spectators: Spectators { peak: 3, total: 5 },
        seed: None,
    }
}

/// The last legal move, as its player sends it.
fn next_move(game: &GameState) -> (Command, Context) {
    let seat = game.to_move().expect("it is the middle of the game");
    let id: ClientId = format!("m{}", game.version).parse().expect("it is short");
    let legal: Vec<Move> = game.state.legal_moves();
    let command = Command::Move {
        seat,
        hash: CommandHash::of(seat, &id),
        position: position(game),
        mv: legal.last().expect("it is the middle of the game").clone(),
        offer_draw: false,
    };
    (command, context(game.version as i64))
}

fn position(game: &GameState) -> Position {
    Position {
        version: game.version,
        writer: WRITER,
    }
}

fn envelope(game: &GameState, event: Event, now: Millis) -> Envelope {
    Envelope {
        id: EventId::new(game.id, game.version + 1, WRITER),
        kind: game.kind,
        previd: Some(game.last_event),
        time: now,
        traceparent: None,
        event,
    }
}

fn frame(game: &GameState, pit: rules::mancala::Move) -> String {
    let (id, position, pit) = (game.id, position(game), pit.0);
    format!(
        r#"{{"channel":"game_move","payload":{{"gameId":"{id}","id":"a2","position":"{position}","move":{pit}}}}}"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_taken_on_something_that_is_right() {
        let middle = Middle::new();
        assert_eq!(middle.game.moves.len(), MOVES);
        assert!(middle.state.advance(middle.seat, middle.pit).is_ok());
        let board = rules::Board::Mancala(*middle.state.board());
        assert_eq!(middle.game.state.board(), board);
        assert!(matches!(
            ClientFrame::parse(&middle.frame),
            Ok(ClientFrame::GameMove(_))
        ));
        assert_eq!(Envelope::from_bytes(&middle.bytes).unwrap(), middle.next);
        assert_eq!(Snapshot::decode(&middle.kept).unwrap(), middle.snapshot);
        assert_eq!(middle.decided(&middle.game).1, middle.bytes);
        for (_, step) in STEPS {
            step(&middle);
        }
    }
}
