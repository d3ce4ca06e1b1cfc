//! Single games, tombstones and what is put aside.

use projections::ports::{LiveStore, SnapshotStatus, SnapshotWrite, Written};

use super::given::{ME, batch, id, key, live, stored, tombstone};

pub async fn games_are_read_one_by_one_and_in_the_order_asked_for(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let writes = vec![live(1, 1), live(2, 2), live(3, 3)];
    assert_eq!(
        store.write(0, ME, &batch(None, 3, writes)).await.unwrap(),
        Written::Done
    );
    let found = store.get_many(0, &[id(3), id(9), id(1), id(3)]).await.unwrap();
    let versions: Vec<_> = found
        .iter()
        .map(|found| found.as_ref().map(|found| found.version))
        .collect();
    assert_eq!(versions, [Some(3), None, Some(1), Some(3)]);
    assert_eq!(store.get_many(0, &[]).await.unwrap(), vec![]);
    assert_eq!(store.get(id(2)).await.unwrap().unwrap().key, key(2));
    let many: Vec<_> = (0..1200).map(id).collect();
    let found = store.get_many(0, &many).await.unwrap();
    assert_eq!(found.len(), many.len());
    assert_eq!(found.iter().flatten().count(), 3);
}

pub async fn tombstones_are_listed_and_still_readable(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .heal(0, ME, &[live(1, 1), live(2, 1), live(3, 1)])
            .await
            .unwrap(),
        Written::Done
    );
    let ended = SnapshotWrite {
        create: false,
        ..tombstone(2, 7)
    };
    assert_eq!(
        store.write(0, ME, &batch(None, 9, vec![ended])).await.unwrap(),
        Written::Done
    );
    assert_eq!(store.tombstones(0).await.unwrap(), [id(2)]);
    let buried = store.get(id(2)).await.unwrap().unwrap();
    assert_eq!((buried.key, buried.version), (key(2), 7));
    assert_eq!(buried.bytes, tombstone(2, 7).bytes);
    assert_eq!(stored(store, 2).await.unwrap().1, SnapshotStatus::Tombstone);
    assert_eq!(store.load().await.unwrap().snapshots.len(), 3);
}

pub async fn sweeping_deletes_tombstones_and_leaves_live_games(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .heal(0, ME, &[live(1, 1), tombstone(2, 1), tombstone(3, 1)])
            .await
            .unwrap(),
        Written::Done
    );
    store.sweep(0, &[id(1), id(2), id(9)]).await.unwrap();
    assert!(store.get(id(1)).await.unwrap().is_some());
    assert_eq!(store.get(id(2)).await.unwrap(), None);
    assert_eq!(store.tombstones(0).await.unwrap(), [id(3)]);
    assert_eq!(store.load().await.unwrap().snapshots.len(), 2);
    store.sweep(0, &[]).await.unwrap();
}

pub async fn a_swept_game_may_be_made_anew(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store.heal(0, ME, &[tombstone(1, 9)]).await.unwrap(),
        Written::Done
    );
    store.sweep(0, &[id(1)]).await.unwrap();
    assert_eq!(store.heal(0, ME, &[live(1, 2)]).await.unwrap(), Written::Done);
    assert_eq!(stored(store, 1).await.unwrap().0, 2);
}

pub async fn a_quarantined_game_is_gone_from_every_list(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .heal(0, ME, &[live(1, 5), tombstone(2, 5), live(3, 5)])
            .await
            .unwrap(),
        Written::Done
    );
    store
        .quarantine(id(1), "its chain is not the log's")
        .await
        .unwrap();
    store.quarantine(id(2), "cannot be decoded").await.unwrap();
    assert_eq!(store.get(id(1)).await.unwrap(), None);
    assert_eq!(store.tombstones(0).await.unwrap(), vec![]);
    let left: Vec<_> = store
        .load()
        .await
        .unwrap()
        .snapshots
        .into_iter()
        .map(|left| left.key)
        .collect();
    assert_eq!(left, [key(3)]);
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert_eq!(
        stored(store, 1).await.unwrap().0,
        1,
        "a refold may make it anew, at any version"
    );
}

pub async fn quarantining_an_unknown_game_is_no_error(store: &dyn LiveStore) {
    store.quarantine(id(1), "it is not there").await.unwrap();
    assert_eq!(store.load().await.unwrap().snapshots, vec![]);
}
