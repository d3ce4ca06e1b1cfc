//! A process that is killed while it appends.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use commands::ports::{EventLog, Outgoing};
use contract::{GameId, Kind, Seq};
use futures::future::join_all;
use projections::ports::{LogFilter, LogReader};
use testkit::fixtures::{self, Game, outgoing};
use turnstream_embedded::Embedded;

use crate::opened::open_in;

const TEST: &str = "killed::a_killed_process_keeps_every_append_that_was_acknowledged";

/// Where this same test, started again as the process to kill, appends.
const DIRECTORY: &str = "TURNSTREAM_TEST_APPEND_TO";

const GAMES: usize = 16;

/// How many acknowledgements to await before a kill; each round is killed somewhere else in a commit.
const ROUNDS: [usize; 5] = [1, 17, 100, 333, 1_000];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_keeps_every_append_that_was_acknowledged() {
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        append_until_killed(&PathBuf::from(directory)).await;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged = BTreeMap::new();
    for until in ROUNDS {
        acknowledged.append(&mut acknowledged_before_the_kill(directory.path(), until));
        let embedded = open_in(directory.path())
            .await
            .expect("a killed process holds no lock");
        let in_log = whole_log(&embedded).await;
        assert!(
            in_log.keys().copied().eq(1..=in_log.len() as Seq),
            "there is no hole"
        );
        for (seq, game) in &acknowledged {
            assert_eq!(in_log.get(seq), Some(game), "{seq} was acknowledged");
        }
        embedded.close().await;
    }
}

async fn whole_log(embedded: &Embedded) -> BTreeMap<Seq, GameId> {
    let mut cursor = embedded.reader().open(0, LogFilter::All).await.unwrap();
    let entries = cursor.next(1_000_000, 0).await.unwrap();
    entries
        .into_iter()
        .map(|entry| (entry.seq, entry.key.id))
        .collect()
}

/// Starts the appending process, kills it after so many acknowledgements, and returns all that it has told.
fn acknowledged_before_the_kill(directory: &Path, until: usize) -> BTreeMap<Seq, GameId> {
    let (mut child, mut told) = start(directory);
    let mut acknowledged = BTreeMap::new();
    let mut line = String::new();
    while told.read_line(&mut line).expect("the pipe can be read") > 0 {
        // What the test harness prints, and a line cut off by the kill, have another form.
        if let Some((seq, game)) = parse(&line) {
            acknowledged.insert(seq, game);
            if acknowledged.len() == until {
                child.kill().expect("it runs");
            }
        }
        line.clear();
    }
    child.wait().expect("it was started here");
    assert!(
        acknowledged.len() >= until,
        "it ended by itself after {}",
        acknowledged.len()
    );
    acknowledged
}

fn start(directory: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().expect("a test knows its program"))
        .args([TEST, "--exact", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a test can be started again");
    let told = child.stdout.take().expect("it is piped");
    (child, BufReader::new(told))
}

fn parse(line: &str) -> Option<(Seq, GameId)> {
    let (seq, game) = line
        .strip_prefix("acknowledged ")?
        .strip_suffix('\n')?
        .split_once(' ')?;
    Some((seq.parse().ok()?, game.parse().ok()?))
}

async fn append_until_killed(directory: &Path) -> ! {
    let embedded = open_in(directory).await.expect("the one before was killed");
    join_all((0..GAMES).map(|_| append_on_and_on(&embedded))).await;
    unreachable!("games go on and on")
}

async fn append_on_and_on(embedded: &Embedded) {
    let log = embedded.log();
    let (mut game, started) = Game::start(Kind::Mancala, fixtures::writer());
    let mut message: Outgoing = outgoing(&started);
    let mut newest = 0;
    loop {
        newest = log
            .append(&message, newest)
            .await
            .expect("nobody else writes this game");
        // One write call per line, so that a kill cuts none in two that was told.
        let line = format!("acknowledged {newest} {}\n", message.key.id);
        std::io::stdout()
            .lock()
            .write_all(line.as_bytes())
            .expect("the parent reads");
        message = outgoing(&game.resume(fixtures::writer()));
    }
}
