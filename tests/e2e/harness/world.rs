//! What services run in: a private data directory, or private servers.

use std::sync::Arc;

use tempfile::TempDir;
use testkit::authority::Authority;
use testkit::clock::FakeClock;
use testkit::services::{Nats, NatsCluster, Postgres, Valkey};

use super::inside::Inside;
use super::service::Service;

/// The key of every world: services that share one know each other's tokens.
const SECRET: &str = "test:5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

/// What one or more services share. Dropping it ends its servers and removes its data.
pub struct World {
    /// The one NATS server.
    pub nats: Option<Nats>,
    /// Several of them, in place of the one.
    pub cluster: Option<NatsCluster>,
    /// Valkey.
    pub valkey: Option<Valkey>,
    /// Postgres.
    pub postgres: Option<Postgres>,
    data: TempDir,
}

impl World {
    /// No servers: one service at a time, on a data directory.
    #[expect(clippy::unused_async, reason = "made as the other worlds are")]
    pub async fn embedded() -> Self {
        Self {
            nats: None,
            cluster: None,
            valkey: None,
            postgres: None,
            data: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    /// NATS, Valkey and Postgres.
    pub async fn servers() -> Self {
        let (nats, valkey, postgres) = tokio::join!(Nats::start(), Valkey::start(), Postgres::start());
        Self {
            nats: Some(nats.expect("NATS")),
            valkey: Some(valkey.expect("Valkey")),
            postgres: Some(postgres.expect("Postgres")),
            ..Self::embedded().await
        }
    }

    /// The same, for whoever encrypts, shows a certificate of this authority, and knows the passwords.
    pub async fn secured(authority: &Authority) -> Self {
        let (nats, valkey, postgres) = tokio::join!(
            Nats::start_secured(authority),
            Valkey::start_secured(authority),
            Postgres::start_secured(authority)
        );
        Self {
            nats: Some(nats.expect("NATS")),
            valkey: Some(valkey.expect("Valkey")),
            postgres: Some(postgres.expect("Postgres")),
            ..Self::embedded().await
        }
    }

    /// The same with three NATS servers.
    pub async fn cluster() -> Self {
        let (cluster, valkey, postgres) =
            tokio::join!(NatsCluster::start(3), Valkey::start(), Postgres::start());
        Self {
            cluster: Some(cluster.expect("a NATS cluster")),
            valkey: Some(valkey.expect("Valkey")),
            postgres: Some(postgres.expect("Postgres")),
            ..Self::embedded().await
        }
    }

    /// Whether it has no servers.
    pub fn is_embedded(&self) -> bool {
        self.nats.is_none() && self.cluster.is_none() && self.valkey.is_none() && self.postgres.is_none()
    }

    /// The data directory of embedded services.
    pub fn data_dir(&self) -> std::path::PathBuf {
        self.data.path().join("data")
    }

    /// Starts the program; returns when it is ready.
    pub async fn start(&self) -> Service {
        self.start_with(&[]).await
    }

    /// The same with further flags, each `--name=value`. They replace what the harness would say.
    pub async fn start_with(&self, flags: &[&str]) -> Service {
        let service = self.start_unready(flags).await;
        service.ready().await;
        service
    }

    /// The same without waiting for more than `/healthz`.
    pub async fn start_unready(&self, flags: &[&str]) -> Service {
        Service::start(self.flags(flags), &[]).await
    }

    /// The same with variables in its environment, each `NAME=value`.
    pub async fn start_unready_in(&self, variables: &[String], flags: &[&str]) -> Service {
        Service::start(self.flags(flags), variables).await
    }

    /// Starts a program that shall not run; what it has printed when it has ended.
    pub async fn start_refused(&self, further: &[&str]) -> String {
        Service::start_refused(self.flags(further)).await
    }

    /// Starts the service within this process, on a clock of the test's, which is stepped until it is ready.
    pub async fn start_inside(&self, clock: Arc<FakeClock>) -> Inside {
        self.start_inside_with(clock, &[]).await
    }

    /// The same with further flags.
    pub async fn start_inside_with(&self, clock: Arc<FakeClock>, flags: &[&str]) -> Inside {
        let inside = self.start_inside_unready(clock, flags).await;
        inside.ready().await;
        inside
    }

    /// The same without waiting for it to be ready, and so without moving the clock.
    pub async fn start_inside_unready(&self, clock: Arc<FakeClock>, flags: &[&str]) -> Inside {
        Inside::start(&self.flags(flags), clock).await
    }

    /// The flags that name the servers of this world.
    pub fn servers_flags(&self) -> Vec<String> {
        let all = self.flags(&[]).into_iter();
        all.filter(|flag| {
            ["--nats-", "--valkey-", "--database-", "--data-dir"]
                .iter()
                .any(|name| flag.starts_with(name))
        })
        .collect()
    }

    /// The flags that make a service one of this world. Bounds per address are wide, since all clients here have the
    /// same.
    fn flags(&self, further: &[&str]) -> Vec<String> {
        let mut flags = vec![
            format!("--data-dir={}", self.data_dir().display()),
            "--guests-per-minute=1000000".to_owned(),
            "--sockets-per-address=1000000".to_owned(),
            "--requests-per-second=1000000".to_owned(),
            "--requests-burst=1000000".to_owned(),
            "--failed-logins-per-minute=1000000".to_owned(),
        ];
        let nats = self.nats.as_ref().map(Nats::url);
        if let Some(url) = nats.or(self.cluster.as_ref().map(NatsCluster::url)) {
            flags.push(format!("--nats-url={url}"));
        }
        if self.cluster.is_some() {
            flags.push("--nats-replicas=3".to_owned());
        }
        if let Some(valkey) = &self.valkey {
            flags.push(format!("--valkey-url={}", valkey.url()));
        }
        if let Some(postgres) = &self.postgres {
            flags.push(format!("--database-url={}", postgres.url()));
        }
        if !self.is_embedded() {
            flags.push(format!("--secret={SECRET}"));
        }
        let name = |flag: &str| flag.split('=').next().map(str::to_owned);
        flags.retain(|flag| further.iter().all(|other| name(other) != name(flag)));
        flags.extend(further.iter().map(ToString::to_string));
        flags
    }
}
