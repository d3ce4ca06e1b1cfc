//! Migrations: run once, by however many, and never over what is not known.

use projections::ports::HistoryStore;
use testkit::contracts::history_store::{games::game, write};
use testkit::services::Postgres;
use turnstream_postgres::MigrateError;

use crate::support::{number, opened, run, store};

const COUNT: &str = "SELECT count(*) FROM _sqlx_migrations";

#[tokio::test]
async fn migrating_again_changes_nothing() {
    let db = opened().await;
    write(&db.store, &[game(1)]).await;
    let before = number(&db.url, COUNT).await;
    db.store.migrate().await.unwrap();
    assert_eq!(number(&db.url, COUNT).await, before);
    assert_eq!(db.store.game(game(1).id).await.unwrap(), Some(game(1)));
}

#[tokio::test]
async fn two_processes_migrate_one_database_at_the_same_time() {
    let server = Postgres::start().await.unwrap();
    let url = server.fresh_database().await.unwrap();
    let (one, other) = (store(&url), store(&url));
    let (first, second) = tokio::join!(one.migrate(), other.migrate());
    first.unwrap();
    second.unwrap();
    write(&one, &[game(1)]).await;
}

#[tokio::test]
async fn a_newer_schema_is_refused_again_and_again_and_left_as_it_is() {
    let db = opened().await;
    run(
        &db.url,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'from the future', true, '', 0)",
    )
    .await;
    for _ in 0..3 {
        let refused = db.store.migrate().await;
        assert!(
            matches!(refused, Err(MigrateError::SchemaTooNew { found: 9999, known }) if known < 9999),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_migration_that_was_edited_after_it_ran_is_refused() {
    let db = opened().await;
    run(
        &db.url,
        "UPDATE _sqlx_migrations SET checksum = 'another' WHERE version = 1",
    )
    .await;
    let refused = db.store.migrate().await;
    assert!(matches!(refused, Err(MigrateError::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn a_schema_that_cannot_be_made_is_refused_and_not_half_made() {
    let server = Postgres::start().await.unwrap();
    let url = server.fresh_database().await.unwrap();
    run(&url, "CREATE TABLE game_players (ours boolean)").await;
    let refused = store(&url).migrate().await;
    assert!(matches!(refused, Err(MigrateError::Refused(_))), "{refused:?}");
    assert_eq!(
        number(&url, "SELECT count(*) FROM pg_tables WHERE tablename = 'games'").await,
        0
    );
}

#[tokio::test]
async fn while_the_database_is_down_migrating_is_to_be_tried_again() {
    let server = Postgres::start().await.unwrap();
    let url = server.fresh_database().await.unwrap();
    server.kill().await.unwrap();
    let store = store(&url);
    let refused = store.migrate().await;
    assert!(
        matches!(refused, Err(MigrateError::Unavailable(_))),
        "{refused:?}"
    );
    server.restart().await.unwrap();
    store.migrate().await.unwrap();
    write(&store, &[game(1)]).await;
}

#[tokio::test]
async fn before_the_first_migration_everything_is_unavailable_and_then_works() {
    let server = Postgres::start().await.unwrap();
    let store = store(&server.fresh_database().await.unwrap());
    assert!(store.checkpoint().await.is_err());
    assert!(store.popular(5).await.is_err());
    store.migrate().await.unwrap();
    assert_eq!(store.checkpoint().await.unwrap(), None);
}
