//! Games to write down: every kind of event, with every optional member somewhere.

use contract::event::{Anchored, CommandBy, Ended, Moved, Resumed, Started};
use contract::game_state::{Ending, SeenCommand};
use contract::player::BySeat;
use contract::{
    Chain, Clocks, CommandHash, Durability, EndReason, Envelope, Event, EventId, GameId, GameState, Kind,
    Millis, Origin, Outcome, PlayedMove, PlayerSummary, Running, Seat, Spectators, State, TimeControl,
    UserId, WriterId,
};
use turnstream_contract as contract;
use uuid::Uuid;

/// The game of the first golden documents: they are older than running clocks.
pub fn golden() -> Vec<Envelope> {
    played(0, &[3], false)
}

/// The game of the golden documents with running clocks.
pub fn golden_with_clocks() -> Vec<Envelope> {
    played(0, &[3], true)
}

/// A game in which legal moves are chosen by `choices`; it is resumed, anchored, and ends by leaving.
pub fn game(seed: u64, choices: &[usize]) -> Vec<Envelope> {
    played(seed, choices, true)
}

fn played(seed: u64, choices: &[usize], timed: bool) -> Vec<Envelope> {
    let mut played = Played::start(seed, timed);
    for choice in choices {
        let Some(seat) = played.game.state.to_move() else {
            break;
        };
        played.play(seat, *choice);
    }
    played.resume(WriterId(seed.wrapping_add(0xb0b)));
    played.anchor();
    played.leave();
    played.events
}

struct Played {
    game: GameState,
    writer: WriterId,
    events: Vec<Envelope>,
    /// Whether it has what came with running clocks.
    timed: bool,
}

fn player(id: &str, name: Option<&str>) -> PlayerSummary {
    let user_id = UserId::new(id);
    PlayerSummary {
        is_guest: user_id.is_guest(),
        name: name.map(str::to_owned),
        user_id,
    }
}

fn clocks(ms: i64, running: Option<Running>) -> Clocks {
    Clocks {
        remaining_ms: BySeat {
            player1: 60_000 - ms,
            player2: 60_000,
        },
        running,
    }
}

impl Played {
    fn start(seed: u64, timed: bool) -> Self {
        let writer = WriterId(seed.wrapping_add(0xa11ce));
        let id = GameId(Uuid::from_u128(
            0x0194_f000_0000_7000_8000_0000_0000_0000 + u128::from(seed),
        ));
        let last_event = EventId::new(id, 1, writer);
        let command = CommandHash(0x0123_4567_89ab_cdef);
        let seen = vec![SeenCommand {
            hash: command,
            version: 1,
        }];
        let game = GameState {
            id,
            kind: Kind::Mancala,
            version: 1,
            last_event,
            chain: Chain::from_version(1, writer),
            turn_version: 1,
            rules: Kind::Mancala.rules().to_owned(),
            rules_version: Kind::Mancala.rules_version(),
            players: BySeat {
                player1: player("kc:5f0c", Some("Ayşe")),
                player2: player("guest:0194", None),
            },
            time_control: TimeControl::Unlimited,
            durability: Durability::BestEffort,
            origin: Origin::Invitation,
            rated: false,
            key_id: Some("k1".to_owned()),
            fairness: None,
            started_at: Millis(1_790_000_000_000),
            last_at: Millis(1_790_000_000_000),
            state: State::initial(Kind::Mancala),
            clocks: None,
            moves: Vec::new(),
            spectators: Spectators { peak: 1, total: 2 },
            commands: BySeat {
                player1: seen.clone(),
                player2: seen,
            },
            ending: None,
        };
        let started = Started {
            players: game.players.clone(),
            rules: game.rules.clone(),
            rules_version: game.rules_version,
            time_control: game.time_control,
            durability: game.durability,
            origin: game.origin,
            rated: game.rated,
            key_id: game.key_id.clone(),
            commit: None,
            state: game.state.clone(),
            clocks: None,
            command: Some(command),
            spectators: game.spectators,
        };
        let envelope = Envelope {
            id: last_event,
            kind: game.kind,
            previd: None,
            time: game.last_at,
            traceparent: None,
            event: Event::Started(Box::new(started)),
        };
        Self {
            game,
            writer,
            events: vec![envelope],
            timed,
        }
    }

    fn play(&mut self, seat: Seat, choice: usize) {
        let legal = self.game.state.legal_moves();
        let mv = legal[choice % legal.len()].clone();
        let done = self.game.state.play(seat, &mv).expect("it is legal");
        self.game.state = done.state.clone();
        let think_ms = self.timed.then_some(1_500);
        let running = done.state.to_move().map(|seat| Running {
            seat,
            since: self.game.last_at.plus(1_500),
        });
        self.game.clocks = Some(clocks(1_500, running.filter(|_| self.timed)));
        self.game.moves.push(PlayedMove {
            seat,
            mv: mv.clone(),
            dice: None,
            at: self.game.last_at.plus(1_500),
            think_ms,
        });
        self.game.turn_version = self.game.version + 1;
        self.extend(Event::Moved(Moved {
            seat,
            command: Some(CommandHash(self.game.version)),
            command_seat: None,
            forced: false,
            mv,
            steps: done.steps,
            next_seat: done.state.to_move(),
            state: done.state,
            think_ms,
            clocks: self.game.clocks,
            spectators: self.game.spectators,
        }));
    }

    fn resume(&mut self, writer: WriterId) {
        self.writer = writer;
        self.extend(Event::Resumed(Resumed {
            downtime_ms: 12_000,
            clocks: self.game.clocks,
            spectators: self.game.spectators,
        }));
    }

    fn anchor(&mut self) {
        let stands_for = self.game.last_event;
        self.events.push(Envelope {
            id: EventId {
                anchor: Some(1),
                writer: self.writer,
                ..stands_for
            },
            kind: self.game.kind,
            previd: Some(stands_for),
            time: self.game.last_at,
            traceparent: None,
            event: Event::Anchored(Anchored {
                stands_for,
                game: Box::new(self.game.clone()),
            }),
        });
    }

    fn leave(&mut self) {
        let mut clocks = self.game.clocks.filter(|_| self.timed);
        if let Some(clocks) = &mut clocks {
            clocks.running = None;
        }
        let leaver = self.game.players.player2.user_id.clone();
        let ending = Ending {
            result: Some(Outcome::Player1),
            reason: EndReason::Left,
            left_user_id: Some(leaver),
            at: self.game.last_at.plus(1_500),
            reveal: None,
        };
        self.extend(Event::Ended(Box::new(Ended {
            result: ending.result,
            reason: ending.reason,
            left_user_id: ending.left_user_id.clone(),
            command: Some(CommandBy {
                seat: Seat::Player2,
                hash: CommandHash(0x1eaf),
            }),
            clocks,
            record: Box::new(self.game.finished(&ending, self.game.spectators)),
            spectators: self.game.spectators,
        })));
    }

    fn extend(&mut self, event: Event) {
        let id = EventId::new(self.game.id, self.game.version + 1, self.writer);
        let previd = Some(self.game.last_event);
        self.game.version = id.version;
        self.game.last_event = id;
        self.game.chain.extend(id.version, self.writer);
        self.game.last_at = self.game.last_at.plus(1_500);
        self.events.push(Envelope {
            id,
            kind: self.game.kind,
            previd,
            time: self.game.last_at,
            traceparent: None,
            event,
        });
    }
}
