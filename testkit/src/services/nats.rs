//! NATS with JetStream, with the settings of `nats/nats-server.conf`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use rustix::process::Signal;

use crate::authority::{Authority, Identity};

use super::ask::ask;
use super::find;
use super::ports;
use super::server::{Program, Server};

/// The file that is deployed: what it sets is in force in every test.
const SETTINGS: &str = include_str!("../../../nats/nats-server.conf");
const DEPLOYED_STORE: &str = r#"store_dir: "/data""#;

/// Whom the file lets in: user, password, and the variable that the file takes it from.
const SERVICE: (&str, &str, &str) = ("turnstream", "service1", "NATS_SERVICE_PASSWORD");
const ANALYST: (&str, &str, &str) = ("analyst", "analyst1", "NATS_ANALYST_PASSWORD");

/// A NATS server. Its [`url`](Server::url) has the service's password in it.
pub type Nats = Server<NatsProgram>;

/// How NATS is run.
#[derive(Clone)]
pub struct NatsProgram {
    pub(super) binary: PathBuf,
    pub(super) port: u16,
    pub(super) monitor_port: u16,
    /// What makes it a node of a cluster.
    pub(super) cluster: Vec<String>,
    /// What it shows clients, if they have to encrypt and to show a certificate too.
    pub(super) identity: Option<Identity>,
}

impl Nats {
    /// Starts one with an empty store.
    pub async fn start() -> anyhow::Result<Self> {
        Self::launch(NatsProgram::new(find::nats().await?)).await
    }

    /// The same, for clients that encrypt and show a certificate of the same authority. Its [`url`](Server::url) has no
    /// password in it.
    pub async fn start_secured(authority: &Authority) -> anyhow::Result<Self> {
        let mut program = NatsProgram::new(find::nats().await?);
        program.identity = Some(authority.vouch_for("nats")?);
        Self::launch(program).await
    }

    /// Where analysts connect, with their password.
    pub fn analysts_url(&self) -> String {
        self.program().url_of(ANALYST)
    }

    /// Where anybody connects: its address, without a password.
    pub fn address(&self) -> String {
        self.program().address()
    }

    /// The service's user and password.
    pub fn credentials() -> (String, String) {
        let (user, password, _) = SERVICE;
        (user.to_owned(), password.to_owned())
    }

    /// The analysts' user and password.
    pub fn analysts_credentials() -> (String, String) {
        let (user, password, _) = ANALYST;
        (user.to_owned(), password.to_owned())
    }

    /// Where it tells about itself: `/varz`, `/jsz`, `/healthz`.
    pub fn monitor_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.program().monitor_port)
    }
}

impl NatsProgram {
    pub(super) fn new(binary: PathBuf) -> Self {
        Self {
            binary,
            port: 0,
            monitor_port: 0,
            cluster: Vec::new(),
            identity: None,
        }
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn url_of(&self, (user, password, _): (&str, &str, &str)) -> String {
        format!("nats://{user}:{password}@{}", self.address())
    }

    /// Whether `/healthz` with these `conditions` says yes.
    pub(super) async fn healthy(&self, conditions: &str) -> bool {
        let request = format!("GET /healthz?{conditions} HTTP/1.0\r\n\r\n");
        let answer = ask(self.monitor_port, request.as_bytes()).await;
        answer.is_ok_and(|answer| answer.starts_with(b"HTTP/1.0 200 "))
    }
}

impl Program for NatsProgram {
    const NAME: &'static str = "NATS";
    const STOP: Signal = Signal::TERM;

    fn choose_ports(&mut self) -> anyhow::Result<()> {
        self.port = ports::free()?;
        self.monitor_port = ports::free()?;
        Ok(())
    }

    async fn prepare(&self, store: &Path) -> anyhow::Result<()> {
        ensure!(
            SETTINGS.contains(DEPLOYED_STORE),
            "nats/nats-server.conf does not say {DEPLOYED_STORE}"
        );
        let mut settings = SETTINGS.replace(
            DEPLOYED_STORE,
            &format!("store_dir: {:?}", store.display().to_string()),
        );
        if let Some(identity) = &self.identity {
            settings += &tls(identity);
        }
        fs::create_dir(store)?;
        Ok(fs::write(settings_file(store), settings)?)
    }

    fn command(&self, store: &Path) -> Vec<OsString> {
        let mut command: Vec<OsString> = vec!["/usr/bin/env".into()];
        command.extend([SERVICE, ANALYST].map(|(_, password, name)| format!("{name}={password}").into()));
        command.extend([
            self.binary.clone().into(),
            "--config".into(),
            settings_file(store).into(),
        ]);
        let port = self.port.to_string();
        let monitor_port = self.monitor_port.to_string();
        let addresses = [
            ["--addr", "127.0.0.1"],
            ["--port", &port],
            ["--http_port", &monitor_port],
        ];
        command.extend(addresses.as_flattened().iter().map(OsString::from));
        command.extend(self.cluster.iter().map(OsString::from));
        command
    }

    async fn answers(&self) -> bool {
        // It listens to clients only after it has recovered its store.
        self.healthy("js-enabled-only=true").await
            && ask(self.port, b"")
                .await
                .is_ok_and(|answer| answer.starts_with(b"INFO "))
    }

    fn url(&self) -> String {
        match &self.identity {
            Some(_) => format!("tls://{}", self.address()),
            None => self.url_of(SERVICE),
        }
    }
}

fn tls(identity: &Identity) -> String {
    format!(
        "\ntls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}\n",
        identity.certificate.display().to_string(),
        identity.key.display().to_string(),
        identity.authority.display().to_string()
    )
}

fn settings_file(store: &Path) -> PathBuf {
    store.with_file_name("nats-server.conf")
}
