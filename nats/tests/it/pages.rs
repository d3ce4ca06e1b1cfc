//! The log, read by somebody who does nothing else.

use std::time::Duration;

use crate::common::{PATIENCE, client, connect, start};
use async_nats::jetstream;
use contract::{Millis, Seq};
use projections::ports::{LogPages, Wanted};
use testkit::fixtures::{self, append_all, messages};
use testkit::services::Nats;
use tokio::time::timeout;
use turnstream_nats::{ConnectError, NatsConfig, NatsPages};

async fn pages(config: &NatsConfig) -> NatsPages {
    NatsPages::connect(config, None).await.unwrap()
}

#[tokio::test]
async fn reading_leaves_nothing_on_the_server() {
    let server = start().await;
    let log = connect(&server).await;
    append_all(&log, &messages(5)).await;
    let pages = pages(&NatsConfig::new(server.url())).await;
    pages.page(1, &Wanted::default(), 100).await.unwrap();
    pages.at(Millis(0)).await.unwrap();
    let context = jetstream::new(client(&server).await);
    let stream = context.get_stream("GAMES").await.unwrap();
    assert_eq!(stream.cached_info().state.consumer_count, 0);
}

#[tokio::test]
async fn a_server_without_a_log_is_not_given_one() {
    let server = start().await;
    let pages = pages(&NatsConfig::new(server.url())).await;
    assert!(pages.info().await.is_err());
    let context = jetstream::new(client(&server).await);
    assert!(context.get_stream("GAMES").await.is_err());
}

/// When the server stored a message.
async fn stored(server: &Nats, seq: Seq) -> Millis {
    let context = jetstream::new(client(server).await);
    let stream = context.get_stream("GAMES").await.unwrap();
    let time = stream.get_raw_message(seq).await.unwrap().time;
    Millis((time.unix_timestamp_nanos() / 1_000_000) as i64)
}

#[tokio::test]
async fn a_time_leads_to_what_was_stored_since() {
    let server = start().await;
    let log = connect(&server).await;
    let pages = pages(&NatsConfig::new(server.url())).await;
    for _ in 0..5 {
        append_all(&log, &messages(1)).await;
        // No two at one time.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    for seq in 1..=5 {
        let at = stored(&server, seq).await;
        assert_eq!(pages.at(at).await.unwrap(), seq);
        assert_eq!(pages.at(Millis(at.0 + 1)).await.unwrap(), seq + 1);
    }
}

#[tokio::test]
async fn messages_of_any_kind_and_name_are_handed_out() {
    let server = start().await;
    let log = connect(&server).await;
    let written = append_all(&log, &messages(1)).await;
    let subject = format!("games.chess5d.{}.castled", fixtures::game_id());
    let context = jetstream::new(client(&server).await);
    let sent = context.publish(subject, "{}".into()).await.unwrap();
    sent.await.unwrap();
    let page = pages(&NatsConfig::new(server.url()))
        .await
        .page(1, &Wanted::default(), 10)
        .await
        .unwrap();
    let names: Vec<_> = page
        .iter()
        .map(|entry| (entry.kind.as_str(), entry.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [("mancala", written[0].name.as_str()), ("chess5d", "castled")]
    );
}

#[tokio::test]
async fn another_connection_is_noticed_and_read_on_from() {
    let server = start().await;
    let log = connect(&server).await;
    let written = append_all(&log, &messages(2)).await;
    let pages = pages(&NatsConfig::new(server.url())).await;
    let before = pages.connection();
    server.kill().await.unwrap();
    let away = timeout(PATIENCE, async {
        while pages.page(1, &Wanted::default(), 9).await.is_ok() {}
    });
    away.await.unwrap();
    server.restart().await.unwrap();
    let back = timeout(PATIENCE, async {
        loop {
            if let Ok(page) = pages.page(1, &Wanted::default(), 9).await {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert_eq!(back.await.unwrap().len(), written.len());
    assert_ne!(pages.connection(), before);
}

#[tokio::test]
async fn whoever_may_not_ask_is_told_what() {
    let server = start().await;
    let log = connect(&server).await;
    append_all(&log, &messages(1)).await;
    // An analyst who does not say which domain it is.
    let pages = pages(&NatsConfig::new(server.analysts_url())).await;
    let refused = [
        pages.info().await.map(drop),
        pages.page(1, &Wanted::default(), 9).await.map(drop),
    ];
    for refused in refused {
        let why = refused.expect_err("it is another account").to_string();
        assert!(why.contains("no permission to publish to $JS.API."), "{why}");
    }
}

#[tokio::test]
async fn a_server_that_is_away_or_does_not_let_us_in_is_not_waited_for() {
    let server = start().await;
    let wrong = server.url().replacen("service1", "service2", 1);
    let refused = NatsPages::connect(&NatsConfig::new(wrong), None).await;
    assert!(matches!(refused, Err(ConnectError::Away(why)) if why.contains("authorization")));
    server.stop().await.unwrap();
    let away = NatsPages::connect(&NatsConfig::new(server.url()), None).await;
    assert!(matches!(away, Err(ConnectError::Away(why)) if why.contains("refused")));
}
