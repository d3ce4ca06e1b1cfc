//! What the crates are made of: which of ours may use which, and what comes from outside.

mod direction;
mod outside;

use std::process::Command;

use serde_json::Value;

/// What cargo knows of the workspace.
fn metadata(arguments: &[&str]) -> Value {
    let known = cargo(&["metadata", "--format-version=1"], arguments);
    serde_json::from_slice(&known).expect("cargo writes JSON")
}

/// What cargo says when it is asked without a network.
fn cargo(command: &[&str], arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO"))
        .args(command)
        .arg("--offline")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs these tests");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}
