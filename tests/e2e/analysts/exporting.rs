//! `turnstream events export`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::time::timeout;

use super::{events, export_to, exported, lines_of, log_of};
use crate::harness::{PATIENCE, World, eventually};
use crate::kill::{Table, caught_up, short_vectors};

/// Messages of the large log, and the bytes of each.
const MANY: usize = 300;
const LARGE: usize = 1024 * 1024;

/// What a process may take, in kilobytes. The large log is half as large again.
const MODEST_KB: u64 = 200 * 1024;

async fn both_forms_have_every_event_once(world: World) {
    let service = world.start().await;
    for (number, vector) in short_vectors(3).into_iter().enumerate() {
        let mut table = Table::sit(&service.url(), number, vector).await;
        if number < 2 {
            table.finish().await;
        } else {
            table.play_to(4).await;
        }
    }
    caught_up(&service, &["live", "history"]).await;
    let log = log_of(&world);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [lines, table] = ["events.ndjson", "events.parquet"].map(|name| directory.path().join(name));
    // What has the name already is replaced.
    fs::write(&table, "what was here before").expect("it can be written");
    let told = export_to(&lines, &log, &[]).await;
    let lines = lines_of(&lines);
    assert_eq!(told["events"], lines.len());
    let ids: BTreeSet<&str> = lines.iter().filter_map(|line| line["id"].as_str()).collect();
    assert_eq!(ids.len(), lines.len());

    let told = export_to(&table, &log, &["--format=parquet"]).await;
    assert_eq!(told["events"], lines.len());
    let reader = SerializedFileReader::new(File::open(&table).expect("it is there")).expect("a table");
    let rows: Vec<_> = reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row"))
        .collect();
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.iter().zip(&lines) {
        assert_eq!(row.get_long(0).ok(), line["sequence"].as_i64());
        for (column, name) in [(1, "id"), (2, "type"), (4, "subject"), (5, "gamekind")] {
            assert_eq!(
                row.get_string(column).map(String::as_str).ok(),
                line[name].as_str()
            );
        }
        let data = (0..row.len()).next_back().expect("there are columns");
        let data: Value = serde_json::from_str(row.get_string(data).expect("data")).expect("JSON");
        assert_eq!(data, line["data"]);
    }
    let left = names_in(directory.path());
    assert_eq!(left, ["events.ndjson", "events.parquet"], "nothing else is left");
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("it can be read");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("it can be read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

on_every_backend!(both_forms_have_every_event_once);

/// An embedded log of many large messages.
async fn large_log() -> World {
    let world = World::embedded().await;
    let service = world.start().await;
    service.terminate().await;
    let file = world.data_dir().join("turnstream.sqlite");
    let mut file: SqliteConnection = SqliteConnectOptions::new()
        .filename(file)
        .connect()
        .await
        .expect("it can be opened");
    let event = format!(
        r#"{{"id":"i","type":"t","data":{{"text":"{}"}}}}"#,
        "x".repeat(LARGE)
    );
    for _ in 0..MANY {
        let row = sqlx::query(
            "INSERT INTO log (kind, game, name, bytes) VALUES ('mancala', zeroblob(16), 'moved', ?)",
        );
        let row = row.bind(event.as_bytes());
        row.execute(&mut file).await.expect("it can be written");
    }
    file.close().await.expect("it can be closed");
    world
}

/// The most memory that a process had until now, in kilobytes; none if it has ended.
fn memory(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    most.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_takes_little_memory_however_large_the_log_is_and_leaves_nothing_when_it_is_stopped() {
    let world = large_log().await;
    let log = log_of(&world);
    let directory = tempfile::tempdir().expect("a temporary directory");
    for format in ["ndjson", "parquet"] {
        let file = directory.path().join(format);
        let arguments = [
            "export",
            "--format",
            format,
            "--output",
            &file.display().to_string(),
        ];
        let mut running = events(&arguments, &log).spawn().expect("the program runs");
        let pid = running.id().expect("it runs");
        let mut most = 0;
        let ended = loop {
            most = memory(pid).map_or(most, |now| now.max(most));
            if let Some(ended) = running.try_wait().expect("it was started") {
                break ended;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert_eq!(ended.code(), Some(0));
        println!("{format}: at most {most} kB");
        assert!(0 < most && most < MODEST_KB, "{format}: {most} kB");

        // Stopped on its way, it takes everything back.
        fs::remove_file(&file).expect("it is there");
        let mut running = events(&arguments, &log).spawn().expect("the program runs");
        eventually("a part is written", async || {
            (!names_in(directory.path()).is_empty()).then_some(())
        })
        .await;
        let pid = running.id().and_then(|pid| Pid::from_raw(pid as i32));
        kill_process(pid.expect("it runs"), Signal::INT).expect("it runs");
        let ended = timeout(PATIENCE, running.wait()).await.expect("it ends in time");
        assert_eq!(ended.expect("it was started").code(), Some(2));
        assert_eq!(names_in(directory.path()), [""; 0], "{format}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_that_cannot_be_written_says_so_and_leaves_what_was_there() {
    let world = World::embedded().await;
    let service = world.start().await;
    let log = log_of(&world);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let before = directory.path().join("events.ndjson");
    fs::write(&before, "what was here before").expect("it can be written");
    for output in [
        directory.path().join("missing/events"),
        directory.path().to_owned(),
    ] {
        let arguments = ["export", "--output", &output.display().to_string()];
        let said = events(&arguments, &log).output().await.expect("the program runs");
        assert_eq!(said.status.code(), Some(2), "{said:?}");
        assert!(!said.stderr.is_empty());
    }
    assert_eq!(exported(&log, &[]).await, [Value::Null; 0]);
    assert_eq!(names_in(directory.path()), ["events.ndjson"]);
    service.terminate().await;
}
