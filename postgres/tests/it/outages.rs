//! A server that is killed, that hangs, or that was never there: bounded errors, and all is well when it is back.
//!
//! Bounds are asserted with room for a slow machine. What matters is that they are no multiples of a second.

use std::time::Duration;

use commands::ports::Unavailable;
use contract::{UserId, WriterId};
use projections::ports::{HistoryError, HistoryStore, Page};
use sqlx::Connection as _;
use testkit::contracts::history_store::{checkpoint, games::game_with, write};
use tokio::time::{Instant, sleep, timeout};

use crate::support::{Opened, opened, run, store};

const TOKEN: WriterId = WriterId(0xa);
const ROOM: Duration = Duration::from_secs(3);

async fn annas(store: &impl HistoryStore) -> Result<usize, Unavailable> {
    let page = Page {
        limit: 20,
        before: None,
    };
    Ok(store.recent(&UserId::new("kc:anna"), page).await?.len())
}

async fn with_one_game() -> Opened {
    let db = opened().await;
    write(&db.store, &[game_with("kc:anna", 1)]).await;
    db
}

/// The list, as soon as the server is believed to be back.
async fn annas_again(store: &impl HistoryStore) -> usize {
    let back = async {
        loop {
            match annas(store).await {
                Ok(games) => return games,
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    };
    timeout(Duration::from_secs(10), back)
        .await
        .expect("it comes back")
}

async fn fails_within(limit: Duration, store: &impl HistoryStore) {
    let began = Instant::now();
    assert!(annas(store).await.is_err());
    assert!(began.elapsed() < limit, "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_killed_server_is_an_error_within_the_bound_then_at_once_and_works_after_its_restart() {
    let db = with_one_game().await;
    db.server.kill().await.unwrap();
    fails_within(ROOM, &db.store).await;

    let began = Instant::now();
    for _ in 0..100 {
        assert!(annas(&db.store).await.is_err());
    }
    assert!(
        began.elapsed() < ROOM,
        "a hundred calls took {:?}",
        began.elapsed()
    );
    let refused = db
        .store
        .write(TOKEN, Some(1), &checkpoint(2), &[game_with("kc:anna", 2)])
        .await;
    assert!(
        matches!(refused, Err(HistoryError::Unavailable(_))),
        "{refused:?}"
    );

    db.server.restart().await.unwrap();
    assert_eq!(annas_again(&db.store).await, 1);
    write(&db.store, &[game_with("kc:anna", 2)]).await;
    assert_eq!(annas(&db.store).await.unwrap(), 2);
}

#[tokio::test]
async fn a_restart_between_two_calls_is_not_noticed() {
    let db = with_one_game().await;
    for _ in 0..3 {
        db.server.restart().await.unwrap();
        assert_eq!(annas(&db.store).await.unwrap(), 1);
    }
}

#[tokio::test]
async fn a_server_that_was_never_there_is_an_error_at_once() {
    let db = with_one_game().await;
    db.server.kill().await.unwrap();
    fails_within(Duration::from_millis(500), &store(&db.url)).await;
}

#[tokio::test]
async fn a_frozen_server_fails_lists_within_the_bound_and_works_when_it_thaws() {
    let db = with_one_game().await;
    db.server.freeze().unwrap();
    fails_within(ROOM, &db.store).await;

    let began = Instant::now();
    let many = futures::future::join_all((0..50).map(|_| annas(&db.store))).await;
    assert!(many.iter().all(Result::is_err));
    assert!(
        began.elapsed() < ROOM,
        "fifty calls at one time took {:?}",
        began.elapsed()
    );

    db.server.thaw().unwrap();
    assert_eq!(annas_again(&db.store).await, 1);
}

#[tokio::test]
async fn a_server_that_freezes_under_more_calls_than_connections_fails_them_all_within_the_bound() {
    let db = with_one_game().await;
    assert_eq!(annas(&db.store).await.unwrap(), 1);
    db.server.freeze().unwrap();
    let began = Instant::now();
    let many = futures::future::join_all((0..20).map(|_| annas(&db.store))).await;
    assert!(many.iter().all(Result::is_err));
    assert!(began.elapsed() < ROOM, "{:?}", began.elapsed());

    // Not one connection may be lost over it: both are needed at the same time.
    db.server.thaw().unwrap();
    assert_eq!(annas_again(&db.store).await, 1);
    let (one, other) = tokio::join!(annas(&db.store), annas(&db.store));
    assert_eq!((one.unwrap(), other.unwrap()), (1, 1));
}

#[tokio::test]
async fn a_table_that_somebody_locks_fails_lists_within_the_bound_and_costs_no_connection() {
    let db = with_one_game().await;
    let mut locker = sqlx::PgConnection::connect(&db.url).await.unwrap();
    sqlx::raw_sql("BEGIN; LOCK TABLE game_players")
        .execute(&mut locker)
        .await
        .unwrap();
    for _ in 0..3 {
        fails_within(ROOM, &db.store).await;
    }
    sqlx::raw_sql("ROLLBACK").execute(&mut locker).await.unwrap();
    assert_eq!(annas_again(&db.store).await, 1);
}

#[tokio::test]
async fn a_list_that_nobody_waits_for_any_more_costs_no_connection() {
    let db = with_one_game().await;
    run(&db.url, "ANALYZE").await;
    for _ in 0..20 {
        // Given up at any moment of its way.
        let _ = timeout(Duration::from_micros(300), annas(&db.store)).await;
    }
    assert_eq!(annas_again(&db.store).await, 1);
    let (one, other) = tokio::join!(annas(&db.store), annas(&db.store));
    assert_eq!((one.unwrap(), other.unwrap()), (1, 1));
}

#[tokio::test]
async fn a_server_that_freezes_under_a_write_is_an_error_and_the_write_is_whole_or_not_there() {
    let db = with_one_game().await;
    db.server.freeze().unwrap();
    let began = Instant::now();
    let refused = db
        .store
        .write(TOKEN, Some(1), &checkpoint(2), &[game_with("kc:anna", 2)])
        .await;
    assert!(
        matches!(refused, Err(HistoryError::Unavailable(_))),
        "{refused:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    db.server.thaw().unwrap();

    let games = annas_again(&db.store).await;
    let stored = db.store.checkpoint().await.unwrap().expect("there is one").seq;
    assert_eq!(games as u64, stored, "rows and checkpoint move together");
}
