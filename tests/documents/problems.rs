//! `docs/PROBLEMS.md`, and the table of problems in `docs/PROTOCOL.md`.

use contract::problem::{Problem, ProblemType};
use serde_json::Value;

use crate::markdown::{read, rows, section, sections};

#[test]
fn every_problem_has_one_example_of_its_own_type() {
    let text = read("docs/PROBLEMS.md");
    let sections = sections(&text, 2);
    for problem in ProblemType::ALL {
        let section = sections
            .iter()
            .find(|section| section.name() == Some(problem.uri()))
            .unwrap_or_else(|| panic!("{} has no section", problem.uri()));
        let [example] = section.code("json")[..] else {
            panic!("{} has not one example", problem.uri());
        };
        let value: Value = serde_json::from_str(example).expect("an example is JSON");
        let decoded: Problem = serde_json::from_str(example).expect("an example is a problem");
        assert_eq!(
            (decoded.problem, decoded.status, decoded.title.as_str()),
            (*problem, problem.status(), problem.title())
        );
        assert_eq!(serde_json::to_value(decoded).expect("it is JSON"), value);
    }
    assert_eq!(sections.len(), ProblemType::ALL.len());
}

#[test]
fn the_protocol_lists_every_problem() {
    let text = read("docs/PROTOCOL.md");
    let listed: Vec<Vec<String>> = rows(section(&text, "## Problems").body)
        .into_iter()
        .map(|row| row.into_iter().map(|cell| cell.replace('`', "")).collect())
        .collect();
    let all: Vec<Vec<String>> = ProblemType::ALL
        .iter()
        .map(|problem| {
            vec![
                problem.uri().to_owned(),
                problem.status().to_string(),
                problem.title().to_owned(),
            ]
        })
        .collect();
    assert_eq!(listed, all);
}
