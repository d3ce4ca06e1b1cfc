//! The stores, the processes and the clients of one history, and how time passes for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use commands::games::{Accepted, CommandError, ConnectionId, Games, Watching};
use contract::{ClientId, GameId, Kind, Millis, UserId, WriterId};
use embedded::{Embedded, EmbeddedConfig};
use projections::ports::LiveSet;
use testkit::sim::{Bus, Chance, Life, Outside, Shelf, ShelfPorts, Time};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::clients::Client;
use crate::process::{Process, Ways};
use crate::promises::Promises;

/// When every history begins.
const BEGINNING: Millis = Millis(1_790_000_000_000);

/// How many pairs of players there are.
pub const PAIRS: usize = 3;

/// How many look on.
pub const SPECTATORS: usize = 2;

/// How many processes run at once at most.
pub const PROCESSES: usize = 2;

/// As old as that a message of the log may be when it is first seen, in milliseconds.
const A_WHILE_MS: u64 = 500;

/// A game and who plays it, by their numbers among the clients.
#[derive(Debug, Clone)]
pub struct Table {
    pub game: GameId,
    pub kind: Kind,
    pub players: [usize; 2],
}

/// What came back to a client.
pub enum Answer {
    Command {
        user: UserId,
        /// Where it is remembered, and so answered the same when it comes again.
        id: Option<ClientId>,
        result: Result<Accepted, CommandError>,
    },
    Watch {
        client: usize,
        socket: (usize, ConnectionId),
        game: GameId,
        result: Result<Watching, CommandError>,
    },
    Sought,
}

/// Something that a client waits for.
pub struct Asked {
    pub process: usize,
    pub what: String,
}

/// What a saved store of running games falls back to.
pub struct Saved {
    pub live: LiveSet,
    pub pending: Vec<commands::ports::PendingGame>,
}

/// One history under way.
pub struct World {
    pub outside: Arc<Outside>,
    pub time: Arc<Time>,
    pub chance: Chance,
    pub bus: Arc<Bus>,
    pub running: Shelf,
    pub finished: Shelf,
    pub saved: Option<Saved>,
    /// Whether the store of running games came back as it was before.
    pub fell_back: bool,
    pub processes: Vec<Process>,
    pub clients: Vec<Client>,
    pub tables: Vec<Table>,
    pub promises: Promises,
    pub refused: BTreeSet<GameId>,
    answers: JoinSet<(u64, Answer)>,
    /// What was asked and not answered yet.
    pub asked: BTreeMap<u64, Asked>,
    asked_so_far: u64,
    /// When each message of the log was there, in milliseconds, by its sequence less one.
    pub appended_at: Vec<i64>,
    /// Whether events may have been lost that were not durable: a process died, or another one took over.
    pub losses_allowed: bool,
    ids: Arc<AtomicU64>,
    opened: Vec<Arc<Embedded>>,
}

/// Opens empty stores in memory, on the other runtime.
fn open(outside: &Outside, time: &Arc<Time>) -> Arc<Embedded> {
    let clock = time.clone();
    let opened = outside.call(async move { Embedded::open(EmbeddedConfig::default(), clock).await });
    Arc::new(opened.expect("memory can be used"))
}

fn ports(embedded: &Embedded) -> ShelfPorts {
    ShelfPorts {
        live: embedded.live(),
        pending: embedded.pending(),
        cache: embedded.cache(),
        keys: embedded.service_keys(),
        history: embedded.history(),
    }
}

impl World {
    /// Empty stores, nobody there. To be called in the simulation's runtime.
    pub fn open(outside: Arc<Outside>, seed: u64) -> Self {
        let time = Time::from(BEGINNING);
        let chance = Chance::of(seed);
        let embedded = open(&outside, &time);
        let bus = Bus::new(
            outside.clone(),
            time.clone(),
            chance.clone(),
            embedded.log(),
            embedded.reader(),
            embedded.dead_letters(),
        );
        let shelf = |what| {
            Shelf::new(
                what,
                outside.clone(),
                time.clone(),
                chance.clone(),
                ports(&embedded),
            )
        };
        let players = (0..PAIRS).flat_map(|pair| [format!("a{pair}"), format!("b{pair}")]);
        let spectators = (0..SPECTATORS).map(|number| format!("s{number}"));
        Self {
            running: shelf("running"),
            finished: shelf("finished"),
            saved: None,
            fell_back: false,
            processes: Vec::new(),
            clients: players.chain(spectators).map(|name| Client::new(&name)).collect(),
            tables: Vec::new(),
            promises: Promises::default(),
            refused: BTreeSet::new(),
            answers: JoinSet::new(),
            asked: BTreeMap::new(),
            asked_so_far: 0,
            appended_at: Vec::new(),
            losses_allowed: false,
            ids: Arc::new(AtomicU64::new(1)),
            opened: vec![embedded],
            outside,
            time,
            chance,
            bus,
        }
    }

    /// Other, empty stores.
    pub fn open_stores(&mut self) -> Arc<Embedded> {
        let embedded = open(&self.outside, &self.time);
        self.opened.push(embedded.clone());
        embedded
    }

    /// Their ports.
    pub fn ports_of(embedded: &Embedded) -> ShelfPorts {
        ports(embedded)
    }

    /// An adapter's call, past all faults.
    pub fn call<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        self.time.show();
        self.outside.call(work)
    }

    /// A new game's id.
    pub fn game_id(ids: &AtomicU64) -> GameId {
        let number = ids.fetch_add(1, Ordering::Relaxed);
        GameId(Uuid::from_u128(
            0x0198_0000_0000_7000_8000_0000_0000_0000 | u128::from(number),
        ))
    }

    /// A new game's id, for an invitation.
    pub fn next_game_id(&self) -> GameId {
        Self::game_id(&self.ids)
    }

    /// Starts a process.
    pub fn start_process(&mut self) {
        let life = Life::default();
        let number = self.processes.len();
        let ways = Ways {
            line: self.bus.line(life.clone()),
            running: self.running.seen_by(number, life.clone()),
            finished: self.finished.seen_by(number, life.clone()),
        };
        // Of two that start together either may be the smaller one.
        let writer = WriterId(self.chance.below(("writer", number), 1 << 32) << 16 | (number as u64 + 1));
        let ids = self.ids.clone();
        self.processes
            .push(Process::start(writer, life, self.time.clone(), ways, move || {
                Self::game_id(&ids)
            }));
    }

    /// The processes that are not dead.
    pub fn living(&self) -> Vec<usize> {
        (0..self.processes.len())
            .filter(|process| !self.processes[*process].life.is_dead())
            .collect()
    }

    /// One of them, counted around and around.
    pub fn living_one(&self, number: u8) -> Option<usize> {
        let living = self.living();
        (!living.is_empty()).then(|| living[usize::from(number) % living.len()])
    }

    /// The one that takes commands.
    pub fn active(&self) -> Option<usize> {
        self.living()
            .into_iter()
            .rev()
            .find(|process| self.processes[*process].is_active())
    }

    /// Time passes; whatever was told meanwhile is read, after a while at the latest.
    pub async fn pass(&mut self, ms: u64) -> Result<(), String> {
        let mut left = ms;
        while left > A_WHILE_MS {
            tokio::time::sleep(Duration::from_millis(A_WHILE_MS)).await;
            self.take_stock()?;
            left -= A_WHILE_MS;
        }
        tokio::time::sleep(Duration::from_millis(left)).await;
        self.take_stock()
    }

    /// Reads whatever was answered and pushed.
    pub fn take_stock(&mut self) -> Result<(), String> {
        let now = self.time.elapsed();
        self.appended_at.resize(self.bus.end() as usize, now);
        for process in &mut self.processes {
            if let Some(failed) = process.failure() {
                return Err(failed);
            }
        }
        self.read_answers()?;
        for client in 0..self.clients.len() {
            self.read_client(client)?;
        }
        Ok(())
    }

    fn read_client(&mut self, number: usize) -> Result<(), String> {
        let client = &mut self.clients[number];
        let Some(socket) = &client.socket else {
            return Ok(());
        };
        let (process, connection) = (&self.processes[socket.process], socket.id);
        let closed = client.read(&mut self.promises)?;
        if process.life.is_dead() {
            client.lose_socket();
        } else if closed {
            process.games.disconnect(connection);
            client.lose_socket();
        }
        self.find_tables(number);
        Ok(())
    }

    /// Games that a client knows and nobody has written down yet.
    fn find_tables(&mut self, number: usize) {
        let known: BTreeSet<GameId> = self.tables.iter().map(|table| table.game).collect();
        let new: Vec<GameId> = self.clients[number]
            .views
            .keys()
            .copied()
            .filter(|game| !known.contains(game))
            .collect();
        for game in new {
            let mut living = self.living().into_iter();
            let Some(live) = living.find_map(|process| self.processes[process].games.live(game, None)) else {
                continue;
            };
            let client_of = |user: &UserId| {
                self.clients
                    .iter()
                    .position(|client| client.user.user_id == *user)
            };
            let players = [&live.summary.player1.user_id, &live.summary.player2.user_id];
            if let (Some(first), Some(second)) = (client_of(players[0]), client_of(players[1])) {
                self.tables.push(Table {
                    game,
                    kind: live.summary.kind,
                    players: [first, second],
                });
            }
        }
    }

    /// Asks a process; the answer is read when it comes.
    pub fn ask(
        &mut self,
        process: usize,
        what: String,
        answer: impl Future<Output = Answer> + Send + 'static,
    ) {
        self.asked_so_far += 1;
        let number = self.asked_so_far;
        self.asked.insert(number, Asked { process, what });
        self.answers.spawn(async move { (number, answer.await) });
    }

    fn read_answers(&mut self) -> Result<(), String> {
        while let Some(answer) = self.answers.try_join_next() {
            let (number, answer) = answer.map_err(|failed| format!("a call failed: {failed}"))?;
            self.asked.remove(&number);
            match answer {
                Answer::Command { user, id, result } => {
                    if let Ok(accepted) = result {
                        self.promises.accepted(&user, id.as_ref(), &accepted)?;
                    }
                }
                Answer::Watch {
                    client,
                    socket,
                    game,
                    result,
                } => {
                    if !matches!(result, Ok(Watching::Here)) {
                        self.clients[client].does_not_follow(socket, game);
                    }
                }
                Answer::Sought => {}
            }
        }
        Ok(())
    }

    /// Gives the stores back. To be called when the simulation's runtime is gone.
    pub fn close(outside: &Outside, opened: Vec<Arc<Embedded>>) {
        for embedded in opened {
            if let Ok(embedded) = Arc::try_unwrap(embedded) {
                outside.call(async move { embedded.close().await });
            }
        }
    }

    /// What was opened, to be closed later.
    pub fn opened(&self) -> Vec<Arc<Embedded>> {
        self.opened.clone()
    }
}
