//! The file, read by somebody who is not the service.

use std::fs;

use contract::{Kind, Millis};
use projections::ports::{LogPages, Wanted};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use testkit::fixtures::{self, BEAT_MS, Game, STARTED_AT, append_after, append_all, messages, outgoing};
use turnstream_embedded::{LogFile, LogFileError};

use crate::opened::{on_disk, open_in};

#[tokio::test]
async fn it_is_read_whether_or_not_a_service_has_it_open() {
    let (embedded, directory) = on_disk().await;
    let file = LogFile::open(directory.path()).await.unwrap();
    let written = append_all(&*embedded.log(), &messages(3)).await;
    let while_open = file.page(1, &Wanted::default(), 10).await.unwrap();
    embedded.close().await;
    let while_closed = file.page(1, &Wanted::default(), 10).await.unwrap();
    assert_eq!(while_open, while_closed);
    assert_eq!(while_closed.len(), written.len());
    // Nor is the service kept from coming back.
    let embedded = open_in(directory.path()).await.unwrap();
    append_all(&*embedded.log(), &messages(1)).await;
    assert_eq!(file.page(1, &Wanted::default(), 10).await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_directory_without_a_log_is_told_from_an_empty_log() {
    let directory = tempfile::tempdir().unwrap();
    let missing = LogFile::open(directory.path()).await.expect_err("there is none");
    assert!(matches!(missing, LogFileError::Missing(_)), "{missing}");
    fs::write(directory.path().join("turnstream.sqlite"), "what is this?").unwrap();
    let unreadable = LogFile::open(directory.path()).await.expect_err("it is none");
    assert!(
        matches!(unreadable, LogFileError::Unreadable { .. }),
        "{unreadable}"
    );
}

#[tokio::test]
async fn nothing_is_written_and_no_schema_is_changed() {
    let (embedded, directory) = on_disk().await;
    append_all(&*embedded.log(), &messages(2)).await;
    embedded.close().await;
    let path = directory.path().join("turnstream.sqlite");
    // As an older release would find a file of a newer one, and a newer one of an older.
    let mut connection = SqliteConnectOptions::new()
        .filename(&path)
        .connect()
        .await
        .unwrap();
    let told = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                VALUES (9999, 'of a newer release', true, '', 0)";
    sqlx::raw_sql(told).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let before = fs::read(&path).unwrap();
    let file = LogFile::open(directory.path()).await.unwrap();
    assert_eq!(file.page(1, &Wanted::default(), 10).await.unwrap().len(), 2);
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// Games write beside each other: what is later in the log may be a little earlier in time.
#[tokio::test]
async fn a_time_leads_to_all_that_was_written_since_though_games_write_nearly_in_turn() {
    let (embedded, directory) = on_disk().await;
    let log = embedded.log();
    let (mut slow, started) = Game::start(Kind::Mancala, fixtures::writer());
    let mut last = append_all(&*log, &[outgoing(&started)]).await[0].seq;
    // Each round an event of one game, and behind it the beginning of another, which was earlier.
    for _ in 0..50 {
        let event = slow.resume(fixtures::writer());
        last = append_after(&*log, last, &[outgoing(&event)]).await[0].seq;
        append_all(&*log, &messages(1)).await;
    }
    let file = LogFile::open(directory.path()).await.unwrap();
    let everything = file.page(1, &Wanted::default(), 1_000).await.unwrap();
    for rounds in [1, 7, 25, 50] {
        let time = Millis(STARTED_AT.0 + rounds * BEAT_MS);
        let from = file.at(time).await.unwrap();
        let left_out = everything.iter().filter(|entry| entry.seq < from);
        for entry in left_out {
            let event: serde_json::Value = serde_json::from_slice(&entry.bytes).unwrap();
            let at = contract::event::parse_time(event["time"].as_str().unwrap()).unwrap();
            assert!(at < time, "{rounds}: {} at {}", entry.seq, at.0);
        }
    }
}
