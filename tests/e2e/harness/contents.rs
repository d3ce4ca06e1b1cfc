//! Everything that the stores of a world hold, byte by byte, for whoever looks for what must not be there.

use futures::StreamExt;
use redis::aio::MultiplexedConnection;
use redis::{AsyncCommands, Cmd, Value};
use sqlx::{Connection, PgConnection};
use testkit::services::Nats;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::World;
use super::stores::client_of;

impl World {
    /// All that is stored, by where it is.
    pub async fn contents(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut all = vec![("the files", self.files())];
        if let Some(nats) = &self.nats {
            all.push(("the streams", streams(nats).await));
        }
        all.extend(self.contents_of_valkey().await);
        if let Some(postgres) = &self.postgres {
            all.push(("Postgres", tables(&postgres.url()).await));
        }
        all
    }

    /// What Valkey has, where there is one.
    pub async fn contents_of_valkey(&self) -> Vec<(&'static str, Vec<u8>)> {
        match &self.valkey {
            Some(valkey) => vec![("Valkey", keys(&valkey.url()).await)],
            None => Vec::new(),
        }
    }
}

/// Every message of every stream, with its subject and its headers.
async fn streams(nats: &Nats) -> Vec<u8> {
    let context = async_nats::jetstream::new(client_of(nats).await);
    let mut all = Vec::new();
    let mut names = context.stream_names();
    while let Some(name) = names.next().await {
        let name = name.expect("NATS answers");
        let stream = context.get_stream(&name).await.expect("it is there");
        for seq in 1..=stream.cached_info().state.last_sequence {
            let Ok(message) = stream.get_raw_message(seq).await else {
                continue;
            };
            all.extend(format!("{}\n{:?}\n", message.subject, message.headers).into_bytes());
            all.extend(message.payload);
        }
    }
    all
}

/// Every key with its value.
async fn keys(url: &str) -> Vec<u8> {
    let client = redis::Client::open(url).expect("a URL");
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.expect("Valkey answers");
    let keys: Vec<Vec<u8>> = connection.keys("*").await.expect("Valkey answers");
    let mut all = Vec::new();
    for key in keys {
        all.extend(&key);
        flatten(&value_of(&mut connection, &key).await, &mut all);
    }
    all
}

async fn value_of(connection: &mut MultiplexedConnection, key: &[u8]) -> Value {
    let kind: String = redis::cmd("TYPE")
        .arg(key)
        .query_async(connection)
        .await
        .expect("Valkey answers");
    let read = |name: &str, further: &[&str]| {
        let mut cmd: Cmd = redis::cmd(name);
        cmd.arg(key).arg(further);
        cmd
    };
    let read = match kind.as_str() {
        "string" => read("GET", &[]),
        "hash" => read("HGETALL", &[]),
        "list" => read("LRANGE", &["0", "-1"]),
        "set" => read("SMEMBERS", &[]),
        "zset" => read("ZRANGE", &["0", "-1"]),
        // It lapsed meanwhile.
        "none" => return Value::Nil,
        other => panic!("nobody here reads a {other}"),
    };
    read.query_async(connection).await.expect("Valkey answers")
}

fn flatten(value: &Value, into: &mut Vec<u8>) {
    into.push(b'\n');
    match value {
        Value::BulkString(bytes) => into.extend(bytes),
        Value::Array(values) | Value::Set(values) => values.iter().for_each(|value| flatten(value, into)),
        Value::Map(pairs) => pairs.iter().for_each(|(name, value)| {
            flatten(name, into);
            flatten(value, into);
        }),
        other => into.extend(format!("{other:?}").into_bytes()),
    }
}

/// Every row of every table of ours.
async fn tables(url: &str) -> Vec<u8> {
    let mut database = PgConnection::connect(url).await.expect("Postgres answers");
    let names = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
    let names: Vec<String> = sqlx::query_scalar(names)
        .fetch_all(&mut database)
        .await
        .expect("it has tables");
    let mut all = String::new();
    for name in names {
        let rows = format!("SELECT to_jsonb(t)::text FROM \"{name}\" t");
        let rows: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(rows))
            .fetch_all(&mut database)
            .await
            .expect("it can be read");
        all += &rows.join("\n");
    }
    all.into_bytes()
}

/// Hears every message that goes through NATS, requests and answers included.
pub struct Overheard {
    heard: watch::Receiver<Vec<u8>>,
    _listening: JoinSet<()>,
}

impl Overheard {
    /// Begins to listen; without NATS there is nothing to hear.
    pub async fn on(world: &World) -> Self {
        let (hear, heard) = watch::channel(Vec::new());
        let mut listening = JoinSet::new();
        if let Some(nats) = &world.nats {
            let client = client_of(nats).await;
            let mut messages = client.subscribe(">").await.expect("NATS answers");
            client.flush().await.expect("NATS answers");
            listening.spawn(async move {
                let _open = client;
                while let Some(message) = messages.next().await {
                    hear.send_modify(|heard| {
                        heard.extend(format!("{}\n{:?}\n", message.subject, message.headers).into_bytes());
                        heard.extend(&message.payload);
                    });
                }
            });
        }
        Self {
            heard,
            _listening: listening,
        }
    }

    /// All so far.
    pub fn everything(&self) -> Vec<u8> {
        self.heard.borrow().clone()
    }
}
