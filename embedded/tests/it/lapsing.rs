//! What lapses, by the clock that was passed in.

use std::sync::Arc;

use commands::ports::{Heartbeat, LogIdentity, ServiceKeys};
use contract::WriterId;
use projections::ports::{Cache, CacheKey, Checkpoint, HistoryStore, LiveBatch, LiveStore, Written};
use testkit::clock::FakeClock;
use turnstream_embedded::{Embedded, EmbeddedConfig};

use crate::opened::clock;

const ME: WriterId = WriterId(1);
const OTHER: WriterId = WriterId(2);

async fn open() -> (Embedded, Arc<FakeClock>) {
    let clock = clock();
    let embedded = Embedded::open(EmbeddedConfig::default(), clock.clone())
        .await
        .unwrap();
    (embedded, clock)
}

fn checkpoint(seq: u64) -> Checkpoint {
    Checkpoint {
        seq,
        event_id: None,
        log: LogIdentity("any".to_owned()),
    }
}

fn empty_batch(from: Option<u64>) -> LiveBatch {
    LiveBatch {
        from,
        to: checkpoint(from.unwrap_or(0) + 1),
        writes: Vec::new(),
    }
}

#[tokio::test]
async fn a_live_token_can_be_taken_after_ten_seconds() {
    let (embedded, clock) = open().await;
    let live = embedded.live();
    assert!(live.acquire(0, ME).await.unwrap());
    clock.advance(9_999);
    assert!(!live.acquire(0, OTHER).await.unwrap());
    clock.advance(1);
    assert!(live.acquire(0, OTHER).await.unwrap());
    assert_eq!(
        live.write(0, ME, &empty_batch(None)).await.unwrap(),
        Written::LostToken
    );
}

#[tokio::test]
async fn every_live_batch_and_heal_renews_the_token() {
    let (embedded, clock) = open().await;
    let live = embedded.live();
    assert!(live.acquire(0, ME).await.unwrap());
    clock.advance(9_000);
    assert_eq!(
        live.write(0, ME, &empty_batch(None)).await.unwrap(),
        Written::Done
    );
    clock.advance(9_000);
    assert_eq!(live.heal(0, ME, &[]).await.unwrap(), Written::Done);
    clock.advance(9_000);
    assert!(!live.acquire(0, OTHER).await.unwrap());
}

#[tokio::test]
async fn a_token_that_lapsed_and_that_nobody_took_still_holds() {
    let (embedded, clock) = open().await;
    let live = embedded.live();
    assert!(live.acquire(0, ME).await.unwrap());
    clock.advance(60_000);
    assert_eq!(
        live.write(0, ME, &empty_batch(None)).await.unwrap(),
        Written::Done
    );
    assert!(!live.acquire(0, OTHER).await.unwrap());
}

#[tokio::test]
async fn historys_token_can_be_taken_after_ten_seconds() {
    let (embedded, clock) = open().await;
    let history = embedded.history();
    assert!(history.acquire(ME).await.unwrap());
    clock.advance(9_999);
    assert_eq!(
        history.write(ME, None, &checkpoint(1), &[]).await.unwrap(),
        Written::Done
    );
    clock.advance(9_999);
    assert!(!history.acquire(OTHER).await.unwrap());
    clock.advance(1);
    assert!(history.acquire(OTHER).await.unwrap());
    assert_eq!(
        history.write(ME, Some(1), &checkpoint(2), &[]).await.unwrap(),
        Written::LostToken
    );
}

#[tokio::test]
async fn a_cached_list_is_kept_for_ten_seconds() {
    let (embedded, clock) = open().await;
    let cache = embedded.cache();
    let key = CacheKey::PopularFinished;
    let token = cache.get(&key).await.unwrap().unwrap_err();
    cache.fill(&key, token, "[]".into()).await.unwrap();
    clock.advance(9_999);
    assert!(cache.get(&key).await.unwrap().is_ok());
    clock.advance(1);
    assert!(cache.get(&key).await.unwrap().is_err());
}

#[tokio::test]
async fn a_fill_that_took_longer_than_its_deletion_is_remembered_is_discarded() {
    let (embedded, clock) = open().await;
    let cache = embedded.cache();
    let key = CacheKey::PopularFinished;
    let begun = cache.get(&key).await.unwrap().unwrap_err();
    cache.delete(std::slice::from_ref(&key)).await.unwrap();
    clock.advance(60_000);
    cache.fill(&key, begun, "old".into()).await.unwrap();
    assert!(cache.get(&key).await.unwrap().is_err());
}

#[tokio::test]
async fn a_service_that_falls_silent_is_not_alive_when_its_time_is_over() {
    let (embedded, clock) = open().await;
    let keys = embedded.service_keys();
    let heartbeat = |writer| Heartbeat {
        writer,
        active: true,
        since: 0,
        log: LogIdentity("any".to_owned()),
        leaving: false,
        unable: false,
        process: None,
    };
    keys.renew(&heartbeat(ME), 3_000).await.unwrap();
    clock.advance(1_000);
    keys.renew(&heartbeat(OTHER), 3_000).await.unwrap();
    clock.advance(1_999);
    assert_eq!(keys.alive().await.unwrap().len(), 2);
    clock.advance(1);
    assert_eq!(keys.alive().await.unwrap(), [heartbeat(OTHER)]);
}
