//! What lapses, and when. Instead of waiting, a test looks at the time that is left and then shortens it.

use commands::ports::{Heartbeat, LogIdentity, ServiceKeys};
use contract::{UserId, WriterId};
use projections::ports::{Cache, CacheKey, LiveStore, Written};
use redis::AsyncCommands;

use crate::opened::{ME, Opened, batch, open};

const OTHER: WriterId = WriterId(2);

#[tokio::test]
async fn a_token_lapses_ten_seconds_after_its_last_renewal() {
    let mut opened = open().await;
    assert!(opened.valkey.acquire(0, ME).await.unwrap());
    assert_lapses_in(&mut opened, "live:0:token", 10_000).await;
    opened.shorten("live:0:token", 5_000).await;
    assert!(opened.valkey.acquire(0, ME).await.unwrap());
    assert_lapses_in(&mut opened, "live:0:token", 10_000).await;
    opened.shorten("live:0:token", 0).await;
    assert_eq!(
        opened.valkey.write(0, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::LostToken
    );
    assert!(opened.valkey.acquire(0, OTHER).await.unwrap());
}

#[tokio::test]
async fn each_batch_renews_the_token() {
    let mut opened = open().await;
    assert!(opened.valkey.acquire(0, ME).await.unwrap());
    opened.shorten("live:0:token", 5_000).await;
    assert_eq!(
        opened.valkey.write(0, ME, &batch(None, 1, vec![])).await.unwrap(),
        Written::Done
    );
    assert_lapses_in(&mut opened, "live:0:token", 10_000).await;
    opened.shorten("live:0:token", 5_000).await;
    assert_eq!(opened.valkey.heal(0, ME, &[]).await.unwrap(), Written::Done);
    assert_lapses_in(&mut opened, "live:0:token", 10_000).await;
}

#[tokio::test]
async fn who_does_not_hold_the_token_does_not_renew_it() {
    let mut opened = open().await;
    assert!(opened.valkey.acquire(0, ME).await.unwrap());
    opened.shorten("live:0:token", 5_000).await;
    assert!(!opened.valkey.acquire(0, OTHER).await.unwrap());
    assert_eq!(
        opened
            .valkey
            .write(0, OTHER, &batch(None, 1, vec![]))
            .await
            .unwrap(),
        Written::LostToken
    );
    assert_lapses_in(&mut opened, "live:0:token", 5_000).await;
}

#[tokio::test]
async fn a_cached_value_lapses_after_ten_seconds() {
    let mut opened = open().await;
    for (key, name) in [
        (CacheKey::PopularFinished, "cache:popular-finished"),
        (CacheKey::Recent(UserId::new("guest:a")), "cache:recent:guest:a"),
    ] {
        let token = Cache::get(&*opened.valkey, &key).await.unwrap().unwrap_err();
        opened.valkey.fill(&key, token, "[]".into()).await.unwrap();
        assert_lapses_in(&mut opened, name, 10_000).await;
        opened.shorten(name, 0).await;
        assert!(Cache::get(&*opened.valkey, &key).await.unwrap().is_err());
    }
}

#[tokio::test]
async fn a_fill_begun_before_the_store_was_emptied_is_discarded() {
    let opened = open().await;
    let begun = Cache::get(&*opened.valkey, &CacheKey::PopularFinished)
        .await
        .unwrap()
        .unwrap_err();
    let () = redis::cmd("FLUSHALL")
        .query_async(&mut opened.raw.clone())
        .await
        .unwrap();
    opened
        .valkey
        .fill(&CacheKey::PopularFinished, begun, "old".into())
        .await
        .unwrap();
    assert!(
        Cache::get(&*opened.valkey, &CacheKey::PopularFinished)
            .await
            .unwrap()
            .is_err()
    );
}

#[tokio::test]
async fn a_service_lapses_when_it_does_not_renew() {
    let mut opened = open().await;
    let log = LogIdentity("GAMES@1".into());
    let heartbeat = Heartbeat {
        writer: ME,
        active: true,
        since: 0,
        log,
        leaving: false,
        unable: false,
        process: None,
    };
    let name = format!("service:{ME}");
    opened.valkey.renew(&heartbeat, 60_000).await.unwrap();
    assert_lapses_in(&mut opened, &name, 60_000).await;
    opened.shorten(&name, 0).await;
    assert_eq!(opened.valkey.alive().await.unwrap(), []);
    let index: Vec<String> = opened
        .raw
        .smembers(format!("{}:services", opened.prefix))
        .await
        .unwrap();
    assert_eq!(index, Vec::<String>::new());
}

async fn assert_lapses_in(opened: &mut Opened, name: &str, ms: i64) {
    let left: i64 = opened
        .raw
        .pttl(format!("{}:{name}", opened.prefix))
        .await
        .unwrap();
    // A busy machine may have taken a while to come here.
    assert!((ms - 4_000..=ms).contains(&left), "{name} lapses in {left} ms");
}

impl Opened {
    async fn shorten(&mut self, name: &str, ms: i64) {
        let found: bool = self
            .raw
            .pexpire(format!("{}:{name}", self.prefix), ms)
            .await
            .unwrap();
        assert!(found, "{name}");
    }
}
