//! A server with a migrated database.

use std::sync::Arc;

use projections::ports::{HistoryRepair, HistoryStore};
use sqlx::{Connection as _, PgConnection};
use testkit::services::Postgres;
use turnstream_postgres::{PostgresConfig, PostgresHistory};

pub struct Opened {
    pub server: Postgres,
    pub url: String,
    pub store: PostgresHistory,
}

/// For the contract suite.
pub async fn open() -> (Arc<dyn HistoryStore>, Postgres) {
    let Opened { server, store, .. } = opened().await;
    (Arc::new(store), server)
}

pub async fn open_for_repair() -> (Arc<dyn HistoryRepair>, Postgres) {
    let Opened { server, store, .. } = opened().await;
    (Arc::new(store), server)
}

pub async fn opened() -> Opened {
    let server = Postgres::start().await.unwrap();
    let url = server.fresh_database().await.unwrap();
    let store = store(&url);
    store.migrate().await.unwrap();
    Opened { server, url, store }
}

/// Few connections, so that one that is lost is missed.
pub fn store(url: &str) -> PostgresHistory {
    PostgresHistory::new(&PostgresConfig {
        max_connections: 2,
        ..PostgresConfig::new(url)
    })
    .unwrap()
}

/// What somebody else does to the database.
pub async fn run(url: &str, sql: &'static str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

pub async fn number(url: &str, sql: &'static str) -> i64 {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap()
}
