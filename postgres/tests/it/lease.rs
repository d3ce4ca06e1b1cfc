//! The lease lapses by the server's clock.

use contract::WriterId;
use projections::ports::{HistoryStore, Written};
use testkit::contracts::history_store::{checkpoint, games::game};

use crate::support::{number, opened, run};

const ONE: WriterId = WriterId(1);
const OTHER: WriterId = WriterId(2);
const LAPSE: &str = "UPDATE projector_leases SET expires_at = clock_timestamp()";
const LEFT: &str = "SELECT extract(epoch FROM expires_at - clock_timestamp())::bigint FROM projector_leases";

#[tokio::test]
async fn a_lapsed_token_is_free_and_its_former_holder_writes_nothing() {
    let db = opened().await;
    assert!(db.store.acquire(ONE).await.unwrap());
    run(&db.url, LAPSE).await;
    assert!(db.store.acquire(OTHER).await.unwrap());

    let late = db
        .store
        .write(ONE, None, &checkpoint(1), &[game(1)])
        .await
        .unwrap();
    assert_eq!(late, Written::LostToken);
    assert_eq!(db.store.existing(&[game(1).id]).await.unwrap(), []);
}

#[tokio::test]
async fn acquiring_and_writing_and_resetting_give_ten_seconds() {
    let db = opened().await;
    assert!(db.store.acquire(ONE).await.unwrap());
    assert!((9..=10).contains(&number(&db.url, LEFT).await));

    run(&db.url, LAPSE).await;
    let written = db.store.write(ONE, None, &checkpoint(1), &[]).await.unwrap();
    assert_eq!(written, Written::Done, "nobody else has taken it");
    assert!((9..=10).contains(&number(&db.url, LEFT).await));

    run(&db.url, LAPSE).await;
    db.store.reset_checkpoint(ONE, &checkpoint(1)).await.unwrap();
    assert!((9..=10).contains(&number(&db.url, LEFT).await));
}
