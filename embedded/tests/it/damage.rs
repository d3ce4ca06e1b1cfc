//! Databases that this service did not write, or not as they are.

use commands::ports::EventLog;
use contract::Kind;
use projections::ports::{LogFilter, LogReader};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tempfile::TempDir;
use testkit::fixtures::{self, Game, outgoing};
use turnstream_embedded::OpenError;

use crate::opened::{on_disk, open_in};

/// A closed database with one event, and a connection to change it by.
async fn closed() -> (TempDir, contract::GameKey, SqliteConnection) {
    let (embedded, directory) = on_disk().await;
    let (game, started) = Game::start(Kind::Mancala, fixtures::writer());
    embedded.log().append(&outgoing(&started), 0).await.unwrap();
    embedded.close().await;
    let file = directory.path().join("turnstream.sqlite");
    let connection = SqliteConnectOptions::new()
        .filename(file)
        .connect()
        .await
        .unwrap();
    (directory, game.state().key(), connection)
}

#[tokio::test]
async fn the_database_of_a_newer_service_is_left_alone() {
    let (directory, _, mut connection) = closed().await;
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'of the future', TRUE, x'00', 0)",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();
    let Err(error) = open_in(directory.path()).await else {
        panic!("its schema is unknown")
    };
    assert!(
        matches!(error, OpenError::NewerSchema { version: 9999 }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_an_error_that_names_its_column() {
    let (directory, key, mut connection) = closed().await;
    sqlx::raw_sql("PRAGMA ignore_check_constraints = ON; UPDATE log SET game = x'0102'")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let embedded = open_in(directory.path()).await.unwrap();
    let error = embedded.log().unfinished().await.unwrap_err().to_string();
    assert!(error.contains("game") && error.contains("16 bytes"), "{error}");
    assert_eq!(
        embedded.log().last(key).await.unwrap(),
        None,
        "its own game has no message"
    );
}

/// Newer code wrote them, or nobody did.
#[tokio::test]
async fn rows_of_a_kind_that_is_not_known_are_passed_over() {
    let (directory, key, mut connection) = closed().await;
    sqlx::query("UPDATE log SET kind = 'draughts'")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let embedded = open_in(directory.path()).await.unwrap();
    assert_eq!(embedded.log().unfinished().await.unwrap(), []);
    assert_eq!(embedded.log().last(key).await.unwrap(), None);
    let mut cursor = embedded.reader().open(0, LogFilter::All).await.unwrap();
    assert_eq!(cursor.next(10, 0).await.unwrap(), []);
    assert_eq!(cursor.passed(), 1, "there is nothing to wait for");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(
        directory.path().join("turnstream.sqlite"),
        "no database, but long enough".repeat(100),
    )
    .unwrap();
    assert!(matches!(
        open_in(directory.path()).await,
        Err(OpenError::Database(_))
    ));
}
