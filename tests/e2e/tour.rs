//! The tour that the README takes its reader on, taken as it is written, and what the image asks of its service.

use std::process::Output;

use tokio::process::Command;
use tokio::time::timeout;

use super::harness::{PATIENCE, World};

const README: &str = include_str!("../../README.md");

/// The script: everything in `sh` under the tour's heading.
fn tour() -> String {
    let (_, rest) = README
        .split_once("\n## A tour in two minutes\n")
        .expect("there is a tour");
    let tour = rest.split("\n## ").next().expect("it has an end");
    tour.split("\n```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.strip_prefix("sh\n"))
        .collect::<Vec<_>>()
        .join("\n")
}

async fn bash(script: &str) -> Output {
    let run = Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .kill_on_drop(true)
        .output();
    timeout(PATIENCE, run)
        .await
        .expect("the tour ends in time")
        .expect("bash runs")
}

#[tokio::test]
async fn the_tour_of_the_readme_leads_through_a_game() {
    let world = World::embedded().await;
    let service = world.start().await;
    let script = tour();
    assert!(script.contains("http://localhost:8080"), "{script}");
    let output = bash(&script.replace("http://localhost:8080", &service.url())).await;
    let (said, complained) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{said}\n{complained}");
    for seen in [
        "\"durable\":true",
        "\"status\":\"live\"",
        "on_game_update",
        "on_game_ended",
        "/problems/not-your-turn",
        "\"endReason\":\"left\"",
        // What comes last: the game is in the list at once.
        "{\"games\":[{",
    ] {
        assert!(said.contains(seen), "no {seen} in\n{said}\n{complained}");
    }
}

#[tokio::test]
async fn the_tour_needs_nothing_but_curl_and_sed() {
    let script = tour();
    for line in script.lines() {
        let command = line
            .trim_start()
            .split([' ', '=', '('])
            .next()
            .unwrap_or_default();
        assert!(!["jq", "python3", "node"].contains(&command), "{line}");
    }
    assert!(script.contains("curl -sN") || script.contains("curl -N"));
}

#[tokio::test]
async fn the_health_check_tells_a_living_service_from_a_dead_one_whatever_proxy_there_is() {
    let world = World::embedded().await;
    let service = world.start().await;
    let check = async || {
        let checked = Command::new(env!("CARGO_BIN_EXE_turnstream"))
            .arg("healthcheck")
            .arg(format!("--url={}/healthz", service.url()))
            .env("http_proxy", "http://127.0.0.1:9")
            .env("no_proxy", "")
            .output()
            .await;
        checked.expect("the program runs").status
    };
    assert!(check().await.success());
    service.kill().await;
    assert_eq!(check().await.code(), Some(1));
}
