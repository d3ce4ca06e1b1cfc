//! The operators' guide names drills and commands that exist. (Its figures are compared with those of a running service.)

use std::path::Path;

use crate::markdown::{read, sections};

fn guide() -> String {
    read("docs/OPERATING.md")
}

/// Everything between backticks that is on one line.
fn quoted(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect()
}

/// The text of every file below a folder.
fn sources(folder: &str) -> String {
    let mut all = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                all += &std::fs::read_to_string(path).expect("sources are text");
            }
        }
    }
    all
}

/// A sentence in the spelling of a test's name.
fn is_sentence(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    word.chars().all(plain) && word.contains('_') && !word.starts_with("turnstream_")
}

#[test]
fn every_drill_is_a_test_of_the_same_name() {
    let (guide, tests) = (guide(), sources("tests/e2e") + &sources("nats/tests"));
    let drills: Vec<_> = quoted(&guide)
        .into_iter()
        .filter(|word| is_sentence(word) && *word != "sync_interval" && *word != "secure_delete")
        .collect();
    assert!(drills.len() >= 15, "{drills:?}");
    for drill in drills {
        assert!(
            tests.contains(&format!("async fn {drill}(")),
            "there is no test {drill}"
        );
    }
}

#[test]
fn every_command_of_an_operator_has_a_section() {
    let guide = guide();
    let sections = sections(&guide, 2);
    for command in [
        "status",
        "rebuild",
        "verify",
        "dead-letters",
        "events",
        "erase",
        "project",
    ] {
        let name = format!("turnstream {command}");
        assert!(
            sections
                .iter()
                .any(|section| section.name().is_some_and(|found| found.starts_with(&name))),
            "{name}"
        );
        read(&format!("docs/help/turnstream-{command}.txt"));
    }
}
