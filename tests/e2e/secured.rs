//! Servers that let in only whoever encrypts, shows a certificate, and knows a password.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;
use testkit::authority::{Authority, Identity};
use testkit::services::{Nats, Postgres, Valkey};

use crate::harness::operator::well;
use crate::harness::{Service, World, eventually};
use crate::kill::{Table, converged, short_vectors};

/// What a service is told about each of the servers, beside its URL.
const SERVERS: [&str; 3] = ["nats", "valkey", "database"];

/// Everything that may come in, in files.
struct Keys {
    authority: Authority,
    own: Identity,
    passwords: TempDir,
}

impl Keys {
    fn new() -> Self {
        let authority = Authority::new("an authority of ours").expect("files can be written");
        let keys = Self {
            own: authority.vouch_for("turnstream").expect("files can be written"),
            authority,
            passwords: tempfile::tempdir().expect("a temporary directory"),
        };
        for (server, password) in passwords() {
            fs::write(keys.password(server), format!("{password}\n")).expect("it can be written");
        }
        keys
    }

    fn password(&self, server: &str) -> std::path::PathBuf {
        self.passwords.path().join(server)
    }

    /// The flags for one server, who is vouched for by `authority`.
    fn of(&self, server: &str, authority: &Path) -> Vec<String> {
        vec![
            format!("--{server}-ca={}", authority.display()),
            format!("--{server}-cert={}", self.own.certificate.display()),
            format!("--{server}-key={}", self.own.key.display()),
        ]
    }

    fn flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = SERVERS
            .iter()
            .flat_map(|server| self.of(server, &self.authority.file()))
            .collect();
        flags.extend(
            SERVERS.map(|server| format!("--{server}-password-file={}", self.password(server).display())),
        );
        flags.push(user());
        flags
    }
}

fn user() -> String {
    let (user, _) = Nats::credentials();
    format!("--nats-user={user}")
}

fn passwords() -> [(&'static str, String); 3] {
    let (_, nats) = Nats::credentials();
    [
        ("nats", nats),
        ("valkey", Valkey::password().to_owned()),
        ("database", Postgres::password().to_owned()),
    ]
}

fn no_password_is_in(service: &Service) {
    for (server, password) in passwords() {
        assert!(!service.log().contains(&password), "the password of {server}");
    }
}

async fn start(world: &World, flags: &[String]) -> Service {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    world.start_unready(&flags).await
}

/// A game is played to its end, and is in every store.
async fn plays(service: &Service) {
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    table.finish().await;
    converged(service).await;
    let status = well(service, &["status"]).await;
    assert_eq!(status["adapters"]["event log"], "NATS JetStream", "{status}");
    let verified = well(service, &["verify"]).await;
    assert_eq!(
        (&verified["games"], &verified["different"]),
        (&json!(1), &json!(0))
    );
    table.check_record().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_certificates_and_passwords_in_files_every_server_is_reached_and_no_password_is_told() {
    let keys = Keys::new();
    let world = World::secured(&keys.authority).await;
    let mut flags = keys.flags();
    flags.push("--log=trace".to_owned());
    let service = start(&world, &flags).await;
    service.ready().await;
    plays(&service).await;
    no_password_is_in(&service);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_passwords_in_the_environment_every_server_is_reached_too() {
    let keys = Keys::new();
    let world = World::secured(&keys.authority).await;
    let variables =
        passwords().map(|(server, password)| format!("{}_PASSWORD={password}", server.to_uppercase()));
    let mut flags = keys.flags();
    flags.retain(|flag| !flag.contains("-password-file="));
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let service = world.start_unready_in(&variables, &flags).await;
    service.ready().await;
    plays(&service).await;
}

/// Starts on servers of which this one cannot be reached, and returns once the log says why.
async fn stays_away(world: &World, flags: &[String], server: &str, why: &[&str]) {
    let service = start(world, flags).await;
    eventually(&format!("the log says of {server}: {why:?}"), async || {
        let log = service.log();
        let mut lines = log.lines();
        lines
            .any(|line| why.iter().all(|part| line.to_lowercase().contains(part)))
            .then_some(())
    })
    .await;
    no_password_is_in(&service);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_a_stranger_vouches_for_is_not_believed_and_the_log_says_so() {
    let keys = Keys::new();
    let world = World::secured(&keys.authority).await;
    let stranger = Authority::new("a stranger").expect("files can be written");
    for server in SERVERS {
        let mut flags = keys.flags();
        flags.retain(|flag| !flag.starts_with(&format!("--{server}-ca=")));
        flags.push(format!("--{server}-ca={}", stranger.file().display()));
        stays_away(&world, &flags, server, &[server, "certificate", "unknownissuer"]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_with_a_wrong_password_or_without_its_certificate_is_not_let_in_and_the_log_says_so() {
    let keys = Keys::new();
    let world = World::secured(&keys.authority).await;
    fs::write(keys.password("wrong"), "hunter2").expect("it can be written");
    let wrong = |server: &str| {
        let mut flags = keys.flags();
        flags.retain(|flag| !flag.starts_with(&format!("--{server}-password-file=")));
        flags.push(format!(
            "--{server}-password-file={}",
            keys.password("wrong").display()
        ));
        flags
    };
    stays_away(
        &world,
        &wrong("nats"),
        "NATS",
        &["nats", "authorization violation"],
    )
    .await;
    stays_away(&world, &wrong("valkey"), "Valkey", &["valkey", "password"]).await;
    stays_away(
        &world,
        &wrong("database"),
        "Postgres",
        &["database", "password authentication failed"],
    )
    .await;
    let without = |server: &str| {
        let mut flags = keys.flags();
        flags.retain(|flag| {
            !flag.starts_with(&format!("--{server}-cert=")) && !flag.starts_with(&format!("--{server}-key="))
        });
        flags
    };
    for server in SERVERS {
        stays_away(&world, &without(server), server, &[server, "certificate"]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_not_what_it_should_be_stops_the_start() {
    let keys = Keys::new();
    let world = World::embedded().await;
    let urls = [
        ("nats", "--nats-url=tls://127.0.0.1:1"),
        ("valkey", "--valkey-url=rediss://127.0.0.1:1"),
        ("database", "--database-url=postgres://us@127.0.0.1:1/x"),
    ];
    for (server, url) in urls {
        let nowhere = format!("--{server}-ca=/nowhere/ca.pem");
        let said = world.start_refused(&[url, &nowhere]).await;
        assert!(said.contains("/nowhere/ca.pem cannot be read"), "{said}");
        let no_certificate = format!("--{server}-ca={}", keys.own.key.display());
        let said = world.start_refused(&[url, &no_certificate]).await;
        assert!(said.contains("has no certificate in PEM form"), "{said}");
    }
    let said = world
        .start_refused(&[
            "--valkey-url=redis://127.0.0.1:1",
            &format!("--valkey-ca={}", keys.authority.file().display()),
        ])
        .await;
    assert!(said.contains("rediss://"), "{said}");
    let said = world
        .start_refused(&["--nats-url=nats://127.0.0.1:1", "--nats-user=us"])
        .await;
    assert!(said.contains("NATS_PASSWORD"), "{said}");
}
