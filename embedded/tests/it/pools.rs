//! What operators see of the connections.

use std::time::Duration;

use contract::WriterId;
use projections::ports::HistoryStore;
use testkit::contracts::history_store::{checkpoint, games::game};
use turnstream_embedded::{Embedded, Pool};

use crate::opened::{in_memory, on_disk};

const TOKEN: WriterId = WriterId(1);

fn waits(embedded: &Embedded) -> (u64, Duration) {
    let pools = embedded.pools().now();
    let writes = pools.iter().find(|pool| pool.name == "writes");
    writes
        .and_then(|writes| writes.waits)
        .expect("writes are waited for")
}

#[tokio::test]
async fn a_file_has_a_connection_for_writes_and_some_for_reads() {
    let (embedded, _directory) = on_disk().await;
    let pools = embedded.pools().now();
    let [writes, reads] = pools[..] else {
        panic!("two pools, not {pools:?}")
    };
    assert_eq!((writes.name, writes.connections, writes.most), ("writes", 1, 1));
    assert_eq!((reads.name, reads.waits), ("reads", None));
    assert!((1..=reads.most).contains(&reads.connections), "{reads:?}");
}

#[tokio::test]
async fn in_memory_there_is_one_for_both() {
    let (embedded, ()) = in_memory().await;
    let names: Vec<_> = embedded.pools().now().iter().map(|pool| pool.name).collect();
    assert_eq!(names, ["writes"]);
}

#[tokio::test]
async fn each_wait_for_the_writing_connection_is_counted_and_adds_its_time() {
    let (embedded, _directory) = on_disk().await;
    let history = embedded.history();
    assert!(history.acquire(TOKEN).await.unwrap());
    let before = waits(&embedded);
    let writing = (1..=20).map(|n: u32| {
        let (history, seq) = (&history, u64::from(n));
        async move {
            history
                .write(TOKEN, Some(seq), &checkpoint(seq + 1), &[game(n)])
                .await
        }
    });
    // All but one wait for the others, and find another checkpoint than they expect.
    let written = futures::future::join_all(writing).await;
    assert!(written.iter().all(Result::is_ok), "{written:?}");
    let after = waits(&embedded);
    assert_eq!(after.0, before.0 + 20);
    assert!(after.1 > before.1);
    // They are given back a moment later.
    let idle = |pool: &Pool| pool.idle == pool.connections;
    while !embedded.pools().now().iter().all(idle) {
        tokio::task::yield_now().await;
    }
}
