//! Drills of `docs/OPERATING.md` that no other test is: each is named there.

use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use super::tables;
use crate::harness::operator::well;
use crate::harness::{Service, World, eventually};
use crate::kill::{Table, converged, short_vectors};

/// Runs a command of the system, which has to end well.
async fn run(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) {
    let done = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the command is there");
    assert!(
        done.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("it can be made");
    for entry in std::fs::read_dir(from).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().expect("it has a name");
        std::fs::copy(&path, to.join(name)).expect("it can be copied");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_and_restore_of_the_embedded_file() {
    let world = World::embedded().await;
    let service = world.start().await;
    let mut hall = tables(&service, 1, 2).await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let backup = directory.path().join("backup");
    // While the service runs: the file by its database's own means, and the secret, without which nobody is known again.
    std::fs::create_dir_all(&backup).expect("it can be made");
    world.back_up_file(&backup.join("turnstream.sqlite")).await;
    std::fs::copy(world.data_dir().join("secret"), backup.join("secret")).expect("it can be copied");

    hall.tables[1].play_to(6).await;
    service.kill().await;
    std::fs::remove_dir_all(world.data_dir()).expect("the disk is lost");
    copy(&backup, &world.data_dir());
    service.restart().await;
    assert_eq!(well(&service, &["verify"]).await["different"], 0);
    let lost = hall.tables[1].come_back_to_a_backup().await;
    assert_eq!(lost, 3, "what was played since the backup is lost, and no more");
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_and_restore_of_postgres() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = tables(&service, 2, 2).await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let dump = directory.path().join("games.dump");
    let url = world.postgres.as_ref().expect("a world of servers").url();
    let dumped = dump.display().to_string();
    run("pg_dump", &["--format=custom", "--file", &dumped, &url]).await;
    hall.tables[2].finish().await;
    converged(&service).await;
    assert_eq!(world.rows().await, 3);

    run(
        "pg_restore",
        &[
            "--clean",
            "--if-exists",
            "--single-transaction",
            "--dbname",
            &url,
            &dumped,
        ],
    )
    .await;
    eventually("the projector writes what the backup does not have", async || {
        (world.rows().await == 3).then_some(())
    })
    .await;
    converged(&service).await;
    assert_eq!(well(&service, &["verify"]).await["different"], 0);
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolling_restart() {
    let world = World::servers().await;
    let first = world.start().await;
    let mut hall = tables(&first, 1, 3).await;
    let second = world.start_unready(&[]).await;
    eventually("the second one is a standby", async || {
        (second.status().await["role"] == "standby").then_some(())
    })
    .await;
    first.terminate().await;
    second.ready().await;
    goes_on_at(&mut hall.tables, &second).await;
    // The first one comes back, of the new release, and takes over in its turn.
    first.restart_unready().await;
    eventually("the first one is a standby", async || {
        (first.status().await["role"] == "standby").then_some(())
    })
    .await;
    second.terminate().await;
    first.ready().await;
    goes_on_at(&mut hall.tables, &first).await;
    let status = well(&first, &["status"]).await;
    assert_eq!(status["liveGames"], 3, "{status}");
    hall.finish().await;
    hall.check(&world, &first).await;
}

/// Every game that is under way gets its next move, at another service.
async fn goes_on_at(tables: &mut [Table], service: &Service) {
    for table in tables.iter_mut().filter(|table| !table.is_over()) {
        for player in &mut table.players {
            *player = player.at(service.url());
        }
        let next = table.played() + 1;
        table.play_to(next).await;
    }
    for table in tables.iter_mut().filter(|table| table.is_over()) {
        for player in &mut table.players {
            *player = player.at(service.url());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_a_newer_release_is_left_alone() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    table.finish().await;
    converged(&service).await;
    service.terminate().await;
    world
        .change_rows(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (9999, 'of a newer release', true, '', 0)",
        )
        .await;
    let said = world.start_refused(&[]).await;
    assert!(said.contains("9999") && said.contains("newer"), "{said}");
    world
        .change_rows("DELETE FROM _sqlx_migrations WHERE version = 9999")
        .await;
    service.restart().await;
    table.check_record().await;
}
