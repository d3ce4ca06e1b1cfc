//! `turnstream erase`: a person forgotten.

use clap::Args;
use contract::UserId;
use projections::operations::erase::Request;
use serde_json::Value;

use super::admin::Admin;
use super::following::follow;
use super::{Asked, Verdict, failed, print};

/// What `erase` is told.
#[derive(Debug, Clone, Args)]
pub struct EraseCommand {
    /// The public id: `kc:…`, `guest:…` or `legacy:…`.
    user: String,

    /// Only say what would be done.
    #[arg(long)]
    dry_run: bool,

    /// Do it. It cannot be undone.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,

    #[command(flatten)]
    asked: Asked,
}

/// Has a person forgotten, and prints what was done.
///
/// # Errors
/// Neither `--yes` nor `--dry-run` was said, or the HTTP client cannot be made.
pub async fn run(command: &EraseCommand) -> anyhow::Result<Verdict> {
    anyhow::ensure!(
        command.yes || command.dry_run,
        "this cannot be undone: say --yes, or --dry-run to see what would be done"
    );
    let asked = &command.asked;
    let request = serde_json::to_value(Request {
        user: UserId::new(command.user.as_str()),
        dry_run: command.dry_run,
    })?;
    match follow(&Admin::at(&asked.admin_url)?, "/erase", &request).await {
        Ok(erased) => {
            print(asked, &erased, text)?;
            Ok(Verdict::Well)
        }
        Err(error) => Ok(failed(&error)),
    }
}

fn text(erased: &Value) -> String {
    let figures = erased.as_object().into_iter().flatten();
    let lines: Vec<String> = figures
        .map(|(name, figure)| format!("{:<12} {figure}", super::words(name)))
        .collect();
    lines.join("\n")
}
