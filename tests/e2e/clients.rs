//! The clients that the documents show, as they are there: one in JavaScript and one in Python, each in one seat.

use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use super::harness::{PATIENCE, Service, World, eventually, player};

/// The most lines of code that a client has.
const FORTY: usize = 40;

/// One of the two.
#[derive(Clone, Copy)]
struct Language {
    runs: &'static str,
    file: &'static str,
    comment: &'static str,
}

const JAVASCRIPT: Language = Language {
    runs: "node",
    file: "play.mjs",
    comment: "//",
};

const PYTHON: Language = Language {
    runs: "python3",
    file: "play.py",
    comment: "#",
};

impl Language {
    fn path(self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("docs/clients")
            .join(self.file)
    }

    /// Starts it, with what it says on its standard output.
    fn play(self, service: &Service, link: Option<&str>) -> Client {
        let mut process = Command::new(self.runs)
            .arg(self.path())
            .arg(service.url())
            .args(link)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not run: {error}", self.runs));
        let output = process.stdout.take().expect("it is a pipe");
        Client {
            process,
            lines: BufReader::new(output).lines(),
        }
    }
}

struct Client {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Client {
    async fn line(&mut self) -> String {
        timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("a client says something in time")
            .expect("what it says can be read")
            .expect("it says something before it ends")
    }

    /// Its last line, once it has ended well.
    async fn outcome(mut self) -> String {
        let mut last = String::new();
        while let Some(line) = timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("a client ends in time")
            .expect("what it says can be read")
        {
            last = line;
        }
        let status = self.process.wait().await.expect("it was started");
        assert!(status.success(), "{status}: {last}");
        last
    }
}

/// The id of the game that a link invites to.
fn game_of(link: &str) -> String {
    let (_, rest) = link.split_once("/join/").expect("a link leads to /join/");
    rest.split('?').next().expect("an id").to_owned()
}

async fn both_say_how_it_ended(service: &Service, game: &str, host: Client, joiner: Client) {
    let (host, joiner) = tokio::join!(host.outcome(), joiner.outcome());
    assert_eq!(host, joiner);
    let (_, body) = player::get(&format!("{}/games/{game}", service.url())).await;
    let record = &body["record"];
    let told = format!(
        "{} {} after {} moves",
        record["result"].as_str().unwrap_or("null"),
        record["endReason"].as_str().expect("it ended"),
        record["moveCount"],
    );
    assert_eq!(told, host);
    assert_eq!(record["endReason"], "completed");
}

#[tokio::test]
async fn the_javascript_client_plays_a_whole_game_against_the_python_client() {
    let world = World::embedded().await;
    let service = world.start().await;
    let mut host = JAVASCRIPT.play(&service, None);
    let link = host.line().await;
    let joiner = PYTHON.play(&service, Some(&link));
    both_say_how_it_ended(&service, &game_of(&link), host, joiner).await;
}

#[tokio::test]
async fn the_clients_play_on_when_the_service_is_killed_and_started_again() {
    let world = World::embedded().await;
    let service = world.start().await;
    let mut host = PYTHON.play(&service, None);
    let link = host.line().await;
    let game = game_of(&link);
    let joiner = JAVASCRIPT.play(&service, Some(&link));
    let url = format!("{}/games/{game}", service.url());
    eventually("some moves are played", async || {
        let (_, body) = player::get(&url).await;
        (body["moveCount"].as_u64() >= Some(3)).then_some(())
    })
    .await;
    service.kill().await;
    service.restart().await;
    both_say_how_it_ended(&service, &game, host, joiner).await;
}

#[test]
fn a_client_has_no_more_than_forty_lines_of_code() {
    for client in [JAVASCRIPT, PYTHON] {
        let text = std::fs::read_to_string(client.path()).expect("it is there");
        let code = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with(client.comment))
            .count();
        assert!(code <= FORTY, "{} has {code} lines of code", client.file);
    }
}
