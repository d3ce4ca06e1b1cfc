//! `verify-dice`: whether the dice of a finished game are those that its seeds make. For any player to run, on the record
//! that the service shows of the game.
//!
//! **Belongs here:** where the record comes from, and what is said of it. **Does not:** how dice follow from seeds
//! (`rules::fair`).

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use contract::view::{GameRecord, GameView};
use contract::{Chance, GameId, Reveal, Seat};
use rules::fair::{NotFair, is_client_seed, verify};
use serde::Deserialize;

use crate::cli::VerifyDice;
use crate::operator::Verdict;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// So many throws all follow from the seed that this is the commitment to.
    True {
        /// The commitment.
        commit: String,
        /// How many throws.
        throws: usize,
    },
    /// They do not.
    False(NotFair),
    /// The record has another commitment than was shown at the start.
    OtherCommit,
    /// What the record has for this seat's share is neither a seed that a player may give nor the player's id.
    NoShare(Seat),
}

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoJudgement {
    /// The kind has no dice.
    #[error("a game of {0} has no dice")]
    NoDice(contract::Kind),
    /// The record says nothing of seeds: the service had lost its key when the game ended.
    #[error("the record does not reveal the seeds")]
    NothingRevealed,
    /// A move does not say what it was played with.
    #[error("move {0} of the record has no dice")]
    NoThrow(usize),
}

impl From<Judgement> for Verdict {
    fn from(judgement: Judgement) -> Self {
        match judgement {
            Judgement::True { .. } => Self::Well,
            Judgement::False(_) | Judgement::OtherCommit | Judgement::NoShare(_) => Self::Trouble,
        }
    }
}

impl std::fmt::Display for Judgement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::True { commit, throws } => write!(
                f,
                "true: {commit} is the commitment to the revealed seed, and all {throws} throws follow from it"
            ),
            Self::False(why) => write!(f, "false: {why}"),
            Self::NoShare(seat) => write!(
                f,
                "false: what is said to be the seed of {seat:?} is neither a seed that a player may give nor their id"
            ),
            Self::OtherCommit => {
                f.write_str("false: the record has another commitment than was shown at the start")
            }
        }
    }
}

/// Gets the record, and checks it. The exit code of what is false is 1, and 2 without a judgement.
///
/// # Errors
/// There is no such record, or it is of no game with dice.
pub async fn run(asked: &VerifyDice) -> anyhow::Result<Judgement> {
    let text = match asked.game.parse::<GameId>() {
        Ok(id) => fetch(&asked.url, id).await?,
        Err(_) => std::fs::read_to_string(Path::new(&asked.game))
            .with_context(|| format!("{} is neither the id of a game nor a file", asked.game))?,
    };
    Ok(check(&record(&text)?, asked.commit.as_deref())?)
}

async fn fetch(url: &str, id: GameId) -> anyhow::Result<String> {
    let address = format!("{}/game/{id}", url.trim_end_matches('/'));
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(10))
        .build()?;
    let answer = client.get(&address).send().await?;
    if answer.status() == reqwest::StatusCode::NOT_FOUND {
        bail!("there is no game {id} at {url}");
    }
    Ok(answer.error_for_status()?.text().await?)
}

/// A record alone, or as `GET /game/:id` answers it.
fn record(text: &str) -> anyhow::Result<GameRecord> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Answer(Box<GameView>),
        Record(Box<GameRecord>),
    }
    match serde_json::from_str(text).context("that is no record of a game")? {
        Form::Answer(view) => match *view {
            GameView::Finished { record, .. } => Ok(*record),
            GameView::Live(_) => bail!("the game is not over: its seed is revealed at its end"),
        },
        Form::Record(record) => Ok(*record),
    }
}

/// Whether every throw of the record follows from its seeds, and its commitment is the one that somebody was `shown` at the
/// start, if they say.
///
/// # Errors
/// [`NoJudgement`], when the record is of no game with dice, or not whole.
pub fn check(record: &GameRecord, shown: Option<&str>) -> Result<Judgement, NoJudgement> {
    let kind = record.summary.kind;
    if !kind.is_fair() {
        return Err(NoJudgement::NoDice(kind));
    }
    let reveal = record.fairness.as_ref().ok_or(NoJudgement::NothingRevealed)?;
    if shown.is_some_and(|commit| !commit.eq_ignore_ascii_case(&reveal.commit)) {
        return Ok(Judgement::OtherCommit);
    }
    if let Some(seat) = Seat::BOTH
        .into_iter()
        .find(|seat| !is_share_of(*seat, record, reveal))
    {
        return Ok(Judgement::NoShare(seat));
    }
    let throws = throws(record)?;
    let count = throws.len();
    let verified = verify(&reveal.commit, &reveal.seed, throws, |seed, index| {
        kind.throw(seed, reveal.clients(), index)
            .expect("a kind in which chance decides makes a throw of any index")
    });
    Ok(match verified {
        Ok(()) => Judgement::True {
            commit: reveal.commit.clone(),
            throws: count,
        },
        Err(why) => Judgement::False(why),
    })
}

fn is_share_of(seat: Seat, record: &GameRecord, reveal: &Reveal) -> bool {
    let share = reveal.client_seeds.of(seat);
    let player = match seat {
        Seat::Player1 => &record.summary.player1,
        Seat::Player2 => &record.summary.player2,
    };
    is_client_seed(share) || share == player.user_id.as_str()
}

/// Every throw with its number: one for each move, and one that no move was made with any more.
fn throws(record: &GameRecord) -> Result<Vec<(u64, Chance)>, NoJudgement> {
    let played = record.moves.iter().enumerate().map(|(index, mv)| {
        let throw = mv.play.chance().ok_or(NoJudgement::NoThrow(index + 1))?;
        Ok((index as u64, throw))
    });
    let last = record
        .dice
        .clone()
        .map(|dice| Ok((record.moves.len() as u64, dice)));
    played.chain(last).collect()
}

#[cfg(test)]
mod tests;
