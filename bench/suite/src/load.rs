//! One run of the load generator, as a process of its own.

use std::process::Stdio;

use anyhow::{Context, ensure};
use loadgen::report::Report;
use tokio::process::Command;

use crate::subject::{CLIENTS_PROCESSOR, Running, Subject, beside};

/// Lets it at a server; its report.
pub async fn run(
    subject: Subject,
    running: &Running,
    seed: usize,
    arguments: &[String],
) -> anyhow::Result<Report> {
    let mut command = Command::new("taskset");
    command.args(["-c", CLIENTS_PROCESSOR]).arg(beside("loadgen")?);
    command.arg(format!("--peer={}", subject.peer()));
    command.arg(format!("--at={}", running.address()));
    command.arg(format!("--server={}", running.pid()?));
    command.arg(format!("--seed={seed}"));
    for (name, pid) in running.behind() {
        command.arg(format!("--behind={name}={pid}"));
    }
    let output = command.args(arguments).stderr(Stdio::inherit()).output().await?;
    ensure!(
        output.status.success(),
        "the load generator failed: {}",
        output.status
    );
    let line = output
        .stdout
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    serde_json::from_slice(line).context("a report")
}
