//! Valkey with an append-only file and no eviction, as the service requires it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use tokio::process::Command;

use crate::authority::{Authority, Identity};

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
    /// What it shows clients, if they have to encrypt, to show a certificate too, and to know the password.
    identity: Option<Identity>,
}

/// The password of one that asks for it.
const PASSWORD: &str = "valkey1";

impl Valkey {
    /// Starts an empty one.
    pub async fn start() -> anyhow::Result<Self> {
        Self::launch(ValkeyProgram {
            binary: find::valkey()?,
            port: 0,
            identity: None,
        })
        .await
    }

    /// The same, for clients that encrypt, show a certificate of the same authority, and know the password.
    pub async fn start_secured(authority: &Authority) -> anyhow::Result<Self> {
        Self::launch(ValkeyProgram {
            binary: find::valkey()?,
            port: 0,
            identity: Some(authority.vouch_for("valkey")?),
        })
        .await
    }

    /// The password of one that asks for it.
    pub fn password() -> &'static str {
        PASSWORD
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
            ["--appendonly", "yes"],
            ["--appendfsync", "everysec"],
            ["--maxmemory-policy", "noeviction"],
            ["--save", ""],
            ["--daemonize", "no"],
        ];
        command.extend(settings.as_flattened().iter().map(OsString::from));
        match &self.identity {
            None => command.extend(["--port", &port].map(OsString::from)),
            Some(identity) => {
                command.extend(
                    ["--port", "0", "--tls-port", &port, "--requirepass", PASSWORD].map(OsString::from),
                );
                command.extend(["--tls-cert-file".into(), identity.certificate.clone().into()]);
                command.extend(["--tls-key-file".into(), identity.key.clone().into()]);
                command.extend(["--tls-ca-cert-file".into(), identity.authority.clone().into()]);
            }
        }
        command
    }

    async fn answers(&self) -> bool {
        // While it loads its file it answers -LOADING.
        if let Some(identity) = &self.identity {
            return self.answers_in_secret(identity).await;
        }
        ask(self.port, b"PING\r\n")
            .await
            .is_ok_and(|answer| answer.starts_with(b"+PONG"))
    }

    fn url(&self) -> String {
        let scheme = if self.identity.is_some() {
            "rediss"
        } else {
            "redis"
        };
        format!("{scheme}://127.0.0.1:{}", self.port)
    }
}

impl ValkeyProgram {
    async fn answers_in_secret(&self, identity: &Identity) -> bool {
        let asked = Command::new("valkey-cli")
            .args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "--tls"])
            .arg("--cacert")
            .arg(&identity.authority)
            .arg("--cert")
            .arg(&identity.certificate)
            .arg("--key")
            .arg(&identity.key)
            .args(["--no-auth-warning", "-a", PASSWORD, "PING"])
            .output()
            .await;
        asked.is_ok_and(|answer| answer.stdout.starts_with(b"PONG"))
    }
}
