//! What each operation does to the world.

use std::sync::Arc;

use commands::games::{Games, Invitation, Sought};
use contract::{Durability, GameId, Kind, Seat, State, TimeControl};

use crate::clients::{Client, Ear, Sent, Socket, What};
use crate::ops::Op;
use crate::world::{Answer, PAIRS, PROCESSES, SPECTATORS, World};

impl World {
    /// Does it, and lets a moment pass.
    pub async fn apply(&mut self, op: &Op) -> Result<(), String> {
        match op {
            Op::Seek { pair, terms } => self.seek(*pair, *terms),
            Op::Invite {
                pair,
                terms,
                required,
            } => self.invite(*pair, *terms, *required),
            Op::Play { table, choice } => self.play(*table, *choice, 1, false),
            Op::PlayTwice { table, choice } => self.play(*table, *choice, 2, false),
            Op::OutOfTurn { table, choice } => self.play(*table, *choice, 1, true),
            Op::Resend { player } => self.resend(*player),
            Op::OfferDraw { table, second, offer } => self.tell(*table, *second, What::Offer(*offer)),
            Op::GiveSeed { table, second } => {
                let seed = format!("the seed of seat {second} is long enough");
                self.tell(*table, *second, What::Seed(seed));
            }
            Op::Leave { table, second } => self.tell(*table, *second, What::Leave),
            Op::Drop { client } => self.drop_socket(usize::from(*client) % self.clients.len()),
            Op::ComeBack { client, to } => self.come_back(usize::from(*client) % self.clients.len(), *to),
            Op::Watch { spectator, table } => self.look_on(*spectator, *table),
            Op::Wait(ms) => return self.pass(u64::from(*ms)).await,
            other => self.break_something(other)?,
        }
        // Some operations follow each other at once.
        let ms = self.chance.below("pause", 6);
        if ms > 0 {
            self.pass(ms).await
        } else {
            self.take_stock()
        }
    }

    /// Each kind with each clock has its number; without one it has two.
    fn terms(number: u8) -> (Kind, TimeControl) {
        let controls = [
            TimeControl::Unlimited,
            TimeControl::Unlimited,
            TimeControl::SuddenDeath { initial_s: 10 },
            TimeControl::Fischer {
                initial_s: 15,
                increment_s: 2,
            },
            TimeControl::PerMove { seconds: 10 },
        ];
        let (number, kinds) = (usize::from(number), Kind::ALL.len());
        (
            Kind::ALL[number % kinds],
            controls[number / kinds % controls.len()],
        )
    }

    /// The process that a client talks to: by its socket, else the one that takes commands.
    fn process_of(&self, client: usize) -> Option<usize> {
        let by_socket = self.clients[client].socket.as_ref().map(|socket| socket.process);
        let process = by_socket.or(self.active())?;
        self.processes[process].life.runs().then_some(process)
    }

    fn seek(&mut self, pair: u8, terms: u8) {
        let (kind, control) = Self::terms(terms);
        let first = usize::from(pair) % PAIRS * 2;
        for client in [first, first + 1] {
            if self.clients[client].socket.is_none() {
                self.come_back(client, 0);
            }
            let Some(process) = self.process_of(client) else {
                continue;
            };
            let (games, user) = (
                self.processes[process].games.clone(),
                self.clients[client].user.clone(),
            );
            let what = format!("{}'s seek", user.user_id);
            self.ask(process, what, async move {
                let sought = games.seek(&user, kind, control).await;
                // Who waits is paired with whoever comes; who is paired is shown the game.
                drop::<Result<Sought, _>>(sought);
                Answer::Sought
            });
        }
    }

    fn invite(&mut self, pair: u8, terms: u8, required: bool) {
        let host = usize::from(pair) % PAIRS * 2;
        let guest = host + 1;
        for client in [host, guest] {
            if self.clients[client].socket.is_none() {
                self.come_back(client, 0);
            }
        }
        let Some(process) = self.process_of(guest) else {
            return;
        };
        let (kind, time_control) = Self::terms(terms);
        let invitation = Invitation {
            game: self.next_game_id(),
            kind,
            time_control,
            durability: if required {
                Durability::Required
            } else {
                Durability::BestEffort
            },
            host: self.clients[host].user.clone(),
            host_seat: Seat::Player1,
            key_id: "k1".to_owned(),
        };
        let id = self.clients[guest].next_id();
        let (games, user) = (
            self.processes[process].games.clone(),
            self.clients[guest].user.clone(),
        );
        let what = format!("{} joining {}", user.user_id, invitation.game);
        self.ask(process, what, async move {
            let result = games.join(invitation, &user, Some(id.clone())).await;
            Answer::Command {
                user: user.user_id,
                id: Some(id),
                result,
            }
        });
    }

    /// Whoever is (not) to move, as they believe, plays what the process says is legal, or answers the offer of a draw.
    fn play(&mut self, table: u8, choice: u8, times: u8, out_of_turn: bool) {
        let Some(table) = self.table(table) else { return };
        let (game, players, kind) = (table.game, table.players, table.kind);
        let believes = |client: &Client| {
            let view = client.views.get(&game)?;
            Some(!view.over && view.turn.as_ref() == Some(&client.user.user_id))
        };
        let player = players
            .into_iter()
            .find(|player| believes(&self.clients[*player]) == Some(!out_of_turn));
        let Some(player) = player else { return };
        let Some(process) = self.process_of(player) else {
            return;
        };
        // Who asks a process that does not hold the game knows what may be played from before.
        let held = self.processes[process].games.held_among(&[game]);
        let state = held
            .first()
            .map_or_else(|| State::initial(kind), |game| game.state.clone());
        let client = &mut self.clients[player];
        let Some(position) = client.views.get(&game).map(|view| view.position) else {
            return;
        };
        let what = if state.pending_draw().is_some() {
            What::Answer(choice.is_multiple_of(4))
        } else {
            let legal = state.legal_moves();
            if legal.is_empty() {
                return;
            }
            What::Move {
                position,
                // Of many, not the first ones alone.
                mv: legal[usize::from(choice) * legal.len().div_ceil(256) % legal.len()].clone(),
                // Only some kinds have them.
                offer_draw: choice > 200 && kind == Kind::DiceChess,
            }
        };
        let sent = Sent {
            id: client.next_id(),
            game,
            what,
        };
        client.last_sent = Some(sent.clone());
        for _ in 0..times {
            self.send(player, process, &sent);
        }
    }

    pub(crate) fn table(&self, number: u8) -> Option<&crate::world::Table> {
        // The newest ones are those that are played.
        let newest = self.tables.len().min(4);
        let among = &self.tables[self.tables.len() - newest..];
        (newest > 0).then(|| &among[usize::from(number) % newest])
    }

    fn resend(&mut self, player: u8) {
        let player = usize::from(player) % (2 * PAIRS);
        if let (Some(sent), Some(process)) = (self.clients[player].last_sent.clone(), self.process_of(player))
        {
            self.send(player, process, &sent);
        }
    }

    /// A player of a table says something that needs no turn.
    fn tell(&mut self, table: u8, second: bool, what: What) {
        let Some(table) = self.table(table) else { return };
        let (game, player) = (table.game, table.players[usize::from(second)]);
        let Some(process) = self.process_of(player) else {
            return;
        };
        let client = &mut self.clients[player];
        let sent = Sent {
            id: client.next_id(),
            game,
            what,
        };
        client.last_sent = Some(sent.clone());
        self.send(player, process, &sent);
    }

    /// Sends a command; its answer is read when it comes.
    pub fn send(&mut self, client: usize, process: usize, sent: &Sent) {
        let (games, user) = (
            self.processes[process].games.clone(),
            self.clients[client].user.clone(),
        );
        let (game, command) = (sent.game, sent.command());
        let id = Some(sent.id.clone()).filter(|_| sent.makes_an_event());
        let what = format!("{}'s {command:?} in {game}", user.user_id);
        self.ask(process, what, async move {
            let result = games.command(game, &user, command).await;
            Answer::Command {
                user: user.user_id,
                id,
                result,
            }
        });
    }

    pub fn drop_socket(&mut self, client: usize) {
        let client = &mut self.clients[client];
        if let Some(socket) = client.socket.take() {
            let process = &self.processes[socket.process];
            if !process.life.is_dead() {
                process.games.disconnect(socket.id);
            }
        }
        client.lose_socket();
    }

    /// Opens a socket to the process that takes commands, or to any other, and goes on with what was watched before.
    pub fn come_back(&mut self, client: usize, to: u8) {
        self.drop_socket(client);
        let to = if to == 0 {
            self.active()
        } else {
            self.living_one(to)
        };
        let Some(process) = to.filter(|process| self.processes[*process].life.runs()) else {
            return;
        };
        self.connect(client, process);
        let watched: Vec<GameId> = self.clients[client]
            .views
            .iter()
            .filter(|(_, view)| !view.over)
            .map(|(game, _)| *game)
            .collect();
        for game in watched {
            self.watch(client, game);
        }
    }

    fn connect(&mut self, client: usize, process: usize) {
        let ear = Arc::new(Ear::default());
        let client = &mut self.clients[client];
        let id = self.processes[process]
            .games
            .connect(Some(&client.user), ear.clone());
        client.socket = Some(Socket { process, id, ear });
    }

    fn watch(&mut self, number: usize, game: GameId) {
        let client = &mut self.clients[number];
        let Some(socket) = &client.socket else { return };
        let (process, connection) = (socket.process, socket.id);
        let since = client.views.get(&game).map(|view| view.position);
        if let Some(view) = client.views.get_mut(&game) {
            view.followed = true;
        }
        let games = self.processes[process].games.clone();
        let what = format!("{} watching {game}", client.user.user_id);
        self.ask(process, what, async move {
            Answer::Watch {
                client: number,
                socket: (process, connection),
                game,
                result: games.watch(connection, game, since).await,
            }
        });
    }

    fn look_on(&mut self, spectator: u8, table: u8) {
        let Some(game) = self.table(table).map(|table| table.game) else {
            return;
        };
        let client = 2 * PAIRS + usize::from(spectator) % SPECTATORS;
        if self.clients[client].socket.is_none() {
            self.come_back(client, 0);
        }
        let seen = self.clients[client].views.get(&game);
        if seen.is_none_or(|view| !view.followed && !view.over) {
            self.watch(client, game);
        }
    }

    /// A process more, if there is room.
    pub fn start_another(&mut self) {
        if self.living().len() < PROCESSES {
            self.start_process();
        }
    }
}
