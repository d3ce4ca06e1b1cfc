//! The operators' guide names drills and commands that exist. (Its figures are compared with those of a running service.)

use std::collections::HashSet;
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

/// The names of the tests in every file below a folder.
fn tests_below(folder: &str) -> HashSet<String> {
    let mut all = HashSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                all.extend(tests_in(
                    &std::fs::read_to_string(path).expect("sources are text"),
                ));
            }
        }
    }
    all
}

/// The functions of a source that are run as tests: by their attribute, or as they are named in a macro that gives one.
fn tests_in(source: &str) -> Vec<String> {
    let mut tests = Vec::new();
    let (mut has_attribute, mut is_in_macro) = (false, false);
    for line in source.lines().map(str::trim) {
        let in_macro = || Some(line.strip_prefix("on_")?.split_once("!(")?.1);
        if let Some(names) = Some(line).filter(|_| is_in_macro).or_else(in_macro) {
            let list = names.trim_end_matches([')', ';']).split(',');
            tests.extend(list.map(|name| name.trim().to_owned()));
            is_in_macro = !names.ends_with(");");
        }
        if let Some(name) = function(line).filter(|_| has_attribute) {
            tests.push(name.to_owned());
        }
        let is_attribute = line.starts_with("#[tokio::test") || line == "#[test]";
        has_attribute = is_attribute || (has_attribute && line.starts_with("#["));
    }
    tests
}

/// The name of the function that begins in a line.
fn function(line: &str) -> Option<&str> {
    let name = line
        .strip_prefix("async fn ")
        .or_else(|| line.strip_prefix("fn "))?;
    Some(name.split_once('(')?.0)
}

#[test]
fn only_what_is_run_as_a_test_is_one() {
    let source = "
        #[tokio::test(flavor = \"multi_thread\")]
        #[ignore]
        async fn with_an_attribute() {
            helped().await;
        }

        async fn a_helper(of: bool) {}

        /// Told.
        async fn in_a_macro(world: World) {}

        on_every_backend!(
            in_a_macro,
        );

        on_every_backend!(alone_in_a_macro);

        fn behind_it() {}";
    let tests = tests_in(source);
    let is_one = |name: &str| tests.iter().any(|test| test == name);
    assert!(is_one("with_an_attribute"), "{tests:?}");
    assert!(is_one("in_a_macro") && is_one("alone_in_a_macro"), "{tests:?}");
    assert!(!is_one("a_helper") && !is_one("behind_it"), "{tests:?}");
}

/// A sentence in the spelling of a test's name.
fn is_sentence(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    word.chars().all(plain) && word.contains('_') && !word.starts_with("turnstream_")
}

#[test]
fn every_drill_is_a_test_of_the_same_name() {
    let guide = guide();
    let mut tests = tests_below("tests/e2e");
    tests.extend(tests_below("nats/tests"));
    let drills: Vec<_> = quoted(&guide)
        .into_iter()
        .filter(|word| is_sentence(word) && *word != "sync_interval" && *word != "secure_delete")
        .collect();
    assert!(drills.len() >= 15, "{drills:?}");
    for drill in drills {
        assert!(tests.contains(drill), "there is no test {drill}");
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
