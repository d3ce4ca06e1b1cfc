//! A long work of the service, followed line by line: a bar on a terminal, log lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use futures::StreamExt;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::admin::{Admin, AdminError};
use crate::operations::lines::Line;

/// How often a line is logged where there is no terminal.
const LOG_EVERY: Duration = Duration::from_secs(5);

/// A line may be as long as the list of differences that it brings.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// Has a work done and shows how far it is, on the standard error; what came of it.
///
/// # Errors
/// [`AdminError`]: refused, stopped, or the service went away meanwhile.
pub(super) async fn follow(admin: &Admin, path: &str, body: &Value) -> Result<Value, AdminError> {
    let answer = admin.begin(path, body).await?;
    let mut shown = Shown::new();
    let mut chunks = answer.bytes_stream();
    let mut waiting: Vec<u8> = Vec::new();
    while let Some(chunk) = chunks.next().await {
        waiting.extend_from_slice(&chunk.map_err(|error| admin.not_reachable(&error))?);
        if waiting.len() > LONGEST_LINE {
            break;
        }
        while let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = waiting.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(Line::Progress { phase, done, total }) => shown.show(&phase, done, total),
                Ok(Line::Done(done)) => {
                    shown.end();
                    return Ok(done);
                }
                Ok(Line::Stopped(stopped)) => {
                    shown.end();
                    return Err(AdminError::Refused(stopped.to_string()));
                }
                Err(error) => return Err(AdminError::Refused(format!("the answer cannot be read: {error}"))),
            }
        }
    }
    shown.end();
    Err(AdminError::Refused(
        "the service went away before the work was done; what it left behind, the next one throws away"
            .to_owned(),
    ))
}

/// What is shown.
enum Shown {
    Bar { bar: ProgressBar, phase: String },
    Lines { phase: String, logged: Option<Instant> },
}

impl Shown {
    fn new() -> Self {
        if std::io::stderr().is_terminal() {
            Self::Bar {
                bar: ProgressBar::no_length(),
                phase: String::new(),
            }
        } else {
            Self::Lines {
                phase: String::new(),
                logged: None,
            }
        }
    }

    fn show(&mut self, phase: &str, done: u64, total: Option<u64>) {
        match self {
            Self::Bar { bar, phase: shown } => {
                if shown != phase {
                    phase.clone_into(shown);
                    bar.reset();
                    bar.set_style(style(total.is_some()));
                    bar.set_message(phase.to_owned());
                }
                if let Some(total) = total {
                    bar.set_length(total);
                }
                bar.set_position(done);
                bar.tick();
            }
            Self::Lines { phase: shown, logged } => {
                let due = logged.is_none_or(|logged| logged.elapsed() >= LOG_EVERY);
                if !phase.is_empty() && (due || shown != phase) {
                    phase.clone_into(shown);
                    *logged = Some(now());
                    eprintln!("{}", text(phase, done, total));
                }
            }
        }
    }

    fn end(&self) {
        if let Self::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how often a person is told something is nothing that a test turns"
)]
fn now() -> Instant {
    Instant::now()
}

fn text(phase: &str, done: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{phase}: {done} of {total}"),
        None => format!("{phase}: {done}"),
    }
}

/// With rate and time left where the end is known.
fn style(has_end: bool) -> ProgressStyle {
    let template = if has_end {
        "{msg} {wide_bar} {human_pos}/{human_len} {per_sec} {eta} left"
    } else {
        "{msg} {spinner} {human_pos} {elapsed}"
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_styles_are_ones_that_the_library_knows() {
        for has_end in [true, false] {
            let template = style(has_end);
            let bar = ProgressBar::hidden().with_style(template);
            bar.tick();
        }
        assert_eq!(text("games", 3, Some(9)), "games: 3 of 9");
        assert_eq!(text("following", 3, None), "following: 3");
    }
}
