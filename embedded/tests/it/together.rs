//! What a projector writes and how far it has come are one transaction.

use bytes::Bytes;
use commands::ports::LogIdentity;
use contract::{GameId, GameKey, Kind, WriterId};
use projections::ports::{Checkpoint, HistoryStore, LiveBatch, LiveStore, SnapshotStatus, SnapshotWrite};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tempfile::TempDir;
use testkit::contracts::history_store::{checkpoint, games::game};

use crate::opened::{on_disk, open_in};

const TOKEN: WriterId = WriterId(1);

/// A database that stores no checkpoint.
async fn without_checkpoints() -> TempDir {
    let (embedded, directory) = on_disk().await;
    embedded.close().await;
    change(
        &directory,
        "CREATE TRIGGER no_checkpoint BEFORE INSERT ON checkpoints
         BEGIN SELECT RAISE(ABORT, 'the test says so'); END",
    )
    .await;
    directory
}

async fn change(directory: &TempDir, statement: &'static str) {
    let file = directory.path().join("turnstream.sqlite");
    let mut connection: SqliteConnection = SqliteConnectOptions::new()
        .filename(file)
        .connect()
        .await
        .unwrap();
    sqlx::query(statement).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_batch_of_finished_games_whose_checkpoint_cannot_be_stored_leaves_no_row() {
    let directory = without_checkpoints().await;
    let embedded = open_in(directory.path()).await.unwrap();
    let history = embedded.history();
    assert!(history.acquire(TOKEN).await.unwrap());
    let refused = history.write(TOKEN, None, &checkpoint(1), &[game(1)]).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(history.existing(&[game(1).id]).await.unwrap(), []);
    assert_eq!(history.popular(9).await.unwrap(), []);
}

#[tokio::test]
async fn a_batch_of_snapshots_whose_checkpoint_cannot_be_stored_leaves_none() {
    let directory = without_checkpoints().await;
    let embedded = open_in(directory.path()).await.unwrap();
    let live = embedded.live();
    let key = GameKey {
        kind: Kind::Mancala,
        id: GameId(uuid::Uuid::from_u128(1)),
    };
    let snapshot = SnapshotWrite {
        key,
        version: 1,
        status: SnapshotStatus::Live,
        create: true,
        force: false,
        bytes: Bytes::from_static(b"a game"),
    };
    let batch = LiveBatch {
        from: None,
        to: Checkpoint {
            seq: 1,
            event_id: None,
            log: LogIdentity("GAMES@1".to_owned()),
        },
        writes: vec![snapshot],
    };
    assert!(live.acquire(0, TOKEN).await.unwrap());
    let refused = live.write(0, TOKEN, &batch).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(live.get(key.id).await.unwrap(), None);
}
