//! Games as the columns that one statement writes.

use std::collections::HashSet;

use contract::{FinishedGame, PlayerSummary};
use serde::Serialize;
use serde_json::Value;
use sqlx::types::time::OffsetDateTime;
use uuid::Uuid;

use super::time;
use crate::failure::Failure;

/// A batch, each game once, the first of equal ids.
///
/// Arrays instead of one placeholder for each value: the statement's text is the same for every size of a batch, so it
/// is prepared once.
#[derive(Default)]
pub struct Batch {
    pub games: Games,
    pub players: Players,
}

/// The columns of `games`.
#[derive(Default)]
pub struct Games {
    pub id: Vec<Uuid>,
    pub kind: Vec<&'static str>,
    pub rules: Vec<String>,
    pub rules_version: Vec<i64>,
    pub player1_id: Vec<String>,
    pub player2_id: Vec<String>,
    pub time_control: Vec<Value>,
    pub durability: Vec<String>,
    pub origin: Vec<String>,
    pub rated: Vec<bool>,
    pub result: Vec<Option<&'static str>>,
    pub end_reason: Vec<&'static str>,
    pub left_user_id: Vec<Option<String>>,
    pub started_at: Vec<OffsetDateTime>,
    pub ended_at: Vec<OffsetDateTime>,
    pub move_count: Vec<i64>,
    pub final_board: Vec<Value>,
    pub final_state: Vec<Value>,
    pub moves: Vec<Value>,
    pub fairness: Vec<Option<Value>>,
    pub peak_spectators: Vec<i64>,
    pub total_spectators: Vec<i64>,
}

/// The columns of `game_players`.
#[derive(Default)]
pub struct Players {
    pub game_id: Vec<Uuid>,
    pub seat: Vec<i16>,
    pub user_id: Vec<String>,
    pub name: Vec<Option<String>>,
    pub is_guest: Vec<bool>,
}

impl Batch {
    pub fn of(games: &[FinishedGame]) -> Result<Self, Failure> {
        let mut batch = Self::default();
        let mut seen = HashSet::new();
        for game in games.iter().filter(|game| seen.insert(game.id)) {
            batch.games.push(game)?;
            batch.players.push(game.id.0, 1, &game.players.player1);
            batch.players.push(game.id.0, 2, &game.players.player2);
        }
        Ok(batch)
    }

    pub fn is_empty(&self) -> bool {
        self.games.id.is_empty()
    }
}

impl Games {
    fn push(&mut self, game: &FinishedGame) -> Result<(), Failure> {
        self.id.push(game.id.0);
        self.kind.push(game.kind.as_str());
        self.rules.push(game.rules.clone());
        self.rules_version.push(game.rules_version.into());
        self.player1_id
            .push(game.players.player1.user_id.as_str().to_owned());
        self.player2_id
            .push(game.players.player2.user_id.as_str().to_owned());
        self.time_control.push(json("time_control", &game.time_control)?);
        self.durability.push(word("durability", &game.durability)?);
        self.origin.push(word("origin", &game.origin)?);
        self.rated.push(game.rated);
        self.result.push(game.result.map(contract::Outcome::as_str));
        self.end_reason.push(game.end_reason.as_str());
        self.left_user_id
            .push(game.left_user_id.as_ref().map(|id| id.as_str().to_owned()));
        self.started_at.push(time::stored("started_at", game.started_at)?);
        self.ended_at.push(time::stored("ended_at", game.ended_at)?);
        self.move_count.push(game.moves.len() as i64);
        self.final_board
            .push(json("final_board", &game.final_state.board())?);
        self.final_state.push(json("final_state", &game.final_state)?);
        self.moves.push(json("moves", &game.moves)?);
        let fairness = game.fairness.as_ref();
        self.fairness
            .push(fairness.map(|fairness| json("fairness", fairness)).transpose()?);
        self.peak_spectators.push(game.spectators.peak.into());
        self.total_spectators.push(game.spectators.total.into());
        Ok(())
    }
}

impl Players {
    fn push(&mut self, game_id: Uuid, seat: i16, player: &PlayerSummary) {
        self.game_id.push(game_id);
        self.seat.push(seat);
        self.user_id.push(player.user_id.as_str().to_owned());
        self.name.push(player.name.clone());
        self.is_guest.push(player.is_guest);
    }
}

fn json(column: &'static str, value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| Failure::value(column, &error))
}

/// The JSON name of a value that is one.
fn word(column: &'static str, value: &impl Serialize) -> Result<String, Failure> {
    match json(column, value)? {
        Value::String(word) => Ok(word),
        other => Err(Failure::value(column, &format!("{other} is not a word"))),
    }
}
