//! An active process that may have missed what others said gives way to another one, though its own id comes first; one
//! that missed nothing does not.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use commands::live::{Limits, Parts};
use commands::ports::EventLog;
use contract::{Kind, Millis};
use embedded::{Embedded, EmbeddedConfig};
use testkit::clock::FakeClock;
use testkit::fixtures::{Game, game_id, outgoing};
use testkit::gated_log::{Gate, GatedLog};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::*;

const ME: WriterId = WriterId(1);
const OTHER: WriterId = WriterId(2);
const DEAD: WriterId = WriterId(3);

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that holds one game, which a dead one began.
struct Holder {
    stores: Embedded,
    clock: Arc<FakeClock>,
    log: Arc<GatedLog>,
    games: LiveGames,
    game: Game,
    /// What is said on the bus.
    heard: mpsc::Receiver<Heartbeat>,
    _running: JoinSet<()>,
}

impl Holder {
    async fn start() -> Self {
        let clock = FakeClock::at(Millis(1_790_000_000_000));
        let stores = Embedded::open(EmbeddedConfig::default(), clock.clone())
            .await
            .unwrap();
        let (game, started) = Game::start(Kind::Mancala, DEAD);
        stores.log().append(&outgoing(&started), 0).await.unwrap();
        let log = GatedLog::new(stores.log(), PATIENCE);
        let games = LiveGames::new(Parts {
            writer: ME,
            clock: clock.clone(),
            log: log.clone(),
            pending: stores.pending(),
            seeds: Arc::new(testkit::seeds::KnownSeeds),
            committed: Arc::default(),
            observers: Vec::new(),
            limits: Limits::default(),
            new_game_id: Box::new(game_id),
        });
        let ownership = Ownership {
            restore: RestoreParts {
                games: games.clone(),
                log: log.clone(),
                reader: stores.reader(),
                live: stores.live(),
                pending: stores.pending(),
                dead_letters: stores.dead_letters(),
                clock: clock.clone(),
            },
            heartbeats: stores.heartbeats(),
            keys: stores.service_keys(),
            clock: clock.clone(),
            shared_log: true,
            last_restore: Arc::default(),
            metrics: Arc::default(),
        };
        let heard = stores.heartbeats().listen().await.unwrap();
        let mut running = JoinSet::new();
        let alive = games.clone();
        running.spawn(async move { alive.run().await.expect("it runs until it is aborted") });
        running.spawn(async move {
            let stays = ownership.run(CancellationToken::new()).await;
            stays.expect("nobody of another log is here");
        });
        let mut holder = Self {
            stores,
            clock,
            log,
            games,
            game,
            heard,
            _running: running,
        };
        holder.next_look().await;
        while holder.role() != Role::Active {
            holder.beat(BEAT_MS).await;
        }
        // What it learnt as it started is old by now.
        for _ in 0..10 {
            holder.beat(BEAT_MS).await;
        }
        assert_eq!(holder.games.held().len(), 1);
        holder
    }

    fn role(&self) -> Role {
        self.games.role()
    }

    /// Returns when it has looked around and decided, which is when it says that it is there.
    async fn next_look(&mut self) {
        let looked = async {
            loop {
                let said = self.heard.recv().await.expect("the bus is there");
                if said.writer == ME {
                    return;
                }
            }
        };
        tokio::time::timeout(PATIENCE, looked).await.expect("it beats");
    }

    /// So much time passes, and it looks around.
    async fn beat(&mut self, ms: u64) {
        while self.heard.try_recv().is_ok() {}
        self.clock.advance(ms);
        self.next_look().await;
    }

    /// The other process says that it is active, too, and this one looks around after so much time.
    async fn beat_beside_other(&mut self, ms: u64) {
        let heartbeat = Heartbeat {
            writer: OTHER,
            active: true,
            since: 0,
            log: self.stores.log().info().await.unwrap().identity,
            leaving: false,
            unable: false,
            process: None,
        };
        self.stores.heartbeats().beat(&heartbeat).await.unwrap();
        self.beat(ms).await;
    }
}

#[tokio::test]
async fn who_was_in_touch_all_the_time_stays() {
    let mut holder = Holder::start().await;
    for _ in 0..10 {
        holder.beat_beside_other(BEAT_MS).await;
        assert_eq!(holder.role(), Role::Active);
    }
}

#[tokio::test]
async fn who_has_another_connection_gives_way() {
    let mut holder = Holder::start().await;
    holder.log.set(Gate::Down);
    holder.log.set(Gate::Open);
    holder.beat_beside_other(BEAT_MS).await;
    assert_eq!(holder.role(), Role::Standby);
}

#[tokio::test]
async fn who_stood_still_gives_way() {
    let mut holder = Holder::start().await;
    holder.beat_beside_other(2_001).await;
    assert_eq!(holder.role(), Role::Standby);
}

#[tokio::test]
async fn who_lost_a_game_gives_way() {
    let mut holder = Holder::start().await;
    let last = holder.log.last(holder.game.state().key()).await.unwrap();
    let last = last.expect("it was claimed").seq;
    let claim = outgoing(&holder.game.resume(OTHER));
    holder.stores.log().append(&claim, last).await.unwrap();
    let counted = async {
        while holder.games.counters().taken_over.load(Relaxed) == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, counted)
        .await
        .expect("it hears of it");
    holder.beat_beside_other(BEAT_MS).await;
    assert_eq!(holder.role(), Role::Standby);
}
