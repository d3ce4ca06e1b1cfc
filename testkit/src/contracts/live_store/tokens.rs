//! Who may write.

use contract::WriterId;
use projections::ports::{LiveStore, Written};

use super::given::{ME, OTHER, batch, live};

pub async fn the_token_has_one_holder(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(!store.acquire(0, OTHER).await.unwrap());
    assert!(store.acquire(0, ME).await.unwrap());
    store.release(0, ME).await.unwrap();
    assert!(store.acquire(0, OTHER).await.unwrap());
    assert!(!store.acquire(0, ME).await.unwrap());
}

pub async fn of_many_who_want_the_token_one_gets_it(store: &dyn LiveStore) {
    let attempts = (0..16).map(|n| store.acquire(0, WriterId(n)));
    let got = futures::future::try_join_all(attempts).await.unwrap();
    assert_eq!(got.iter().filter(|got| **got).count(), 1);
}

pub async fn of_two_batches_from_one_checkpoint_one_is_written(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    let (one, other) = (batch(None, 5, vec![live(1, 1)]), batch(None, 6, vec![live(2, 1)]));
    let (first, second) = tokio::join!(store.write(0, ME, &one), store.write(0, ME, &other));
    let kept = match (first.unwrap(), second.unwrap()) {
        (Written::Done, Written::MovedCheckpoint) => one,
        (Written::MovedCheckpoint, Written::Done) => other,
        both => panic!("{both:?}"),
    };
    let all = store.load().await.unwrap();
    assert_eq!(all.checkpoint, Some(kept.to));
    assert_eq!(
        all.snapshots
            .iter()
            .map(|snapshot| snapshot.key)
            .collect::<Vec<_>>(),
        [kept.writes[0].key]
    );
}

pub async fn only_its_holder_gives_a_token_back(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    store.release(0, OTHER).await.unwrap();
    assert!(!store.acquire(0, OTHER).await.unwrap());
    assert_eq!(
        store.write(0, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::Done
    );
}

pub async fn each_generation_has_its_own_token(store: &dyn LiveStore) {
    assert!(store.acquire(0, ME).await.unwrap());
    assert!(store.acquire(1, OTHER).await.unwrap());
    assert_eq!(
        store.write(0, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::Done
    );
    assert_eq!(
        store.write(1, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::LostToken
    );
}
