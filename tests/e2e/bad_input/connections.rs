//! Connections of those who say nothing, or say it slowly.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use super::raw::{connect, hear, say};
use super::{Table, figure};
use crate::harness::eventually;

/// The bytes of a request, one after the other, each after a pause, until nobody takes them any more.
async fn drip(stream: &mut TcpStream, bytes: &[u8], pause: Duration) {
    for byte in bytes {
        if stream.write_all(&[*byte]).await.is_err() {
            return;
        }
        sleep(pause).await;
    }
}

async fn connections_are(table: &Table, wanted: i64) {
    eventually(&format!("{wanted} connections are open"), async || {
        (figure(&table.service, "turnstream_connections").await == wanted).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_sends_no_whole_request_is_closed() {
    let table = Table::laid(&["--idle-close-ms=1000"], 3).await;
    let url = table.url();
    let begun = Instant::now();
    let silent = async { hear(&mut connect(&url).await).await };
    let half = say(&url, b"GET / HTTP/1.1\r\nhost: x\r\n");
    let between = say(&url, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
    let slow = async {
        let mut stream = connect(&url).await;
        let endless = b"GET / HTTP/1.1\r\nhost: x\r\na: "
            .iter()
            .chain([&b'x'; 1000])
            .copied()
            .collect::<Vec<_>>();
        drip(&mut stream, &endless, Duration::from_millis(20)).await;
        hear(&mut stream).await
    };
    let (silent, half, between, slow) = tokio::join!(silent, half, between, slow);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(
        (silent.as_str(), half.is_empty() || half.contains(" 408 ")),
        ("", true),
        "{half}"
    );
    assert!(slow.is_empty() || slow.contains(" 408 "), "{slow}");
    assert!(between.starts_with("HTTP/1.1 200"), "{between}");
    // The table's own sockets say nothing either.
    connections_are(&table, 0).await;
    super::is_calm(&table.service);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let table = Table::laid(&["--request-timeout-ms=500"], 3).await;
    let head = "POST /guests HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{";
    let begun = Instant::now();
    let mut stream = connect(&table.url()).await;
    stream.write_all(head.as_bytes()).await.expect("it is open");
    let answer = hear(&mut stream).await;
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("application/problem+json"), "{answer}");
    table.must_be_untouched().await;
}

#[tokio::test]
async fn connections_of_an_address_are_bounded_and_the_next_one_hears_why() {
    let table = Table::laid(
        &["--sockets-per-address=10", "--spare-connections-per-address=10"],
        3,
    )
    .await;
    let url = table.url();
    connections_are(&table, 2).await;
    let mut held = Vec::new();
    // Two are the table's own.
    while held.len() < 18 {
        held.push(connect(&url).await);
    }
    connections_are(&table, 20).await;
    let answer = hear(&mut connect(&url).await).await;
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    assert!(
        answer.contains("retry-after") && answer.contains("/problems/too-many-sockets"),
        "{answer}"
    );
    assert!(figure(&table.service, "turnstream_connections_refused_total").await >= 1);
    drop(held);
    connections_are(&table, 2).await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn connections_are_bounded_in_all_whoever_they_come_from() {
    let table = Table::laid(&["--connections=6", "--trusted-proxy=127.0.0.1"], 3).await;
    let url = table.url();
    connections_are(&table, 2).await;
    let held = [
        connect(&url).await,
        connect(&url).await,
        connect(&url).await,
        connect(&url).await,
    ];
    connections_are(&table, 6).await;
    let answer = hear(&mut connect(&url).await).await;
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    drop(held);
    connections_are(&table, 2).await;
    table.must_be_untouched().await;
}
