//! What analysts do: events as they are written, exports, and the programs that their guide shows.

use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use testkit::services::Nats;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::harness::{PATIENCE, World};

mod document;
mod exporting;
mod tailing;

/// The flags by which the log of a world is read beside its service.
fn log_of(world: &World) -> Vec<String> {
    let all = world.servers_flags().into_iter();
    let named = |flag: &String| flag.starts_with("--nats-url=") || flag.starts_with("--data-dir=");
    all.filter(named).collect()
}

/// The same as an analyst: in the account that only reads.
fn as_analyst(world: &World) -> Vec<String> {
    let nats = world.nats.as_ref().map(Nats::analysts_url);
    vec![
        format!("--nats-url={}", nats.expect("a world of servers has NATS")),
        "--nats-domain=turnstream".to_owned(),
    ]
}

/// `turnstream events` with these arguments, without the test's environment, whose variables would be settings.
fn events(arguments: &[&str], log: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstream"));
    command
        .arg("events")
        .args(arguments)
        .args(log)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// What a whole export has, line by line.
async fn exported(log: &[String], arguments: &[&str]) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("events.ndjson");
    export_to(&file, log, arguments).await;
    lines_of(&file)
}

fn lines_of(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("it was written");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

async fn export_to(file: &Path, log: &[String], arguments: &[&str]) -> Value {
    let path = file.display().to_string();
    let arguments = [&["export", "--output", &path], arguments].concat();
    let output = events(&arguments, log).output();
    let output = timeout(PATIENCE, output).await.expect("it ends in time");
    let output = output.expect("the program runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    serde_json::from_slice(&output.stdout).expect("it says what it has done")
}

/// A tail that runs.
struct Tail {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Tail {
    fn start(log: &[String], arguments: &[&str]) -> Self {
        let arguments = [&["tail"], arguments].concat();
        let mut child = events(&arguments, log).spawn().expect("the program runs");
        let out = child.stdout.take().expect("it is a pipe");
        Self {
            child,
            lines: BufReader::new(out).lines(),
        }
    }

    async fn next(&mut self) -> Value {
        let line = timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.expect("it is printed in time").expect("it can be read");
        serde_json::from_str(&line.expect("it goes on")).expect("a line is JSON")
    }

    async fn take(&mut self, count: usize) -> Vec<Value> {
        let mut taken = Vec::new();
        while taken.len() < count {
            taken.push(self.next().await);
        }
        taken
    }

    fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(pid as i32));
        kill_process(pid.expect("it runs"), signal).expect("it runs");
    }

    /// Its exit code, once it has ended by itself.
    async fn code(mut self) -> Option<i32> {
        // Nobody reads any more, but that is for it to notice.
        drop(self.lines);
        let ended = timeout(PATIENCE, self.child.wait()).await;
        ended.expect("it ends in time").expect("it was started").code()
    }
}
