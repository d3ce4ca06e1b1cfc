//! What every [`Cache`] does. Stamp it with [`cache_contract!`](crate::cache_contract).
//!
//! Not here: that a value lapses after ten seconds (each adapter turns its own clock), and what happens when the store
//! is away, killed or frozen.

use bytes::Bytes;
use contract::UserId;
use projections::ports::{Cache, CacheKey, FillToken};

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn Cache>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! cache_contract {
    ($open:path) => {
        $crate::cache_contract! { $open;
            a_key_never_filled_is_a_miss,
            a_filled_key_is_a_hit,
            an_empty_value_is_a_value,
            a_deleted_key_is_a_miss,
            a_fill_begun_before_a_deletion_is_discarded,
            a_fill_begun_before_two_deletions_is_discarded,
            a_fill_begun_after_a_deletion_is_kept,
            two_may_fill_at_once,
            users_have_keys_of_their_own,
            several_keys_are_deleted_together,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::cache::$case(&*store).await;
        }
    )+ };
}

pub async fn a_key_never_filled_is_a_miss(store: &dyn Cache) {
    assert!(store.get(&CacheKey::PopularFinished).await.unwrap().is_err());
    assert!(store.get(&recent("guest:a")).await.unwrap().is_err());
}

pub async fn a_filled_key_is_a_hit(store: &dyn Cache) {
    let every_byte: Bytes = (0..=255).collect();
    for (key, value) in [
        (CacheKey::PopularFinished, "[]".into()),
        (recent("guest:a"), every_byte),
    ] {
        fill(store, &key, value.clone()).await;
        assert_eq!(store.get(&key).await.unwrap(), Ok(value));
    }
}

pub async fn an_empty_value_is_a_value(store: &dyn Cache) {
    fill(store, &CacheKey::PopularFinished, Bytes::new()).await;
    assert_eq!(
        store.get(&CacheKey::PopularFinished).await.unwrap(),
        Ok(Bytes::new())
    );
}

pub async fn a_deleted_key_is_a_miss(store: &dyn Cache) {
    fill(store, &CacheKey::PopularFinished, "old".into()).await;
    store.delete(&[CacheKey::PopularFinished]).await.unwrap();
    assert!(store.get(&CacheKey::PopularFinished).await.unwrap().is_err());
}

pub async fn a_fill_begun_before_a_deletion_is_discarded(store: &dyn Cache) {
    let key = recent("guest:a");
    for _ in 0..3 {
        let begun = token(store, &key).await;
        store.delete(std::slice::from_ref(&key)).await.unwrap();
        store.fill(&key, begun, "old".into()).await.unwrap();
        assert!(store.get(&key).await.unwrap().is_err());
    }
}

pub async fn a_fill_begun_before_two_deletions_is_discarded(store: &dyn Cache) {
    let key = CacheKey::PopularFinished;
    store.delete(std::slice::from_ref(&key)).await.unwrap();
    let begun = token(store, &key).await;
    store.delete(&[key.clone(), key.clone()]).await.unwrap();
    store.delete(std::slice::from_ref(&key)).await.unwrap();
    store.fill(&key, begun, "old".into()).await.unwrap();
    assert!(store.get(&key).await.unwrap().is_err());
}

pub async fn a_fill_begun_after_a_deletion_is_kept(store: &dyn Cache) {
    store.delete(&[CacheKey::PopularFinished]).await.unwrap();
    fill(store, &CacheKey::PopularFinished, "new".into()).await;
    assert_eq!(
        store.get(&CacheKey::PopularFinished).await.unwrap(),
        Ok("new".into())
    );
}

pub async fn two_may_fill_at_once(store: &dyn Cache) {
    let key = CacheKey::PopularFinished;
    let (one, other) = (token(store, &key).await, token(store, &key).await);
    store.fill(&key, one, "same".into()).await.unwrap();
    store.fill(&key, other, "same".into()).await.unwrap();
    assert_eq!(store.get(&key).await.unwrap(), Ok("same".into()));
}

pub async fn users_have_keys_of_their_own(store: &dyn Cache) {
    for user in ["guest:a", "guest:a:epoch", "", "kc:{*}\u{1f600}"] {
        let others = token(store, &recent("guest:b")).await;
        fill(store, &recent(user), user.to_owned().into()).await;
        assert_eq!(
            store.get(&recent(user)).await.unwrap(),
            Ok(user.to_owned().into())
        );
        assert!(store.get(&recent("guest:b")).await.unwrap().is_err());
        store.delete(&[recent(user)]).await.unwrap();
        store.fill(&recent("guest:b"), others, "b".into()).await.unwrap();
        assert_eq!(
            store.get(&recent("guest:b")).await.unwrap(),
            Ok("b".into()),
            "only {user} was deleted"
        );
        store.delete(&[recent("guest:b")]).await.unwrap();
    }
}

pub async fn several_keys_are_deleted_together(store: &dyn Cache) {
    let keys = [CacheKey::PopularFinished, recent("guest:a"), recent("guest:b")];
    for key in &keys {
        fill(store, key, "old".into()).await;
    }
    store.delete(&keys).await.unwrap();
    for key in &keys {
        assert!(store.get(key).await.unwrap().is_err());
    }
    store.delete(&[]).await.unwrap();
}

fn recent(user: &str) -> CacheKey {
    CacheKey::Recent(UserId::new(user))
}

async fn token(store: &dyn Cache, key: &CacheKey) -> FillToken {
    store.get(key).await.unwrap().expect_err("it is not filled")
}

async fn fill(store: &dyn Cache, key: &CacheKey, value: Bytes) {
    let token = token(store, key).await;
    store.fill(key, token, value).await.unwrap();
}
