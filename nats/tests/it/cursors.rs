//! What cursors leave behind on the server, and logs with very many games.

use crate::common::{PATIENCE, client, connect, start};
use async_nats::jetstream;
use commands::ports::EventLog;
use contract::{EndReason, GameKey, Kind};
use projections::ports::{LogFilter, LogReader};
use testkit::fixtures::{self, Game, append_all, messages, outgoing};
use testkit::services::Nats;
use tokio::time::timeout;
use turnstream_nats::{NatsLog, subjects};

async fn consumers(server: &Nats) -> usize {
    let context = jetstream::new(client(server).await);
    context
        .get_stream("GAMES")
        .await
        .unwrap()
        .cached_info()
        .state
        .consumer_count
}

async fn until_no_consumer_is_left(server: &Nats) {
    timeout(PATIENCE, async { while consumers(server).await > 0 {} })
        .await
        .expect("they are removed");
}

#[tokio::test]
async fn a_dropped_cursor_leaves_no_consumer_behind() {
    let server = start().await;
    let log = connect(&server).await;
    append_all(&log, &messages(3)).await;
    let mut cursors = Vec::new();
    for filter in [LogFilter::All, LogFilter::Ended, LogFilter::All] {
        cursors.push(log.open(0, filter).await.unwrap());
    }
    cursors[0].next(1, 10_000).await.unwrap();
    assert_eq!(consumers(&server).await, 3);
    drop(cursors);
    until_no_consumer_is_left(&server).await;
}

#[tokio::test]
async fn a_cursor_dropped_with_much_unread_leaves_no_consumer_behind() {
    let server = start().await;
    let log = connect(&server).await;
    append_all(&log, &messages(1_000)).await;
    let mut cursor = log.open(0, LogFilter::All).await.unwrap();
    cursor.next(1, 10_000).await.unwrap();
    drop(cursor);
    until_no_consumer_is_left(&server).await;
}

#[tokio::test]
async fn a_watch_that_nobody_reads_leaves_no_consumer_behind() {
    let server = start().await;
    let log = connect(&server).await;
    let takeovers = log.takeovers().await.unwrap();
    timeout(PATIENCE, async { while consumers(&server).await == 0 {} })
        .await
        .expect("it watches");
    drop(takeovers);
    until_no_consumer_is_left(&server).await;
}

#[tokio::test]
async fn a_dropped_log_leaves_no_consumer_behind() {
    let server = start().await;
    let log = connect(&server).await;
    let _cursor = log.open(0, LogFilter::All).await.unwrap();
    let _takeovers = log.takeovers().await.unwrap();
    drop(log);
    until_no_consumer_is_left(&server).await;
}

/// Writes games without waiting for each: `started`, `moved`, and for every second one `ended`.
async fn write_many(server: &Nats, log: &NatsLog, count: usize) -> Vec<GameKey> {
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let events = [started, game.play(), game.end(EndReason::Left)].map(|event| outgoing(&event));
    let client = client(server).await;
    let keys: Vec<GameKey> = (0..count).map(|_| fixtures::game_key()).collect();
    let mut published = 0;
    for (index, key) in keys.iter().enumerate() {
        for event in &events[..if index % 2 == 0 { 2 } else { 3 }] {
            client
                .publish(subjects::event(*key, event.name), event.bytes.clone())
                .await
                .unwrap();
            published += 1;
        }
    }
    timeout(PATIENCE, async {
        while log.info().await.unwrap().last < published {}
    })
    .await
    .expect("all are written");
    keys
}

#[tokio::test]
async fn of_tens_of_thousands_of_games_the_unfinished_ones_are_listed() {
    let server = start().await;
    let log = connect(&server).await;
    // More subjects than the server tells at once.
    let keys = write_many(&server, &log, 44_000).await;
    let mut expected: Vec<GameKey> = keys.iter().copied().step_by(2).collect();
    expected.sort_unstable();
    assert!(log.unfinished().await.unwrap() == expected);
    let found = log.last_of_each(&keys[..10_000]).await.unwrap();
    for (index, (key, found)) in keys.iter().zip(found).enumerate() {
        let found = found.expect("each has one");
        assert_eq!(
            (found.key, found.name.as_str()),
            (*key, if index % 2 == 0 { "moved" } else { "ended" })
        );
    }
}
