//! The embedded file, changed behind its service's back.

use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};

use crate::harness::World;

/// The embedded file, while no service has it.
pub struct File(PathBuf);

impl File {
    pub fn of(world: &World) -> Self {
        Self(world.data_dir().join("turnstream.sqlite"))
    }

    /// A copy of it as it is now.
    pub fn copy_to(&self, copy: &Path) {
        std::fs::copy(&self.0, copy).expect("nobody has it open");
    }

    async fn open(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(&self.0);
        options.connect().await.expect("it can be opened")
    }

    pub async fn change(&self, sql: String) {
        let mut file = self.open().await;
        let changed = sqlx::raw_sql(AssertSqlSafe(sql.clone())).execute(&mut file).await;
        changed.unwrap_or_else(|error| panic!("{sql}: {error}"));
        file.close().await.expect("it can be closed");
    }

    /// Puts a text in the place of another in the bytes of some rows.
    pub async fn replace(&self, table: &str, rows: &str, from: &str, to: &str) {
        self.change(format!(
            "UPDATE {table} SET bytes = CAST(replace(CAST(bytes AS TEXT), '{from}', '{to}') AS BLOB) WHERE {rows}"
        ))
        .await;
    }

    /// How often a game's messages were written.
    pub async fn messages(&self, game: &str) -> i64 {
        let count = format!("SELECT count(*) FROM log WHERE {}", of(game));
        let count = sqlx::query_scalar(AssertSqlSafe(count));
        count
            .fetch_one(&mut self.open().await)
            .await
            .expect("it can be read")
    }

    /// The stores of both projectors are as they were in a copy; the log goes on.
    pub async fn set_stores_back(&self, copy: &Path) {
        let tables = ["live_snapshots", "checkpoints", "game_players", "games"];
        let emptied = tables.map(|table| format!("DELETE FROM {table};")).concat();
        let filled = tables.iter().rev();
        let filled = filled.map(|table| format!("INSERT INTO {table} SELECT * FROM copy.{table};"));
        let filled: String = filled.collect();
        self.change(format!(
            "ATTACH '{}' AS copy; BEGIN; {emptied} {filled} COMMIT; DETACH copy;",
            copy.display()
        ))
        .await;
    }
}

/// A game's rows.
pub fn of(game: &str) -> String {
    format!("lower(hex(game)) = '{}'", game.replace('-', ""))
}

/// Its last message of this name.
pub fn last(game: &str, name: &str) -> String {
    let rows = of(game);
    format!("seq = (SELECT max(seq) FROM log WHERE {rows} AND name = '{name}')")
}
