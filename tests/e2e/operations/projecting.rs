//! The read side in a process of its own.

use serde_json::json;

use super::tables;
use crate::harness::figures::Figures;
use crate::harness::operator::{Projector, operate, operate_at};
use crate::harness::{World, eventually};
use crate::kill::{Table, converged, short_vectors};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_read_side_runs_in_a_process_of_its_own() {
    let world = World::servers().await;
    let service = world.start_with(&["--no-projectors"]).await;
    let flags = world.servers_flags();
    let projector = Projector::start(&flags).await;
    let mut hall = tables(&service, 1, 2).await;
    let said = operate_at(&projector.admin_url, &["status"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.json()["role"], "project");
    assert_eq!(said.json()["projectors"][0]["state"]["state"], "running");
    let rebuilt = operate_at(&projector.admin_url, &["rebuild", "all"]).await;
    assert_eq!(rebuilt.code, 0, "{rebuilt:?}");
    assert_eq!(operate(&service, &["verify"]).await.code, 0);

    projector.kill().await;
    hall.tables[1].finish().await;
    let behind = eventually("the service sees that nobody projects", async || {
        let status = service.status().await;
        let history = status["projectors"][1].clone();
        (history["lag"].as_u64()? > 0 && history["lagMs"].as_u64().is_some()).then_some(history)
    })
    .await;
    assert_eq!(behind["name"], "history");
    hall.tables[1].check_record().await;
    let _projector = Projector::start(&flags).await;
    converged(&service).await;
    assert!(world.row(&hall.tables[1].game).await.is_some());
    hall.finish().await;
    hall.check(&world, &service).await;
}

/// Where nobody has ever projected, everything is still to be done, and that is said.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_projector_that_has_never_begun_is_behind_by_all_that_there_is() {
    let world = World::servers().await;
    let service = world.start_with(&["--no-projectors"]).await;
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    table.play_to(3).await;
    let status = eventually("it is known how far nobody has come", async || {
        let status = service.status().await;
        let known = |at: usize| status["projectors"][at]["lag"].is_u64();
        (known(0) && known(1)).then_some(status)
    })
    .await;
    let last = &status["log"]["last"];
    assert!(last.as_u64() > Some(0), "{status}");
    for (at, name) in ["live", "history"].into_iter().enumerate() {
        let projector = &status["projectors"][at];
        assert_eq!((&projector["name"], &projector["lag"]), (&json!(name), last));
        assert_eq!(projector["checkpoint"], json!(null), "{projector}");
        assert!(projector["lagMs"].as_u64() > Some(0), "{projector}");
        let trouble = format!("the {name} projector has never begun, and is behind by {last} events");
        let troubles = status["troubles"].as_array().expect("a list");
        assert!(troubles.contains(&json!(trouble)), "{troubles:?}");
    }
    assert_eq!(operate(&service, &["status"]).await.code, 1);
    let figures = Figures::of(&service).await;
    for projector in ["live", "history"] {
        let lag = figures.get("turnstream_projector_lag_events", &[("projector", projector)]);
        assert_eq!(Some(lag), last.as_u64());
    }

    let projector = Projector::start(&world.servers_flags()).await;
    eventually("all is well", async || {
        let status = service.status().await;
        (status["troubles"] == json!([]) && status["projectors"][1]["lag"] == 0).then_some(())
    })
    .await;
    let figures = Figures::at(&projector.admin_url).await;
    let running = [("projector", "history"), ("state", "running")];
    assert_eq!(figures.get("turnstream_projector_state", &running), 1);
    assert!(
        !figures.types.contains_key("turnstream_commands_total"),
        "it counts nothing that it does not do"
    );
    table.finish().await;
    table.check_record().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_only_projects_needs_every_server() {
    let world = World::embedded().await;
    let service = world.start().await;
    let flags = world.servers_flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let refused = tokio::process::Command::new(env!("CARGO_BIN_EXE_turnstream"))
        .arg("project")
        .args(&flags)
        .arg("--admin-listen=127.0.0.1:0")
        .env_clear()
        .kill_on_drop(true)
        .output();
    let refused = tokio::time::timeout(crate::harness::PATIENCE, refused).await;
    let refused = refused.expect("it ends at once").expect("the program runs");
    assert_eq!(refused.status.code(), Some(1));
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.contains("needs all three servers"), "{why}");
    assert_eq!(service.status().await["role"], json!("active"));
}
