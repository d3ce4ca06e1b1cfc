//! Projectors on a real log that goes away and comes back: each goes on by itself, within seconds, and passes nothing
//! over.

use std::sync::Arc;
use std::time::Duration;

use commands::ports::{Clock, EventLog};
use contract::{EndReason, Kind, Millis, WriterId};
use embedded::{Embedded, EmbeddedConfig};
use nats::{NatsConfig, NatsLog};
use projections::catch_up::{CatchUp, Progress, Projection, ProjectorState};
use projections::history::{HistoryParts, HistoryProjector};
use projections::live::{LiveParts, LiveProjector, Target};
use projections::ports::{HistoryStore, LiveStore, SnapshotStatus};
use testkit::fixtures::{Game, append_after, append_all, outgoing, writer};
use testkit::services::Nats;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use turnstream::system_clock::SystemClock;

use crate::harness::stores::client_of;
use crate::harness::{eventually, eventually_within};

/// By whose right the projectors write.
const TOKEN: WriterId = WriterId(0xf01d);

/// How long after the log's return a projector may need to be at its end, on a busy machine.
const RESUMED_WITHIN: Duration = Duration::from_secs(15);

/// A log, and both projectors on it. They write embedded stores, which nothing happens to.
struct Reading {
    server: Nats,
    log: Arc<NatsLog>,
    stores: Embedded,
    progress: Vec<Arc<Progress>>,
    cancel: CancellationToken,
    tasks: TaskTracker,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Reading {
    async fn start() -> Self {
        let server = Nats::start().await.expect("NATS");
        let log = NatsLog::connect(&NatsConfig::new(server.url())).await;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let stores = Embedded::open(EmbeddedConfig::default(), clock.clone()).await;
        let mut reading = Self {
            server,
            log: Arc::new(log.expect("NATS")),
            stores: stores.expect("memory can be used"),
            progress: Vec::new(),
            cancel: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        reading.run_live(&clock);
        reading.run_history(&clock);
        // From the first row on both stores have a checkpoint.
        reading.begin(1).await.end(&reading.log).await;
        reading.until_caught_up().await;
        reading
    }

    fn run_live(&mut self, clock: &Arc<dyn Clock>) {
        let progress = Arc::new(Progress::new(projections::live::NAME));
        let projector = LiveProjector::new(LiveParts {
            store: self.stores.live(),
            history: self.stores.history(),
            log: self.log.clone(),
            reader: self.log.clone(),
            dead_letters: self.stores.dead_letters(),
            token: TOKEN,
            target: Target::Current,
            progress: progress.clone(),
        });
        self.run(projector, clock, progress);
    }

    fn run_history(&mut self, clock: &Arc<dyn Clock>) {
        let progress = Arc::new(Progress::new(projections::history::NAME));
        let projector = HistoryProjector::new(HistoryParts {
            store: self.stores.history(),
            cache: self.stores.cache(),
            dead_letters: self.stores.dead_letters(),
            keeper: None,
            clock: clock.clone(),
            token: TOKEN,
            progress: progress.clone(),
        });
        self.run(projector, clock, progress);
    }

    fn run<P: Projection + 'static>(
        &mut self,
        projection: P,
        clock: &Arc<dyn Clock>,
        progress: Arc<Progress>,
    ) {
        let projector = CatchUp {
            projection,
            log: self.log.clone(),
            reader: self.log.clone(),
            clock: clock.clone(),
            progress: progress.clone(),
        };
        self.tasks.spawn(projector.run(self.cancel.clone()));
        self.progress.push(progress);
    }

    /// Waits until the log answers again.
    async fn until_log_answers(&self) {
        eventually("the log answers", async || self.log.info().await.ok()).await;
    }

    /// Waits until both projectors are at the log's end and follow it.
    async fn until_caught_up(&self) {
        self.until_log_answers().await;
        let end = self.log.info().await.expect("it has just answered").last;
        for progress in &self.progress {
            let what = format!("{} is at {end}, the log's end", progress.name());
            eventually_within(RESUMED_WITHIN, &what, async || {
                let status = progress.status();
                let there = status.state == ProjectorState::Running && status.checkpoint == Some(end);
                (there && status.lag() == Some(0)).then_some(())
            })
            .await;
        }
    }

    /// A game begins, with some moves.
    async fn begin(&self, moves: usize) -> Playing {
        let (mut game, started) = Game::start(Kind::Mancala, writer());
        let mut events = vec![outgoing(&started)];
        events.extend((0..moves).map(|_| outgoing(&game.play())));
        let written = append_all(&*self.log, &events).await;
        let last = written.last().expect("it was written").seq;
        Playing { game, last }
    }

    /// Every game is as it is in the log: a snapshot while it is live, a row once it has ended.
    async fn check(&self, playing: &[Playing], ended: &[Playing]) {
        for Playing { game, .. } in playing {
            let stored = self.stores.live().get(game.state().id).await;
            let stored = stored.expect("the store answers").expect("it has a snapshot");
            assert_eq!(
                (stored.version, stored.status),
                (game.state().version, SnapshotStatus::Live)
            );
        }
        for Playing { game, .. } in ended {
            let row = self.stores.history().game(game.state().id).await;
            let row = row.expect("the store answers").expect("it has a row");
            assert_eq!(row.moves, game.state().moves);
            assert!(row.ended_at > Millis(0));
        }
    }
}

/// A game under way, and the sequence of its last event.
struct Playing {
    game: Game,
    last: u64,
}

impl Playing {
    async fn play(&mut self, log: &NatsLog) {
        let moved = outgoing(&self.game.play());
        self.last = append_after(log, self.last, &[moved]).await.remove(0).seq;
    }

    async fn end(mut self, log: &NatsLog) -> Self {
        let ended = outgoing(&self.game.end(EndReason::Left));
        append_after(log, self.last, &[ended]).await;
        self
    }
}

/// Games go on around an interruption: before it, as soon as the log answers again, and once the projectors follow.
async fn go_on_around(reading: &Reading, interrupt: impl AsyncFnOnce(&Nats)) {
    let (mut playing, mut ended) = (Vec::new(), Vec::new());
    for moves in 1..=4 {
        playing.push(reading.begin(moves).await);
    }
    interrupt(&reading.server).await;
    reading.until_log_answers().await;
    for game in &mut playing {
        game.play(&reading.log).await;
    }
    let over = playing.remove(0);
    ended.push(over.end(&reading.log).await);
    reading.until_caught_up().await;
    reading.check(&playing, &ended).await;

    for game in &mut playing {
        game.play(&reading.log).await;
    }
    let over = playing.remove(0);
    ended.push(over.end(&reading.log).await);
    reading.until_caught_up().await;
    reading.check(&playing, &ended).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projectors_go_on_after_every_restart_of_the_log() {
    let reading = Reading::start().await;
    let troubles = || -> Vec<[u64; 3]> {
        let counts = reading.progress.iter().map(|progress| progress.status().counts);
        counts
            .map(|counts| [counts.doubts, counts.refolded, counts.dead_letters])
            .collect()
    };
    let before = troubles();
    for _ in 0..2 {
        go_on_around(&reading, async |server| {
            server.kill().await.expect("it runs");
            server.restart().await.expect("it starts");
        })
        .await;
        go_on_around(&reading, async |server| {
            server.stop().await.expect("it runs");
            server.restart().await.expect("it starts");
        })
        .await;
    }
    assert_eq!(troubles(), before, "they read on from where they were");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projectors_wait_for_a_log_that_stays_away_and_follow_when_it_is_back() {
    let reading = Reading::start().await;
    go_on_around(&reading, async |server| {
        server.kill().await.expect("it runs");
        for progress in &reading.progress {
            let what = format!("{} waits", progress.name());
            eventually(&what, async || {
                matches!(progress.status().state, ProjectorState::Waiting(_)).then_some(())
            })
            .await;
        }
        server.restart().await.expect("it starts");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projectors_whose_readers_the_server_forgot_open_new_ones() {
    let reading = Reading::start().await;
    for _ in 0..2 {
        go_on_around(&reading, async |server| {
            assert!(forget_consumers(server).await >= 2, "both projectors read");
        })
        .await;
    }
}

/// Deletes every consumer of the log on the server; how many there were.
async fn forget_consumers(server: &Nats) -> usize {
    use futures::TryStreamExt;
    let client = client_of(server).await;
    let stream = async_nats::jetstream::new(client).get_stream("GAMES").await;
    let stream = stream.expect("there is a log");
    let names: Vec<String> = stream.consumer_names().try_collect().await.expect("a list");
    for name in &names {
        stream.delete_consumer(name).await.expect("it is there");
    }
    names.len()
}
