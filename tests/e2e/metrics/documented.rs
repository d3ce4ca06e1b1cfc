//! The operators' guide has a row for each figure, and for nothing else.

use super::{BTreeMap, BTreeSet, Figures, World, played};
use crate::harness::Service;

/// Of the guide's row of a figure.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    kind: String,
    labels: BTreeSet<String>,
}

/// The rows of the table under "Metrics".
fn documented() -> BTreeMap<String, Row> {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/OPERATING.md");
    let guide = std::fs::read_to_string(guide).expect("it is in the repository");
    let (_, section) = guide
        .split_once("\n## Metrics\n")
        .expect("there is such a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut rows = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with("| `turnstream_")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, kind, labels, meaning] = cells[..] else {
            panic!("four cells: {line}")
        };
        assert!(!meaning.is_empty(), "{line}");
        let row = Row {
            kind: kind.to_owned(),
            labels: labels.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        };
        let name = name.trim_matches('`').to_owned();
        assert!(rows.insert(name, row).is_none(), "twice: {line}");
    }
    rows
}

/// What the service has.
fn there(figures: &Figures) -> BTreeMap<String, Row> {
    let of = |(name, kind): (&String, &String)| {
        let labels = figures.labels_of(name).into_iter().map(str::to_owned).collect();
        let kind = kind.clone();
        (name.clone(), Row { kind, labels })
    };
    figures.types.iter().map(of).collect()
}

async fn figures_after_a_game(service: &Service) -> Figures {
    played(service).await;
    Figures::of(service).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_guide_says_of_every_figure_what_it_is_and_which_labels_it_has() {
    let world = World::servers().await;
    let service = world.start().await;
    let figures = figures_after_a_game(&service).await;
    let (documented, there) = (documented(), there(&figures));
    let names = |rows: &BTreeMap<String, Row>| rows.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&documented), names(&there));
    for (name, row) in &there {
        assert_eq!(&documented[name], row, "{name}");
    }
}

/// A dashboard and rules fit both.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_embedded_service_has_the_same_figures() {
    let world = World::embedded().await;
    let service = world.start().await;
    let figures = figures_after_a_game(&service).await;
    let documented = documented();
    let types = |rows: &BTreeMap<String, Row>| {
        let types = rows.iter().map(|(name, row)| (name.clone(), row.kind.clone()));
        types.collect::<BTreeMap<_, _>>()
    };
    assert_eq!(types(&documented), figures.types);
}
