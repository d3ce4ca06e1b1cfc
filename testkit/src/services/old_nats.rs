//! A NATS server that is too old: before 2.12 it ignores the header that fences off a stale writer.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rustix::process::Signal;

use super::ask::ask;
use super::find;
use super::nats::Nats;
use super::ports;
use super::server::{Program, Server};

/// A NATS server of yesterday, with JetStream and its own settings; it does not know ours.
pub type OldNats = Server<OldNatsProgram>;

/// How it is run.
#[derive(Clone)]
pub struct OldNatsProgram {
    binary: PathBuf,
    port: u16,
    monitor_port: u16,
}

impl OldNats {
    /// Starts one with an empty store where `other` listened, which must have ended.
    pub async fn in_place_of(other: &Nats) -> anyhow::Result<Self> {
        Self::launch(OldNatsProgram {
            binary: find::old_nats().await?,
            port: other.program().port,
            monitor_port: 0,
        })
        .await
    }

    /// How many connections clients have made to it so far.
    pub async fn connections(&self) -> anyhow::Result<u64> {
        let answer = ask(
            self.program().monitor_port,
            b"GET /connz?state=any HTTP/1.0\r\n\r\n",
        )
        .await?;
        let answer = String::from_utf8(answer)?;
        // The head of the document has it, whatever is said of each connection.
        let (_, total) = answer
            .split_once("\"total\": ")
            .context("it counts its connections")?;
        let digits: String = total.chars().take_while(char::is_ascii_digit).collect();
        Ok(digits.parse()?)
    }
}

impl Program for OldNatsProgram {
    const NAME: &'static str = "an old NATS";
    const STOP: Signal = Signal::TERM;

    fn choose_ports(&mut self) -> anyhow::Result<()> {
        self.monitor_port = ports::free()?;
        Ok(())
    }

    async fn prepare(&self, store: &Path) -> anyhow::Result<()> {
        Ok(fs::create_dir(store)?)
    }

    fn command(&self, store: &Path) -> Vec<OsString> {
        let port = self.port.to_string();
        let monitor_port = self.monitor_port.to_string();
        let mut command = vec![self.binary.clone().into(), "--jetstream".into()];
        command.extend(["--store_dir".into(), store.into()]);
        let addresses = [
            ["--addr", "127.0.0.1"],
            ["--port", &port],
            ["--http_port", &monitor_port],
        ];
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
