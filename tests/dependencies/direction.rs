//! Crates depend on each other in one direction: `rules` ← `contract` ← `commands` ← `projections` ← the adapters ← the
//! service. Adapters never see each other, and only tests see `testkit`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::metadata;

const ADAPTERS: [&str; 4] = ["nats", "valkey", "postgres", "embedded"];

/// What each crate may depend on. A new crate needs a line.
const ALLOWED: [(&str, &[&str]); 14] = [
    ("rules", &[]),
    ("contract", &["rules"]),
    ("commands", &["rules", "contract"]),
    ("projections", &["rules", "contract", "commands"]),
    ("nats", CORE),
    ("valkey", CORE),
    ("postgres", CORE),
    ("embedded", CORE),
    // What measures the service sees it from outside.
    ("loadgen", &["rules"]),
    ("floor", &[]),
    ("suite", &["loadgen", "testkit"]),
    ("micro", &["rules", "contract", "commands"]),
    ("testkit", CORE),
    (
        "turnstream",
        &[
            "rules",
            "contract",
            "commands",
            "projections",
            "nats",
            "valkey",
            "postgres",
            "embedded",
        ],
    ),
];

const CORE: &[&str] = &["rules", "contract", "commands", "projections"];

/// One of our crates and what it depends on of ours.
#[derive(Debug, Default)]
struct Crate {
    normal: BTreeSet<String>,
    for_tests: BTreeSet<String>,
}

fn short(name: &str) -> String {
    name.strip_prefix("turnstream-").unwrap_or(name).to_owned()
}

fn crates() -> BTreeMap<String, Crate> {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().expect("there are packages");
    packages
        .iter()
        .map(|package| {
            let name = short(package["name"].as_str().expect("a package has a name"));
            (name, ours(package))
        })
        .collect()
}

/// Those of a package's dependencies that are in this repository.
fn ours(package: &Value) -> Crate {
    let mut found = Crate::default();
    for dependency in package["dependencies"].as_array().expect("a list") {
        if dependency["path"].is_null() {
            continue;
        }
        let name = short(dependency["name"].as_str().expect("a dependency has a name"));
        match dependency["kind"].as_str() {
            Some("dev") => found.for_tests.insert(name),
            _ => found.normal.insert(name),
        };
    }
    found
}

#[test]
fn crates_depend_on_each_other_in_one_direction() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    let crates = crates();
    let names: Vec<&str> = crates.keys().map(String::as_str).collect();
    assert_eq!(names, allowed.keys().copied().collect::<Vec<_>>());
    for (name, found) in &crates {
        for dependency in &found.normal {
            assert!(
                allowed[name.as_str()].contains(&dependency.as_str()),
                "{name} must not depend on {dependency}"
            );
        }
    }
}

#[test]
fn adapters_do_not_see_each_other_even_in_tests() {
    let crates = crates();
    for adapter in ADAPTERS {
        for other in ADAPTERS {
            let found = &crates[adapter];
            assert!(
                !found.normal.contains(other) && !found.for_tests.contains(other),
                "{adapter} must not depend on {other}"
            );
        }
    }
}

#[test]
fn only_tests_see_the_testkit() {
    for (name, found) in crates() {
        // It is run, and never shipped.
        if name == "suite" {
            continue;
        }
        assert!(!found.normal.contains("testkit"), "{name} ships the testkit");
    }
}
