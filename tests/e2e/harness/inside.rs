//! The service within the test's process, on the test's clock.

use std::sync::Arc;

use clap::Parser;
use serde_json::Value;
use testkit::clock::FakeClock;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use turnstream::cli::{Cli, Command};
use turnstream::config::Config;
use turnstream::service;

use super::PATIENCE;
use super::service::{is_ready, status_of};

/// A jump that is no longer than this is no standstill.
const STEP_MS: u64 = 500;

/// How long those who were woken may take to go back to sleep. Not all do, so it is no error.
const SETTLE: Duration = Duration::from_millis(50);

/// A running service. Dropping it ends its tasks without a goodbye.
pub struct Inside {
    url: String,
    admin_url: String,
    clock: Arc<FakeClock>,
    shutdown: CancellationToken,
    running: JoinSet<anyhow::Result<()>>,
}

impl Inside {
    pub(super) async fn start(flags: &[String], clock: Arc<FakeClock>) -> Self {
        let config = config(flags);
        let players = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let operators = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = |listener: &TcpListener| {
            let address = listener.local_addr().expect("it is bound");
            format!("http://{address}")
        };
        let (url, admin_url) = (address(&players), address(&operators));
        let shutdown = CancellationToken::new();
        let mut running = JoinSet::new();
        running.spawn(service::run(
            config,
            clock.clone(),
            players,
            operators,
            shutdown.clone(),
        ));
        Self {
            url,
            admin_url,
            clock,
            shutdown,
            running,
        }
    }

    /// Where players connect.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// What it tells operators.
    pub async fn status(&self) -> Value {
        status_of(&self.admin_url).await
    }

    /// Steps the clock until the service says that it is ready.
    pub async fn ready(&self) {
        let deadline = Instant::now() + PATIENCE;
        while !is_ready(&self.url).await {
            assert!(Instant::now() < deadline, "the service is not ready");
            pass(&self.clock, STEP_MS).await;
        }
    }

    /// Ends it in good order.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        let ended = timeout(PATIENCE, self.running.join_next()).await;
        ended
            .expect("it ends when it is told to")
            .expect("it was running")
            .expect("it does not panic")
            .expect("it ends well");
    }
}

/// Lets `ms` milliseconds pass, a step at a time. After each step those whose time has come get to run, and to sleep
/// again if that is what they do.
pub async fn pass(clock: &FakeClock, ms: u64) {
    let mut left = ms;
    while left > 0 {
        let step = left.min(STEP_MS);
        let sleepers = clock.sleepers();
        clock.advance(step);
        let settled_by = Instant::now() + SETTLE;
        while clock.overdue() > 0 || (clock.sleepers() < sleepers && Instant::now() < settled_by) {
            sleep(Duration::from_millis(1)).await;
        }
        left -= step;
    }
}

fn config(flags: &[String]) -> Config {
    let arguments = ["turnstream"].into_iter().chain(flags.iter().map(String::as_str));
    let Command::Serve(mut config) = Cli::parse_from(arguments).into_command() else {
        panic!("serving is the default");
    };
    // What is not said is not there, whatever the environment of the test says.
    let said = |flag: &str| flags.iter().any(|said| said.starts_with(flag));
    let servers = &mut config.servers;
    let nats = servers.nats.nats_url.take();
    servers.nats.nats_url = nats.filter(|_| said("--nats-url"));
    let valkey = servers.valkey.valkey_url.take();
    servers.valkey.valkey_url = valkey.filter(|_| said("--valkey-url"));
    let database = servers.database.database_url.take();
    servers.database.database_url = database.filter(|_| said("--database-url"));
    *config
}
