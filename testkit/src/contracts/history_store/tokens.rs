//! Who may write.

use projections::ports::{HistoryStore, Written};

use super::games::{game, id};
use super::given::{OTHER, TOKEN, checkpoint, outcome};

/// Neither by somebody who never had it, nor by somebody who had it before.
pub async fn without_the_token_nothing_is_written(store: &dyn HistoryStore) {
    let lost = Ok(Written::LostToken);
    let batch = [game(1)];
    assert_eq!(
        outcome(store.write(TOKEN, None, &checkpoint(1), &batch).await),
        lost
    );

    assert!(store.acquire(TOKEN).await.unwrap());
    store.release(TOKEN).await.unwrap();
    assert!(store.acquire(OTHER).await.unwrap());
    assert_eq!(
        outcome(store.write(TOKEN, None, &checkpoint(1), &batch).await),
        lost
    );

    assert_eq!(store.checkpoint().await.unwrap(), None);
    assert_eq!(store.existing(&[id(1)]).await.unwrap(), []);
}

/// Asking again renews it.
pub async fn one_token_holds_at_a_time(store: &dyn HistoryStore) {
    assert!(store.acquire(TOKEN).await.unwrap());
    assert!(!store.acquire(OTHER).await.unwrap());
    assert!(store.acquire(TOKEN).await.unwrap());
    assert!(!store.acquire(OTHER).await.unwrap());
}

/// However their requests interleave.
pub async fn of_two_that_ask_at_once_one_gets_the_token(store: &dyn HistoryStore) {
    let (one, other) = tokio::join!(store.acquire(TOKEN), store.acquire(OTHER));
    assert_ne!(one.unwrap(), other.unwrap());
}

/// A release by anybody else changes nothing.
pub async fn a_released_token_is_free_and_only_its_holder_releases_it(store: &dyn HistoryStore) {
    store.release(TOKEN).await.unwrap();
    assert!(store.acquire(TOKEN).await.unwrap());
    store.release(OTHER).await.unwrap();
    assert!(!store.acquire(OTHER).await.unwrap());
    store.release(TOKEN).await.unwrap();
    assert!(store.acquire(OTHER).await.unwrap());
    assert!(!store.acquire(TOKEN).await.unwrap());
}
