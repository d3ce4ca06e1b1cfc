//! Postgres that trusts every local client.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::ensure;
use rustix::process::Signal;
use tokio::process::Command;

use crate::authority::{Authority, Identity};

use super::ask::ask;
use super::find;
use super::ports;
use super::postgres_store::{self, as_postgres};
use super::server::{Program, Server};

/// A Postgres server.
pub type Postgres = Server<PostgresProgram>;

/// How Postgres is run.
#[derive(Clone)]
pub struct PostgresProgram {
    bin: PathBuf,
    version: String,
    port: u16,
    databases: Arc<AtomicU32>,
    /// What it shows clients, if they have to encrypt, to show a certificate too, and to know the password.
    identity: Option<Identity>,
}

/// The password of one that asks for it.
const PASSWORD: &str = "postgres1";

impl Postgres {
    /// Starts one without any database of ours. [`url`](Server::url) leads to its `postgres` database.
    pub async fn start() -> anyhow::Result<Self> {
        Self::launch(PostgresProgram::found().await?).await
    }

    /// The same, for clients that encrypt, show a certificate of the same authority, and know the password.
    pub async fn start_secured(authority: &Authority) -> anyhow::Result<Self> {
        let mut program = PostgresProgram::found().await?;
        program.identity = Some(authority.vouch_for("postgres")?);
        Self::launch(program).await
    }

    /// The password of one that asks for it.
    pub fn password() -> &'static str {
        PASSWORD
    }

    /// Creates an empty database that nobody else uses; its URL.
    pub async fn fresh_database(&self) -> anyhow::Result<String> {
        let program = self.program();
        let name = format!("fresh_{}", program.databases.fetch_add(1, Ordering::Relaxed));
        let output = Command::new(program.bin.join("psql"))
            .args([
                "--no-psqlrc",
                "--quiet",
                "--command",
                &format!("CREATE DATABASE {name}"),
                &self.url(),
            ])
            .output()
            .await?;
        ensure!(
            output.status.success(),
            "cannot create a database: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(program.url_of(&name))
    }
}

impl PostgresProgram {
    async fn found() -> anyhow::Result<Self> {
        let find::PostgresPrograms { bin, version } = find::postgres().await?;
        Ok(Self {
            bin,
            version,
            port: 0,
            databases: Arc::default(),
            identity: None,
        })
    }

    fn url_of(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }
}

impl Program for PostgresProgram {
    const NAME: &'static str = "Postgres";
    /// SIGTERM would wait until every client has left.
    const STOP: Signal = Signal::INT;
    /// Killed itself, it would leave its workers to whoever adopts orphans.
    const DISMISS: Signal = Signal::QUIT;

    fn home() -> PathBuf {
        postgres_store::home()
    }

    fn choose_ports(&mut self) -> anyhow::Result<()> {
        self.port = ports::free()?;
        Ok(())
    }

    async fn prepare(&self, store: &Path) -> anyhow::Result<()> {
        postgres_store::create(&self.bin, &self.version, store).await?;
        match &self.identity {
            Some(identity) => postgres_store::secure(&self.bin, store, identity, PASSWORD).await,
            None => Ok(()),
        }
    }

    fn command(&self, store: &Path) -> Vec<OsString> {
        let mut command = as_postgres(&self.bin.join("postgres"));
        command.extend([
            "-D".into(),
            store.into(),
            "-p".into(),
            self.port.to_string().into(),
        ]);
        let settings = [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            // What a killed server has written the kernel still has; only a power cut would need these.
            "fsync=off",
            "full_page_writes=off",
            "shared_buffers=32MB",
        ];
        command.extend(
            settings
                .into_iter()
                .flat_map(|setting| ["-c".into(), setting.into()]),
        );
        if self.identity.is_some() {
            command.extend(["-c".into(), "ssl=on".into()]);
            command.extend(["-c".into(), "ssl_ca_file=authority.pem".into()]);
        }
        command
    }

    async fn answers(&self) -> bool {
        if self.identity.is_some() {
            return self.is_ready().await;
        }
        // 'R' asks for no password; while it starts it answers with an error, 'E'.
        ask(self.port, &startup_message())
            .await
            .is_ok_and(|answer| answer.starts_with(b"R"))
    }

    fn url(&self) -> String {
        self.url_of("postgres")
    }
}

impl PostgresProgram {
    /// What its own program says, which needs to be let in for nothing.
    async fn is_ready(&self) -> bool {
        let asked = Command::new(self.bin.join("pg_isready"))
            .args(["--quiet", "--host=127.0.0.1", "--port", &self.port.to_string()])
            .status()
            .await;
        asked.is_ok_and(|status| status.success())
    }
}

/// Length, protocol 3.0, parameters.
fn startup_message() -> Vec<u8> {
    let parameters = b"user\0postgres\0database\0postgres\0\0";
    let length = 8 + parameters.len() as u32;
    [&length.to_be_bytes(), &196_608_u32.to_be_bytes(), &parameters[..]].concat()
}
