//! What every [`ServiceKeys`] does. Stamp it with [`service_keys_contract!`](crate::service_keys_contract).
//!
//! Not here: that a key lapses (each adapter turns its own clock), and what happens when the store is away, killed or
//! frozen.

use commands::ports::{Heartbeat, LogIdentity, ServiceKeys};
use contract::WriterId;

/// Makes each case a test. `$open` is an async function without arguments that opens an empty store and returns it as
/// `Arc<dyn ServiceKeys>`, with whatever must live as long: `(store, guard)`.
#[macro_export]
macro_rules! service_keys_contract {
    ($open:path) => {
        $crate::service_keys_contract! { $open;
            nobody_is_alive_in_an_empty_store,
            who_renewed_is_alive_as_it_last_said,
            several_services_are_alive,
            who_removed_its_key_is_not_alive,
            removing_an_unknown_key_is_no_error,
            services_of_every_log_are_told_apart,
        }
    };
    ($open:path; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $open().await;
            $crate::contracts::service_keys::$case(&*store).await;
        }
    )+ };
}

/// Longer than any test.
const LONG: u64 = 600_000;

pub async fn nobody_is_alive_in_an_empty_store(store: &dyn ServiceKeys) {
    assert_eq!(store.alive().await.unwrap(), vec![]);
}

pub async fn who_renewed_is_alive_as_it_last_said(store: &dyn ServiceKeys) {
    store.renew(&heartbeat(1), LONG).await.unwrap();
    assert_eq!(store.alive().await.unwrap(), vec![heartbeat(1)]);
    let active = Heartbeat {
        active: true,
        leaving: true,
        ..heartbeat(1)
    };
    store.renew(&active, LONG).await.unwrap();
    assert_eq!(store.alive().await.unwrap(), vec![active]);
}

pub async fn several_services_are_alive(store: &dyn ServiceKeys) {
    for n in [3, 1, 2] {
        store.renew(&heartbeat(n), LONG).await.unwrap();
    }
    assert_eq!(alive(store).await, [WriterId(1), WriterId(2), WriterId(3)]);
}

pub async fn who_removed_its_key_is_not_alive(store: &dyn ServiceKeys) {
    store.renew(&heartbeat(1), LONG).await.unwrap();
    store.renew(&heartbeat(2), LONG).await.unwrap();
    store.remove(WriterId(1)).await.unwrap();
    assert_eq!(alive(store).await, [WriterId(2)]);
    store.renew(&heartbeat(1), LONG).await.unwrap();
    assert_eq!(alive(store).await, [WriterId(1), WriterId(2)]);
}

pub async fn removing_an_unknown_key_is_no_error(store: &dyn ServiceKeys) {
    store.remove(WriterId(1)).await.unwrap();
    assert_eq!(alive(store).await, []);
}

pub async fn services_of_every_log_are_told_apart(store: &dyn ServiceKeys) {
    let elsewhere = Heartbeat {
        log: LogIdentity("GAMES@2".into()),
        ..heartbeat(2)
    };
    store.renew(&heartbeat(1), LONG).await.unwrap();
    store.renew(&elsewhere, LONG).await.unwrap();
    assert!(store.alive().await.unwrap().contains(&elsewhere));
    assert!(store.alive().await.unwrap().contains(&heartbeat(1)));
}

fn heartbeat(writer: u64) -> Heartbeat {
    Heartbeat {
        writer: WriterId(writer),
        active: false,
        since: 1_700_000_000_000,
        log: LogIdentity("GAMES@1".into()),
        leaving: false,
        unable: false,
        process: None,
    }
}

async fn alive(store: &dyn ServiceKeys) -> Vec<WriterId> {
    let mut alive: Vec<_> = store
        .alive()
        .await
        .unwrap()
        .into_iter()
        .map(|alive| alive.writer)
        .collect();
    alive.sort();
    alive
}
