//! What is not written: without the token, from another checkpoint, of an old version.

use projections::ports::{LiveStore, SnapshotStatus, SnapshotWrite, Written};

use super::given::{ME, OTHER, batch, checkpoint, id, live, stored, tombstone};

pub async fn writing_needs_the_token(store: &dyn LiveStore) {
    let first = batch(None, 1, vec![live(1, 1)]);
    assert_eq!(store.write(0, ME, &first).await.unwrap(), Written::LostToken);
    assert!(store.acquire(0, OTHER).await.unwrap());
    assert_eq!(store.write(0, ME, &first).await.unwrap(), Written::LostToken);
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.write(0, OTHER, &first).await.unwrap(), Written::Done);
}

pub async fn a_batch_that_does_not_start_at_the_checkpoint_is_refused(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let without_base = batch(Some(4), 5, vec![live(1, 1)]);
    assert_eq!(
        store.write(0, ME, &without_base).await.unwrap(),
        Written::MovedCheckpoint
    );
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(
        store.write(0, ME, &batch(None, 5, vec![])).await.unwrap(),
        Written::Done
    );
    for from in [4, 6, 50] {
        let other_base = batch(Some(from), 60, vec![live(1, 1)]);
        assert_eq!(
            store.write(0, ME, &other_base).await.unwrap(),
            Written::MovedCheckpoint
        );
    }
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(5)));
    assert_eq!(store.get(id(1)).await.unwrap(), None);
}

pub async fn a_first_batch_is_refused_once_there_is_a_checkpoint(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store.write(0, ME, &batch(None, 5, vec![])).await.unwrap(),
        Written::Done
    );
    let again = batch(None, 6, vec![live(1, 1)]);
    assert_eq!(
        store.write(0, ME, &again).await.unwrap(),
        Written::MovedCheckpoint
    );
    assert_eq!(store.get(id(1)).await.unwrap(), None);
}

pub async fn a_lost_token_is_said_before_a_moved_checkpoint(store: &dyn LiveStore) {
    assert!(store.acquire(0, OTHER).await.unwrap());
    let both_wrong = batch(Some(3), 4, vec![]);
    assert_eq!(store.write(0, ME, &both_wrong).await.unwrap(), Written::LostToken);
}

pub async fn a_version_not_above_the_stored_one_is_skipped(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 1, vec![live(1, 5)]))
            .await
            .unwrap(),
        Written::Done
    );
    let same = SnapshotWrite {
        bytes: "other".into(),
        ..live(1, 5)
    };
    let older_and_new = batch(Some(1), 2, vec![same, live(2, 1)]);
    assert_eq!(store.write(0, ME, &older_and_new).await.unwrap(), Written::Done);
    assert_eq!(store.heal(0, ME, &[live(1, 4)]).await.unwrap(), Written::Done);
    assert_eq!(
        stored(store, 1).await,
        Some((5, SnapshotStatus::Live, live(1, 5).bytes))
    );
    assert!(stored(store, 2).await.is_some());
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(2)));
}

pub async fn versions_are_compared_as_numbers(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    for version in [9, 10, 99, 100, 1_000_000] {
        assert_eq!(
            store.heal(0, ME, &[live(1, version)]).await.unwrap(),
            Written::Done
        );
        assert_eq!(stored(store, 1).await.unwrap().0, version);
    }
}

pub async fn a_forced_snapshot_replaces_a_newer_one(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store.heal(0, ME, &[live(1, 5), tombstone(2, 9)]).await.unwrap(),
        Written::Done
    );
    let forced = [
        SnapshotWrite {
            force: true,
            ..live(1, 3)
        },
        SnapshotWrite {
            force: true,
            ..live(2, 9)
        },
    ];
    assert_eq!(store.heal(0, ME, &forced).await.unwrap(), Written::Done);
    assert_eq!(stored(store, 1).await.unwrap().0, 3);
    assert_eq!(stored(store, 2).await.unwrap().1, SnapshotStatus::Live);
    assert_eq!(store.tombstones(0).await.unwrap(), vec![]);
}

pub async fn only_a_creating_write_makes_a_new_key(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let replacing = SnapshotWrite {
        create: false,
        ..live(1, 2)
    };
    let forcing = SnapshotWrite {
        create: false,
        force: true,
        ..live(1, 2)
    };
    assert_eq!(
        store
            .write(0, ME, &batch(None, 1, vec![replacing.clone()]))
            .await
            .unwrap(),
        Written::Done
    );
    assert_eq!(store.heal(0, ME, &[forcing]).await.unwrap(), Written::Done);
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.load().await.unwrap().snapshots, vec![]);
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(store.heal(0, ME, &[replacing]).await.unwrap(), Written::Done);
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}

pub async fn a_heal_leaves_the_checkpoint_where_it_is(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(
        store.write(0, ME, &batch(None, 8, vec![])).await.unwrap(),
        Written::Done
    );
    assert_eq!(store.heal(0, ME, &[live(1, 2)]).await.unwrap(), Written::Done);
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(8)));
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}

pub async fn a_heal_needs_the_token_and_a_newer_version(store: &dyn LiveStore) {
    assert_eq!(
        store.heal(0, ME, &[live(1, 1)]).await.unwrap(),
        Written::LostToken
    );
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 2)]).await.unwrap(), Written::Done);
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(
        store.heal(0, OTHER, &[live(1, 3)]).await.unwrap(),
        Written::LostToken
    );
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}
