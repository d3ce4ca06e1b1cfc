//! `turnstream dead-letters`: events that a projector could not apply.

use clap::{Args, Subcommand};
use contract::Seq;
use reqwest::Method;
use serde_json::Value;

use super::admin::{Admin, AdminError};
use super::{Asked, Verdict, failed, print};

/// What `dead-letters` is told.
#[derive(Debug, Clone, Args)]
pub struct DeadLettersCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Subcommand)]
enum What {
    /// List them, oldest first; exits with 1 if there are any.
    List {
        /// At most so many.
        #[arg(long, default_value_t = 100, value_name = "N")]
        max: usize,
        #[command(flatten)]
        asked: Asked,
    },
    /// Show one with its event.
    Show(One),
    /// Do what the projector could not do; the letter is forgotten if it works now. Exits with 1 if it does not.
    Retry(One),
    /// Forget one. Its event stays in the log.
    Drop(One),
}

/// Which one.
#[derive(Debug, Clone, Args)]
struct One {
    /// The projector that gave up: `live` or `history`.
    projector: String,
    /// Where the event is in the log.
    seq: Seq,
    #[command(flatten)]
    asked: Asked,
}

impl One {
    async fn ask(&self, method: Method, further: &str) -> anyhow::Result<Result<Value, AdminError>> {
        // A name with anything else in it is no projector's.
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        anyhow::ensure!(self.projector.chars().all(plain), "no projector is called so");
        let path = format!("/dead-letters/{}/{}{further}", self.projector, self.seq);
        Ok(Admin::at(&self.asked.admin_url)?.ask(method, &path, None).await)
    }
}

/// Asks and prints.
///
/// # Errors
/// The HTTP client cannot be made.
pub async fn run(command: &DeadLettersCommand) -> anyhow::Result<Verdict> {
    match &command.what {
        What::List { max, asked } => {
            let path = format!("/dead-letters?max={max}");
            let letters = Admin::at(&asked.admin_url)?.ask(Method::GET, &path, None).await;
            said(asked, letters, table, |letters| {
                letters.as_array().is_some_and(Vec::is_empty)
            })
        }
        What::Show(one) => {
            let shown = one.ask(Method::GET, "").await?;
            said(&one.asked, shown, |letter| format!("{letter:#}"), |_| true)
        }
        What::Retry(one) => {
            let retried = one.ask(Method::POST, "/retry").await?;
            said(&one.asked, retried, outcome, |retried| {
                retried["outcome"] != "stillRefused"
            })
        }
        What::Drop(one) => {
            let dropped = one.ask(Method::DELETE, "").await?;
            said(&one.asked, dropped, |_| "dropped".to_owned(), |_| true)
        }
    }
}

fn said(
    asked: &Asked,
    answer: Result<Value, AdminError>,
    text: impl FnOnce(&Value) -> String,
    is_well: impl FnOnce(&Value) -> bool,
) -> anyhow::Result<Verdict> {
    match answer {
        Ok(answer) => {
            print(asked, &answer, text)?;
            Ok(if is_well(&answer) {
                Verdict::Well
            } else {
                Verdict::Trouble
            })
        }
        Err(error) => Ok(failed(&error)),
    }
}

fn table(letters: &Value) -> String {
    let letters = letters.as_array().map(Vec::as_slice).unwrap_or_default();
    if letters.is_empty() {
        return "none".to_owned();
    }
    let lines: Vec<String> = letters
        .iter()
        .map(|letter| {
            let text = |name: &str| letter[name].as_str().unwrap_or_default().to_owned();
            format!(
                "{} {} {} {}",
                text("projector"),
                letter["seq"],
                text("game"),
                text("reason")
            )
        })
        .collect();
    lines.join("\n")
}

fn outcome(retried: &Value) -> String {
    match (retried["outcome"].as_str(), retried["why"].as_str()) {
        (Some("done"), _) => "done".to_owned(),
        (Some("wasThere"), _) => "it was there already".to_owned(),
        (_, why) => format!("still refused: {}", why.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_letter_is_a_line() {
        let letters = json!([{"projector": "history", "seq": 7, "game": "g", "reason": "too long"}]);
        assert_eq!(table(&letters), "history 7 g too long");
        assert_eq!(table(&json!([])), "none");
        assert_eq!(
            outcome(&json!({"outcome": "stillRefused", "why": "x"})),
            "still refused: x"
        );
    }
}
