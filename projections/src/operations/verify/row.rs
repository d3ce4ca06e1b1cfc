//! A finished game compared with its row.

use commands::ports::{LogIdentity, Unavailable};
use contract::{FinishedGame, Seq};

use super::super::OperationParts;

/// What a comparison says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Compared {
    /// The row has what the log has.
    Same,
    /// There is no row, and the projector has not come so far.
    NotYet,
    /// It has not, and this is how.
    Differs(String),
}

/// Compares the row of a game that ended at `seq`.
pub(super) async fn compare(
    parts: &OperationParts,
    log: &LogIdentity,
    seq: Seq,
    record: &FinishedGame,
) -> Result<Compared, Unavailable> {
    if let Some(row) = parts.history.game(record.id).await? {
        return Ok(judge(&row, record));
    }
    let reached = parts.history.checkpoint().await?;
    if reached.is_none_or(|reached| reached.log != *log || reached.seq < seq) {
        return Ok(Compared::NotYet);
    }
    // It may have been written between the two looks.
    match parts.history.game(record.id).await? {
        Some(row) => Ok(judge(&row, record)),
        None => Ok(Compared::Differs("there is no row".to_owned())),
    }
}

fn judge(row: &FinishedGame, record: &FinishedGame) -> Compared {
    if row == record {
        Compared::Same
    } else {
        Compared::Differs(format!("the row differs in {}", fields(row, record).join(", ")))
    }
}

/// The names of the fields that differ.
fn fields(row: &FinishedGame, record: &FinishedGame) -> Vec<String> {
    let of = |game| serde_json::to_value(game).unwrap_or_default();
    let (row, record) = (of(row), of(record));
    let names = [&row, &record].map(|game| game.as_object().cloned().unwrap_or_default());
    let mut differing: Vec<String> = names
        .iter()
        .flat_map(serde_json::Map::keys)
        .filter(|name| row.get(name.as_str()) != record.get(name.as_str()))
        .cloned()
        .collect();
    differing.sort_unstable();
    differing.dedup();
    differing
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{EndReason, Kind, WriterId};
    use testkit::fixtures::Game;

    #[test]
    fn a_difference_names_the_fields() {
        let (mut game, _) = Game::start(Kind::Mancala, WriterId(1));
        game.end(EndReason::Left);
        let ending = game.state().ending.clone().unwrap();
        let record = game.state().finished(&ending, game.state().spectators);
        let row = FinishedGame {
            left_user_id: None,
            end_reason: EndReason::Inactive,
            ..record.clone()
        };
        assert_eq!(judge(&record, &record), Compared::Same);
        assert_eq!(
            judge(&row, &record),
            Compared::Differs("the row differs in endReason, leftUserId".to_owned())
        );
    }
}
