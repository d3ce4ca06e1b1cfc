//! Readers that do not read.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::Message;

use super::raw::{Raw, connect, hear, narrow};
use super::{Table, figure, is_calm};
use crate::harness::player::text;
use crate::harness::{Seen, eventually, vectors};

/// Moves after which a game is some tens of kilobytes.
const LONG: usize = 30;

/// Asks for the whole game.
fn watch(game: &str) -> String {
    json!({ "channel": "watch_game", "payload": { "gameId": game } }).to_string()
}

/// Asks for the whole game so often that what comes back fills whatever the system holds.
async fn stall(raw: &mut Raw, game: &str) {
    for _ in 0..200 {
        raw.send(Message::text(watch(game))).await;
    }
}

/// The service's memory, in KiB.
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let figure = line.and_then(|line| line.split_whitespace().next());
    figure.expect("Linux says so").parse().expect("a number")
}

/// How much processor time the service has used, in hundredths of a second.
fn work(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, figures) = status.rsplit_once(") ").expect("Linux says so");
    let figures: Vec<&str> = figures.split(' ').collect();
    let [user, system] = [figures[11], figures[12]].map(|figure| figure.parse::<u64>().expect("a number"));
    user + system
}

const STALLING: [&str; 3] = [
    "--write-stall-ms=1000",
    "--frames-per-second=10000",
    "--frames-burst=10000",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spectator_that_never_reads_is_closed_with_4002_and_slows_nobody() {
    let table = Table::laid(&STALLING, LONG).await;
    let mut raw = Raw::narrow(&table.url()).await;
    stall(&mut raw, &table.game).await;
    // While it stalls, each move is answered at once and shown to all others.
    let slowest = play_on(&table).await;
    assert!(slowest < Duration::from_secs(1), "a move took {slowest:?}");
    // It goes on asking, lest all that it asked for fits into what the system holds.
    let mut asked = 200;
    eventually("the stalled reader is given up", async || {
        asked += 1;
        // It may be closed already.
        let _ = raw.try_send(Message::text(watch(&table.game))).await;
        (figure(&table.service, "turnstream_slow_readers_closed_total").await == 1).then_some(())
    })
    .await;
    let (frames, code) = raw.drain().await;
    assert_eq!(code, 4002);
    assert!(
        frames < asked,
        "what it missed is not kept: {frames} of {asked} frames"
    );
    eventually("nothing of it is left", async || {
        (figure(&table.service, "turnstream_sockets").await == 2).then_some(())
    })
    .await;
    for socket in [&table.opposite, &table.spectator] {
        assert_eq!(socket.seen(&table.game).wholes, 1, "others were sent every step");
        assert_eq!(socket.close_code(), None);
    }
    is_calm(&table.service);
}

/// Plays the next moves of the vector's game: the longest that one took.
async fn play_on(table: &Table) -> Duration {
    let mut slowest = Duration::ZERO;
    let mut position = table.position().to_owned();
    for (n, moved) in vectors::game(0)
        .moves
        .iter()
        .enumerate()
        .skip(table.played)
        .take(8)
    {
        let player = [&table.ann, &table.ben][moved.seat - 1];
        let begun = Instant::now();
        let played = player
            .play(&table.game, &format!("on{n}"), &position, moved.index)
            .await;
        position = text(&played.expect("the move is taken")["position"]);
        slowest = slowest.max(begun.elapsed());
    }
    slowest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_readers_that_never_read_take_little_memory() {
    let flags = [
        "--write-stall-ms=60000",
        "--frames-per-second=10000",
        "--frames-burst=10000",
    ];
    let table = Table::laid(&flags, LONG).await;
    let pid = table.service.pid().expect("it runs");
    let before = memory(pid);
    let mut stalled = Vec::new();
    for _ in 0..100 {
        let mut raw = Raw::narrow(&table.url()).await;
        stall(&mut raw, &table.game).await;
        stalled.push(raw);
    }
    let all = 100 * 200;
    eventually("all of it is read", async || {
        (figure(&table.service, "turnstream_frames_received_total").await >= all).then_some(())
    })
    .await;
    let mut worked = work(pid);
    eventually("all of it is done", async || {
        sleep(Duration::from_millis(200)).await;
        let before = std::mem::replace(&mut worked, work(pid));
        (worked - before < 5).then_some(())
    })
    .await;
    // With a queue that counts frames it would be more than 70 MB, without a bound as much as they ask for.
    let grown = memory(pid).saturating_sub(before);
    assert!(grown < 30 * 1024, "{grown} KiB for a hundred readers");
    table.must_be_untouched().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_comes_back_in_time_gets_one_resync_in_place_of_what_it_missed() {
    let flags = [
        "--send-queue=4",
        "--write-stall-ms=60000",
        "--frames-per-second=10000",
        "--frames-burst=10000",
    ];
    let table = Table::laid(&flags, LONG).await;
    let mut raw = Raw::narrow(&table.url()).await;
    stall(&mut raw, &table.game).await;
    eventually("all of it is read", async || {
        (figure(&table.service, "turnstream_frames_received_total").await >= 200).then_some(())
    })
    .await;
    play_on(&table).await;
    let now = text(&table.snapshot().await["position"]);
    let mut frames = Vec::new();
    raw.next().await.expect("it is welcomed");
    while frames.is_empty() || Seen::of(&table.game, &frames).position != now {
        frames.push(raw.next().await.expect("the socket lives"));
    }
    let seen = Seen::of(&table.game, &frames);
    assert!(seen.wholes < 200, "most of them were dropped: {}", seen.wholes);
    assert!(frames.iter().any(|frame| frame["channel"] == "resync"));
    is_calm(&table.service);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_whose_answers_are_never_read_does_not_hold_its_connection() {
    let table = Table::laid(&["--write-stall-ms=100"], 3).await;
    let mut stream = connect(&table.url()).await;
    let request = b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n";
    let pipelined = request.repeat(300);
    stream.write_all(&pipelined).await.expect("requests are small");
    let begun = Instant::now();
    eventually("the connection is given up", async || {
        let (_, text) = super::get(&format!("{}/metrics", table.service.admin_url())).await;
        let stalled = text
            .as_str()
            .expect("text")
            .contains("turnstream_connections 2\n");
        stalled.then_some(())
    })
    .await;
    assert!(begun.elapsed() > Duration::from_millis(100));
    drop(stream);
    table.must_be_untouched().await;
}

#[tokio::test]
async fn an_event_stream_of_a_reader_that_leaves_is_over() {
    let table = Table::laid(&[], 3).await;
    let path = format!("GET /games/{}/events HTTP/1.1\r\nhost: x\r\n\r\n", table.game);
    let mut streams = Vec::new();
    for _ in 0..5 {
        let mut stream = connect(&table.url()).await;
        stream.write_all(path.as_bytes()).await.expect("it is open");
        streams.push(stream);
    }
    let count = async |wanted: i64| {
        eventually("the streams are counted", async || {
            (figure(&table.service, "turnstream_event_streams").await == wanted).then_some(())
        })
        .await;
    };
    count(5).await;
    drop(streams);
    count(0).await;
    table.must_be_untouched().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_stream_that_is_never_read_is_given_up_and_slows_nobody() {
    // The whole game is more than the system holds.
    let table = Table::laid(&["--write-stall-ms=1000", "--send-buffer-bytes=4096"], LONG).await;
    let mut stream = narrow(&table.url()).await;
    let events = format!("GET /games/{}/events HTTP/1.1\r\nhost: x\r\n\r\n", table.game);
    stream
        .write_all(events.as_bytes())
        .await
        .expect("a request is small");
    let streams = async |wanted: i64| {
        eventually(&format!("there are {wanted} streams"), async || {
            (figure(&table.service, "turnstream_event_streams").await == wanted).then_some(())
        })
        .await;
    };
    streams(1).await;
    let slowest = play_on(&table).await;
    assert!(slowest < Duration::from_secs(1), "a move took {slowest:?}");
    streams(0).await;
    // The connection is over, too: what the system had taken is all there is.
    let heard = hear(&mut stream).await;
    assert!(heard.contains("on_game_start"), "{heard}");
    for socket in [&table.opposite, &table.spectator] {
        assert_eq!(socket.seen(&table.game).wholes, 1, "others were sent every step");
        assert_eq!(socket.close_code(), None);
    }
    is_calm(&table.service);
}
