//! What the documents say of each other, and the code of them.

use std::path::{Path, PathBuf};

use crate::markdown::{read, sections};

/// Every document, by its path in the repository.
fn documents() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/decisions"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        found.extend(
            entries
                .map(|entry| entry.expect("it can be read").file_name())
                .filter_map(|name| Some(format!("{folder}/{}.md", name.to_str()?.strip_suffix(".md")?))),
        );
    }
    found
}

/// The anchor of a heading, as it is made for links.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches(['#', ' '])
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

fn has_anchor(path: &Path, wanted: &str) -> bool {
    let text = std::fs::read_to_string(path).expect("a document can be read");
    (1..=3).any(|level| {
        sections(&text, level)
            .iter()
            .any(|section| anchor(section.heading) == wanted)
    })
}

#[test]
fn every_link_within_the_documents_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in documents() {
        let text = read(&path);
        let own = root.join(&path);
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|target| !target.starts_with("http"))
        {
            let (file, wanted) = target.split_once('#').unwrap_or((target, ""));
            let found: PathBuf = if file.is_empty() {
                own.clone()
            } else {
                own.parent().expect("it is in a folder").join(file)
            };
            assert!(found.exists(), "{path} links to {target}, which is not there");
            assert!(
                wanted.is_empty() || has_anchor(&found, wanted),
                "{path} links to {target}: there is no such heading"
            );
        }
    }
}

#[test]
fn every_decision_is_in_their_list() {
    let list = read("docs/decisions/README.md");
    for path in documents() {
        let Some(name) = path.strip_prefix("docs/decisions/") else {
            continue;
        };
        assert!(
            name == "README.md" || list.contains(&format!("]({name})")),
            "{name}"
        );
        if name != "README.md" {
            let text = read(&path);
            let parts: Vec<&str> = sections(&text, 2).iter().map(|section| section.heading).collect();
            assert_eq!(parts, ["## Context", "## Decision", "## Consequences"], "{name}");
        }
    }
}

#[test]
fn the_architecture_has_what_the_code_refers_to_and_ends_in_the_walk() {
    let text = read("docs/ARCHITECTURE.md");
    let headings: Vec<&str> = sections(&text, 2).iter().map(|section| section.heading).collect();
    assert!(
        headings.contains(&"## Publishing"),
        "commands/src/publish/queue.rs refers to it"
    );
    assert_eq!(headings.last(), Some(&"## A move, from click to spectator"));
}
