//! A server that evicts is refused.

use turnstream_valkey::PolicyError;

use crate::opened::open;

#[tokio::test]
async fn a_server_that_keeps_everything_is_accepted() {
    open().await.valkey.check_policy().await.unwrap();
}

#[tokio::test]
async fn a_server_that_may_evict_is_refused() {
    let mut opened = open().await;
    for evicting in ["allkeys-lru", "allkeys-random", "volatile-ttl", "volatile-lfu"] {
        set_policy(&mut opened.raw, evicting).await;
        match opened.valkey.check_policy().await.unwrap_err() {
            PolicyError::Evicting { policy } => assert_eq!(policy, evicting),
            other @ PolicyError::Unavailable(_) => panic!("{other}"),
        }
    }
    set_policy(&mut opened.raw, "noeviction").await;
    opened.valkey.check_policy().await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_away_is_not_called_evicting() {
    let opened = open().await;
    opened.server.kill().await.unwrap();
    let error = opened.valkey.check_policy().await.unwrap_err();
    assert!(matches!(error, PolicyError::Unavailable(_)), "{error}");
}

async fn set_policy(raw: &mut redis::aio::MultiplexedConnection, policy: &str) {
    let mut command = redis::cmd("CONFIG");
    let () = command
        .arg("SET")
        .arg("maxmemory-policy")
        .arg(policy)
        .query_async(raw)
        .await
        .unwrap();
}
