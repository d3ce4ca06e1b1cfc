//! The program, as a process of its own.

use std::ffi::OsString;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;
use testkit::services::{Program, Server, free_port};

use super::{eventually, http};

/// How the program is run.
#[derive(Clone)]
pub struct Turnstream {
    flags: Vec<String>,
    /// Each `NAME=value`.
    variables: Vec<String>,
    port: u16,
    admin_port: u16,
}

/// A running service. Dropping it kills it.
pub struct Service {
    server: Server<Turnstream>,
}

impl Service {
    pub(super) async fn start(flags: Vec<String>, variables: &[String]) -> Self {
        let program = Turnstream {
            flags,
            variables: variables.to_vec(),
            port: 0,
            admin_port: 0,
        };
        let server = Server::launch(program).await.expect("the service starts");
        Self { server }
    }

    /// Starts one that ends by itself, soon: what it has printed.
    pub(super) async fn start_refused(flags: Vec<String>) -> String {
        let program = Turnstream {
            flags,
            variables: Vec::new(),
            port: 0,
            admin_port: 0,
        };
        match Server::launch(program).await {
            // It ended before it answered; the error has its log.
            Err(error) => format!("{error:?}"),
            Ok(server) => {
                let url = format!("{}/healthz", server.url());
                let ended = async || (!answers(&url).await).then_some(());
                eventually("the service ends", ended).await;
                server.stop().await.expect("it is about to end");
                server.log()
            }
        }
    }

    /// Where players connect; the same over every restart.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Where operators connect.
    pub fn admin_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.program().admin_port)
    }

    /// Kills it: SIGKILL. Returns when it is gone.
    pub async fn kill(&self) {
        self.server.kill().await.expect("a process can be killed");
    }

    /// Ends it in good order: SIGTERM. Returns when it is gone.
    pub async fn terminate(&self) {
        self.server.stop().await.expect("it ends when it is told to");
    }

    /// Makes it hang.
    pub fn freeze(&self) {
        self.server.freeze().expect("it runs");
    }

    /// Ends a freeze.
    pub fn thaw(&self) {
        self.server.thaw().expect("it runs");
    }

    /// Its process id, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.server.pid()
    }

    /// Starts it again on the same ports, after ending it if it runs; returns when it is ready.
    pub async fn restart(&self) {
        self.restart_unready().await;
        self.ready().await;
    }

    /// The same without waiting for more than `/healthz`.
    pub async fn restart_unready(&self) {
        self.server.restart().await.expect("the service starts again");
    }

    /// What it has printed, over all its starts.
    pub fn log(&self) -> String {
        self.server.log()
    }

    /// Returns when it says that it is ready.
    pub async fn ready(&self) {
        let url = self.url();
        eventually(&format!("the service at {url} is ready"), async || {
            is_ready(&url).await.then_some(())
        })
        .await;
    }

    /// What it tells operators.
    pub async fn status(&self) -> Value {
        status_of(&self.admin_url()).await
    }
}

/// Whether a service says that it is ready.
pub(super) async fn is_ready(url: &str) -> bool {
    answers(&format!("{url}/readyz")).await
}

pub(super) async fn status_of(admin_url: &str) -> Value {
    let answer = http().get(format!("{admin_url}/status")).send().await;
    let body = answer.expect("the operators' port answers").json().await;
    body.expect("a status is JSON")
}

async fn answers(url: &str) -> bool {
    let answer = http().get(url).send().await;
    answer.is_ok_and(|answer| answer.status().is_success())
}

impl Program for Turnstream {
    const NAME: &'static str = "turnstream";
    const STOP: Signal = Signal::TERM;

    fn choose_ports(&mut self) -> anyhow::Result<()> {
        self.port = free_port()?;
        self.admin_port = free_port()?;
        Ok(())
    }

    async fn prepare(&self, _: &Path) -> anyhow::Result<()> {
        Ok(())
    }

    /// Without the test's environment, whose variables would be settings.
    fn command(&self, _: &Path) -> Vec<OsString> {
        let environment = ["/usr/bin/env", "-i", "RUST_BACKTRACE=1"].map(str::to_owned);
        let program = environment
            .into_iter()
            .chain(self.variables.iter().cloned())
            .chain([env!("CARGO_BIN_EXE_turnstream").to_owned()]);
        let addresses = [
            format!("--listen=127.0.0.1:{}", self.port),
            format!("--admin-listen=127.0.0.1:{}", self.admin_port),
        ];
        let flags = addresses.into_iter().chain(self.flags.iter().cloned());
        program.chain(flags).map(OsString::from).collect()
    }

    async fn answers(&self) -> bool {
        answers(&format!("{}/healthz", self.url())).await
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}
