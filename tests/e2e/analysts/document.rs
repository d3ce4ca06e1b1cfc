//! The programs that the analysts' guide shows, as they are there.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Row, SqliteConnection};
use testkit::services::{Nats, analysts_python};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::{as_analyst, export_to};
use crate::harness::operator::well;
use crate::harness::{PATIENCE, Service, World, eventually, player};
use crate::kill::{Table, caught_up, short_vectors};

const GUIDE: &str = include_str!("../../../docs/ANALYTICS.md");

/// Runs each text that it is given, and prints the rows of the last.
const RUN_SQL: &str = "
import duckdb, json, sys
database = duckdb.connect()
for text in json.load(sys.stdin):
    rows = database.execute(text).fetchall()
print(json.dumps(rows))
";

/// The code in the guide that is marked as `language`.
fn code(language: &str) -> Vec<&'static str> {
    let blocks = GUIDE.split("\n```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.split_once('\n'))
        .filter(|(mark, _)| *mark == language)
        .map(|(_, code)| code)
        .collect()
}

fn python() -> Command {
    let mut command = Command::new(analysts_python().expect("what ./test installs"));
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Starts the guide's program in a directory.
fn keep_finished_games(world: &World, directory: &Path) -> Child {
    let [program] = code("python")[..] else {
        panic!("the guide has one program in Python")
    };
    let file = directory.join("finished.py");
    std::fs::write(&file, program).expect("it can be written");
    let nats = world.nats.as_ref().expect("a world of servers has NATS");
    let (_, password) = Nats::analysts_credentials();
    let program = python()
        .arg(file)
        .current_dir(directory)
        .env("NATS_URL", format!("nats://{}", nats.address()))
        .env("NATS_PASSWORD", password)
        .spawn();
    program.expect("Python runs")
}

/// The rows of the program's table, by game.
async fn kept(directory: &Path) -> BTreeMap<String, Value> {
    let options = SqliteConnectOptions::new()
        .filename(directory.join("games.db"))
        .read_only(true);
    let Ok(mut file) = options.connect().await else {
        return BTreeMap::new();
    };
    let file: &mut SqliteConnection = &mut file;
    let rows = sqlx::query("SELECT game, kind, player1, player2, result, reason, moves FROM finished");
    let rows = rows.fetch_all(file).await.unwrap_or_default();
    let rows = rows.iter().map(|row| {
        let text = |column: usize| row.get::<Option<String>, _>(column);
        let kept = json!({
            "kind": text(1), "player1": text(2), "player2": text(3), "result": text(4), "reason": text(5),
            "moves": row.get::<i64, _>(6),
        });
        (text(0).expect("a game has an id"), kept)
    });
    rows.collect()
}

/// What the service says of a game, in the form of the program's rows.
async fn told(service: &Service, game: &str) -> Value {
    let (_, body) = player::get(&format!("{}/games/{game}", service.url())).await;
    let record = &body["record"];
    json!({
        "kind": record["kind"], "player1": record["player1"]["userId"], "player2": record["player2"]["userId"],
        "result": record["result"], "reason": record["endReason"], "moves": record["moveCount"],
    })
}

async fn finish(service: &Service, number: usize) -> Table {
    let vector = short_vectors(number + 1).remove(number);
    let mut table = Table::sit(&service.url(), number, vector).await;
    table.finish().await;
    table
}

async fn keeps(directory: &Path, service: &Service, tables: &[Table]) {
    let mut expected = BTreeMap::new();
    for table in tables {
        expected.insert(table.game.clone(), told(service, &table.game).await);
    }
    eventually("the program has what was played", async || {
        (kept(directory).await == expected).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_program_has_each_finished_game_once_whatever_is_killed() {
    let world = World::servers().await;
    let service = world.start().await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    let mut tables = vec![finish(&service, 0).await];
    let mut program = keep_finished_games(&world, directory);
    tables.push(finish(&service, 1).await);
    keeps(directory, &service, &tables).await;

    program.kill().await.expect("it runs");
    tables.push(finish(&service, 2).await);
    let mut program = keep_finished_games(&world, directory);
    keeps(directory, &service, &tables).await;

    // The server loses the consumer, which is in its memory.
    let nats = world.nats.as_ref().expect("a world of servers");
    nats.kill().await.expect("it runs");
    nats.restart().await.expect("it starts");
    tables.push(finish(&service, 3).await);
    keeps(directory, &service, &tables).await;

    // A player is forgotten: the end of their game is written anew, under its old id.
    caught_up(&service, &["live", "history"]).await;
    let forgotten = tables[1].players[0].user_id.clone();
    well(&service, &["erase", &forgotten, "--yes"]).await;
    eventually("the program has forgotten them too", async || {
        let rows = kept(directory).await;
        let player = rows.get(&tables[1].game)?["player1"].as_str()?.to_owned();
        (player.starts_with("erased:") && rows.len() == tables.len()).then_some(())
    })
    .await;
    assert!(
        program.try_wait().expect("it was started").is_none(),
        "it has run all the time"
    );
    program.kill().await.expect("it runs");
}

async fn run_sql(directory: &Path, texts: &[&str]) -> Value {
    let mut running = python()
        .args(["-c", RUN_SQL])
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python runs");
    let mut told = running.stdin.take().expect("it is a pipe");
    let texts = json!(texts).to_string();
    told.write_all(texts.as_bytes()).await.expect("it reads");
    drop(told);
    let output = timeout(PATIENCE, running.wait_with_output()).await;
    let output = output.expect("it ends in time").expect("it was started");
    assert!(output.status.success(), "{texts}");
    serde_json::from_slice(&output.stdout).expect("rows")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_queries_over_an_export_say_what_was_played() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut first_wins = 0;
    let mut moves = Vec::new();
    for number in 0..4 {
        let table = finish(&service, number).await;
        let told = told(&service, &table.game).await;
        first_wins += i64::from(told["result"] == "player1");
        moves.push(u32::try_from(told["moves"].as_u64().expect("a number")).expect("a game is short"));
    }
    let mut left = Table::sit(&service.url(), 4, short_vectors(1).remove(0)).await;
    left.play_to(1).await;
    left.players[0]
        .leave(&left.game, "leave")
        .await
        .expect("it is under way");
    caught_up(&service, &["live", "history"]).await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("events.parquet");
    let told = export_to(&file, &as_analyst(&world), &["--format=parquet"]).await;
    let [ends, openings] = code("sql")[..] else {
        panic!("the guide has two texts of SQL")
    };

    let rows = run_sql(directory.path(), &[ends]).await;
    let average = f64::from(moves.iter().sum::<u32>()) / 4.0;
    let average = (average * 10.0).round() / 10.0;
    let expected = json!([
        ["mancala", "completed", 4, average, first_wins],
        ["mancala", "left", 1, 1.0, 0],
    ]);
    assert_eq!(rows, expected);
    let rows = run_sql(directory.path(), &[ends, openings]).await;
    let games: i64 = rows
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row[2].as_i64())
        .sum();
    assert_eq!(games, 5, "{rows}");

    // As the guide says of its columns: every one, by its name and its type.
    let columns = run_sql(directory.path(), &["DESCRIBE SELECT * FROM 'events.parquet'"]).await;
    let count = run_sql(directory.path(), &["SELECT count(*) FROM 'events.parquet'"]).await;
    assert_eq!(count[0][0], told["events"]);
    for column in columns.as_array().expect("rows") {
        let (name, kind) = (
            column[0].as_str().expect("a name"),
            column[1].as_str().expect("a type"),
        );
        let row = GUIDE
            .lines()
            .find(|line| line.starts_with('|') && line.contains(&format!("`{name}`")));
        let row = row.unwrap_or_else(|| panic!("the guide does not tell of {name}"));
        assert!(row.contains(&format!("| {kind} |")), "{name} is {kind}: {row}");
    }
}

#[test]
fn the_guide_installs_what_the_tests_run() {
    let test = include_str!("../../../test");
    let pinned = |name: &str| {
        let line = test
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.expect("./test pins it")
            .split_whitespace()
            .next()
            .expect("a version")
            .to_owned()
    };
    for (package, variable) in [("nats-py", "nats_py"), ("duckdb", "duckdb")] {
        let version = pinned(variable);
        assert!(GUIDE.contains(&format!("{package}=={version}")), "{package}");
    }
}
