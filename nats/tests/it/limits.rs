//! What the server cannot or must not do: sizes, permissions, streams that are gone, servers that are unfit.

use std::fs;

use crate::common::{PATIENCE, client, connect, settings_file, start, up};
use async_nats::jetstream;
use bytes::Bytes;
use commands::ports::{AppendError, EventLog};
use projections::ports::{DeadLetter, DeadLetters, LogFilter, LogReader};
use testkit::fixtures::{self, append_all, messages};
use testkit::services::Nats;
use tokio::time::timeout;
use turnstream_nats::{ConnectError, Credentials, LARGEST_EVENT, NatsConfig, NatsLog, Unfit};

fn assert_permanent<T: std::fmt::Debug>(outcome: &Result<T, AppendError>) {
    assert!(matches!(outcome, Err(AppendError::Permanent(_))), "{outcome:?}");
}

/// Changes the server's settings and starts it with them.
async fn reconfigure(server: &Nats, change: impl FnOnce(String) -> String) {
    let file = settings_file(server);
    fs::write(&file, change(fs::read_to_string(&file).unwrap())).unwrap();
    server.restart().await.unwrap();
}

#[tokio::test]
async fn too_large_a_message_is_refused_for_good_and_harms_nobody() {
    let server = start().await;
    let log = connect(&server).await;
    let game = messages(2);
    let large = fixtures::padded(&game[0], LARGEST_EVENT + 1);
    assert_permanent(&log.append(&large, 0).await);
    append_all(&log, &game).await;
    assert_eq!(up(&log).await, 1, "the connection has stood");
}

#[tokio::test]
async fn the_largest_message_is_taken_and_read_and_can_become_a_dead_letter() {
    let server = start().await;
    let log = connect(&server).await;
    let largest = fixtures::padded(&messages(1)[0], LARGEST_EVENT);
    let written = append_all(&log, &[largest]).await.remove(0);
    assert_eq!(log.last(written.key).await.unwrap().as_ref(), Some(&written));
    assert_eq!(
        log.read_game(written.key, 0).await.unwrap(),
        std::slice::from_ref(&written)
    );
    let letter = DeadLetter {
        projector: "history".to_owned(),
        game: written.key.id,
        seq: written.seq,
        reason: "ş\n".repeat(100_000),
        bytes: written.bytes,
    };
    log.put(&letter).await.unwrap();
    let listed = log.list(10).await.unwrap().remove(0);
    assert_eq!(listed.bytes, letter.bytes);
    assert!(letter.reason.starts_with(&listed.reason) && listed.reason.len() > 1_000);
}

#[tokio::test]
async fn a_stream_that_is_gone_is_a_refusal_for_good() {
    let server = start().await;
    let log = connect(&server).await;
    jetstream::new(client(&server).await)
        .delete_stream("GAMES")
        .await
        .unwrap();
    assert_permanent(&log.append(&messages(1)[0], 0).await);
    assert!(log.info().await.is_err());
}

#[tokio::test]
async fn a_subject_of_another_stream_is_a_refusal_for_good() {
    let server = start().await;
    let log = connect(&server).await;
    let context = jetstream::new(client(&server).await);
    context.delete_stream("GAMES").await.unwrap();
    let other = jetstream::stream::Config {
        name: "OTHER".to_owned(),
        subjects: vec!["games.>".to_owned()],
        ..Default::default()
    };
    let mut other = context.create_stream(other).await.unwrap();
    assert_permanent(&log.append(&messages(1)[0], 0).await);
    assert_eq!(
        other.info().await.unwrap().state.messages,
        0,
        "nor does the other stream take it"
    );
}

#[tokio::test]
async fn a_full_log_is_waited_for() {
    let server = start().await;
    let log = connect(&server).await;
    let context = jetstream::new(client(&server).await);
    let mut config = context
        .get_stream("GAMES")
        .await
        .unwrap()
        .cached_info()
        .config
        .clone();
    config.max_messages = 1;
    context.update_stream(&config).await.unwrap();
    let game = messages(2);
    let seq = log.append(&game[0], 0).await.unwrap();
    let full = log.append(&game[1], seq).await;
    assert!(matches!(full, Err(AppendError::Unknown(_))), "{full:?}");
}

#[tokio::test]
async fn a_stream_is_put_right_on_the_next_connection() {
    let server = start().await;
    let log = connect(&server).await;
    let before = log.info().await.unwrap().identity;
    let context = jetstream::new(client(&server).await);
    let mut config = context
        .get_stream("GAMES")
        .await
        .unwrap()
        .cached_info()
        .config
        .clone();
    config.max_messages = 1;
    context.update_stream(&config).await.unwrap();
    server.restart().await.unwrap();
    timeout(PATIENCE, async {
        while context
            .get_stream("GAMES")
            .await
            .map_or(1, |s| s.cached_info().config.max_messages)
            == 1
        {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("its definition is applied again");
    up(&log).await;
    assert_eq!(log.info().await.unwrap().identity, before);
    append_all(&log, &messages(3)).await;
}

#[tokio::test]
async fn a_forbidden_append_is_refused_for_good() {
    let server = start().await;
    reconfigure(&server, |settings| {
        let reader = r#"{ user: reader, password: secret, permissions: { publish: { deny: ["games.>"] } } }"#;
        settings.replacen(
            "{ user: turnstream,",
            &format!("{reader}\n{{ user: turnstream,"),
            1,
        )
    })
    .await;
    let all = connect(&server).await;
    let written = append_all(&all, &messages(2)).await;
    let reader = NatsConfig {
        credentials: Some(Credentials::Password {
            user: "reader".to_owned(),
            password: "secret".to_owned(),
        }),
        ..NatsConfig::new(server.address())
    };
    let reader = NatsLog::connect(&reader).await.unwrap();
    assert_eq!(reader.read_game(written[0].key, 0).await.unwrap(), written);
    assert_permanent(&reader.append(&messages(1)[0], 0).await);
}

#[tokio::test]
async fn a_stranger_stays_outside_and_the_start_goes_on() {
    let server = start().await;
    let wrong = server.url().replacen("service1", "service2", 1);
    for url in [server.address(), wrong] {
        let log = NatsLog::connect(&NatsConfig::new(url)).await.unwrap();
        assert!(log.info().await.is_err());
        assert!(!log.link().borrow().is_up());
    }
}

#[tokio::test]
async fn a_server_with_a_small_max_payload_is_refused() {
    let server = start().await;
    reconfigure(&server, |settings| {
        settings.replace("max_payload: 8MB", "max_payload: 1MB")
    })
    .await;
    let refusal = NatsLog::connect(&NatsConfig::new(server.url()))
        .await
        .expect_err("it is unfit");
    assert!(
        matches!(
            refusal,
            ConnectError::Unfit(Unfit::SmallMaxPayload {
                max_payload: 1_048_576
            })
        ),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_url_that_is_none_is_an_error_and_not_an_outage() {
    for url in ["", "nats://", "http://[", "nats://127.0.0.1:99999"] {
        let outcome = NatsLog::connect(&NatsConfig::new(url)).await;
        assert!(matches!(outcome, Err(ConnectError::Config(_))), "{url:?}");
    }
    let missing = NatsConfig {
        credentials: Some(Credentials::File("/nowhere/at.creds".into())),
        ..NatsConfig::new("nats://127.0.0.1")
    };
    assert!(matches!(
        NatsLog::connect(&missing).await,
        Err(ConnectError::Config(_))
    ));
}

#[tokio::test]
async fn a_dead_letter_of_a_projector_that_is_no_name_is_refused() {
    let server = start().await;
    let log = connect(&server).await;
    let letter = DeadLetter {
        projector: "his.tory".to_owned(),
        game: fixtures::game_id(),
        seq: 1,
        reason: String::new(),
        bytes: Bytes::new(),
    };
    assert!(log.put(&letter).await.is_err());
    assert_eq!(log.count().await.unwrap(), 0);
}

/// A kind that only newer code knows is not in the way.
#[tokio::test]
async fn a_game_of_an_unknown_kind_is_passed_over() {
    let server = start().await;
    let log = connect(&server).await;
    let context = jetstream::new(client(&server).await);
    let unknown = async || {
        let subject = format!("games.chess5d.{}.started", fixtures::game_id());
        let sent = context.publish(subject, "{}".into()).await.unwrap();
        sent.await.unwrap().sequence
    };
    unknown().await;
    let written = append_all(&log, &messages(1)).await;
    assert_eq!(log.unfinished().await.unwrap(), [written[0].key]);
    let mut cursor = log.open(0, LogFilter::All).await.unwrap();
    assert_eq!(cursor.next(10, 10_000).await.unwrap(), written);
    // Nor is the end of the log waited for where nothing else comes.
    let last = unknown().await;
    while cursor.passed() < last {
        assert_eq!(cursor.next(10, 100).await.unwrap(), []);
    }
}
