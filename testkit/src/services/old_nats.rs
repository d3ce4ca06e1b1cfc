//! A NATS server that is too old: before 2.12 it ignores the header that fences off a stale writer.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use super::ask::ask;
use super::find;
use super::nats::Nats;
use super::server::{Program, Server};

/// A NATS server of yesterday, with JetStream and its own settings; it does not know ours.
pub type OldNats = Server<OldNatsProgram>;

/// How it is run.
#[derive(Clone)]
pub struct OldNatsProgram {
    binary: PathBuf,
    port: u16,
}

impl OldNats {
    /// Starts one with an empty store where `other` listened, which must have ended.
    pub async fn in_place_of(other: &Nats) -> anyhow::Result<Self> {
        Self::launch(OldNatsProgram {
            binary: find::old_nats().await?,
            port: other.program().port,
        })
        .await
    }
}

impl Program for OldNatsProgram {
    const NAME: &'static str = "an old NATS";
    const STOP: Signal = Signal::TERM;

    fn choose_ports(&mut self) -> anyhow::Result<()> {
        // It has another one's.
        Ok(())
    }

    async fn prepare(&self, store: &Path) -> anyhow::Result<()> {
        Ok(fs::create_dir(store)?)
    }

    fn command(&self, store: &Path) -> Vec<OsString> {
        let port = self.port.to_string();
        let mut command = vec![self.binary.clone().into(), "--jetstream".into()];
        command.extend(["--store_dir".into(), store.into()]);
        let addresses = [["--addr", "127.0.0.1"], ["--port", &port]];
        command.extend(addresses.as_flattened().iter().map(OsString::from));
        command
    }

    async fn answers(&self) -> bool {
        ask(self.port, b"")
            .await
            .is_ok_and(|answer| answer.starts_with(b"INFO "))
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}
