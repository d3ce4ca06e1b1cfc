//! Valkey with an append-only file and no eviction, as the service requires it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use super::ask::ask;
use super::find;
use super::ports;
use super::server::{Program, Server};

/// A Valkey server.
pub type Valkey = Server<ValkeyProgram>;

/// How Valkey is run.
#[derive(Clone)]
pub struct ValkeyProgram {
    binary: PathBuf,
    port: u16,
}

impl Valkey {
    /// Starts an empty one.
    pub async fn start() -> anyhow::Result<Self> {
        Self::launch(ValkeyProgram {
            binary: find::valkey()?,
            port: 0,
        })
        .await
    }
}

impl Program for ValkeyProgram {
    const NAME: &'static str = "Valkey";
    const STOP: Signal = Signal::TERM;

    fn choose_ports(&mut self) -> anyhow::Result<()> {
        self.port = ports::free()?;
        Ok(())
    }

    async fn prepare(&self, store: &Path) -> anyhow::Result<()> {
        Ok(fs::create_dir(store)?)
    }

    fn command(&self, store: &Path) -> Vec<OsString> {
        let mut command = vec![self.binary.clone().into(), "--dir".into(), store.into()];
        let port = self.port.to_string();
        let settings = [
            ["--bind", "127.0.0.1"],
            ["--port", &port],
            ["--appendonly", "yes"],
            ["--appendfsync", "everysec"],
            ["--maxmemory-policy", "noeviction"],
            ["--save", ""],
            ["--daemonize", "no"],
        ];
        command.extend(settings.as_flattened().iter().map(OsString::from));
        command
    }

    async fn answers(&self) -> bool {
        // While it loads its file it answers -LOADING.
        ask(self.port, b"PING\r\n")
            .await
            .is_ok_and(|answer| answer.starts_with(b"+PONG"))
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}
