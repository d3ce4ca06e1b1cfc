//! How far a long work is, shown on the standard error: a bar on a terminal, log lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::said;

/// How often a line is logged where there is no terminal.
const LOG_EVERY: Duration = Duration::from_secs(5);

/// What is shown.
pub enum Shown {
    /// On a terminal.
    Bar {
        /// The bar.
        bar: ProgressBar,
        /// What it is about.
        phase: String,
    },
    /// Elsewhere.
    Lines {
        /// What was told last.
        phase: String,
        /// When.
        logged: Option<Instant>,
    },
}

impl Shown {
    /// Nothing yet; where, depends on what the standard error is.
    pub fn new() -> Self {
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

    /// So much is done of what there is, where that is known.
    pub fn show(&mut self, phase: &str, done: u64, total: Option<u64>) {
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
                    said::complain(text(phase, done, total));
                }
            }
        }
    }

    /// It is over: nothing is left on a terminal.
    pub fn end(&self) {
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
