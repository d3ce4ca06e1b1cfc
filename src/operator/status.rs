//! `turnstream status`: how a running service is.

use std::fmt::Write as _;

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::admin::{Admin, AdminError};
use super::{Asked, Verdict};
use crate::said;

/// What `status` is told.
#[derive(Debug, Clone, Args)]
pub struct StatusCommand {
    #[command(flatten)]
    asked: Asked,
}

/// Asks and prints.
///
/// # Errors
/// The HTTP client cannot be made.
pub async fn run(command: &StatusCommand) -> anyhow::Result<Verdict> {
    let asked = &command.asked;
    let answer = Admin::at(&asked.admin_url)?
        .ask(Method::GET, "/status", None)
        .await;
    let for_a_person = asked.is_for_a_person();
    let (verdict, status) = match answer {
        Ok(status) => (verdict(&status), status),
        Err(error) => {
            if for_a_person {
                said::print(&error)?;
            } else {
                said::print(unknown(&error))?;
            }
            return Ok(Verdict::Failed);
        }
    };
    if for_a_person {
        said::print(table(&status).trim_end())?;
    } else {
        said::print(format_args!("{status:#}"))?;
    }
    Ok(verdict)
}

/// What is said of a service that does not answer: never a number.
fn unknown(error: &AdminError) -> Value {
    json!({ "reachable": false, "why": error.to_string() })
}

fn verdict(status: &Value) -> Verdict {
    match status["troubles"].as_array() {
        Some(troubles) if troubles.is_empty() => Verdict::Well,
        _ => Verdict::Trouble,
    }
}

/// The status as a table: what, and how it is.
fn table(status: &Value) -> String {
    let mut rows = vec![
        ("role", text(&status["role"])),
        ("writer", text(&status["writer"])),
    ];
    for (port, adapter) in status["adapters"].as_object().into_iter().flatten() {
        rows.push((port, text(adapter)));
    }
    rows.push(("log", log(&status["log"])));
    rows.extend([
        ("live games", text(&status["liveGames"])),
        ("pending publishes", text(&status["pendingPublishes"])),
    ]);
    for projector in status["projectors"].as_array().into_iter().flatten() {
        rows.push(("projector", self::projector(projector)));
    }
    for owner in status["owners"].as_array().into_iter().flatten() {
        let (writer, games) = (text(&owner["writer"]), text(&owner["games"]));
        rows.push(("owner", format!("{writer}: {games} live games")));
    }
    for service in status["services"].as_array().into_iter().flatten() {
        let part = if service["active"] == true {
            "active"
        } else {
            "standby"
        };
        rows.push(("service", format!("{}: {part}", text(&service["writer"]))));
    }
    rows.push(("dead letters", text(&status["deadLetters"])));
    rows.push(("last restore", restore(&status["lastRestore"])));
    for trouble in status["troubles"].as_array().into_iter().flatten() {
        rows.push(("TROUBLE", text(trouble)));
    }
    lay_out(&rows)
}

fn lay_out(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    let mut table = String::new();
    for (what, how) in rows {
        writeln!(table, "{what:<width$}  {how}").expect("writing to a string does not fail");
    }
    table
}

/// A value for a person; what is not known is said to be so.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "not known".to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", text(value)))
                .collect();
            fields.join(", ")
        }
        other => other.to_string(),
    }
}

fn log(log: &Value) -> String {
    match log["notAvailable"].as_str() {
        Some(why) => format!("not available: {why}"),
        None => format!(
            "{}, messages {} to {}",
            text(&log["identity"]),
            text(&log["first"]),
            text(&log["last"])
        ),
    }
}

fn projector(projector: &Value) -> String {
    let state = &projector["state"];
    let why = state["why"].as_str().map(|why| format!(" ({why})"));
    let behind = projector["lagMs"].as_i64().map_or_else(
        || "not known".to_owned(),
        |ms| format!("{}.{} s", ms / 1000, ms % 1000 / 100),
    );
    format!(
        "{}: {}{}, at {}, behind by {} events, {behind}",
        text(&projector["name"]),
        text(&state["state"]),
        why.unwrap_or_default(),
        text(&projector["checkpoint"]),
        text(&projector["lag"]),
    )
}

fn restore(restore: &Value) -> String {
    if restore.is_null() {
        "none".to_owned()
    } else {
        text(restore)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Value {
        json!({
            "role": "active",
            "writer": "00000000000000aa",
            "adapters": {"event log": "NATS JetStream"},
            "log": {"identity": "GAMES@1", "first": 1, "last": 90},
            "liveGames": 3,
            "pendingPublishes": 0,
            "projectors": [{
                "name": "live", "state": {"state": "waiting", "why": "away"}, "checkpoint": 80, "lag": 10, "lagMs": 1250,
            }],
            "owners": [{"writer": "00000000000000aa", "games": 3}],
            "services": [{"writer": "00000000000000aa", "active": true}],
            "deadLetters": null,
            "lastRestore": null,
            "troubles": ["the live projector waits: away"],
        })
    }

    #[test]
    fn a_table_has_a_line_for_everything_and_says_what_is_not_known() {
        let table = table(&status());
        for line in [
            "role               active",
            "log                GAMES@1, messages 1 to 90",
            "projector          live: waiting (away), at 80, behind by 10 events, 1.2 s",
            "owner              00000000000000aa: 3 live games",
            "dead letters       not known",
            "last restore       none",
            "TROUBLE            the live projector waits: away",
        ] {
            assert!(
                table.lines().any(|found| found == line),
                "no {line:?} in\n{table}"
            );
        }
    }

    #[test]
    fn it_ends_well_only_where_no_trouble_is_reported() {
        let mut status = status();
        assert_eq!(verdict(&status), Verdict::Trouble);
        status["troubles"] = json!([]);
        assert_eq!(verdict(&status), Verdict::Well);
        assert_eq!(
            verdict(&json!({})),
            Verdict::Trouble,
            "what says nothing is no service of ours"
        );
    }
}
