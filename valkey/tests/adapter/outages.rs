//! Servers that die, hang and come back.

use std::time::Duration;

use commands::ports::{
    Heartbeat, Link, LogIdentity, PendingGame, PendingItem, PendingStore, ServiceKeys, Unavailable,
};
use contract::EventId;
use projections::ports::{Cache, CacheKey, FillToken, LiveStore, Written};
use testkit::services;
use tokio::time::{Instant, timeout};
use turnstream_valkey::{Deadlines, Valkey};

use crate::opened::{ME, batch, connect, fresh_prefix, id, key, snapshot};

/// More than any deadline here, and much less than that of a load.
const SOON: Duration = Duration::from_secs(2);
/// For what has to happen at last.
const AT_LAST: Duration = Duration::from_secs(30);

#[tokio::test]
async fn while_the_server_is_dead_every_call_fails_and_afterwards_every_call_works() {
    let (server, valkey) = open().await;
    every_call_works(&valkey).await;
    server.kill().await.unwrap();
    every_call_fails(&valkey).await;
    await_down(&valkey).await;
    every_call_fails(&valkey).await;
    server.restart().await.unwrap();
    assert_eq!(await_up(&valkey).await, 2);
    every_call_works(&valkey).await;
}

#[tokio::test]
async fn calls_are_counted_by_whether_they_were_answered() {
    let (server, valkey) = open().await;
    valkey.generation().await.unwrap();
    let before = valkey.figures();
    assert!(before.answered > 0 && !before.took.is_zero());
    for _ in 0..3 {
        valkey.generation().await.unwrap();
    }
    let after = valkey.figures();
    assert_eq!(
        (after.answered, after.failed),
        (before.answered + 3, before.failed)
    );
    assert!(after.took > before.took);
    server.kill().await.unwrap();
    await_down(&valkey).await;
    valkey.generation().await.unwrap_err();
    assert_eq!(valkey.figures().failed, after.failed + 1);
}

#[tokio::test]
async fn while_it_is_known_to_be_dead_a_call_does_not_wait() {
    let (server, valkey) = open().await;
    server.kill().await.unwrap();
    await_down(&valkey).await;
    let start = Instant::now();
    for _ in 0..1000 {
        valkey.generation().await.unwrap_err();
    }
    assert!(start.elapsed() < SOON);
}

#[tokio::test]
async fn while_the_server_hangs_every_call_fails_and_afterwards_every_call_works() {
    let (server, valkey) = open().await;
    every_call_works(&valkey).await;
    server.freeze().unwrap();
    every_call_fails(&valkey).await;
    await_down(&valkey).await;
    every_call_fails(&valkey).await;
    server.thaw().unwrap();
    assert_eq!(await_up(&valkey).await, 2);
    every_call_works(&valkey).await;
}

#[tokio::test]
async fn a_load_that_may_take_long_is_given_up_when_the_server_hangs() {
    let (server, valkey) = open().await;
    server.freeze().unwrap();
    timeout(SOON, LiveStore::load(&valkey))
        .await
        .expect("it does not wait for its own deadline")
        .unwrap_err();
}

#[tokio::test]
async fn a_server_that_hangs_is_noticed_without_a_call() {
    let (server, valkey) = open().await;
    server.freeze().unwrap();
    await_down(&valkey).await;
    server.thaw().unwrap();
    await_up(&valkey).await;
}

#[tokio::test]
async fn with_the_usual_deadlines_a_call_to_a_server_that_hangs_is_short() {
    assert_eq!(Deadlines::default().call, Duration::from_millis(100));
    let server = services::Valkey::start().await.unwrap();
    let valkey = connect(&server, &fresh_prefix(), Deadlines::default());
    await_up(&valkey).await;
    server.freeze().unwrap();
    let start = Instant::now();
    let error = valkey.generation().await.unwrap_err();
    assert!(start.elapsed() < SOON, "{error}");
}

/// What it had acknowledged and not synced may be lost: the log has it.
#[tokio::test]
async fn what_the_server_had_synced_is_there_after_a_crash() {
    let (server, valkey) = open().await;
    assert!(valkey.acquire(0, ME).await.unwrap());
    assert_eq!(
        valkey
            .write(0, ME, &batch(None, 7, vec![snapshot(1, 3)]))
            .await
            .unwrap(),
        Written::Done
    );
    let mut synced = redis::cmd("WAITAOF");
    let synced = synced.arg(1).arg(0).arg(0);
    // It counts the writes of its own connection: this one has to write too.
    let mut raw = raw(&server).await;
    let () = redis::cmd("SET")
        .arg("last")
        .arg(1)
        .query_async(&mut raw)
        .await
        .unwrap();
    let (local, _): (u64, u64) = synced.query_async(&mut raw).await.unwrap();
    assert_eq!(local, 1);
    server.kill().await.unwrap();
    server.restart().await.unwrap();
    await_next_up(&valkey, 1).await;
    assert_eq!(LiveStore::checkpoint(&valkey, 0).await.unwrap().unwrap().seq, 7);
    assert_eq!(LiveStore::get(&valkey, id(1)).await.unwrap().unwrap().version, 3);
}

#[tokio::test]
async fn a_server_that_comes_back_empty_has_no_checkpoint_and_generation_zero() {
    let (server, valkey) = open().await;
    assert!(valkey.acquire(0, ME).await.unwrap());
    assert!(valkey.acquire(1, ME).await.unwrap());
    assert_eq!(
        valkey
            .write(1, ME, &batch(None, 7, vec![snapshot(1, 3)]))
            .await
            .unwrap(),
        Written::Done
    );
    assert!(valkey.flip(0, 1).await.unwrap());
    server.restart_empty().await.unwrap();
    await_next_up(&valkey, 1).await;
    let all = LiveStore::load(&valkey).await.unwrap();
    assert_eq!(
        (all.generation, all.checkpoint, all.snapshots.len()),
        (0, None, 0)
    );
    // Its token is gone too: who wrote before has to take it again.
    let next = batch(None, 8, vec![]);
    assert_eq!(valkey.write(0, ME, &next).await.unwrap(), Written::LostToken);
    every_call_works(&valkey).await;
}

#[tokio::test]
async fn a_service_starts_without_the_server_and_finds_it_later() {
    let server = services::Valkey::start().await.unwrap();
    server.kill().await.unwrap();
    let valkey = connect(&server, &fresh_prefix(), unhurried());
    every_call_fails(&valkey).await;
    assert_eq!(*valkey.link().borrow(), Link::Down);
    server.restart().await.unwrap();
    assert_eq!(await_up(&valkey).await, 1);
    every_call_works(&valkey).await;
}

#[tokio::test]
async fn scripts_that_the_server_forgot_are_sent_again() {
    let (server, valkey) = open().await;
    every_call_works(&valkey).await;
    let mut raw = raw(&server).await;
    let () = redis::cmd("SCRIPT")
        .arg("FLUSH")
        .query_async(&mut raw)
        .await
        .unwrap();
    every_call_works(&valkey).await;
}

#[tokio::test]
async fn a_connection_that_the_server_closes_is_replaced() {
    let (server, valkey) = open().await;
    let mut raw = raw(&server).await;
    let () = redis::cmd("CLIENT")
        .arg("KILL")
        .arg("TYPE")
        .arg("normal")
        .query_async(&mut raw)
        .await
        .unwrap();
    await_next_up(&valkey, 1).await;
    every_call_works(&valkey).await;
}

#[tokio::test]
async fn a_server_that_became_a_replica_is_left_until_it_is_a_primary_again() {
    let (server, valkey) = open().await;
    let mut raw = raw(&server).await;
    let replica_of = async |raw: &mut redis::aio::MultiplexedConnection, host: &str, port: &str| {
        let () = redis::cmd("REPLICAOF")
            .arg(host)
            .arg(port)
            .query_async(raw)
            .await
            .unwrap();
    };
    replica_of(&mut raw, "127.0.0.1", "1").await;
    valkey.acquire(0, ME).await.unwrap_err();
    await_down(&valkey).await;
    replica_of(&mut raw, "NO", "ONE").await;
    await_up(&valkey).await;
    assert!(valkey.acquire(0, ME).await.unwrap());
}

#[tokio::test]
async fn after_a_close_calls_fail_and_the_link_is_down() {
    let (_server, valkey) = open().await;
    let clone = valkey.clone();
    valkey.close().await;
    assert_eq!(*clone.link().borrow(), Link::Down);
    every_call_fails(&clone).await;
}

#[tokio::test]
async fn dropping_the_last_clone_ends_the_connection() {
    let (_server, valkey) = open().await;
    let mut link = valkey.link();
    let clone = valkey.clone();
    drop(valkey);
    every_call_works(&clone).await;
    drop(clone);
    let gone = async { while link.changed().await.is_ok() {} };
    timeout(AT_LAST, gone).await.expect("the task that watches ends");
}

/// A server, and its stores, connected. The deadlines are those of a busy machine.
async fn open() -> (services::Valkey, Valkey) {
    let server = services::Valkey::start().await.expect("Valkey is installed");
    let valkey = connect(&server, &fresh_prefix(), unhurried());
    await_up(&valkey).await;
    (server, valkey)
}

fn unhurried() -> Deadlines {
    let second = Duration::from_secs(1);
    Deadlines {
        call: second,
        ping: second,
        ..Deadlines::default()
    }
}

/// A client of its own, that waits for as long as it takes.
async fn raw(server: &services::Valkey) -> redis::aio::MultiplexedConnection {
    let client = redis::Client::open(server.url()).expect("a URL");
    let patient = redis::AsyncConnectionConfig::new().set_response_timeout(None);
    let connection = client.get_multiplexed_async_connection_with_config(&patient);
    connection.await.expect("it answers")
}

/// The number of the connection.
async fn await_up(valkey: &Valkey) -> u64 {
    await_next_up(valkey, 0).await
}

/// The number of a connection after `before`.
async fn await_next_up(valkey: &Valkey, before: u64) -> u64 {
    let mut link = valkey.link();
    let up = link.wait_for(|link| matches!(link, Link::Up(number) if *number > before));
    match *timeout(AT_LAST, up).await.expect("it connects").unwrap() {
        Link::Up(number) => number,
        Link::Down => unreachable!("it was waited for"),
    }
}

async fn await_down(valkey: &Valkey) {
    let mut link = valkey.link();
    timeout(AT_LAST, link.wait_for(|link| !link.is_up()))
        .await
        .expect("it is noticed")
        .unwrap();
}

/// One call of every kind, with what it said and how long it took.
async fn every_call(valkey: &Valkey) -> Vec<(&'static str, Result<(), Unavailable>, Duration)> {
    let mut all = Vec::new();
    macro_rules! call {
        ($name:literal, $call:expr) => {
            let start = Instant::now();
            let said = $call.await.map(|_| ());
            all.push(($name, said, start.elapsed()));
        };
    }
    let place = EventId::new(id(1), 1, ME);
    let (name, bytes) = ("started".into(), "{}".into());
    let item = PendingItem {
        place,
        id: place,
        previd: None,
        anchored: false,
        name,
        bytes,
    };
    let game = PendingGame {
        key: key(1),
        writer: ME,
        base: None,
        items: vec![item],
    };
    let log = LogIdentity("GAMES@1".into());
    let heartbeat = Heartbeat {
        writer: ME,
        active: true,
        since: 0,
        log,
        leaving: false,
        unable: false,
        process: None,
    };
    let cached = CacheKey::PopularFinished;

    call!("acquire", valkey.acquire(0, ME));
    call!("generation", valkey.generation());
    call!("checkpoint", LiveStore::checkpoint(valkey, 0));
    call!(
        "write",
        valkey.write(0, ME, &batch(None, 1, vec![snapshot(1, 1)]))
    );
    call!("heal", valkey.heal(0, ME, &[snapshot(1, 2)]));
    call!("load", LiveStore::load(valkey));
    call!("get", LiveStore::get(valkey, id(1)));
    call!("get_many", valkey.get_many(0, &[id(1)]));
    call!("tombstones", valkey.tombstones(0));
    call!("sweep", valkey.sweep(0, &[id(1)]));
    call!("quarantine", LiveStore::quarantine(valkey, id(1), "a test"));
    call!("release", valkey.release(0, ME));
    call!("discard", valkey.discard(3));
    call!("flip", valkey.flip(0, 0));
    call!("append", valkey.append(&game));
    call!("load pending", PendingStore::load(valkey));
    call!("trim", valkey.trim(key(1), ME, place));
    call!(
        "quarantine pending",
        PendingStore::quarantine(valkey, key(1), ME, &[], "a test")
    );
    call!("cache get", Cache::get(valkey, &cached));
    call!("cache fill", valkey.fill(&cached, FillToken(0), "[]".into()));
    call!("cache delete", valkey.delete(std::slice::from_ref(&cached)));
    call!("renew", valkey.renew(&heartbeat, 3_000));
    call!("alive", valkey.alive());
    call!("remove", valkey.remove(ME));
    all
}

async fn every_call_fails(valkey: &Valkey) {
    for (name, said, took) in every_call(valkey).await {
        assert!(took < SOON, "{name} took {took:?}");
        assert!(said.is_err(), "{name}");
    }
}

async fn every_call_works(valkey: &Valkey) {
    for (name, said, _) in every_call(valkey).await {
        if let Err(error) = said {
            panic!("{name}: {error}");
        }
    }
}
