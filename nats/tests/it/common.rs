//! What the tests of this adapter share.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::ConnectOptions;
use commands::ports::{EventLog, Link};
use testkit::services::Nats;
use tokio::time::timeout;
use turnstream_nats::{NatsConfig, NatsLog};

/// Long enough for anything that will happen at all.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub async fn start() -> Nats {
    Nats::start().await.unwrap()
}

pub async fn connect(server: &Nats) -> NatsLog {
    NatsLog::connect(&NatsConfig::new(server.url())).await.unwrap()
}

/// Returns when the link is up; which connection it is.
pub async fn up(log: &NatsLog) -> u64 {
    let mut link = log.link();
    let link = timeout(PATIENCE, link.wait_for(|link| link.is_up()))
        .await
        .expect("it comes up")
        .unwrap();
    match *link {
        Link::Up(number) => number,
        Link::Down => unreachable!("it was waited for"),
    }
}

/// Returns when the link is down.
pub async fn down(log: &NatsLog) {
    let mut link = log.link();
    timeout(PATIENCE, link.wait_for(|link| !link.is_up()))
        .await
        .expect("it goes down")
        .unwrap();
}

/// A client of the server's own language, to see and change what the adapter does not show.
pub async fn client(server: &Nats) -> async_nats::Client {
    let (user, password) = Nats::credentials();
    ConnectOptions::with_user_and_password(user, password)
        .connect(server.address())
        .await
        .unwrap()
}

/// The file that the server reads when it starts.
pub fn settings_file(server: &Nats) -> PathBuf {
    server.store_dir().with_file_name("nats-server.conf")
}
