//! What the stores of a world hold, read beside the services.

use redis::AsyncCommands;
use serde_json::Value;
use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection, SqliteConnection};

use super::World;

const POSTGRES_ROW: &str = "
    SELECT (to_jsonb(g) || jsonb_build_object(
        'started_at', (extract(epoch FROM started_at) * 1000)::bigint,
        'ended_at', (extract(epoch FROM ended_at) * 1000)::bigint,
        'written', xmin::text,
        'players', (SELECT jsonb_agg(jsonb_build_object(
            'seat', seat, 'user_id', user_id, 'name', name, 'is_guest', is_guest) ORDER BY seat)
            FROM game_players WHERE game_id = g.id)))::text
    FROM games g WHERE id = $1::uuid";

const SQLITE_ROW: &str = "
    SELECT json_object('kind', kind, 'rules', rules, 'player1_id', player1_id, 'player2_id', player2_id,
        'durability', durability, 'origin', origin, 'result', result, 'end_reason', end_reason,
        'left_user_id', left_user_id, 'started_at', started_at, 'ended_at', ended_at, 'move_count', move_count,
        'final_board', json(final_board), 'moves', json(moves), 'peak_spectators', peak_spectators,
        'total_spectators', total_spectators, 'written', rowid,
        'players', (SELECT json_group_array(json_object(
            'seat', seat, 'user_id', user_id, 'name', name,
            'is_guest', json(iif(is_guest, 'true', 'false'))) ORDER BY seat)
            FROM game_players WHERE game_id = games.id))
    FROM games WHERE lower(hex(id)) = replace($1, '-', '')";

impl World {
    /// The row of a finished game with its players, in the columns' names. `written` is another one whenever the row
    /// was written anew.
    pub async fn row(&self, game: &str) -> Option<Value> {
        let row: Option<String> = if self.postgres.is_some() {
            let row = sqlx::query_scalar(POSTGRES_ROW).bind(game);
            let row = row.fetch_optional(&mut self.database().await).await;
            if row.as_ref().is_err_and(is_no_table) {
                return None;
            }
            row
        } else {
            let row = sqlx::query_scalar(SQLITE_ROW).bind(game);
            row.fetch_optional(&mut self.file().await).await
        }
        .expect("rows can be read");
        row.map(|row| serde_json::from_str(&row).expect("a row is JSON"))
    }

    /// How many rows of finished games there are.
    pub async fn rows(&self) -> i64 {
        let count = "SELECT count(*) FROM games";
        if self.postgres.is_some() {
            let count = sqlx::query_scalar(count);
            count.fetch_one(&mut self.database().await).await
        } else {
            let count = sqlx::query_scalar(count);
            count.fetch_one(&mut self.file().await).await
        }
        .expect("rows can be counted")
    }

    /// Changes rows behind the service's back: SQL that both databases know.
    pub async fn change_rows(&self, sql: &'static str) {
        if self.postgres.is_some() {
            let done = sqlx::raw_sql(sql).execute(&mut self.database().await).await;
            done.map(drop)
        } else {
            let done = sqlx::raw_sql(sql).execute(&mut self.file().await).await;
            done.map(drop)
        }
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Makes the history refuse every new game as data, or no longer.
    pub async fn refuse_rows(&self, refuse: bool) {
        let sql = match (self.postgres.is_some(), refuse) {
            (true, true) => "ALTER TABLE games ADD CONSTRAINT refused CHECK (move_count < 0) NOT VALID",
            (true, false) => "ALTER TABLE games DROP CONSTRAINT refused",
            (false, true) => {
                "CREATE TRIGGER refused BEFORE INSERT ON games BEGIN SELECT RAISE(ABORT, 'refused'); END"
            }
            (false, false) => "DROP TRIGGER refused",
        };
        self.change_rows(sql).await;
    }

    /// Keeps a merge of rows waiting until it is dropped; nobody else waits for it but who writes rows.
    pub async fn hold_rows(&self) -> PgConnection {
        let mut holder = self.database().await;
        let held = sqlx::raw_sql("BEGIN; LOCK TABLE games IN SHARE MODE");
        held.execute(&mut holder).await.expect("it can be locked");
        holder
    }

    /// Copies the embedded database as its own means do, while it is in use.
    pub async fn back_up_file(&self, to: &std::path::Path) {
        let copied = format!("VACUUM INTO '{}'", to.display());
        let copied = sqlx::raw_sql(sqlx::AssertSqlSafe(copied));
        copied
            .execute(&mut self.file().await)
            .await
            .expect("it can be copied");
    }

    /// Whether a shadow of the history is there.
    pub async fn has_shadow(&self) -> bool {
        let count: i64 = if self.postgres.is_some() {
            let count = "SELECT count(*) FROM information_schema.tables WHERE table_name LIKE 'shadow_%'";
            let count = sqlx::query_scalar(count);
            count.fetch_one(&mut self.database().await).await
        } else {
            let count = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'shadow_%'";
            let count = sqlx::query_scalar(count);
            count.fetch_one(&mut self.file().await).await
        }
        .expect("tables can be counted");
        count > 0
    }

    /// Puts something else in the place of a game's snapshot in Valkey, behind the service's back.
    pub async fn rewrite_snapshot(&self, game: &str, other: impl FnOnce(&str) -> String) {
        let valkey = self.valkey.as_ref().expect("a world of servers has Valkey");
        let (mut connection, key) = game_in(valkey, game).await;
        let bytes: String = connection.hget(&key, "bytes").await.expect("it has a snapshot");
        let () = connection
            .hset(&key, "bytes", other(&bytes))
            .await
            .expect("Valkey answers");
    }

    /// Spoils a game's snapshot behind the service's back.
    pub async fn spoil_snapshot(&self, game: &str) {
        if self.valkey.is_some() {
            self.rewrite_snapshot(game, |_| "spoiled".to_owned()).await;
        } else {
            let spoiled = sqlx::query(
                "UPDATE live_snapshots SET bytes = x'00' WHERE lower(hex(game)) = replace($1, '-', '')",
            );
            let spoiled = spoiled.bind(game).execute(&mut self.file().await).await;
            assert_eq!(spoiled.expect("snapshots can be changed").rows_affected(), 1);
        }
    }

    /// How many readers the log's server keeps for somebody; none where the log is embedded.
    pub async fn readers(&self) -> usize {
        use futures::TryStreamExt;
        if self.nats.is_none() {
            return 0;
        }
        let stream = jetstream(self).await.get_stream("GAMES").await;
        let stream = stream.expect("there is a log");
        let names: Vec<String> = stream.consumer_names().try_collect().await.expect("a list");
        names.len()
    }

    /// Every file in which the log and the rows are kept, where this test can read them.
    pub fn files(&self) -> Vec<u8> {
        let mut all = Vec::new();
        let mut folders = vec![self.data_dir()];
        folders.extend(self.nats.as_ref().map(testkit::services::Nats::store_dir));
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.expect("it can be read").path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(bytes) = std::fs::read(&path) {
                    all.extend(bytes);
                }
            }
        }
        all
    }

    /// How far the history projector has come, if it has begun.
    pub async fn history_checkpoint(&self) -> Option<i64> {
        if self.postgres.is_some() {
            let seq = sqlx::query_scalar("SELECT seq FROM projector_checkpoints WHERE projector = 'history'");
            seq.fetch_optional(&mut self.database().await).await
        } else {
            let seq = sqlx::query_scalar("SELECT seq FROM checkpoints WHERE store = 'history'");
            seq.fetch_optional(&mut self.file().await).await
        }
        .expect("checkpoints can be read")
    }

    /// Makes the history projector begin anew when it is next started.
    pub async fn forget_history_checkpoint(&self) {
        if self.postgres.is_some() {
            let gone = sqlx::query("DELETE FROM projector_checkpoints WHERE projector = 'history'");
            gone.execute(&mut self.database().await).await.map(drop)
        } else {
            let gone = sqlx::query("DELETE FROM checkpoints WHERE store = 'history'");
            gone.execute(&mut self.file().await).await.map(drop)
        }
        .expect("checkpoints can be deleted");
    }

    /// Makes the log forget everything up to `seq`, as an old age of its messages does.
    pub async fn purge_log(&self, seq: u64) {
        if self.is_embedded() {
            let gone = sqlx::query("DELETE FROM log WHERE seq <= $1").bind(seq as i64);
            gone.execute(&mut self.file().await)
                .await
                .expect("the log can be cut");
            return;
        }
        let stream = jetstream(self).await.get_stream("GAMES").await;
        let purge = stream.expect("there is a log").purge().sequence(seq + 1).await;
        purge.expect("the log can be cut");
    }

    /// What the live store has of a game: `live`, `tombstone` or nothing.
    pub async fn live_key(&self, game: &str) -> Option<String> {
        if let Some(valkey) = &self.valkey {
            let (mut connection, key) = game_in(valkey, game).await;
            connection.hget(key, "status").await.expect("Valkey answers")
        } else {
            let status = sqlx::query_scalar(
                "SELECT status FROM live_snapshots, live_generation
                 WHERE generation = current AND lower(hex(game)) = replace($1, '-', '')",
            );
            let status = status.bind(game).fetch_optional(&mut self.file().await).await;
            status.expect("snapshots can be read")
        }
    }

    /// Has the key that a service left in the live store stay there for ever.
    pub async fn keep_service_key(&self, writer: &str) {
        let valkey = self.valkey.as_ref().expect("a world of servers has Valkey");
        let client = redis::Client::open(valkey.url()).expect("a URL");
        let connection = client.get_multiplexed_async_connection().await;
        let mut connection = connection.expect("Valkey answers");
        let kept: bool = connection
            .persist(format!("turnstream:service:{writer}"))
            .await
            .expect("Valkey answers");
        assert!(kept, "the key has not lapsed yet");
    }

    /// Has Postgres refuse every row of games that this user begins, for ever.
    pub async fn refuse_rows_of(&self, user: &str) {
        // A constraint takes no parameters, and a public id has no quotes.
        let refusal = format!("ALTER TABLE games ADD CONSTRAINT refused CHECK (player1_id <> '{user}')");
        let refused = sqlx::query(sqlx::AssertSqlSafe(refusal));
        refused
            .execute(&mut self.database().await)
            .await
            .expect("Postgres takes it");
    }

    /// Bounds how many messages the log may have; `-1` lifts the bound.
    pub async fn bound_log(&self, messages: i64) {
        let context = jetstream(self).await;
        let stream = context.get_stream("GAMES").await.expect("there is a log");
        let mut config = stream.cached_info().config.clone();
        config.max_messages = messages;
        context.update_stream(config).await.expect("it can be changed");
    }

    async fn database(&self) -> PgConnection {
        let postgres = self.postgres.as_ref().expect("it was asked for");
        let connection = PgConnection::connect(&postgres.url()).await;
        connection.expect("Postgres answers")
    }

    async fn file(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.data_dir().join("turnstream.sqlite"));
        options.connect().await.expect("the file can be read")
    }
}

/// NATS as the service's user.
pub async fn client_of(nats: &testkit::services::Nats) -> async_nats::Client {
    let (user, password) = testkit::services::Nats::credentials();
    let options = async_nats::ConnectOptions::with_user_and_password(user, password);
    options.connect(nats.address()).await.expect("NATS answers")
}

/// The server's own language, for what the adapter does not do.
async fn jetstream(world: &World) -> async_nats::jetstream::Context {
    let nats = world.nats.as_ref().expect("a world of servers has NATS");
    async_nats::jetstream::new(client_of(nats).await)
}

/// A connection to Valkey, and the key of what it has of a game.
async fn game_in(
    valkey: &testkit::services::Valkey,
    game: &str,
) -> (redis::aio::MultiplexedConnection, String) {
    let client = redis::Client::open(valkey.url()).expect("a URL");
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.expect("Valkey answers");
    let generation: Option<u64> = connection
        .get("turnstream:live:generation")
        .await
        .expect("Valkey answers");
    let key = format!("turnstream:live:{}:{game}", generation.unwrap_or(0));
    (connection, key)
}

/// Whether a database has not been migrated yet.
fn is_no_table(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.as_deref() == Some("42P01")
}
