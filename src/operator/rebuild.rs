//! `turnstream rebuild`: a projection made anew.

use clap::{Args, ValueEnum};
use contract::{GameId, Millis, Seq};
use projections::operations::rebuild::Request;
use projections::operations::{Scope, Since};
use serde_json::{Value, json};

use super::admin::Admin;
use super::following::follow;
use super::{Asked, Verdict, failed, print};

/// What `rebuild` is told.
#[derive(Debug, Clone, Args)]
pub struct RebuildCommand {
    /// Which projection.
    #[arg(value_enum)]
    projection: Projection,

    /// Only this game.
    #[arg(long, value_name = "ID", conflicts_with_all = ["from_seq", "from_time"])]
    game: Option<GameId>,

    /// Only games that lie as a whole at or behind this sequence of the log.
    #[arg(long, value_name = "SEQUENCE", conflicts_with = "from_time")]
    from_seq: Option<Seq>,

    /// Only games that began (live) or ended (history) at or after this time, such as `2026-11-30T08:00:00Z`.
    #[arg(long, value_name = "TIME", value_parser = time)]
    from_time: Option<Millis>,

    /// Only say what would be done.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Projection {
    /// Snapshots of live games.
    Live,
    /// Rows of finished games.
    History,
    /// Both.
    All,
}

impl Projection {
    fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::History => "history",
            Self::All => "all",
        }
    }
}

fn time(text: &str) -> Result<Millis, String> {
    contract::event::parse_time(text).ok_or_else(|| "not a time such as 2026-11-30T08:00:00Z".to_owned())
}

impl RebuildCommand {
    fn request(&self) -> Request {
        let from = self.from_seq.map(Since::Seq).or(self.from_time.map(Since::Time));
        Request {
            scope: Scope {
                game: self.game,
                from,
            },
            dry_run: self.dry_run,
        }
    }
}

/// Has it made anew, and prints what came of it.
///
/// # Errors
/// The HTTP client cannot be made.
pub async fn run(command: &RebuildCommand) -> anyhow::Result<Verdict> {
    let asked = &command.asked;
    let path = format!("/rebuild/{}", command.projection.as_str());
    let request = serde_json::to_value(command.request())?;
    match follow(&Admin::at(&asked.admin_url)?, &path, &request).await {
        Ok(rebuilt) => {
            print(asked, &rebuilt, text)?;
            Ok(verdict(&rebuilt))
        }
        Err(error) => Ok(failed(&error)),
    }
}

/// Games that could not be made are for an operator to look at.
fn verdict(rebuilt: &Value) -> Verdict {
    let count = |projection: &str, name: &str| rebuilt[projection][name].as_u64().unwrap_or(0);
    let trouble = count("live", "notFoldable")
        + count("live", "putAside")
        + count("history", "unreadable")
        + count("history", "refused");
    if trouble == 0 {
        Verdict::Well
    } else {
        Verdict::Trouble
    }
}

fn text(rebuilt: &Value) -> String {
    let mut lines = Vec::new();
    for projection in ["live", "history"] {
        if let Some(figures) = rebuilt[projection].as_object() {
            let dry = if figures.get("dryRun") == Some(&json!(true)) {
                " (dry run: nothing was changed)"
            } else {
                ""
            };
            lines.push(format!("{projection}{dry}"));
            for (name, figure) in figures.iter().filter(|(name, _)| *name != "dryRun") {
                lines.push(format!("  {:<12} {figure}", super::words(name)));
            }
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_told_in_words() {
        let rebuilt = json!({"live": {"games": 3, "putAside": 0, "dryRun": true}});
        assert_eq!(
            text(&rebuilt),
            "live (dry run: nothing was changed)\n  games        3\n  put aside    0"
        );
        assert_eq!(verdict(&rebuilt), Verdict::Well);
        assert_eq!(verdict(&json!({"history": {"refused": 1}})), Verdict::Trouble);
    }
}
