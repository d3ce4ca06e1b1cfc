//! What a database that is closed and opened again still has.

use bytes::Bytes;
use commands::ports::{EventLog, PendingGame, PendingItem, PendingStore};
use contract::{EventId, Kind, WriterId};
use projections::ports::{
    Checkpoint, DeadLetter, DeadLetters, HistoryStore, LiveBatch, LiveStore, SnapshotStatus, SnapshotWrite,
    Written,
};
use testkit::contracts::history_store::games;
use testkit::fixtures::{self, Game, outgoing};
use turnstream_embedded::Embedded;

use crate::opened::{on_disk, open_in};

const ME: WriterId = WriterId(1);
const OTHER: WriterId = WriterId(2);

async fn checkpoint(embedded: &Embedded) -> Checkpoint {
    let info = embedded.log().info().await.unwrap();
    Checkpoint {
        seq: info.last,
        event_id: None,
        log: info.identity,
    }
}

#[tokio::test]
async fn the_log_goes_on_where_it_was() {
    let (embedded, directory) = on_disk().await;
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let seq = embedded.log().append(&outgoing(&started), 0).await.unwrap();
    let before = embedded.log().info().await.unwrap();
    embedded.close().await;

    let embedded = open_in(directory.path()).await.unwrap();
    assert_eq!(embedded.log().info().await.unwrap(), before);
    let moved = outgoing(&game.play());
    assert!(
        embedded.log().append(&moved, 0).await.is_err(),
        "the fence is still there"
    );
    assert_eq!(embedded.log().append(&moved, seq).await.unwrap(), seq + 1);
    assert_eq!(
        embedded
            .log()
            .read_game(game.state().key(), 0)
            .await
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn the_stores_have_what_they_had() {
    let (embedded, directory) = on_disk().await;
    let key = fixtures::game_key();
    let id = EventId::new(key.id, 1, ME);

    let snapshot = SnapshotWrite {
        key,
        version: 3,
        status: SnapshotStatus::Live,
        create: true,
        force: false,
        bytes: Bytes::from_static(b"a snapshot"),
    };
    let batch = LiveBatch {
        from: None,
        to: checkpoint(&embedded).await,
        writes: vec![snapshot],
    };
    assert!(embedded.live().acquire(0, ME).await.unwrap());
    assert_eq!(embedded.live().write(0, ME, &batch).await.unwrap(), Written::Done);
    let live = embedded.live().load().await.unwrap();

    let item = PendingItem {
        place: id,
        id,
        previd: None,
        anchored: false,
        name: "started".to_owned(),
        bytes: Bytes::from_static(b"an event"),
    };
    let waiting = PendingGame {
        key,
        writer: ME,
        base: None,
        items: vec![item],
    };
    embedded.pending().append(&waiting).await.unwrap();

    let finished = games::game(1);
    assert!(embedded.history().acquire(ME).await.unwrap());
    let written = embedded
        .history()
        .write(ME, None, &batch.to, std::slice::from_ref(&finished))
        .await
        .unwrap();
    assert_eq!(written, Written::Done);

    let letter = DeadLetter {
        projector: "history".to_owned(),
        game: key.id,
        seq: 7,
        reason: "its name is too long".to_owned(),
        bytes: Bytes::from_static(b"an event"),
    };
    embedded.dead_letters().put(&letter).await.unwrap();
    embedded.close().await;

    let embedded = open_in(directory.path()).await.unwrap();
    let again = embedded.live().load().await.unwrap();
    assert_eq!(
        (again.checkpoint, again.snapshots),
        (live.checkpoint, live.snapshots)
    );
    assert_eq!(embedded.pending().load().await.unwrap(), [waiting]);
    assert_eq!(
        embedded.history().game(finished.id).await.unwrap(),
        Some(finished)
    );
    assert_eq!(embedded.history().checkpoint().await.unwrap(), Some(batch.to));
    assert_eq!(embedded.dead_letters().list(9).await.unwrap(), [letter]);
}

#[tokio::test]
async fn a_token_does_not_outlive_its_process() {
    let (embedded, directory) = on_disk().await;
    assert!(embedded.live().acquire(0, ME).await.unwrap());
    assert!(embedded.history().acquire(ME).await.unwrap());
    embedded.close().await;
    let embedded = open_in(directory.path()).await.unwrap();
    assert!(embedded.live().acquire(0, OTHER).await.unwrap());
    assert!(embedded.history().acquire(OTHER).await.unwrap());
}

#[tokio::test]
async fn the_flipped_generation_is_still_the_one_in_use() {
    let (embedded, directory) = on_disk().await;
    assert!(embedded.live().flip(0, 4).await.unwrap());
    embedded.close().await;
    assert_eq!(
        open_in(directory.path())
            .await
            .unwrap()
            .live()
            .generation()
            .await
            .unwrap(),
        4
    );
}
