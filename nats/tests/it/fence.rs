//! Two processes that write to one game, on one node and on three.

use crate::common::{PATIENCE, connect, start, up};
use commands::ports::EventLog;
use contract::Kind;
use futures::future::join_all;
use projections::ports::{LogFilter, LogReader};
use testkit::fixtures::{self, Game, append_all, messages, outgoing};
use testkit::services::NatsCluster;
use tokio::time::timeout;
use turnstream_nats::{NatsConfig, NatsLog};

/// Every round all processes claim the game as it is; only one may get it.
async fn exactly_one_extends_the_game(logs: &[NatsLog], rounds: usize) {
    let (game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let mut seq = logs[0].append(&outgoing(&started), 0).await.unwrap();
    for round in 0..rounds {
        let claims: Vec<_> = logs
            .iter()
            .map(|log| (log, outgoing(&game.clone().resume(fixtures::writer()))))
            .collect();
        let outcomes = join_all(claims.iter().map(|(log, claim)| log.append(claim, seq))).await;
        let taken: Vec<_> = outcomes
            .iter()
            .filter_map(|outcome| outcome.as_ref().ok())
            .collect();
        assert_eq!(taken.len(), 1, "round {round}: {outcomes:?}");
        seq = *taken[0];
        let winner = outcomes.iter().position(Result::is_ok).expect("there is one");
        for log in logs {
            let last = log
                .last(game.state().key())
                .await
                .unwrap()
                .expect("it has messages");
            assert_eq!((last.seq, &last.bytes), (seq, &claims[winner].1.bytes));
        }
    }
    assert_eq!(
        logs[0].read_game(game.state().key(), 0).await.unwrap().len(),
        rounds + 1
    );
}

#[tokio::test]
async fn of_several_processes_on_one_node_exactly_one_extends_a_game() {
    let server = start().await;
    let logs = [
        connect(&server).await,
        connect(&server).await,
        connect(&server).await,
    ];
    exactly_one_extends_the_game(&logs, 50).await;
}

async fn on_each_node(cluster: &NatsCluster) -> Vec<NatsLog> {
    let mut logs = Vec::new();
    for node in cluster.nodes() {
        let config = NatsConfig {
            replicas: 3,
            ..NatsConfig::new(node.url())
        };
        let log = NatsLog::connect(&config).await.unwrap();
        up(&log).await;
        logs.push(log);
    }
    logs
}

#[tokio::test]
async fn of_several_processes_on_three_nodes_exactly_one_extends_a_game() {
    let cluster = NatsCluster::start(3).await.unwrap();
    let logs = on_each_node(&cluster).await;
    exactly_one_extends_the_game(&logs, 50).await;
}

#[tokio::test]
async fn every_node_tells_the_same_identity_also_with_another_leader() {
    let cluster = NatsCluster::start(3).await.unwrap();
    let logs = on_each_node(&cluster).await;
    let identity = logs[0].info().await.unwrap().identity;
    for log in &logs {
        assert_eq!(log.info().await.unwrap().identity, identity);
    }
    for node in cluster.nodes() {
        node.restart().await.unwrap();
        cluster.settle().await.unwrap();
    }
    for log in &logs {
        let told = timeout(PATIENCE, async {
            loop {
                if let Ok(info) = log.info().await {
                    return info.identity;
                }
                tokio::task::yield_now().await;
            }
        });
        assert_eq!(told.await.expect("it answers again"), identity);
    }
}

/// Whatever is acknowledged while nodes die one after the other is there in the end, in order.
#[tokio::test]
async fn a_cluster_that_loses_a_node_keeps_what_it_acknowledged() {
    let cluster = NatsCluster::start(3).await.unwrap();
    let config = NatsConfig {
        replicas: 3,
        ..NatsConfig::new(cluster.url())
    };
    let log = NatsLog::connect(&config).await.unwrap();
    up(&log).await;
    let mut written = append_all(&log, &messages(3)).await;
    for node in cluster.nodes() {
        node.kill().await.unwrap();
        let message = messages(1).remove(0);
        let landed = timeout(PATIENCE, async {
            loop {
                match log.append(&message, 0).await {
                    Ok(_) => break,
                    Err(error) => {
                        assert!(
                            !matches!(error, commands::ports::AppendError::Permanent(_)),
                            "{error:?}"
                        );
                        // It may have landed unseen: then the expectation no longer holds.
                        if let Ok(Some(_)) = log.last(message.key).await {
                            break;
                        }
                        tokio::task::yield_now().await;
                    }
                }
            }
            log.last(message.key).await
        });
        written.extend(landed.await.expect("two of three nodes go on").unwrap());
        node.restart().await.unwrap();
        cluster.settle().await.unwrap();
    }
    up(&log).await;
    let mut cursor = log.open(0, LogFilter::All).await.unwrap();
    let mut read = Vec::new();
    while read.len() < written.len() {
        read.extend(cursor.next(10, 10_000).await.unwrap());
    }
    assert_eq!(read, written);
}
