//! A server that is too old: a real one, and, where only its greeting counts, one that says so.

use std::net::Ipv4Addr;

use crate::common::{PATIENCE, down, start, up};
use commands::ports::EventLog;
use futures::StreamExt;
use testkit::fixtures::messages;
use testkit::services::OldNats;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use turnstream_nats::{ConnectError, NatsConfig, NatsLog, Unfit};

const GREETING: &str = r#"INFO {"server_id":"OLD","version":"2.9.10","proto":1,"headers":true,"max_payload":8388608,"jetstream":true}"#;

/// Says that it is 2.9.10, and that nobody answers; counts its guests. Ends with the value.
struct OldServer {
    url: String,
    guests: watch::Receiver<u32>,
    _running: JoinSet<()>,
}

impl OldServer {
    async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("nats://{}", listener.local_addr().unwrap());
        let (count, guests) = watch::channel(0);
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut guests = JoinSet::new();
            while let Ok((guest, _)) = listener.accept().await {
                guests.spawn(serve(guest, count.clone()));
            }
        });
        Self {
            url,
            guests,
            _running: running,
        }
    }
}

async fn serve(guest: TcpStream, served: watch::Sender<u32>) {
    let (reader, mut writer) = guest.into_split();
    writer
        .write_all(format!("{GREETING}\r\n").as_bytes())
        .await
        .unwrap();
    let mut lines = BufReader::new(reader).lines();
    let mut subscription = String::new();
    while let Ok(Some(line)) = lines.next_line().await {
        let words: Vec<_> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["PING"] => "PONG\r\n".to_owned(),
            ["SUB", _, id] => {
                id.clone_into(&mut subscription);
                continue;
            }
            ["PUB", _, inbox, _] => {
                served.send_modify(|count| *count += 1);
                format!("HMSG {inbox} {subscription} 16 16\r\nNATS/1.0 503\r\n\r\n\r\n")
            }
            _ => continue,
        };
        if writer.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn a_start_on_a_server_that_ignores_the_fence_is_refused() {
    let old = OldServer::start().await;
    let refusal = NatsLog::connect(&NatsConfig::new(&old.url))
        .await
        .expect_err("it is too old");
    let ConnectError::Unfit(Unfit::TooOld { version }) = &refusal else {
        panic!("{refusal}")
    };
    assert_eq!(version, "2.9.10");
}

#[tokio::test]
async fn a_reconnect_to_a_server_that_ignores_the_fence_keeps_the_link_down() {
    let server = start().await;
    let config = NatsConfig::new(server.url());
    let log = NatsLog::connect(&config).await.unwrap();
    let mut old = OldServer::start().await;
    // The same name now leads to the old one.
    let both = NatsConfig::new(format!("{},{}", server.url(), old.url));
    let moving = loop {
        match NatsLog::connect(&both).await {
            // It begins with either of the two.
            Err(ConnectError::Unfit(Unfit::TooOld { .. })) => {}
            other => break other.unwrap(),
        }
    };
    up(&moving).await;
    let before = *old.guests.borrow_and_update();
    server.kill().await.unwrap();
    down(&moving).await;
    timeout(PATIENCE, old.guests.wait_for(|count| *count > before + 1))
        .await
        .expect("it moves over")
        .unwrap();
    assert!(!moving.link().borrow().is_up());
    assert!(moving.append(&messages(1)[0], 0).await.is_err());
    server.restart().await.unwrap();
    drop(old);
    up(&moving).await;
    up(&log).await;
}

#[tokio::test]
async fn a_server_that_comes_back_as_an_older_version_is_not_written_to() {
    let server = start().await;
    let log = NatsLog::connect(&NatsConfig::new(server.url())).await.unwrap();
    up(&log).await;
    let message = messages(1).remove(0);
    let seq = log.append(&message, 0).await.unwrap();
    server.stop().await.unwrap();
    let old = OldNats::in_place_of(&server).await.unwrap();
    let spy = async_nats::connect(old.url()).await.unwrap();
    let mut asked = spy.subscribe("$JS.API.INFO").await.unwrap();
    let refused = async {
        // It asks a second time because the first answer was not good enough.
        for _ in 0..2 {
            asked.next().await.unwrap();
        }
    };
    timeout(PATIENCE, refused)
        .await
        .expect("it is looked at again and again");
    assert!(!log.link().borrow().is_up());
    assert!(log.append(&message, 0).await.is_err());
    let streams = async_nats::jetstream::new(spy).get_stream("GAMES").await;
    assert!(streams.is_err(), "it was not even given a stream");
    old.stop().await.unwrap();
    server.restart().await.unwrap();
    up(&log).await;
    assert_eq!(
        log.last(message.key).await.unwrap().map(|entry| entry.seq),
        Some(seq)
    );
}

#[tokio::test]
async fn a_start_on_a_real_one_is_refused_by_its_version() {
    let server = start().await;
    server.stop().await.unwrap();
    let old = OldNats::in_place_of(&server).await.unwrap();
    let refusal = NatsLog::connect(&NatsConfig::new(old.url()))
        .await
        .expect_err("it is too old");
    assert!(
        matches!(refusal, ConnectError::Unfit(Unfit::TooOld { .. })),
        "{refusal}"
    );
}
