//! What every bus of heartbeats must do.
//!
//! A case gets two ends of one bus that nobody else uses: two processes, or the same one twice where there can only be
//! one.

use std::sync::Arc;
use std::time::Duration;

use commands::ports::{Heartbeat, Heartbeats, LogIdentity, Process};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::fixtures;

/// Long enough for anything that will happen at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// Stamps every case as a test of an adapter. `$open` is an async function that returns both ends as
/// `Arc<dyn Heartbeats>`, and whatever has to live as long as they.
#[macro_export]
macro_rules! heartbeats_contract {
    ($open:expr) => {
        $crate::heartbeats_contract! { $open;
            a_heartbeat_is_heard_as_it_was_said,
            every_listener_hears_every_heartbeat,
            nothing_is_heard_of_before,
            nobody_has_to_listen,
            a_listener_that_went_away_is_no_trouble,
        }
    };
    ($open:expr; $($case:ident),+ $(,)?) => { $(
        #[tokio::test]
        async fn $case() {
            let (one, other, _keep) = $open().await;
            $crate::contracts::heartbeats::$case(one, other).await;
        }
    )+ };
}

type Bus = Arc<dyn Heartbeats>;

fn heartbeat() -> Heartbeat {
    Heartbeat {
        writer: fixtures::writer(),
        active: true,
        since: 1_790_000_000_000,
        log: LogIdentity("GAMES@2026-01-01T00:00:00Z".to_owned()),
        leaving: false,
        unable: false,
        process: Some(Process {
            host: "0123456789abcdef".to_owned(),
            pid: 42,
            started: 4711,
        }),
    }
}

async fn next(listener: &mut mpsc::Receiver<Heartbeat>) -> Heartbeat {
    timeout(PATIENCE, listener.recv())
        .await
        .expect("it is heard")
        .expect("the bus goes on")
}

pub async fn a_heartbeat_is_heard_as_it_was_said(one: Bus, other: Bus) {
    let mut listener = other.listen().await.unwrap();
    let active = heartbeat();
    let standby = Heartbeat {
        active: false,
        ..heartbeat()
    };
    let leaving = Heartbeat {
        leaving: true,
        ..active.clone()
    };
    for said in [active, standby, leaving] {
        one.beat(&said).await.unwrap();
        assert_eq!(next(&mut listener).await, said);
    }
}

pub async fn every_listener_hears_every_heartbeat(one: Bus, other: Bus) {
    let mut listeners = [
        other.listen().await.unwrap(),
        other.listen().await.unwrap(),
        one.listen().await.unwrap(),
    ];
    let said = [heartbeat(), heartbeat(), heartbeat()];
    for heartbeat in &said {
        one.beat(heartbeat).await.unwrap();
    }
    // The last one listens where they are said: it need not hear them.
    for listener in &mut listeners[..2] {
        for heartbeat in &said {
            assert_eq!(next(listener).await, *heartbeat);
        }
    }
}

pub async fn nothing_is_heard_of_before(one: Bus, other: Bus) {
    let mut marker = other.listen().await.unwrap();
    let before = heartbeat();
    one.beat(&before).await.unwrap();
    assert_eq!(next(&mut marker).await, before);
    let mut listener = other.listen().await.unwrap();
    let after = heartbeat();
    one.beat(&after).await.unwrap();
    assert_eq!(next(&mut listener).await, after);
}

pub async fn nobody_has_to_listen(one: Bus, _other: Bus) {
    for _ in 0..10 {
        one.beat(&heartbeat()).await.unwrap();
    }
}

pub async fn a_listener_that_went_away_is_no_trouble(one: Bus, other: Bus) {
    drop(other.listen().await.unwrap());
    let mut listener = other.listen().await.unwrap();
    for _ in 0..3 {
        let said = heartbeat();
        one.beat(&said).await.unwrap();
        assert_eq!(next(&mut listener).await, said);
    }
}
