//! The contract suites, on a real server for each case.

use std::sync::Arc;

use commands::ports::{EventLog, Heartbeats};
use projections::ports::{DeadLetters, LogEraser, LogPages, LogReader, SpectatorCounts};
use testkit::services::Nats;
use turnstream_nats::{NatsConfig, NatsLog, NatsPages};

async fn connect(server: &Nats) -> Arc<NatsLog> {
    Arc::new(NatsLog::connect(&NatsConfig::new(server.url())).await.unwrap())
}

async fn server() -> Nats {
    Nats::start().await.unwrap()
}

async fn log() -> (Arc<dyn EventLog>, Nats) {
    let server = server().await;
    (connect(&server).await, server)
}

async fn log_and_reader() -> (Arc<dyn EventLog>, Arc<dyn LogReader>, Nats) {
    let server = server().await;
    (connect(&server).await, connect(&server).await, server)
}

async fn both_ends() -> (Arc<dyn Heartbeats>, Arc<dyn Heartbeats>, Nats) {
    let server = server().await;
    (connect(&server).await, connect(&server).await, server)
}

async fn both_ends_of_counts() -> (Arc<dyn SpectatorCounts>, Arc<dyn SpectatorCounts>, Nats) {
    let server = server().await;
    (connect(&server).await, connect(&server).await, server)
}

async fn dead_letters() -> (Arc<dyn DeadLetters>, Nats) {
    let server = server().await;
    (connect(&server).await, server)
}

async fn log_and_eraser() -> (Arc<dyn EventLog>, Arc<dyn LogReader>, Arc<dyn LogEraser>, Nats) {
    let server = server().await;
    let log = connect(&server).await;
    (log.clone(), log.clone(), log, server)
}

mod log_eraser {
    testkit::log_eraser_contract!(super::log_and_eraser);
}

mod event_log {
    testkit::event_log_contract!(super::log);
}

mod log_reader {
    testkit::log_reader_contract!(super::log_and_reader);
}

mod heartbeats {
    testkit::heartbeats_contract!(super::both_ends);
}

mod spectator_counts {
    testkit::spectator_counts_contract!(super::both_ends_of_counts);
}

mod dead_letter {
    testkit::dead_letters_contract!(super::dead_letters);
}

async fn log_and_pages() -> (Arc<dyn EventLog>, Arc<dyn LogPages>, Nats) {
    let server = server().await;
    let log = connect(&server).await;
    let pages = NatsPages::connect(&NatsConfig::new(server.url()), None).await;
    (log, Arc::new(pages.unwrap()), server)
}

/// As analysts are let in, through the account that only reads.
async fn log_and_analysts_pages() -> (Arc<dyn EventLog>, Arc<dyn LogPages>, Nats) {
    let server = server().await;
    let log = connect(&server).await;
    let pages = NatsPages::connect(&NatsConfig::new(server.analysts_url()), Some("turnstream")).await;
    (log, Arc::new(pages.unwrap()), server)
}

mod log_pages {
    testkit::log_pages_contract!(super::log_and_pages);
}

mod analysts_log_pages {
    testkit::log_pages_contract!(super::log_and_analysts_pages);
}
