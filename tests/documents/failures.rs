//! Each test that `docs/FAILURES.md` names exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::markdown::{read, rows, sections};

/// Where tests are.
const FOLDERS: [&str; 10] = [
    "rules",
    "contract",
    "commands",
    "projections",
    "nats",
    "valkey",
    "postgres",
    "embedded",
    "src",
    "tests",
];

/// The names of all tests: functions that are marked as one, cases of the suites that every adapter passes, and stories
/// that run on every backend.
fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    for folder in FOLDERS {
        sources(&root.join(folder), &mut |text| {
            found.extend(marked(text));
            found.extend(stories(text));
        });
    }
    sources(&root.join("testkit/src/contracts"), &mut |text| {
        found.extend(cases(text));
    });
    sources(&root.join("testkit/src"), &mut |text| found.extend(marked(text)));
    found
}

fn sources(folder: &Path, take: &mut impl FnMut(&str)) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            sources(&path, take);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            take(&fs::read_to_string(&path).expect("a source is text"));
        }
    }
}

/// The function that each `#[test]` or `#[tokio::test]` is about.
fn marked(text: &str) -> Vec<String> {
    let after_marks = text.split("test]").chain(text.split("test(")).skip(1);
    after_marks.filter_map(first_function).collect()
}

fn first_function(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("fn ")?;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    Some(name.to_owned())
}

fn cases(text: &str) -> Vec<String> {
    let functions = text.split("pub async ").skip(1);
    functions.filter_map(first_function).collect()
}

fn stories(text: &str) -> Vec<String> {
    let lists = text.split("on_every_backend!(").skip(1);
    let lists = lists.filter_map(|rest| rest.split(')').next());
    lists
        .flat_map(|list| list.split(',').map(|name| name.trim().to_owned()))
        .collect()
}

/// What has the form of a test's name: words, not a command or a field.
fn named(cell: &str) -> impl Iterator<Item = &str> {
    let code = cell.split('`').skip(1).step_by(2);
    code.filter(|name| name.matches('_').count() >= 3)
}

#[test]
fn every_test_that_is_said_to_hold_exists() {
    let tests = tests();
    let text = read("docs/FAILURES.md");
    let mut lines = 0;
    for section in sections(&text, 2) {
        for row in rows(section.body) {
            let [report, _, here] = row.as_slice() else {
                panic!("three cells: {row:?}");
            };
            lines += 1;
            assert!(!here.is_empty(), "{report} is held by something");
            for name in named(here) {
                assert!(tests.contains(name), "{report}: there is no test {name}");
            }
        }
    }
    assert!(lines > 50, "all lines are read: {lines}");
    for name in named(text.split("\n## ").next().unwrap_or_default()) {
        assert!(tests.contains(name), "there is no test {name}");
    }
}
