//! What every [`LiveRepair`] does. Stamp it with [`live_repair_contract!`](crate::live_repair_contract).

use bytes::Bytes;
use commands::ports::LogIdentity;
use contract::{GameId, GameKey, Kind, Version, WriterId};
use projections::ports::{
    Checkpoint, LiveBatch, LiveRepair, SnapshotStatus, SnapshotWrite, StoredSnapshot, Written,
};
use uuid::Uuid;

const ME: WriterId = WriterId(0xa11ce);

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn LiveRepair>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! live_repair_contract {
    ($open:path) => {
        $crate::live_repair_contract! { $open;
            a_snapshot_is_replaced_only_while_it_is_as_expected,
            a_missing_snapshot_is_made_and_one_too_many_is_deleted,
            a_snapshot_may_become_a_tombstone,
            whoever_writes_the_generation_begins_anew_after_a_repair,
            a_generation_that_readers_left_is_not_mended,
            erasing_deletes_tombstone_and_quarantine_and_leaves_a_live_game,
            scrubbing_leaves_what_is_there,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::live_repair::$case(&*store).await;
        }
    )+ };
}

fn write(game: u128, version: Version, status: SnapshotStatus) -> SnapshotWrite {
    SnapshotWrite {
        key: GameKey {
            kind: Kind::Mancala,
            id: id(game),
        },
        version,
        status,
        create: true,
        force: false,
        bytes: Bytes::from(format!("game {game} at {version}")),
    }
}

fn live(game: u128, version: Version) -> SnapshotWrite {
    write(game, version, SnapshotStatus::Live)
}

fn id(game: u128) -> GameId {
    GameId(Uuid::from_u128(game))
}

fn stored(write: &SnapshotWrite) -> StoredSnapshot {
    StoredSnapshot {
        key: write.key,
        version: write.version,
        status: write.status,
        bytes: write.bytes.clone(),
    }
}

async fn put(store: &dyn LiveRepair, writes: &[SnapshotWrite]) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(store.heal(0, ME, writes).await.unwrap(), Written::Done);
}

pub async fn a_snapshot_is_replaced_only_while_it_is_as_expected(store: &dyn LiveRepair) {
    let wrong = live(1, 7);
    let right = SnapshotWrite {
        bytes: Bytes::from_static(b"as the log says"),
        ..live(1, 5)
    };
    put(store, std::slice::from_ref(&wrong)).await;
    for other in [
        live(1, 6),
        write(1, 7, SnapshotStatus::Tombstone),
        SnapshotWrite {
            bytes: Bytes::from_static(b"other"),
            ..wrong.clone()
        },
    ] {
        let expected = stored(&other);
        assert!(!store.mend(0, id(1), Some(&expected), Some(&right)).await.unwrap());
    }
    assert!(!store.mend(0, id(1), None, Some(&right)).await.unwrap());
    assert_eq!(store.get(id(1)).await.unwrap(), Some(stored(&wrong)));

    let expected = stored(&wrong);
    assert!(store.mend(0, id(1), Some(&expected), Some(&right)).await.unwrap());
    assert_eq!(store.get(id(1)).await.unwrap(), Some(stored(&right)));
    assert!(!store.mend(0, id(1), Some(&expected), Some(&right)).await.unwrap());
}

pub async fn a_missing_snapshot_is_made_and_one_too_many_is_deleted(store: &dyn LiveRepair) {
    let made = live(1, 3);
    assert!(store.mend(0, id(1), None, Some(&made)).await.unwrap());
    assert_eq!(store.load().await.unwrap().snapshots, [stored(&made)]);
    assert!(store.mend(0, id(1), Some(&stored(&made)), None).await.unwrap());
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.load().await.unwrap().snapshots, []);
    assert!(
        store.mend(0, id(1), None, None).await.unwrap(),
        "there is nothing, as expected"
    );
}

pub async fn a_snapshot_may_become_a_tombstone(store: &dyn LiveRepair) {
    let (before, after) = (live(1, 3), write(1, 4, SnapshotStatus::Tombstone));
    put(store, std::slice::from_ref(&before)).await;
    assert!(
        store
            .mend(0, id(1), Some(&stored(&before)), Some(&after))
            .await
            .unwrap()
    );
    assert_eq!(store.tombstones(0).await.unwrap(), [id(1)]);
    assert_eq!(store.get(id(1)).await.unwrap(), Some(stored(&after)));
    assert!(
        store
            .mend(0, id(1), Some(&stored(&after)), Some(&before))
            .await
            .unwrap()
    );
    assert_eq!(store.tombstones(0).await.unwrap(), []);
}

pub async fn whoever_writes_the_generation_begins_anew_after_a_repair(store: &dyn LiveRepair) {
    assert!(store.acquire(0, ME).await.unwrap());
    let batch = |from, seq| LiveBatch {
        from,
        to: Checkpoint {
            seq,
            event_id: None,
            log: LogIdentity("one".into()),
        },
        writes: Vec::new(),
    };
    assert_eq!(store.write(0, ME, &batch(None, 4)).await.unwrap(), Written::Done);
    assert!(
        !store
            .mend(0, id(1), Some(&stored(&live(1, 1))), None)
            .await
            .unwrap()
    );
    assert_eq!(
        store.write(0, ME, &batch(Some(4), 5)).await.unwrap(),
        Written::Done,
        "nothing was replaced"
    );
    assert!(store.mend(0, id(1), None, Some(&live(1, 1))).await.unwrap());
    assert_eq!(
        store.write(0, ME, &batch(Some(5), 6)).await.unwrap(),
        Written::LostToken
    );
    assert!(store.acquire(0, ME).await.unwrap(), "the token is free");
    assert_eq!(
        store.checkpoint(0).await.unwrap().map(|stored| stored.seq),
        Some(5)
    );
    assert_eq!(
        store.write(0, ME, &batch(Some(5), 6)).await.unwrap(),
        Written::Done
    );
}

pub async fn a_generation_that_readers_left_is_not_mended(store: &dyn LiveRepair) {
    assert!(store.flip(0, 1).await.unwrap());
    assert!(!store.mend(0, id(1), None, Some(&live(1, 1))).await.unwrap());
    assert!(!store.mend(2, id(1), None, Some(&live(1, 1))).await.unwrap());
    assert!(store.mend(1, id(1), None, Some(&live(1, 1))).await.unwrap());
    assert_eq!(store.get(id(1)).await.unwrap(), Some(stored(&live(1, 1))));
}

pub async fn erasing_deletes_tombstone_and_quarantine_and_leaves_a_live_game(store: &dyn LiveRepair) {
    put(
        store,
        &[live(1, 3), write(2, 9, SnapshotStatus::Tombstone), live(3, 1)],
    )
    .await;
    store.quarantine(id(3), "to be looked at").await.unwrap();
    for game in [1, 2, 3, 4] {
        store.erase(id(game)).await.unwrap();
    }
    assert_eq!(store.load().await.unwrap().snapshots, [stored(&live(1, 3))]);
    assert_eq!(store.tombstones(0).await.unwrap(), []);
}

pub async fn scrubbing_leaves_what_is_there(store: &dyn LiveRepair) {
    put(store, &[live(1, 3), write(2, 9, SnapshotStatus::Tombstone)]).await;
    store.scrub().await.unwrap();
    assert_eq!(store.get(id(1)).await.unwrap(), Some(stored(&live(1, 3))));
    assert_eq!(store.tombstones(0).await.unwrap().len(), 1);
    put(store, &[live(3, 1)]).await;
    store.scrub().await.unwrap();
    assert_eq!(store.load().await.unwrap().snapshots.len(), 3);
}
