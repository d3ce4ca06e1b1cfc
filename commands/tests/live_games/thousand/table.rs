//! One game, and the two who play it by chance.

use std::sync::Arc;

use commands::games::{CommandError, ConnectionId, Games, Invitation, PlayerCommand, Rejection, Watching};
use commands::ports::{Clock, EventLog, LogEntry};
use contract::{
    ClientId, Durability, GameId, GameKey, GameState, Kind, Millis, Move, PlayerSummary, Seat, State,
    TimeControl,
};
use rules::Next;
use rules::dicechess::{self, Piece};
use testkit::fixtures::game_id;
use testkit::followed::{Followed, Logged};
use testkit::sim::Chance;
use turnstream_commands as commands;

use super::witness::Witness;
use crate::ears::PATIENCE;
use crate::service::{Service, client, user};

/// The longest that a player usually thinks, in milliseconds.
const USUAL_THOUGHT_MS: u64 = 1_000;

/// The longest that one thinks who thinks long.
const LONG_THOUGHT_MS: u64 = 40_000;

/// The longest that one is away, in milliseconds; after thirty seconds they have lost.
const ABSENCE_MS: u64 = 60_000;

/// A player, with the socket that is open.
struct Person {
    user: PlayerSummary,
    witness: Arc<Witness>,
    connection: Option<ConnectionId>,
    back_at: Millis,
}

/// A game.
pub(super) struct Table {
    pub(super) number: usize,
    kind: Kind,
    game: GameId,
    people: [Person; 2],
    chance: Chance,
    /// Until when whoever is to do something thinks, and at which version.
    thinks: (u64, Millis),
    sent: u32,
}

fn control(number: u64) -> TimeControl {
    match number {
        0 => TimeControl::Unlimited,
        1 => TimeControl::SuddenDeath { initial_s: 30 },
        2 => TimeControl::Fischer {
            initial_s: 20,
            increment_s: 3,
        },
        _ => TimeControl::PerMove { seconds: 10 },
    }
}

impl Table {
    /// Two people come, and one joins the other's game.
    pub(super) async fn begin(service: &Service, chance: &Chance, kind: Kind, number: usize) -> Self {
        let below = |what, bound| chance.below((number, what), bound);
        let people = ["a", "b"].map(|name| {
            let user = user(&format!("{name}{number}"));
            let witness = Witness::new();
            let connection = Some(service.games.connect(Some(&user), witness.clone()));
            Person {
                user,
                witness,
                connection,
                back_at: Millis(0),
            }
        });
        // A game without a clock can end by its rules alone where there is no longest turn.
        let clocks = if kind == Kind::DiceChess {
            below("clock", 4)
        } else {
            1 + below("clock", 3)
        };
        let invitation = Invitation {
            game: game_id(),
            kind,
            time_control: control(clocks),
            durability: if below("durability", 5) == 0 {
                Durability::Required
            } else {
                Durability::BestEffort
            },
            host: people[0].user.clone(),
            host_seat: if below("seat", 2) == 0 {
                Seat::Player1
            } else {
                Seat::Player2
            },
            key_id: testkit::seeds::KEY_ID.to_owned(),
        };
        let joined = service
            .games
            .join(invitation, &people[1].user, Some(client("join")));
        let game = joined.await.expect("the seat is free").game;
        Self {
            number,
            kind,
            game,
            people,
            chance: chance.clone(),
            thinks: (0, Millis(0)),
            sent: 0,
        }
    }

    fn below(&self, what: &'static str, bound: u64) -> u64 {
        self.chance.below((self.number, what), bound)
    }

    fn one_in(&self, what: &'static str, times: u64) -> bool {
        self.below(what, times) == 0
    }

    pub(super) fn held(&self, service: &Service) -> Option<Arc<GameState>> {
        service.games.held_among(&[self.game]).pop()
    }

    pub(super) fn is_over(&self, service: &Service) -> bool {
        self.held(service).is_none()
    }

    /// The game as the log has it, in which all is as it should be: who is there has seen each version once, and the record
    /// that is shown is the one that was written.
    pub(super) async fn must_be_right(&self, service: &Service) -> Logged {
        let entries = self.written(service).await;
        let mut followed = Followed::of(&entries).unwrap_or_else(|wrong| panic!("{wrong}"));
        let logged = followed.games.remove(&self.game).expect("it is this game's log");
        assert_eq!(service.games.just_finished(self.game), logged.record);
        for person in &self.people {
            person.witness.must_be_content();
            if let Some(open) = person.connection {
                assert_eq!(person.witness.saw_the_end_at(), Some(logged.state.version));
                service.games.disconnect(open);
            }
        }
        logged
    }

    /// The game's messages, once its end is among them.
    async fn written(&self, service: &Service) -> Vec<LogEntry> {
        let key = GameKey {
            kind: self.kind,
            id: self.game,
        };
        let all = async {
            loop {
                let entries = service.embedded.log().read_game(key, 0).await.unwrap();
                if entries.last().is_some_and(|last| last.name == "ended") {
                    return entries;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, all)
            .await
            .expect("the log takes it")
    }

    /// Somebody does something, or nobody.
    pub(super) async fn go_on(&mut self, service: &Service) {
        if self.is_over(service) {
            return;
        }
        self.come_and_go(service).await;
        let Some(game) = self.held(service) else { return };
        if self.one_in("resignation", 4_000) {
            let seat = if self.one_in("who resigns", 2) {
                Seat::Player1
            } else {
                Seat::Player2
            };
            let id = self.next_id();
            return self.send(service, &game, seat, PlayerCommand::Leave { id }).await;
        }
        if game.kind == Kind::DiceChess && self.one_in("standing offer", 100) {
            let seat = if self.one_in("who offers", 2) {
                Seat::Player1
            } else {
                Seat::Player2
            };
            let (id, offer) = (self.next_id(), !self.one_in("withdrawal", 3));
            return self
                .send(service, &game, seat, PlayerCommand::OfferDraw { id, offer })
                .await;
        }
        if self.still_thinks(service, &game) || self.is_away(&game) {
            return;
        }
        match game.state.next() {
            Next::Choose(seat) => {
                let (id, mv) = (self.next_id(), self.choose(&game.state));
                let command = PlayerCommand::Move {
                    id,
                    position: game.position(),
                    mv,
                    offer_draw: game.kind == Kind::DiceChess && self.one_in("offer", 30),
                };
                self.send(service, &game, seat, command).await;
            }
            Next::Answer(seat) => {
                let (id, accept) = (self.next_id(), self.one_in("acceptance", 6));
                self.send(service, &game, seat, PlayerCommand::AnswerDraw { id, accept })
                    .await;
            }
            // Nobody has to give a seed.
            Next::Chance(_) if self.one_in("seed", 2) => {
                let seat = if self.one_in("whose seed", 2) {
                    Seat::Player1
                } else {
                    Seat::Player2
                };
                let (id, seed) = (self.next_id(), format!("{:016x}", self.below("dice", u64::MAX)));
                self.send(service, &game, seat, PlayerCommand::Seed { id, seed })
                    .await;
            }
            _ => {}
        }
    }

    /// A player's socket closes now and then; most come back, some too late.
    async fn come_and_go(&mut self, service: &Service) {
        let now = service.clock.now();
        for index in [0, 1] {
            if self.people[index].connection.is_none() {
                if now >= self.people[index].back_at {
                    self.come_back(service, index).await;
                }
            } else if self.one_in("going away", 1_000) {
                let away_ms = 1 + self.below("absence", ABSENCE_MS);
                let person = &mut self.people[index];
                person.back_at = now.plus(away_ms as i64);
                service
                    .games
                    .disconnect(person.connection.take().expect("it is open"));
            }
        }
    }

    async fn come_back(&mut self, service: &Service, index: usize) {
        let person = &mut self.people[index];
        person.witness.must_be_content();
        person.witness = Witness::new();
        let connection = service.games.connect(Some(&person.user), person.witness.clone());
        person.connection = Some(connection);
        let watching = service.games.watch(connection, self.game, None).await;
        assert!(matches!(watching, Ok(Watching::Here)), "{watching:?}");
    }

    /// Each turn has its own thought.
    fn still_thinks(&mut self, service: &Service, game: &GameState) -> bool {
        let now = service.clock.now();
        if self.thinks.0 != game.turn_version {
            let longest = if self.one_in("long thought", 200) {
                LONG_THOUGHT_MS
            } else {
                USUAL_THOUGHT_MS
            };
            let until = now.plus(self.below("thought", longest) as i64);
            self.thinks = (game.turn_version, until);
        }
        now < self.thinks.1
    }

    /// Whoever is away does not play either.
    fn is_away(&self, game: &GameState) -> bool {
        let mover = game.to_move().map(|seat| &game.players.of(seat).user_id);
        let mut away = self.people.iter().filter(|person| person.connection.is_none());
        away.any(|person| Some(&person.user.user_id) == mover)
    }

    /// Any legal move; of turns that capture the king, every third time one of those.
    fn choose(&self, state: &State) -> Move {
        let mut moves = state.legal_moves();
        if let State::DiceChess(game) = state
            && self.one_in("greed", 3)
        {
            let wins = |mv: &Move| matches!(mv, Move::DiceChess(turn) if captures_king(game, turn));
            let winning: Vec<Move> = moves.iter().filter(|mv| wins(mv)).cloned().collect();
            if !winning.is_empty() {
                moves = winning;
            }
        }
        let chosen = self.below("move", moves.len() as u64);
        moves.swap_remove(chosen as usize)
    }

    fn next_id(&mut self) -> ClientId {
        self.sent += 1;
        client(&format!("c{}", self.sent))
    }

    async fn send(&self, service: &Service, game: &GameState, seat: Seat, command: PlayerCommand) {
        let user = game.players.of(seat);
        let sent = service.games.command(self.game, user, command.clone()).await;
        match sent {
            Ok(_) => {}
            // Whoever has offered last, or is asked, may not offer; and what the log did not take in time is asked again.
            Err(CommandError::Rejected {
                reason: Rejection::Draw(_),
                ..
            }) if offers(&command) => {}
            Err(CommandError::Unavailable { .. }) if game.durability == Durability::Required => {}
            Err(refused) => panic!("{command:?} in {game:?}: {refused:?}"),
        }
    }
}

fn offers(command: &PlayerCommand) -> bool {
    match command {
        PlayerCommand::OfferDraw { .. } => true,
        PlayerCommand::Move { offer_draw, .. } => *offer_draw,
        _ => false,
    }
}

fn captures_king(game: &dicechess::State, turn: &dicechess::Turn) -> bool {
    let position = game.position();
    let king = position.pieces(!position.side(), Piece::King);
    turn.moves().iter().any(|mv| king.has(mv.to()))
}
