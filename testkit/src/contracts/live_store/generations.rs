//! A second set of snapshots beside the one in use.

use projections::ports::{LiveStore, Written};

use super::given::{ME, OTHER, batch, checkpoint, id, live, stored, tombstone};

pub async fn generations_do_not_see_each_other(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 3, vec![live(1, 3)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert_eq!(
        store
            .write(1, ME, &batch(None, 1, vec![live(1, 1), tombstone(2, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert_eq!(store.checkpoint(0).await.unwrap(), Some(checkpoint(3)));
    assert_eq!(store.checkpoint(1).await.unwrap(), Some(checkpoint(1)));
    assert_eq!(stored(store, 1).await.unwrap().0, 3);
    assert_eq!(
        store.get_many(1, &[id(1)]).await.unwrap()[0]
            .as_ref()
            .unwrap()
            .version,
        1
    );
    assert_eq!(store.tombstones(0).await.unwrap(), vec![]);
    assert_eq!(store.tombstones(1).await.unwrap().len(), 1);
    store.sweep(0, &[id(2)]).await.unwrap();
    assert_eq!(store.tombstones(1).await.unwrap().len(), 1);
}

pub async fn a_flip_changes_what_readers_see_and_deletes_the_old_generation(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, ME).await.unwrap());
    let old = (0..700).map(|game| live(game, 1)).collect();
    assert_eq!(
        store.write(0, ME, &batch(None, 3, old)).await.unwrap(),
        Written::Done
    );
    assert_eq!(
        store
            .write(1, ME, &batch(None, 4, vec![live(1, 2)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert!(store.flip(0, 1).await.unwrap());
    assert_eq!(store.generation().await.unwrap(), 1);
    let all = store.load().await.unwrap();
    assert_eq!(
        (all.generation, all.checkpoint, all.snapshots.len()),
        (1, Some(checkpoint(4)), 1)
    );
    assert_eq!(store.checkpoint(0).await.unwrap(), None);
    assert_eq!(
        store.get_many(0, &[id(1), id(699)]).await.unwrap(),
        vec![None, None]
    );
    assert_eq!(
        store.write(1, ME, &batch(Some(4), 5, vec![])).await.unwrap(),
        Written::Done
    );
}

pub async fn a_flip_from_another_generation_changes_nothing(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    assert!(!store.flip(1, 2).await.unwrap());
    assert_eq!(store.generation().await.unwrap(), 0);
    assert!(store.get(id(1)).await.unwrap().is_some());
}

pub async fn the_writer_of_the_old_generation_stops_at_the_flip(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 3, vec![live(1, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert!(store.flip(0, 1).await.unwrap());
    let next = batch(Some(3), 4, vec![live(1, 2)]);
    assert_eq!(store.write(0, ME, &next).await.unwrap(), Written::LostToken);
    assert_eq!(
        store.heal(0, ME, &[live(1, 2)]).await.unwrap(),
        Written::LostToken
    );
}

pub async fn of_many_flips_one_succeeds(store: &dyn LiveStore) {
    let flips = (1..9).map(|to| store.flip(0, to));
    let flipped = futures::future::try_join_all(flips).await.unwrap();
    assert_eq!(flipped.iter().filter(|flipped| **flipped).count(), 1);
    let winner = flipped.iter().position(|flipped| *flipped).unwrap() as u64 + 1;
    assert_eq!(store.generation().await.unwrap(), winner);
}

pub async fn a_discarded_generation_is_empty(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, OTHER).await.unwrap());
    assert_eq!(store.heal(0, ME, &[live(1, 1)]).await.unwrap(), Written::Done);
    let left_over = (0..700).map(|game| tombstone(game, 9)).collect();
    assert_eq!(
        store.write(1, OTHER, &batch(None, 3, left_over)).await.unwrap(),
        Written::Done
    );
    store.discard(1).await.unwrap();
    assert_eq!(store.checkpoint(1).await.unwrap(), None);
    assert_eq!(store.tombstones(1).await.unwrap(), vec![]);
    assert_eq!(
        store.get_many(1, &[id(1), id(699)]).await.unwrap(),
        vec![None, None]
    );
    assert!(store.get(id(1)).await.unwrap().is_some());
    assert!(store.acquire(1, ME).await.unwrap(), "its token is gone with it");
    assert_eq!(
        store
            .write(1, ME, &batch(None, 1, vec![live(1, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
}

/// Whether it answers with an error or does nothing is left to the adapter.
pub async fn the_generation_in_use_is_not_discarded(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert_eq!(
        store
            .write(0, ME, &batch(None, 3, vec![live(1, 1)]))
            .await
            .unwrap(),
        Written::Done
    );
    let _ = store.discard(0).await;
    let all = store.load().await.unwrap();
    assert_eq!((all.checkpoint, all.snapshots.len()), (Some(checkpoint(3)), 1));
    assert_eq!(
        store.write(0, ME, &batch(Some(3), 4, vec![])).await.unwrap(),
        Written::Done
    );
}
