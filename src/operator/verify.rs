//! `turnstream verify`: log, live store and history compared.

use clap::Args;
use contract::GameId;
use projections::operations::verify::{Request, Verified};

use super::admin::Admin;
use super::following::follow;
use super::{Asked, Verdict, failed, print};

/// What `verify` is told.
#[derive(Debug, Clone, Args)]
pub struct VerifyCommand {
    /// Only this game.
    #[arg(long, value_name = "ID")]
    game: Option<GameId>,

    /// Put right what differs in a store. What is wrong in the log stays.
    #[arg(long)]
    repair: bool,

    #[command(flatten)]
    asked: Asked,
}

/// Has everything compared, and prints what differs.
///
/// # Errors
/// The HTTP client cannot be made.
pub async fn run(command: &VerifyCommand) -> anyhow::Result<Verdict> {
    let asked = &command.asked;
    let request = serde_json::to_value(Request {
        game: command.game,
        repair: command.repair,
    })?;
    let answer = match follow(&Admin::at(&asked.admin_url)?, "/verify", &request).await {
        Ok(answer) => answer,
        Err(error) => return Ok(failed(&error)),
    };
    let verified: Verified = serde_json::from_value(answer.clone())?;
    print(asked, &answer, |_| text(&verified))?;
    Ok(if verified.is_well() {
        Verdict::Well
    } else {
        Verdict::Trouble
    })
}

fn text(verified: &Verified) -> String {
    let mut lines: Vec<String> = verified
        .differences
        .iter()
        .map(|difference| {
            let repaired = if difference.repaired { " (repaired)" } else { "" };
            let place = serde_json::to_value(difference.place).unwrap_or_default();
            let place = place.as_str().unwrap_or_default().to_owned();
            format!("{} {place}: {}{repaired}", difference.game, difference.what)
        })
        .collect();
    if (verified.differences.len() as u64) < verified.different {
        lines.push(format!("… {} in all", verified.different));
    }
    lines.push(format!(
        "{} games ({} live, {} of newer code), {} rows beyond the log, {} not projected yet",
        verified.games, verified.live, verified.parked, verified.beyond_log, verified.not_yet
    ));
    lines.push(match (verified.different, verified.repaired) {
        (0, _) => "nothing differs".to_owned(),
        (different, repaired) => format!("{different} differences, {repaired} repaired"),
    });
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use projections::operations::verify::{Difference, Place};

    #[test]
    fn each_difference_is_a_line_and_the_last_one_counts() {
        let game = GameId(uuid::Uuid::nil());
        let verified = Verified {
            games: 2,
            different: 1,
            repaired: 1,
            differences: vec![Difference {
                game,
                place: Place::History,
                what: "there is no row".to_owned(),
                repaired: true,
            }],
            ..Verified::default()
        };
        let text = text(&verified);
        assert!(
            text.starts_with(&format!("{game} history: there is no row (repaired)\n2 games")),
            "{text}"
        );
        assert!(text.ends_with("1 differences, 1 repaired"), "{text}");
    }
}
