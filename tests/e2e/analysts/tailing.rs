//! `turnstream events tail`.

use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::time::timeout;

use super::{Tail, as_analyst, events, exported, log_of};
use crate::harness::{PATIENCE, World, eventually};
use crate::kill::{Table, caught_up, short_vectors};

async fn table(url: &str, number: usize) -> Table {
    Table::sit(url, number, short_vectors(number + 1).remove(number)).await
}

fn sequences(lines: &[Value]) -> Vec<u64> {
    lines
        .iter()
        .map(|line| line["sequence"].as_u64().expect("a line has its sequence"))
        .collect()
}

/// Each event once, in order, and to the last one, over an outage of the log (embedded: of the service that has it).
async fn a_tail_goes_on_where_it_was_when_the_log_was_away(world: World) {
    let service = world.start().await;
    let log = log_of(&world);
    let mut table = table(&service.url(), 0).await;
    table.play_to(3).await;
    let mut tail = Tail::start(&log, &["--from=1"]);
    let mut seen = tail.take(4).await;

    if let Some(nats) = &world.nats {
        nats.kill().await.expect("it runs");
        table.play_to(6).await;
        nats.restart().await.expect("it starts");
    } else {
        service.kill().await;
        service.restart().await;
        table.come_back().await;
        table.play_to(6).await;
    }
    table.finish().await;
    caught_up(&service, &["live", "history"]).await;
    let whole = exported(&log, &[]).await;
    seen.extend(tail.take(whole.len() - seen.len()).await);
    assert_eq!(seen, whole);
    let expected: Vec<u64> = (1..).take(whole.len()).collect();
    assert_eq!(sequences(&seen), expected);
    assert_eq!(
        whole.last().expect("it ended")["type"],
        "turnstream.game.ended.v1"
    );
    tail.signal(Signal::INT);
    assert_eq!(tail.code().await, Some(0));
}

async fn a_tail_has_what_was_asked_for_and_begins_where_it_was_told_to(world: World) {
    let service = world.start().await;
    let (url, log) = (service.url(), log_of(&world));
    let mut tables = [table(&url, 0).await, table(&url, 1).await];
    for table in &mut tables {
        table.finish().await;
    }
    caught_up(&service, &["live", "history"]).await;
    let whole = exported(&log, &[]).await;
    let of_game = format!("--game={}", tables[1].game);
    for (arguments, wanted) in [
        (
            vec!["--type=ended"],
            json!({ "type": "turnstream.game.ended.v1" }),
        ),
        (
            vec!["--type=turnstream.game.started.v1"],
            json!({ "type": "turnstream.game.started.v1" }),
        ),
        (vec![&*of_game], json!({ "subject": tables[1].game })),
        (
            vec!["--kind=mancala", &*of_game, "--type=ended"],
            json!({ "subject": tables[1].game, "type": "turnstream.game.ended.v1" }),
        ),
    ] {
        let is_wanted = |line: &&Value| {
            let wanted = wanted.as_object().expect("an object");
            wanted.iter().all(|(name, value)| line[name] == *value)
        };
        let expected: Vec<Value> = whole.iter().filter(is_wanted).cloned().collect();
        assert!(!expected.is_empty());
        let mut tail = Tail::start(&log, &[&["--from=1"], &*arguments].concat());
        assert_eq!(tail.take(expected.len()).await, expected, "{arguments:?}");
        assert_eq!(exported(&log, &arguments).await, expected, "{arguments:?}");
    }

    // In the middle, by its sequence; and by a time, from which on nothing is left out.
    let middle = whole.len() / 2;
    let from = format!("--from={}", whole[middle]["sequence"]);
    let mut tail = Tail::start(&log, &[&from]);
    assert_eq!(tail.take(whole.len() - middle).await, whole[middle..]);
    let time = whole[middle]["time"].as_str().expect("a time");
    let since = exported(&log, &[&format!("--from={time}")]).await;
    let expected: Vec<&Value> = whole
        .iter()
        .filter(|line| line["time"].as_str() >= Some(time))
        .collect();
    assert!(expected.iter().all(|line| since.contains(line)), "{time}");

    // From now on, which is what it does when it is told nothing.
    let mut tail = Tail::start(&log, &[]);
    let third = eventually("a game that began behind the tail", async || {
        let third = table(&url, 2).await;
        let line = timeout(std::time::Duration::from_secs(2), tail.next())
            .await
            .ok()?;
        (line["type"] == "turnstream.game.started.v1").then_some((third, line))
    })
    .await;
    assert!(third.1["sequence"].as_u64() > Some(whole.len() as u64));
}

async fn a_tail_ends_when_it_is_told_to_and_when_nobody_reads_it(world: World) {
    let service = world.start().await;
    let log = log_of(&world);
    let mut table = table(&service.url(), 0).await;
    table.play_to(2).await;
    caught_up(&service, &["live"]).await;
    for signal in [Signal::INT, Signal::TERM] {
        let mut tail = Tail::start(&log, &["--from=1"]);
        tail.take(3).await;
        tail.signal(signal);
        assert_eq!(tail.code().await, Some(0), "{signal:?}");
    }
    // As `| head -n 1` does, and nothing more is written.
    let mut tail = Tail::start(&log, &["--from=1"]);
    tail.next().await;
    assert_eq!(tail.code().await, Some(0));
    // The same while there is something to print all the time.
    let mut endless = events(&["tail", "--from=1"], &log)
        .spawn()
        .expect("the program runs");
    drop(endless.stdout.take());
    table.finish().await;
    let ended = timeout(PATIENCE, endless.wait()).await.expect("it ends in time");
    assert_eq!(ended.expect("it was started").code(), Some(0));
}

/// What was read is of a log that is not there any more: no sequence says where to go on.
async fn a_tail_does_not_go_on_in_another_log(world: World) {
    let service = world.start().await;
    let mut table = table(&service.url(), 0).await;
    table.play_to(2).await;
    caught_up(&service, &["live"]).await;
    let mut tail = Tail::start(&log_of(&world), &["--from=1"]);
    tail.take(3).await;
    service.kill().await;
    match &world.nats {
        Some(nats) => nats.restart_empty().await.expect("it starts"),
        None => std::fs::remove_dir_all(world.data_dir()).expect("it is there"),
    }
    let other = world.start_with(&["--key-prefix=other"]).await;
    let mut said = String::new();
    let complaints = tail.child.stderr.take().expect("it is a pipe");
    let mut complaints = BufReader::new(complaints);
    let read = complaints.read_to_string(&mut said);
    // A replaced file is noticed when there is one again, and a stream when there is one.
    timeout(PATIENCE, read)
        .await
        .expect("it ends in time")
        .expect("text");
    assert!(said.contains("another log"), "{said}");
    assert_eq!(tail.code().await, Some(2));
    other.terminate().await;
}

on_every_backend!(
    a_tail_goes_on_where_it_was_when_the_log_was_away,
    a_tail_has_what_was_asked_for_and_begins_where_it_was_told_to,
    a_tail_ends_when_it_is_told_to_and_when_nobody_reads_it,
    a_tail_does_not_go_on_in_another_log,
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_analyst_reads_the_same_and_is_told_how_when_they_ask_wrongly() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut table = table(&service.url(), 0).await;
    table.finish().await;
    caught_up(&service, &["live", "history"]).await;
    let whole = exported(&log_of(&world), &[]).await;
    let analyst = as_analyst(&world);
    assert_eq!(exported(&analyst, &[]).await, whole);
    let mut tail = Tail::start(&analyst, &["--from=1"]);
    assert_eq!(tail.take(whole.len()).await, whole);

    let mut wrong = events(&["tail"], &analyst[..1])
        .spawn()
        .expect("the program runs");
    let complaints = wrong.stderr.take().expect("it is a pipe");
    let line = BufReader::new(complaints).lines().next_line().await;
    let line = line.expect("text").expect("it says why");
    assert!(
        line.contains("no permission") && line.contains("--nats-domain"),
        "{line}"
    );
    let ended = timeout(PATIENCE, wrong.wait()).await.expect("it ends in time");
    assert_eq!(ended.expect("it was started").code(), Some(2));
}

#[tokio::test]
async fn where_there_is_no_log_nothing_is_waited_for() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for log in [
        format!("--data-dir={}", directory.path().display()),
        "--nats-url=nats://127.0.0.1:1".to_owned(),
    ] {
        let output = events(&["tail"], &[log]).output();
        let output = timeout(PATIENCE, output).await.expect("it ends in time");
        let output = output.expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(
            !output.stderr.is_empty() && output.stdout.is_empty(),
            "{output:?}"
        );
    }
}
