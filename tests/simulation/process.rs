//! One process of the simulation: everything that `serve` runs behind the edge.

use std::sync::Arc;
use std::time::Duration;

use commands::games::{Games, Role};
use commands::live::{Limits, LiveGames, Parts};
use commands::ports::Clock;
use contract::{GameId, WriterId};
use projections::catch_up::{CatchUp, Progress, Projection, ProjectorState};
use projections::history::{HistoryParts, HistoryProjector};
use projections::live::{LiveParts, LiveProjector, Target};
use projections::ports::HistoryStore;
use projections::preview::Preview;
use projections::preview::elsewhere::Elsewhere;
use projections::preview::telling::Teller;
use projections::restore::RestoreParts;
use projections::sweep::{SeenRows, Sweeper};
use testkit::seeds::KnownSeeds;
use testkit::sim::{Life, LifeClock, Line, Shelf, Time};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use turnstream::ownership::Ownership;

/// How long one that is told to end lets its queues drain.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a process reaches the world by.
pub struct Ways {
    pub line: Arc<Line>,
    /// The store of running games.
    pub running: Shelf,
    /// The store of finished games.
    pub finished: Shelf,
}

/// A process.
pub struct Process {
    pub writer: WriterId,
    pub life: Life,
    pub ways: Ways,
    pub games: LiveGames,
    pub preview: Arc<Preview>,
    teller: Arc<Teller>,
    pub projectors: [Arc<Progress>; 2],
    clock: Arc<dyn Clock>,
    tasks: JoinSet<()>,
    projecting: Vec<AbortHandle>,
    goodbye: CancellationToken,
    stop: CancellationToken,
}

impl Process {
    /// Starts one.
    pub fn start(
        writer: WriterId,
        life: Life,
        time: Arc<Time>,
        ways: Ways,
        new_game_id: impl Fn() -> GameId + Send + Sync + 'static,
    ) -> Self {
        let clock: Arc<dyn Clock> = LifeClock::new(time, life.clone());
        let preview = Preview::new();
        let teller = Teller::new(preview.clone(), ways.line.clone());
        let games = LiveGames::new(Parts {
            writer,
            clock: clock.clone(),
            log: ways.line.log(),
            pending: Arc::new(ways.running.clone()),
            seeds: Arc::new(KnownSeeds),
            committed: Arc::default(),
            observers: vec![preview.clone(), teller.clone()],
            limits: Limits::default(),
            new_game_id: Box::new(new_game_id),
        });
        let mut process = Self {
            writer,
            life,
            ways,
            games,
            preview,
            teller,
            projectors: [
                Arc::new(Progress::new(projections::live::NAME)),
                Arc::new(Progress::new(projections::history::NAME)),
            ],
            clock,
            tasks: JoinSet::new(),
            projecting: Vec::new(),
            goodbye: CancellationToken::new(),
            stop: CancellationToken::new(),
        };
        process.run_games();
        process.run_projectors();
        process
    }

    fn run_games(&mut self) {
        let games = self.games.clone();
        self.tasks.spawn(async move {
            if let Err(died) = games.run().await {
                panic!("{died} died");
            }
        });
        let ownership = Ownership {
            restore: RestoreParts {
                games: self.games.clone(),
                log: self.ways.line.log(),
                reader: self.ways.line.reader(),
                live: Arc::new(self.ways.running.clone()),
                pending: Arc::new(self.ways.running.clone()),
                dead_letters: self.ways.line.clone(),
                clock: self.clock.clone(),
            },
            heartbeats: self.ways.line.clone(),
            keys: Arc::new(self.ways.running.clone()),
            clock: self.clock.clone(),
            shared_log: true,
            last_restore: Arc::default(),
            metrics: Arc::default(),
        };
        let goodbye = self.goodbye.clone();
        self.tasks.spawn(async move {
            if let Err(refused) = ownership.run(goodbye).await {
                panic!("the ownership ended: {refused}");
            }
        });
        let (preview, clock, stop) = (self.preview.clone(), self.clock.clone(), self.stop.clone());
        self.tasks
            .spawn(async move { preview.run(clock.as_ref(), stop).await });
        let (teller, clock, stop) = (self.teller.clone(), self.clock.clone(), self.stop.clone());
        self.tasks
            .spawn(async move { teller.run(clock.as_ref(), stop).await });
        let elsewhere = Elsewhere {
            preview: self.preview.clone(),
            live: Arc::new(self.ways.running.clone()),
            log: self.ways.line.log(),
            reader: self.ways.line.reader(),
            counts: self.ways.line.clone(),
            clock: self.clock.clone(),
        };
        let (roles, stop) = (self.games.roles(), self.stop.clone());
        self.tasks.spawn(elsewhere.run(roles, stop));
    }

    fn run_projectors(&mut self) {
        let history: Arc<dyn HistoryStore> = Arc::new(self.ways.finished.clone());
        let [live_progress, history_progress] = self.projectors.clone();
        let live = LiveProjector::new(LiveParts {
            store: Arc::new(self.ways.running.clone()),
            history: history.clone(),
            log: self.ways.line.log(),
            reader: self.ways.line.reader(),
            dead_letters: self.ways.line.clone(),
            token: self.writer,
            target: Target::Current,
            progress: live_progress.clone(),
        })
        .beside(self.games.committed());
        self.project(live, live_progress);
        let rows = HistoryProjector::new(HistoryParts {
            store: history.clone(),
            cache: Arc::new(self.ways.running.clone()),
            dead_letters: self.ways.line.clone(),
            keeper: Some(Arc::new(self.games.clone())),
            clock: self.clock.clone(),
            token: self.writer,
            progress: history_progress.clone(),
        });
        self.project(rows, history_progress);
        let sweeper = Sweeper {
            live: Arc::new(self.ways.running.clone()),
            history,
            clock: self.clock.clone(),
            seen: SeenRows::default(),
        };
        let sweeping = self.tasks.spawn(sweeper.run(self.stop.clone()));
        self.projecting.push(sweeping);
    }

    fn project(&mut self, projection: impl Projection + 'static, progress: Arc<Progress>) {
        let catch_up = CatchUp {
            projection,
            log: self.ways.line.log(),
            reader: self.ways.line.reader(),
            clock: self.clock.clone(),
            progress,
        };
        let projecting = self.tasks.spawn(catch_up.run(self.stop.clone()));
        self.projecting.push(projecting);
    }

    /// Its projectors die where they are, and new ones begin.
    pub fn restart_projectors(&mut self) {
        for projecting in self.projecting.drain(..) {
            projecting.abort();
        }
        self.run_projectors();
    }

    /// Ends it for ever.
    pub fn kill(&mut self) {
        self.life.kill();
        self.tasks.abort_all();
    }

    /// Has it end in good order, beside what else happens.
    pub fn terminate(&mut self) {
        let games = self.games.clone();
        let (goodbye, stop, life) = (self.goodbye.clone(), self.stop.clone(), self.life.clone());
        self.tasks.spawn(async move {
            games.shutdown(PATIENCE).await;
            goodbye.cancel();
            stop.cancel();
            // Its last words take a moment.
            tokio::time::sleep(PATIENCE).await;
            life.kill();
        });
    }

    /// Whether it takes commands.
    pub fn is_active(&self) -> bool {
        self.life.runs() && self.games.role() == Role::Active
    }

    /// What became of its tasks: an error, if one of them failed.
    pub fn failure(&mut self) -> Option<String> {
        while let Some(ended) = self.tasks.try_join_next() {
            if let Err(error) = ended
                && error.is_panic()
            {
                return Some(format!("{} failed: {error}", self.writer));
            }
        }
        None
    }

    /// Whether the projector runs here and has come to `end`.
    pub fn has_projected(&self, projector: usize, end: u64) -> bool {
        let status = self.projectors[projector].status();
        self.life.runs() && status.state == ProjectorState::Running && status.checkpoint == Some(end)
    }
}
