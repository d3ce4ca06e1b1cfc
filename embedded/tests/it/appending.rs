//! Appending, as the publisher does it: many games at once, one message of a game at a time.

use std::collections::HashMap;
use std::sync::Arc;

use commands::ports::{AppendError, EventLog, LogEntry, Outgoing};
use contract::{GameKey, Seq};
use projections::ports::{LogFilter, LogReader};
use testkit::fixtures::{self, Game, outgoing, padded};
use tokio::task::JoinSet;
use turnstream_embedded::{EmbeddedConfig, SqliteLog};

use crate::opened::{clock, in_memory, on_disk};

const GAMES: usize = 200;
const EVENTS: usize = 10;

/// A game's `started`, then takeovers: as many as one likes.
fn events(count: usize) -> Vec<Outgoing> {
    let (mut game, started) = Game::start(contract::Kind::Mancala, fixtures::writer());
    let mut events = vec![outgoing(&started)];
    events.resize_with(count, || outgoing(&game.resume(fixtures::writer())));
    events
}

async fn append_all(log: Arc<SqliteLog>, events: Vec<Outgoing>) -> Vec<LogEntry> {
    let mut written: Vec<LogEntry> = Vec::new();
    for event in &events {
        let expected = written.last().map_or(0, |last| last.seq);
        let seq = log
            .append(event, expected)
            .await
            .expect("nobody else writes this game");
        written.push(fixtures::entry(seq, event));
    }
    written
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_appends_of_two_hundred_games_leave_no_hole() {
    let (embedded, _directory) = on_disk().await;
    let games: JoinSet<_> = (0..GAMES)
        .map(|_| append_all(embedded.log(), events(EVENTS)))
        .collect();
    let mut written = games.join_all().await.concat();
    written.sort_by_key(|entry| entry.seq);
    assert!(
        written
            .iter()
            .map(|entry| entry.seq)
            .eq(1..=(GAMES * EVENTS) as Seq)
    );

    let mut cursor = embedded.reader().open(0, LogFilter::All).await.unwrap();
    assert_eq!(cursor.next(GAMES * EVENTS + 1, 0).await.unwrap(), written);
    let mut per_game: HashMap<GameKey, Vec<LogEntry>> = HashMap::new();
    for entry in written {
        per_game.entry(entry.key).or_default().push(entry);
    }
    for (key, entries) in per_game {
        assert_eq!(embedded.log().read_game(key, 0).await.unwrap(), entries);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_writers_that_expect_the_same_one_wins_each_round() {
    let (embedded, _directory) = on_disk().await;
    let mut newest = 0;
    for event in events(50) {
        let writers: JoinSet<_> = [embedded.log(), embedded.log()]
            .into_iter()
            .map(|log| {
                let event = event.clone();
                async move { log.append(&event, newest).await }
            })
            .collect();
        let outcomes = writers.join_all().await;
        let taken: Vec<_> = outcomes.iter().flatten().collect();
        assert_eq!(taken.len(), 1, "{outcomes:?}");
        assert!(
            outcomes
                .iter()
                .any(|outcome| matches!(outcome, Err(AppendError::Refused(_))))
        );
        newest = *taken[0];
    }
}

#[tokio::test]
async fn a_message_that_no_server_would_take_is_refused_for_good() {
    let (embedded, ()) = in_memory().await;
    let started = events(1).remove(0);
    let largest = 8 * 1024 * 1024;
    let refused = embedded.log().append(&padded(&started, largest + 1), 0).await;
    assert!(matches!(refused, Err(AppendError::Permanent(_))), "{refused:?}");
    assert_eq!(
        embedded
            .log()
            .append(&padded(&started, largest), 0)
            .await
            .unwrap(),
        1
    );
}

#[tokio::test]
async fn every_commit_can_be_made_to_wait_for_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    let config = EmbeddedConfig {
        data_dir: Some(directory.path().to_owned()),
        full_sync: true,
    };
    let embedded = turnstream_embedded::Embedded::open(config, clock())
        .await
        .unwrap();
    let written = append_all(embedded.log(), events(3)).await;
    assert_eq!(
        embedded.log().read_game(written[0].key, 0).await.unwrap(),
        written
    );
}

#[tokio::test]
async fn two_databases_in_memory_have_nothing_in_common() {
    let ((one, ()), (other, ())) = (in_memory().await, in_memory().await);
    append_all(one.log(), events(2)).await;
    let (one, other) = (one.log().info().await.unwrap(), other.log().info().await.unwrap());
    assert_eq!((one.last, other.last), (2, 0));
    assert_ne!(one.identity, other.identity);
}

#[tokio::test]
async fn takeovers_that_nobody_reads_delay_no_append_and_are_not_lost() {
    let (embedded, _directory) = on_disk().await;
    let mut takeovers = embedded.log().takeovers().await.unwrap();
    let written = append_all(embedded.log(), events(1_000)).await;
    for expected in &written {
        assert_eq!(takeovers.recv().await.as_ref(), Some(expected));
    }
}
