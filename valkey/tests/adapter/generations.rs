//! What is left of old generations, and who shares a server.

use projections::ports::{LiveStore, Written};
use redis::AsyncCommands;

use crate::opened::{ME, batch, connect, fresh_prefix, id, open, patient, snapshot};

#[tokio::test]
async fn a_flip_leaves_no_key_of_the_old_generation() {
    let mut opened = open().await;
    let valkey = &opened.valkey;
    assert!(valkey.acquire(0, ME).await.unwrap());
    let games = (0..500).map(|game| snapshot(game, 1)).collect();
    assert_eq!(
        valkey.write(0, ME, &batch(None, 5, games)).await.unwrap(),
        Written::Done
    );
    assert!(valkey.flip(0, 1).await.unwrap());
    let left: Vec<String> = opened.raw.keys("*").await.unwrap();
    assert_eq!(left, [format!("{}:live:generation", opened.prefix)]);
}

#[tokio::test]
async fn a_deletion_that_was_interrupted_is_finished_by_the_next_one() {
    let mut opened = open().await;
    let (valkey, prefix) = (&opened.valkey, &opened.prefix);
    assert!(valkey.acquire(1, ME).await.unwrap());
    assert_eq!(
        valkey.heal(1, ME, &[snapshot(1, 1)]).await.unwrap(),
        Written::Done
    );
    // As a process leaves it that dies after it has given the generation up.
    let () = opened.raw.del(format!("{prefix}:live:1:token")).await.unwrap();
    let () = opened
        .raw
        .sadd(format!("{prefix}:live:discarded"), 1)
        .await
        .unwrap();
    assert!(valkey.flip(0, 2).await.unwrap());
    assert_eq!(valkey.get_many(1, &[id(1)]).await.unwrap(), [None]);
}

#[tokio::test]
async fn a_generation_that_somebody_writes_is_not_deleted_behind_their_back() {
    let mut opened = open().await;
    let (valkey, prefix) = (&opened.valkey, &opened.prefix);
    let () = opened
        .raw
        .sadd(format!("{prefix}:live:discarded"), 2)
        .await
        .unwrap();
    assert!(valkey.acquire(2, ME).await.unwrap());
    assert_eq!(
        valkey.heal(2, ME, &[snapshot(1, 1)]).await.unwrap(),
        Written::Done
    );
    assert!(valkey.flip(0, 1).await.unwrap());
    assert!(valkey.get_many(2, &[id(1)]).await.unwrap()[0].is_some());
    assert!(valkey.flip(1, 2).await.unwrap());
    assert!(valkey.get(id(1)).await.unwrap().is_some());
}

#[tokio::test]
async fn discarding_the_generation_in_use_is_an_error() {
    let opened = open().await;
    let error = opened.valkey.discard(0).await.unwrap_err();
    assert!(error.to_string().contains("in use"), "{error}");
}

#[tokio::test]
async fn a_snapshot_that_cannot_be_read_does_not_stop_the_others() {
    let mut opened = open().await;
    let (valkey, prefix) = (&opened.valkey, &opened.prefix);
    assert!(valkey.acquire(0, ME).await.unwrap());
    assert_eq!(
        valkey
            .heal(0, ME, &[snapshot(1, 1), snapshot(2, 1)])
            .await
            .unwrap(),
        Written::Done
    );
    let () = opened
        .raw
        .hset(format!("{prefix}:live:0:{}", id(1)), "version", "not a number")
        .await
        .unwrap();
    let left: Vec<_> = valkey
        .load()
        .await
        .unwrap()
        .snapshots
        .into_iter()
        .map(|left| left.key.id)
        .collect();
    assert_eq!(left, [id(2)]);
    assert_eq!(
        valkey.heal(0, ME, &[snapshot(1, 1)]).await.unwrap(),
        Written::Done
    );
    assert_eq!(
        valkey.get(id(1)).await.unwrap().unwrap().version,
        1,
        "a refold replaces it"
    );
}

#[tokio::test]
async fn services_with_other_prefixes_share_nothing() {
    let opened = open().await;
    let other = connect(&opened.server, &fresh_prefix(), patient());
    assert!(opened.valkey.acquire(0, ME).await.unwrap());
    assert_eq!(
        opened.valkey.heal(0, ME, &[snapshot(1, 1)]).await.unwrap(),
        Written::Done
    );
    assert!(opened.valkey.flip(0, 7).await.unwrap());
    assert_eq!(other.generation().await.unwrap(), 0);
}
