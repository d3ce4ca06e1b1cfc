//! What a problem's `type` leads to: its section of `docs/PROBLEMS.md`.

use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use contract::problem::ProblemType;

use super::extract::TextPath;
use super::route::{Answer, Operation, Route};
use crate::problem::Failure;

const PROBLEMS: &str = include_str!("../../docs/PROBLEMS.md");

pub(super) fn routes() -> Vec<Route> {
    let explain = Operation::get::<()>(
        "/problems/{name}",
        "explainProblem",
        "What a problem's `type` means, and what a client does about it.",
    );
    vec![
        Operation {
            success: (200, Answer::Other("text/markdown")),
            problems: &[ProblemType::NotFound],
            ..explain
        }
        .handled_by(get(problem)),
    ]
}

async fn problem(TextPath(name): TextPath) -> Result<impl IntoResponse, Failure> {
    let text = section(&format!("/problems/{name}")).ok_or_else(|| Failure::new(ProblemType::NotFound))?;
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text))
}

/// The section about a problem, from its heading to the next one.
fn section(uri: &str) -> Option<&'static str> {
    let heading = format!("\n## `{uri}`\n");
    let begin = PROBLEMS.find(&heading)? + 1;
    let rest = &PROBLEMS[begin..];
    let end = rest.find("\n## ").map_or(rest.len(), |end| end + 1);
    Some(rest[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_explained() {
        for problem in ProblemType::ALL {
            let text = section(problem.uri()).unwrap_or_else(|| panic!("{} has no section", problem.uri()));
            let told = format!("**{} · {}**", problem.status(), problem.title());
            assert!(text.contains(&told), "{} does not say {told}", problem.uri());
        }
    }

    #[test]
    fn nothing_else_is() {
        assert_eq!(section("/problems/nonsense"), None);
        assert_eq!(section(""), None);
        let sections = PROBLEMS.matches("\n## `/problems/").count();
        assert_eq!(sections, ProblemType::ALL.len());
    }
}
