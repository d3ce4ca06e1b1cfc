//! Servers that are killed, hang, are late, or come back with nothing.

use std::time::Duration;

use crate::common::{PATIENCE, connect, down, start, up};
use commands::ports::{AppendError, EventLog, Heartbeat, Heartbeats, Link, LogIdentity};
use contract::Kind;
use projections::ports::{LogFilter, LogReader};
use testkit::fixtures::{self, Game, append_after, append_all, messages, outgoing};
use tokio::time::{Instant, timeout};
use turnstream_nats::{NatsConfig, NatsLog};

fn assert_unknown<T: std::fmt::Debug>(outcome: &Result<T, AppendError>) {
    assert!(matches!(outcome, Err(AppendError::Unknown(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_killed_server_keeps_what_it_acknowledged() {
    let server = start().await;
    let log = connect(&server).await;
    let identity = log.info().await.unwrap().identity;
    let mut written = Vec::new();
    for _ in 0..20 {
        written.push(append_all(&log, &messages(5)).await);
    }
    server.kill().await.unwrap();
    down(&log).await;
    server.restart().await.unwrap();
    up(&log).await;
    assert_eq!(log.info().await.unwrap().identity, identity);
    for game in written {
        assert_eq!(log.read_game(game[0].key, 0).await.unwrap(), game);
    }
}

#[tokio::test]
async fn the_link_goes_down_and_up_with_the_server() {
    let server = start().await;
    let log = connect(&server).await;
    let mut before = up(&log).await;
    for _ in 0..3 {
        server.kill().await.unwrap();
        down(&log).await;
        server.restart().await.unwrap();
        let now = up(&log).await;
        assert!(now > before, "{now} is not above {before}");
        before = now;
    }
}

#[tokio::test]
async fn a_log_can_be_made_while_the_server_is_away() {
    let server = start().await;
    server.kill().await.unwrap();
    let begun = Instant::now();
    let log = connect(&server).await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(*log.link().borrow(), Link::Down);
    assert!(log.info().await.is_err());
    server.restart().await.unwrap();
    up(&log).await;
    append_all(&log, &messages(2)).await;
}

#[tokio::test]
async fn an_append_while_the_server_is_down_is_unknown_at_once_and_never_lands() {
    let server = start().await;
    let log = connect(&server).await;
    let game = messages(2);
    server.kill().await.unwrap();
    down(&log).await;
    let begun = Instant::now();
    for message in &game {
        assert_unknown(&log.append(message, 0).await);
    }
    assert!(
        begun.elapsed() < Duration::from_millis(100),
        "{:?}",
        begun.elapsed()
    );
    server.restart().await.unwrap();
    up(&log).await;
    // What the client had kept it would have sent before this.
    append_all(&log, &messages(1)).await;
    assert_eq!(log.read_game(game[0].key, 0).await.unwrap(), []);
    assert_eq!(log.info().await.unwrap().last, 1);
}

#[tokio::test]
async fn a_frozen_server_makes_an_append_unknown_within_a_second() {
    let server = start().await;
    let log = connect(&server).await;
    server.freeze().unwrap();
    let begun = Instant::now();
    assert_unknown(&log.append(&messages(1)[0], 0).await);
    assert!(
        begun.elapsed() < Duration::from_millis(1_500),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn a_frozen_server_counts_as_down_until_it_thaws() {
    let server = start().await;
    let log = connect(&server).await;
    let written = append_all(&log, &messages(2)).await;
    let mut cursor = log.open(written[1].seq, LogFilter::All).await.unwrap();
    server.freeze().unwrap();
    assert!(log.info().await.is_err());
    assert!(log.last(written[0].key).await.is_err());
    assert!(log.read_game(written[0].key, 0).await.is_err());
    let waiting = timeout(PATIENCE, cursor.next(1, 600_000))
        .await
        .expect("it does not hang with the server");
    assert!(waiting.is_err(), "{waiting:?}");
    down(&log).await;
    let begun = Instant::now();
    assert_unknown(&log.append(&messages(1)[0], 0).await);
    assert!(
        begun.elapsed() < Duration::from_millis(100),
        "{:?}",
        begun.elapsed()
    );
    server.thaw().unwrap();
    up(&log).await;
    assert_eq!(log.read_game(written[0].key, 0).await.unwrap(), written);
}

#[tokio::test]
async fn a_cursor_ends_with_the_connection_and_another_goes_on_behind_it() {
    let server = start().await;
    let log = connect(&server).await;
    let mut written = append_all(&log, &messages(3)).await;
    let mut cursor = log.open(0, LogFilter::All).await.unwrap();
    assert_eq!(cursor.next(1, 10_000).await.unwrap(), written[..1]);
    server.kill().await.unwrap();
    down(&log).await;
    server.restart().await.unwrap();
    up(&log).await;
    let mut read = written[..1].to_vec();
    let error = loop {
        match timeout(PATIENCE, cursor.next(10, 600_000))
            .await
            .expect("it does not fall silent")
        {
            Ok(more) => read.extend(more),
            Err(error) => break error,
        }
    };
    assert_eq!(
        cursor.next(1, 0).await.unwrap_err().to_string(),
        error.to_string()
    );
    let mut cursor = log
        .open(read.last().expect("one was read").seq, LogFilter::All)
        .await
        .unwrap();
    written.extend(append_all(&log, &messages(2)).await);
    while read.len() < written.len() {
        read.extend(cursor.next(10, 10_000).await.unwrap());
    }
    assert_eq!(read, written);
}

#[tokio::test]
async fn takeovers_go_on_over_outages() {
    let server = start().await;
    let log = connect(&server).await;
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let mut last = append_all(&log, &[outgoing(&started)]).await.remove(0);
    let mut takeovers = log.takeovers().await.unwrap();
    for _ in 0..3 {
        server.kill().await.unwrap();
        down(&log).await;
        server.restart().await.unwrap();
        up(&log).await;
        last = append_after(&log, last.seq, &[outgoing(&game.resume(fixtures::writer()))])
            .await
            .remove(0);
        let told = async {
            loop {
                // One from before the outage may come again.
                let told = takeovers.recv().await.expect("the watch goes on");
                if told == last {
                    return;
                }
            }
        };
        timeout(PATIENCE, told).await.expect("it is told");
    }
}

#[tokio::test]
async fn there_are_no_takeovers_to_tell_from_while_the_server_is_away() {
    let server = start().await;
    let log = connect(&server).await;
    server.kill().await.unwrap();
    down(&log).await;
    assert!(log.takeovers().await.is_err());
}

#[tokio::test]
async fn heartbeats_are_heard_again_after_an_outage() {
    let server = start().await;
    let (one, other) = (connect(&server).await, connect(&server).await);
    let heartbeat = Heartbeat {
        writer: fixtures::writer(),
        active: false,
        since: 1,
        log: LogIdentity("GAMES@1".to_owned()),
        leaving: false,
        unable: false,
        process: None,
    };
    let mut listener = other.listen().await.unwrap();
    server.kill().await.unwrap();
    down(&one).await;
    assert!(one.beat(&heartbeat).await.is_err());
    let mut late_listener = other.listen().await.unwrap();
    server.restart().await.unwrap();
    up(&one).await;
    up(&other).await;
    for listener in [&mut listener, &mut late_listener] {
        let heard = async {
            loop {
                one.beat(&heartbeat).await.unwrap();
                if let Ok(heard) = timeout(Duration::from_millis(50), listener.recv()).await {
                    return heard;
                }
            }
        };
        assert_eq!(
            timeout(PATIENCE, heard).await.expect("it is heard"),
            Some(heartbeat.clone())
        );
    }
}

#[tokio::test]
async fn a_log_made_anew_has_another_identity_and_its_takeovers_are_told() {
    let server = start().await;
    let log = connect(&server).await;
    append_all(&log, &messages(20)).await;
    let before = log.info().await.unwrap();
    let mut takeovers = log.takeovers().await.unwrap();
    server.restart_empty().await.unwrap();
    up(&log).await;
    timeout(PATIENCE, async {
        // The restart may be so quick that the link is still that of the old server.
        while log
            .info()
            .await
            .map_or(true, |info| info.identity == before.identity)
        {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the stream is made again");
    assert_eq!(log.info().await.unwrap().last, 0);
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let written = append_all(
        &log,
        &[outgoing(&started), outgoing(&game.resume(fixtures::writer()))],
    )
    .await;
    for entry in &written {
        let told = timeout(PATIENCE, takeovers.recv()).await.expect("it is told");
        assert_eq!(told.as_ref(), Some(entry));
    }
}

#[tokio::test]
async fn a_closed_log_ends_its_cursors_and_listeners() {
    let server = start().await;
    let log = NatsLog::connect(&NatsConfig::new(server.url())).await.unwrap();
    let mut cursor = log.open(0, LogFilter::All).await.unwrap();
    let mut takeovers = log.takeovers().await.unwrap();
    let mut heartbeats = log.listen().await.unwrap();
    timeout(PATIENCE, log.close()).await.expect("it closes");
    assert!(cursor.next(1, 600_000).await.is_err());
    assert_eq!(takeovers.recv().await, None);
    assert_eq!(heartbeats.recv().await, None);
}
