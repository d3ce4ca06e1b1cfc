//! Two services on one log: one holds the games, the other stands by.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use commands::election::BEAT_MS;
use commands::ports::{Clock, Heartbeat, Heartbeats};
use contract::Millis;
use nats::NatsLog;
use testkit::clock::FakeClock;
use testkit::followed::Logged;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::harness::log_check::{Log, Stores, nats_config};
use crate::harness::player::get;
use crate::harness::{Service, World, eventually};
use crate::kill::{Table, short_vectors};

/// Makes each story, an `async fn(World)` of the module, a test with one NATS server and with three.
macro_rules! on_one_node_and_on_three {
    ($($story:ident),+ $(,)?) => {
        mod one_node {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                Box::pin(super::$story($crate::harness::World::servers().await)).await;
            })+
        }

        mod three_nodes {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $story() {
                Box::pin(super::$story($crate::harness::World::cluster().await)).await;
            })+
        }
    };
}

mod cut_off;
mod reading;
mod starting;
mod taking_over;

/// Whether a service says that it is a standby. It must answer.
async fn is_standby(url: &str) -> bool {
    let (status, body) = get(&format!("{url}/readyz")).await;
    status == 503 && body["type"] == "/problems/standby"
}

/// Returns when a service says that it is a standby.
async fn until_standby(service: &Service) {
    let url = service.url();
    let standby = async || is_standby(&url).await.then_some(());
    eventually(&format!("the service at {url} is a standby"), standby).await;
}

/// Starts a further service; returns when it stands by.
async fn start_standby(world: &World, flags: &[&str]) -> Service {
    let service = world.start_unready(flags).await;
    until_standby(&service).await;
    service
}

/// Tables that have begun to play.
async fn tables(service: &Service, count: usize) -> Vec<Table> {
    let mut tables = Vec::new();
    for (number, vector) in short_vectors(count).into_iter().enumerate() {
        let mut table = Table::sit(&service.url(), number, vector).await;
        table.play_to(3).await;
        tables.push(table);
    }
    tables
}

/// Everybody goes to another service, and finds the game as it was promised. How many moves are gone that were not.
async fn move_to(tables: &mut [Table], service: &Service) -> usize {
    let mut lost = 0;
    for table in tables {
        table.players = table.players.clone().map(|player| player.at(service.url()));
        lost += table.come_back().await.lost;
    }
    lost
}

/// Plays all games to their end, and holds the log and the rows to them.
async fn finish(world: &World, tables: &mut [Table]) -> Log {
    for table in &mut *tables {
        table.finish().await;
    }
    let stores = Stores::of(world).await;
    let log = stores.checked_log().await;
    for table in &*tables {
        let game = log.game(&table.game);
        assert!(game.record.is_some(), "{} has its end", table.game);
        for promise in table.promises.iter().filter(|promise| promise.durable) {
            assert!(game.has(&promise.position), "{promise:?} is kept");
        }
        let row = async || world.row(&table.game).await;
        eventually(&format!("{} has its row", table.game), row).await;
    }
    stores.check_rows(&log).await;
    assert_eq!(world.rows().await, tables.len() as i64, "each game has one row");
    stores.close().await;
    log
}

/// How often the games of a log were taken over.
fn takeovers(log: &Log) -> usize {
    let names = log.games.values().flat_map(Logged::names);
    names.filter(|name| *name == "resumed").count()
}

/// How long a service may take from one beat to the sleep before the next.
const AT_WORK: Duration = Duration::from_millis(50);

/// What the services say of themselves, heard by a test that turns their clock.
struct Beats {
    clock: Arc<FakeClock>,
    heard: mpsc::Receiver<Heartbeat>,
    _bus: NatsLog,
}

impl Beats {
    async fn of(world: &World, clock: &Arc<FakeClock>) -> Self {
        let bus = NatsLog::connect(&nats_config(world)).await.expect("NATS");
        let heard = async || bus.listen().await.ok();
        Self {
            clock: clock.clone(),
            heard: eventually("the log answers", heard).await,
            _bus: bus,
        }
    }

    /// Lets `ms` milliseconds pass, or somewhat more. Time goes on only as so many services beat by it: a clock that runs
    /// ahead of them would make them silent.
    async fn pass(&mut self, ms: i64, services: usize) {
        let until = self.clock.monotonic().0 + ms;
        while self.clock.monotonic().0 < until {
            self.clock.advance(BEAT_MS);
            let mut beating = HashSet::new();
            while beating.len() < services {
                match timeout(AT_WORK, self.heard.recv()).await {
                    Ok(heartbeat) => {
                        beating.insert(heartbeat.expect("the bus is open").writer);
                    }
                    // One that was at work when the clock was moved sleeps from then on.
                    Err(_) => self.clock.advance(BEAT_MS / 5),
                }
            }
        }
    }
}

async fn a_standby_ends_nothing_in_six_minutes(world: World) {
    let clock = FakeClock::at(Millis(1_790_000_000_000));
    let first = world.start_inside(clock.clone()).await;
    let vector = short_vectors(1).remove(0);
    let mut table = Table::sit(&first.url(), 0, vector).await;
    // Both are there, at the first one; the second one sees nobody.
    table.take_sockets().await;
    table.play_to(3).await;
    let mut beats = Beats::of(&world, &clock).await;
    let second = world.start_inside_unready(clock.clone(), &[]).await;
    while !is_standby(&second.url()).await {
        beats.pass(500, 2).await;
    }
    beats.pass(6 * 60_000, 2).await;
    assert!(is_standby(&second.url()).await);
    assert_eq!(second.status().await["liveGames"], 0);
    assert_eq!(first.status().await["liveGames"], 1);
    table.play_to(4).await;
    let stores = Stores::of(&world).await;
    let names = stores.checked_log().await.game(&table.game).names();
    assert_eq!(names, ["started", "moved", "moved", "moved", "moved"]);
    stores.close().await;
    second.stop().await;
    first.stop().await;
}

on_one_node_and_on_three!(a_standby_ends_nothing_in_six_minutes);
