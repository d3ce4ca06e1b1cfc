//! What the analysts' user may do: read the log, all of it, and nothing else.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{PATIENCE, client, connect, settings_file, start, up};
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use async_nats::{Client, ConnectOptions, Event, jetstream};
use commands::ports::{EventLog, LogEntry};
use contract::{GameKey, Kind};
use futures::StreamExt;
use projections::ports::{LogFilter, LogReader};
use serde_json::{Value, json};
use testkit::fixtures::{self, Game, append_after, append_all, messages, outgoing};
use testkit::services::Nats;
use tokio::time::timeout;
use turnstream_nats::NatsLog;

/// As which clients address the log's API from the analysts' account.
const DOMAIN: &str = "turnstream";

/// An analyst, and what the server complained of.
struct Analyst {
    client: Client,
    complaints: Arc<Mutex<Vec<String>>>,
}

impl Analyst {
    async fn at(server: &Nats) -> Self {
        let (user, password) = Nats::analysts_credentials();
        let complaints = Arc::<Mutex<Vec<String>>>::default();
        let heard = complaints.clone();
        let client = ConnectOptions::with_user_and_password(user, password)
            .event_callback(move |event| {
                if let Event::ServerError(error) = event {
                    heard.lock().unwrap().push(error.to_string());
                }
                std::future::ready(())
            })
            .connect(server.address())
            .await
            .unwrap();
        Self { client, complaints }
    }

    fn log(&self) -> jetstream::Context {
        jetstream::with_domain(self.client.clone(), DOMAIN)
    }

    /// Sends it without waiting for an answer, which `reply` would get; returns when the server has taken it.
    async fn send(&self, subject: &str, reply: &str, body: &Value) {
        self.client
            .publish_with_reply(subject.to_owned(), reply.to_owned(), body.to_string().into())
            .await
            .unwrap();
        self.client.flush().await.unwrap();
    }

    async fn ask(&self, what: &str, body: &Value) -> Value {
        let subject = format!("$JS.{DOMAIN}.API.{what}");
        let answer = timeout(PATIENCE, self.client.request(subject, body.to_string().into()));
        serde_json::from_slice(&answer.await.unwrap().unwrap().payload).unwrap()
    }

    /// Whether the server said that it is forbidden.
    async fn is_refused(&self, subject: &str) -> bool {
        let complaint = format!("Permissions Violation for Publish to {subject:?}").to_lowercase();
        let refused = async {
            while !self
                .complaints
                .lock()
                .unwrap()
                .iter()
                .any(|heard| heard.to_lowercase().contains(&complaint))
            {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(Duration::from_secs(5), refused).await.is_ok()
    }
}

/// The service's log, with two games in it: everything that was written. The first game's are the first five.
async fn played(server: &Nats) -> (NatsLog, Vec<LogEntry>) {
    let (log, _, written) = playing(server).await;
    (log, written)
}

/// The same with the first game, to go on.
async fn playing(server: &Nats) -> (NatsLog, Game, Vec<LogEntry>) {
    let log = connect(server).await;
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let mut events = vec![outgoing(&started)];
    events.extend((1..5).map(|_| outgoing(&game.play())));
    let mut written = append_all(&log, &events).await;
    written.extend(append_all(&log, &messages(2)).await);
    (log, game, written)
}

/// What must not change whatever an analyst does.
async fn everything(server: &Nats) -> (Vec<Value>, Vec<Value>) {
    let context = jetstream::new(client(server).await);
    let (mut streams, mut consumers) = (Vec::new(), Vec::new());
    for name in ["DEAD", "GAMES"] {
        let stream = context.get_stream(name).await.unwrap();
        let info = stream.cached_info();
        streams.push(json!({
            "config": info.config, "created": info.created.to_string(), "last": info.state.last_sequence,
            "messages": info.state.messages, "subjects": info.state.subjects_count,
        }));
        let mut list = stream.consumers();
        while let Some(consumer) = list.next().await {
            let consumer = consumer.unwrap();
            if !consumer.name.starts_with("analyst-") {
                consumers.push(json!({ "name": consumer.name, "config": consumer.config }));
            }
        }
    }
    (streams, consumers)
}

fn from_the_beginning(name: &str) -> pull::Config {
    pull::Config {
        name: Some(name.to_owned()),
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::None,
        inactive_threshold: Duration::from_secs(30),
        memory_storage: true,
        num_replicas: 1,
        ..pull::Config::default()
    }
}

#[tokio::test]
async fn an_analyst_reads_everything_by_a_consumer_of_their_own() {
    let server = start().await;
    let (log, mut written) = played(&server).await;
    let analyst = Analyst::at(&server).await;
    for name in ["analyst-1", "analyst-2", "analyst-3"] {
        let stream = analyst.log().get_stream_no_info("GAMES").await.unwrap();
        let consumer = stream.create_consumer(from_the_beginning(name)).await.unwrap();
        let mut read = consumer.messages().await.unwrap();
        // What comes while they wait comes too.
        written.extend(append_all(&log, &messages(1)).await);
        for entry in &written {
            let message = timeout(PATIENCE, read.next()).await.unwrap().unwrap().unwrap();
            let seq = message.info().unwrap().stream_sequence;
            assert_eq!((seq, &message.payload), (entry.seq, &entry.bytes));
        }
        assert_eq!(consumer.get_info().await.unwrap().num_pending, 0);
        stream.delete_consumer(name).await.unwrap();
    }
}

#[tokio::test]
async fn an_analyst_reads_single_messages_and_how_far_the_log_goes() {
    let server = start().await;
    let (_log, written) = played(&server).await;
    let analyst = Analyst::at(&server).await;
    let stream = analyst.log().get_stream("GAMES").await.unwrap();
    assert_eq!(stream.cached_info().state.last_sequence, written.len() as u64);
    for entry in &written {
        assert_eq!(stream.direct_get(entry.seq).await.unwrap().payload, entry.bytes);
        let from_the_leader = stream.get_raw_message(entry.seq).await.unwrap();
        assert_eq!(from_the_leader.payload, entry.bytes);
    }
    let GameKey { kind, id } = written[0].key;
    let last = stream
        .direct_get_last_for_subject(format!("games.{kind}.{id}.moved"))
        .await;
    assert_eq!(last.unwrap().payload, written[4].bytes);
}

/// Requests of every sort, by the names of the server's API, that would change something or show something else.
fn forbidden(own: &str) -> Vec<String> {
    let whole = [
        "INFO",
        "STREAM.NAMES",
        "STREAM.LIST",
        "STREAM.CREATE.GAMES",
        "STREAM.CREATE.OTHER",
        "STREAM.UPDATE.GAMES",
        "STREAM.DELETE.GAMES",
        "STREAM.PURGE.GAMES",
        "STREAM.MSG.DELETE.GAMES",
        "STREAM.SNAPSHOT.GAMES",
        "STREAM.RESTORE.OTHER",
        "STREAM.LEADER.STEPDOWN.GAMES",
        "STREAM.PEER.REMOVE.GAMES",
        "STREAM.INFO.DEAD",
        "STREAM.DELETE.DEAD",
        "STREAM.PURGE.DEAD",
        "STREAM.MSG.GET.DEAD",
        "DIRECT.GET.DEAD",
        "META.LEADER.STEPDOWN",
        "CONSUMER.NAMES.GAMES",
        "CONSUMER.LIST.GAMES",
        "CONSUMER.CREATE.GAMES",
        "CONSUMER.CREATE.DEAD.analyst-1",
        "CONSUMER.DURABLE.CREATE.GAMES.analyst-1",
    ];
    let of_a_consumer = [
        "CONSUMER.CREATE.GAMES.",
        "CONSUMER.DURABLE.CREATE.GAMES.",
        "CONSUMER.INFO.GAMES.",
        "CONSUMER.DELETE.GAMES.",
        "CONSUMER.PAUSE.GAMES.",
        "CONSUMER.RESET.GAMES.",
        "CONSUMER.UNPIN.GAMES.",
        "CONSUMER.LEADER.STEPDOWN.GAMES.",
        "CONSUMER.MSG.NEXT.GAMES.",
    ];
    let mut all: Vec<String> = whole.map(str::to_owned).into();
    all.extend(of_a_consumer.map(|what| format!("{what}{own}")));
    all
}

#[tokio::test]
async fn an_analyst_is_refused_whatever_is_no_reading() {
    let server = start().await;
    let (log, written) = played(&server).await;
    // A reader of the service's; the analyst has found out its name.
    let mut reader = log.open(0, LogFilter::All).await.unwrap();
    assert_eq!(reader.next(1, 10_000).await.unwrap(), written[..1]);
    let before = everything(&server).await;
    let own = before.1[0]["name"].as_str().expect("the service reads");
    let analyst = Analyst::at(&server).await;

    let key = written[0].key;
    let mut subjects = vec![
        format!("games.{}.{}.moved", key.kind, key.id),
        format!("dead.history.{}", key.id),
        format!("service.{}", fixtures::writer()),
        format!("presence.{}", key.id),
        format!("$JS.ACK.GAMES.{own}.1.1.1.1.0"),
        "$SYS.REQ.SERVER.PING".to_owned(),
    ];
    subjects.extend(forbidden(own).iter().map(|what| format!("$JS.API.{what}")));
    for subject in &subjects {
        analyst.send(subject, "_INBOX.answer", &json!({})).await;
        assert!(analyst.is_refused(subject).await, "{subject}");
    }
    // Nor does any of it lead anywhere by the way that requests of theirs go.
    for what in forbidden(own) {
        let subject = format!("$JS.{DOMAIN}.API.{what}");
        let answer = analyst.client.request(subject, "{}".into()).await;
        assert!(answer.is_err(), "{what}: {answer:?}");
    }
    assert_eq!(everything(&server).await, before);
    assert_eq!(reader.next(100, 10_000).await.unwrap(), written[1..]);
}

#[tokio::test]
async fn an_analyst_hears_nothing_of_what_others_say() {
    let server = start().await;
    let analyst = Analyst::at(&server).await;
    let mut heard = Vec::new();
    for subject in [">", "games.>", "service.*", "_R_.>", "$JS.API.>", "_INBOX.>"] {
        heard.push(analyst.client.subscribe(subject).await.unwrap());
    }
    analyst.client.flush().await.unwrap();
    // Everything there is: appends, requests with answers, consumers, heartbeats.
    let (log, written) = played(&server).await;
    let mut reader = log.open(0, LogFilter::All).await.unwrap();
    assert_eq!(reader.next(100, 10_000).await.unwrap(), written);
    client(&server)
        .await
        .publish("service.a", "{}".into())
        .await
        .unwrap();
    // An answer to a question of their own is all that comes: behind everything else, if that came.
    let told = analyst.ask("STREAM.INFO.GAMES", &json!({})).await;
    assert_eq!(told["state"]["messages"], written.len());
    for mut subscription in heard {
        let said = timeout(Duration::from_millis(100), subscription.next()).await;
        if let Ok(Some(message)) = said {
            assert!(message.subject.starts_with("_INBOX."), "{message:?}");
            let answer: Value = serde_json::from_slice(&message.payload).unwrap();
            assert_eq!(answer["state"]["messages"], written.len(), "{message:?}");
        }
    }
}

/// Where an answer would do harm: in a game, among the dead letters, as a request of another sort, as a heartbeat.
fn harmful(key: GameKey) -> Vec<String> {
    vec![
        format!("games.{}.{}.moved", key.kind, key.id),
        format!("dead.history.{}", key.id),
        "$JS.API.STREAM.DELETE.GAMES".to_owned(),
        "$JS.API.STREAM.PURGE.GAMES".to_owned(),
        "service.0000000000000001".to_owned(),
    ]
}

#[tokio::test]
async fn an_answer_of_the_log_goes_nowhere_but_to_the_analyst() {
    let server = start().await;
    let (log, mut game, written) = playing(&server).await;
    let mut heartbeats = client(&server).await.subscribe("service.*").await.unwrap();
    let before = everything(&server).await;
    let analyst = Analyst::at(&server).await;
    let stream = analyst.log().get_stream_no_info("GAMES").await.unwrap();
    let consumer: jetstream::consumer::PullConsumer = stream
        .create_consumer(from_the_beginning("analyst-1"))
        .await
        .unwrap();
    let api = format!("$JS.{DOMAIN}.API");
    for reply in harmful(written[0].key) {
        for (what, body) in [
            ("STREAM.INFO.GAMES", json!({})),
            ("DIRECT.GET.GAMES", json!({ "seq": 1 })),
            ("STREAM.MSG.GET.GAMES", json!({ "seq": 1 })),
            ("CONSUMER.INFO.GAMES.analyst-1", json!({})),
            ("CONSUMER.MSG.NEXT.GAMES.analyst-1", json!({ "batch": 1 })),
        ] {
            analyst.send(&format!("{api}.{what}"), &reply, &body).await;
        }
        // A consumer that is not asked, but sends by itself.
        let pushed = json!({ "stream_name": "GAMES", "config": {
            "name": "analyst-2", "deliver_policy": "all", "ack_policy": "none", "headers_only": true,
            "deliver_subject": reply, "num_replicas": 1, "mem_storage": true,
        }});
        let made = analyst.ask("CONSUMER.CREATE.GAMES.analyst-2", &pushed).await;
        if made["error"].is_null() {
            let deleted = analyst.ask("CONSUMER.DELETE.GAMES.analyst-2", &json!({})).await;
            assert_eq!(deleted["success"], true, "{deleted}");
        }
    }
    // The requests were understood: the consumer has given its messages away.
    assert!(consumer.get_info().await.unwrap().delivered.consumer_sequence > 0);
    assert_eq!(everything(&server).await, before);
    let heard = timeout(Duration::from_millis(100), heartbeats.next()).await;
    assert!(heard.is_err(), "{heard:?}");
    // The game goes on as if nothing had been.
    append_after(&log, written[4].seq, &[outgoing(&game.play())]).await;
}

/// A name in a request's body counts for nothing against the one in its subject.
#[tokio::test]
async fn a_consumer_of_an_analysts_is_nobody_elses_by_another_name() {
    let server = start().await;
    let (log, written) = played(&server).await;
    let mut reader = log.open(0, LogFilter::All).await.unwrap();
    assert_eq!(reader.next(1, 10_000).await.unwrap(), written[..1]);
    let before = everything(&server).await;
    let own = before.1[0]["name"].as_str().expect("the service reads");
    let analyst = Analyst::at(&server).await;
    for named in [json!({ "name": own }), json!({ "durable_name": own })] {
        let mut config = json!({ "ack_policy": "none", "inactive_threshold": 1_000_000 });
        config
            .as_object_mut()
            .unwrap()
            .extend(named.as_object().cloned().unwrap());
        let body = json!({ "stream_name": "GAMES", "config": config });
        let made = analyst.ask("CONSUMER.CREATE.GAMES.analyst-1", &body).await;
        assert_ne!(made["name"], own, "{made}");
    }
    assert_eq!(everything(&server).await, before);
    assert_eq!(reader.next(100, 10_000).await.unwrap(), written[1..]);
}

/// Why analysts have an account of their own: in the service's, the right to ask is the right to write.
#[tokio::test]
async fn in_the_services_own_account_an_answer_could_be_stored_as_an_event() {
    let server = start().await;
    let file = settings_file(&server);
    let reader = r#"{ user: reader, password: secret, permissions: {
        publish: ["$JS.API.STREAM.INFO.GAMES"], subscribe: ["_INBOX.>"] } }"#;
    let settings = fs::read_to_string(&file).unwrap();
    let settings = settings.replacen(
        "{ user: turnstream,",
        &format!("{reader}\n{{ user: turnstream,"),
        1,
    );
    fs::write(&file, settings).unwrap();
    server.restart().await.unwrap();
    let (log, written) = played(&server).await;
    let reader = ConnectOptions::with_user_and_password("reader".into(), "secret".into());
    let reader = reader.connect(server.address()).await.unwrap();
    let GameKey { kind, id } = written[0].key;
    let game = format!("games.{kind}.{id}.moved");
    reader
        .publish_with_reply("$JS.API.STREAM.INFO.GAMES", game, "".into())
        .await
        .unwrap();
    reader.flush().await.unwrap();
    let stored = async {
        while log.last(written[0].key).await.unwrap().expect("it is there").seq == written[4].seq {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, stored)
        .await
        .expect("if the server has learnt to refuse this, the account is no longer needed");
}

/// A server that had no accounts kept the log in the directory of the one that everybody shared.
#[tokio::test]
async fn a_log_from_before_accounts_is_moved_into_the_services() {
    let server = start().await;
    let file = settings_file(&server);
    let settings = fs::read_to_string(&file).unwrap();
    let (before, _) = settings
        .split_once("\naccounts {")
        .expect("the file has accounts");
    fs::write(&file, before).unwrap();
    server.restart_empty().await.unwrap();
    fs::write(&file, before).unwrap();
    server.restart().await.unwrap();
    let log = connect(&server).await;
    let written = append_all(&log, &messages(3)).await;
    let identity = log.info().await.unwrap().identity;
    log.close().await;

    server.stop().await.unwrap();
    let store = server.store_dir().join("jetstream");
    fs::rename(store.join("$G"), store.join("TURNSTREAM")).unwrap();
    fs::write(&file, settings).unwrap();
    server.restart().await.unwrap();
    let log = connect(&server).await;
    up(&log).await;
    assert_eq!(log.info().await.unwrap().identity, identity);
    assert_eq!(log.read_game(written[0].key, 0).await.unwrap(), written);
}
