//! A log, its stores, and projectors that run on them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use commands::observer::RecordKeeper;
use commands::ports::{EventLog, LogEntry, Outgoing};
use contract::event::Placement;
use contract::{EndReason, Envelope, GameId, Kind, Millis, Players, Seq, WriterId};
use embedded::{Embedded, EmbeddedConfig};
use projections::catch_up::{CatchUp, Progress, ProjectorState, ProjectorStatus};
use projections::history::{HistoryParts, HistoryProjector};
use projections::live::{LiveParts, LiveProjector, Target};
use projections::operations::OperationParts;
use projections::ports::{Checkpoint, HistoryStore, LiveStore, LogFilter, LogReader, StoredSnapshot};
use testkit::clock::FakeClock;
use testkit::fixtures::{Game, outgoing};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The writer of the fixtures' games.
pub const WRITER: WriterId = WriterId(1);

pub struct World {
    pub stores: Embedded,
    pub clock: Arc<FakeClock>,
    /// What projectors read with.
    pub reader: Arc<dyn LogReader>,
    tasks: TaskTracker,
    /// The last sequence of each game.
    last: HashMap<GameId, Seq>,
}

/// A projector that runs.
pub struct Running {
    pub progress: Arc<Progress>,
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

impl World {
    pub async fn open() -> Self {
        let clock = FakeClock::at(Millis(1_790_000_000_000));
        let stores = Embedded::open(EmbeddedConfig::default(), clock.clone())
            .await
            .unwrap();
        Self {
            reader: stores.reader(),
            stores,
            clock,
            tasks: TaskTracker::new(),
            last: HashMap::new(),
        }
    }

    pub async fn append(&mut self, envelope: &Envelope) -> Seq {
        self.append_message(&outgoing(envelope)).await
    }

    pub async fn append_message(&mut self, message: &Outgoing) -> Seq {
        let last = self.last.entry(message.key.id).or_default();
        *last = self.stores.log().append(message, *last).await.unwrap();
        *last
    }

    /// A game in the log with this many moves.
    pub async fn game(&mut self, moves: usize) -> Game {
        let (mut game, started) = Game::start(Kind::Mancala, WRITER);
        self.append(&started).await;
        self.play(&mut game, moves).await;
        game
    }

    pub async fn play(&mut self, game: &mut Game, moves: usize) {
        for _ in 0..moves {
            let moved = game.play();
            self.append(&moved).await;
        }
    }

    /// A game in the log that has ended.
    pub async fn finished_game(&mut self, moves: usize) -> Game {
        let mut game = self.game(moves).await;
        let ended = game.end(EndReason::Left);
        self.append(&ended).await;
        game
    }

    /// The same with these players.
    pub async fn finished_game_of(&mut self, players: Players, moves: usize) -> Game {
        let (mut game, started) = Game::start_between(Kind::Mancala, WRITER, players);
        self.append(&started).await;
        self.play(&mut game, moves).await;
        let ended = game.end(EndReason::Left);
        self.append(&ended).await;
        game
    }

    pub fn live(&self, token: WriterId) -> Running {
        let progress = Arc::new(Progress::new(projections::live::NAME));
        let projector = LiveProjector::new(LiveParts {
            store: self.stores.live(),
            history: self.stores.history(),
            log: self.stores.log(),
            reader: self.reader.clone(),
            dead_letters: self.stores.dead_letters(),
            token,
            target: Target::Current,
            progress: progress.clone(),
        });
        self.run(projector, progress)
    }

    pub fn history(
        &self,
        token: WriterId,
        store: Arc<dyn HistoryStore>,
        keeper: Option<Arc<dyn RecordKeeper>>,
    ) -> Running {
        let progress = Arc::new(Progress::new(projections::history::NAME));
        let projector = HistoryProjector::new(HistoryParts {
            store,
            cache: self.stores.cache(),
            dead_letters: self.stores.dead_letters(),
            keeper,
            clock: self.clock.clone(),
            token,
            progress: progress.clone(),
        });
        self.run(projector, progress)
    }

    fn run<P: projections::catch_up::Projection + 'static>(
        &self,
        projection: P,
        progress: Arc<Progress>,
    ) -> Running {
        let loops = CatchUp {
            projection,
            log: self.stores.log(),
            reader: self.reader.clone(),
            clock: self.clock.clone(),
            progress: progress.clone(),
        };
        let cancel = CancellationToken::new();
        let task = self.tasks.spawn(loops.run(cancel.clone()));
        Running {
            progress,
            cancel,
            task,
        }
    }

    /// What operators' work is done with, by a right of its own.
    pub fn parts(&self, token: WriterId) -> OperationParts {
        OperationParts {
            log: self.stores.log(),
            reader: self.reader.clone(),
            eraser: self.stores.log(),
            live: self.stores.live(),
            history: self.stores.history(),
            cache: self.stores.cache(),
            dead_letters: self.stores.dead_letters(),
            clock: self.clock.clone(),
            token,
        }
    }

    /// Turns the clock while something is done that waits now and then.
    pub async fn turning<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let turning = async {
            loop {
                tokio::select! {
                    done = &mut work => return done,
                    () = tokio::time::sleep(Duration::from_millis(2)) => {
                        self.clock.advance(20);
                    }
                }
            }
        };
        tokio::time::timeout(Duration::from_mins(1), turning)
            .await
            .expect("the work is done in time")
    }

    /// Every message of the log.
    pub async fn messages(&self) -> Vec<LogEntry> {
        let end = self.end().await;
        let mut cursor = self.stores.reader().open(0, LogFilter::All).await.unwrap();
        let mut all: Vec<LogEntry> = Vec::new();
        while all.last().map_or(0, |entry| entry.seq) < end {
            all.extend(cursor.next(1_000, 5_000).await.unwrap());
        }
        all
    }

    /// Runs something beside the test.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    pub async fn end(&self) -> Seq {
        self.stores.log().info().await.unwrap().last
    }

    /// A live projector that has seen the log as it is now, and follows.
    pub async fn following(&self, token: WriterId) -> Running {
        let running = self.live(token);
        self.until_caught_up(&running).await;
        running
    }

    /// Waits until the projector has come to the log's end.
    pub async fn until_caught_up(&self, running: &Running) -> ProjectorStatus {
        let end = self.end().await;
        running
            .until(|s| s.state == ProjectorState::Running && s.checkpoint == Some(end))
            .await
    }

    pub async fn snapshot(&self, game: &Game) -> Option<StoredSnapshot> {
        self.stores.live().get(game.state().id).await.unwrap()
    }

    /// The checkpoint that a store has when it has read up to the message at `seq`.
    pub async fn checkpoint_at(&self, seq: Seq) -> Checkpoint {
        let mut cursor = self.stores.reader().open(seq - 1, LogFilter::All).await.unwrap();
        let entry = cursor.next(1, 5_000).await.unwrap().remove(0);
        let event_id = Some(Placement::from_bytes(&entry.bytes).unwrap().id);
        Checkpoint {
            seq,
            event_id,
            log: self.stores.log().info().await.unwrap().identity,
        }
    }

    /// Turns the clock while a condition does not hold, a second at a time, so that waits come to their end.
    pub async fn turn_until<F: Future<Output = bool>>(&self, mut holds: impl FnMut() -> F) {
        let turning = async {
            while !holds().await {
                self.clock.advance(1_000);
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), turning)
            .await
            .expect("the condition comes to hold");
    }
}

impl Running {
    pub async fn until(&self, holds: impl FnMut(&ProjectorStatus) -> bool) -> ProjectorStatus {
        let mut status = self.progress.subscribe();
        match tokio::time::timeout(Duration::from_secs(20), status.wait_for(holds)).await {
            Ok(status) => status.expect("the projector keeps its progress").clone(),
            Err(late) => panic!("{late}: still {:?}", self.progress.status()),
        }
    }

    /// Stops it in good order.
    pub async fn stop(self) {
        self.cancel.cancel();
        self.task.await.unwrap();
    }

    /// Stops it as if its process were killed: its lease stays.
    pub async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }
}

/// Hears how far history has come.
#[derive(Default)]
pub struct Keeper(pub Mutex<Seq>);

impl RecordKeeper for Keeper {
    fn recorded_through(&self, seq: Seq) {
        *self.0.lock().unwrap() = seq;
    }
}

impl Keeper {
    pub fn through(&self) -> Seq {
        *self.0.lock().unwrap()
    }
}
