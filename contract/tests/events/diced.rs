//! A game of dice chess to write down: what games without dice do not have.

use contract::event::{CommandBy, DrawAnswered, DrawArmed, Ended, Moved, Rolled, Seeded, Started};
use contract::game_state::Ending;
use contract::player::BySeat;
use contract::{
    Chain, CommandHash, Durability, EndReason, Envelope, Event, EventId, Fairness, GameId, GameState, Kind,
    Millis, Origin, Outcome, PlayedMove, PlayerSummary, Seat, Spectators, State, TimeControl, UserId,
    WriterId,
};
use rules::Next;
use rules::fair::ServerSeed;
use turnstream_contract as contract;
use uuid::Uuid;

const WRITER: WriterId = WriterId(0xd1ce);

fn seed() -> ServerSeed {
    ServerSeed::new(std::array::from_fn(|index| index as u8))
}

/// From the start over an offer of a draw that is declined, to the second player's resigning.
pub fn golden() -> Vec<Envelope> {
    let mut game = Diced::start();
    game.give_seed(Seat::Player1, "four leaf clover");
    game.roll();
    game.arm();
    game.play();
    game.answer();
    game.roll();
    game.play();
    game.resign();
    game.events
}

struct Diced {
    game: GameState,
    events: Vec<Envelope>,
}

fn player(id: &str) -> PlayerSummary {
    let user_id = UserId::new(id);
    PlayerSummary {
        is_guest: user_id.is_guest(),
        name: None,
        user_id,
    }
}

impl Diced {
    fn start() -> Self {
        let id = GameId(Uuid::from_u128(0x0194_f000_0000_7000_8000_0000_0000_d1ce));
        let last_event = EventId::new(id, 1, WRITER);
        let kind = Kind::DiceChess;
        let game = GameState {
            id,
            kind,
            version: 1,
            last_event,
            chain: Chain::from_version(1, WRITER),
            turn_version: 1,
            rules: kind.rules().to_owned(),
            rules_version: kind.rules_version(),
            players: BySeat {
                player1: player("kc:5f0c"),
                player2: player("guest:0194"),
            },
            time_control: TimeControl::Unlimited,
            durability: Durability::BestEffort,
            origin: Origin::Queue,
            rated: false,
            key_id: Some("k1".to_owned()),
            started_at: Millis(1_790_000_000_000),
            last_at: Millis(1_790_000_000_000),
            state: State::initial(kind),
            fairness: Some(Fairness::new(seed().commit())),
            clocks: None,
            moves: Vec::new(),
            spectators: Spectators::default(),
            commands: BySeat::default(),
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
            commit: Some(seed().commit()),
            state: game.state.clone(),
            clocks: None,
            command: None,
            spectators: game.spectators,
        };
        let envelope = Envelope {
            id: last_event,
            kind,
            previd: None,
            time: game.last_at,
            traceparent: None,
            event: Event::Started(Box::new(started)),
        };
        Self {
            game,
            events: vec![envelope],
        }
    }

    fn give_seed(&mut self, seat: Seat, text: &str) {
        let fairness = self.game.fairness.as_mut().expect("it has dice");
        *fairness.client_seeds.of_mut(seat) = Some(text.to_owned());
        self.extend(Event::Seeded(Seeded {
            seat,
            command: CommandHash(0x5eed),
            seed: text.to_owned(),
            spectators: self.game.spectators,
        }));
    }

    fn roll(&mut self) {
        let Next::Chance(seat) = self.game.state.next() else {
            panic!("it is not the time to throw dice");
        };
        let index = self.game.state.chance_index();
        let fairness = self.game.fairness.as_ref().expect("it has dice");
        let clients = fairness.clients(&self.game.players);
        let dice = self
            .game
            .kind
            .throw(&seed(), clients, index)
            .expect("it has dice");
        self.game.state = self.game.state.thrown(&dice).expect("it is due");
        self.extend(Event::Rolled(Rolled {
            seat,
            index,
            dice,
            command: Some(CommandBy {
                seat: seat.other(),
                hash: CommandHash(0xd1ce),
            }),
            state: self.game.state.clone(),
            clocks: None,
            spectators: self.game.spectators,
        }));
    }

    fn arm(&mut self) {
        let seat = self.game.to_move().expect("it goes on");
        self.game.state = self.game.state.arm_draw(seat, true).expect("it may offer");
        self.extend(Event::DrawArmed(DrawArmed {
            seat,
            command: CommandHash(0xa43),
            armed: true,
            state: self.game.state.clone(),
            spectators: self.game.spectators,
        }));
    }

    fn answer(&mut self) {
        let Next::Answer(seat) = self.game.state.next() else {
            panic!("nobody has offered");
        };
        self.game.state = self.game.state.answer_draw(seat, false).expect("it is theirs");
        self.extend(Event::DrawAnswered(DrawAnswered {
            seat,
            command: CommandHash(0xa25),
            accepted: false,
            state: self.game.state.clone(),
            clocks: None,
            spectators: self.game.spectators,
        }));
    }

    /// The only move, or the first of several.
    fn play(&mut self) {
        let (seat, mv, forced) = match self.game.state.next() {
            Next::Forced(seat, mv) => (seat, mv, true),
            Next::Choose(seat) => (seat, self.game.state.legal_moves().swap_remove(0), false),
            other => panic!("{other:?} is no move"),
        };
        let dice = self.game.state.chance();
        let done = self.game.state.play(seat, &mv).expect("it is legal");
        self.game.state = done.state.clone();
        self.game.moves.push(PlayedMove {
            seat,
            mv: mv.clone(),
            dice,
            at: self.game.last_at.plus(1_500),
            think_ms: None,
        });
        self.extend(Event::Moved(Moved {
            seat,
            command: Some(CommandHash(0x30de)),
            command_seat: forced.then(|| seat.other()),
            forced,
            mv,
            steps: done.steps,
            next_seat: done.state.to_move(),
            state: done.state,
            think_ms: None,
            clocks: None,
            spectators: self.game.spectators,
        }));
    }

    fn resign(&mut self) {
        let fairness = self.game.fairness.as_ref().expect("it has dice");
        let ending = Ending {
            result: Some(Outcome::Player1),
            reason: EndReason::Resigned,
            left_user_id: None,
            at: self.game.last_at.plus(1_500),
            reveal: Some(fairness.reveal(seed().reveal(), &self.game.players)),
        };
        self.extend(Event::Ended(Box::new(Ended {
            result: ending.result,
            reason: ending.reason,
            left_user_id: None,
            command: Some(CommandBy {
                seat: Seat::Player2,
                hash: CommandHash(0x1eaf),
            }),
            clocks: None,
            record: Box::new(self.game.finished(&ending, self.game.spectators)),
            spectators: self.game.spectators,
        })));
    }

    fn extend(&mut self, event: Event) {
        let id = EventId::new(self.game.id, self.game.version + 1, WRITER);
        let previd = Some(self.game.last_event);
        self.game.version = id.version;
        self.game.last_event = id;
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
