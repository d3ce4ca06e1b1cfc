//! Rows as games. A row that cannot be read is an error that names the column, never a panic and never a gap in a list.

use std::fmt::Display;
use std::str::FromStr;

use contract::player::BySeat;
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, Millis, PlayerSummary, Spectators, UserId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{Decode, Postgres, Row as _, Type};

use super::time;
use crate::failure::Failure;

/// A row to take values from.
pub struct Cells<'row> {
    pub table: &'static str,
    pub row: &'row PgRow,
}

pub fn game(row: &PgRow) -> Result<FinishedGame, Failure> {
    let cells = Cells { table: "games", row };
    Ok(FinishedGame {
        id: GameId(cells.get("id")?),
        kind: cells.parsed("kind")?,
        rules: cells.get("rules")?,
        rules_version: cells.count("rules_version")?,
        players: BySeat {
            player1: cells.player("player1_id", "player1_name", "player1_is_guest")?,
            player2: cells.player("player2_id", "player2_name", "player2_is_guest")?,
        },
        time_control: cells.json("time_control")?,
        durability: cells.word("durability")?,
        origin: cells.word("origin")?,
        rated: cells.get("rated")?,
        result: cells.parsed_option("result")?,
        end_reason: cells.word("end_reason")?,
        left_user_id: cells.user_option("left_user_id")?,
        started_at: cells.time("started_at")?,
        ended_at: cells.time("ended_at")?,
        moves: cells.json("moves")?,
        final_state: cells.json("final_state")?,
        fairness: cells.json_option("fairness")?,
        spectators: Spectators {
            peak: cells.count("peak_spectators")?,
            total: cells.count("total_spectators")?,
        },
    })
}

pub fn summary(row: &PgRow) -> Result<FinishedGameSummary, Failure> {
    let cells = Cells { table: "games", row };
    Ok(FinishedGameSummary {
        id: GameId(cells.get("id")?),
        kind: cells.parsed("kind")?,
        player1: cells.player("player1_id", "player1_name", "player1_is_guest")?,
        player2: cells.player("player2_id", "player2_name", "player2_is_guest")?,
        board: cells.json("final_board")?,
        result: cells.parsed_option("result")?,
        end_reason: cells.word("end_reason")?,
        left_user_id: cells.user_option("left_user_id")?,
        started_at: cells.time("started_at")?,
        ended_at: cells.time("ended_at")?,
        move_count: cells.count("move_count")?,
        peak_spectators: cells.count("peak_spectators")?,
    })
}

impl<'row> Cells<'row> {
    pub fn get<T: Decode<'row, Postgres> + Type<Postgres>>(
        &self,
        column: &'static str,
    ) -> Result<T, Failure> {
        self.row.try_get(column).map_err(|error| self.bad(column, error))
    }

    /// A count without a sign, from one with.
    pub fn count<T: TryFrom<i64, Error: Display>>(&self, column: &'static str) -> Result<T, Failure> {
        T::try_from(self.get::<i64>(column)?).map_err(|error| self.bad(column, error))
    }

    pub fn parsed<T: FromStr<Err: Display>>(&self, column: &'static str) -> Result<T, Failure> {
        self.parse(column, self.get(column)?)
    }

    pub fn parsed_option<T: FromStr<Err: Display>>(
        &self,
        column: &'static str,
    ) -> Result<Option<T>, Failure> {
        let text: Option<&str> = self.get(column)?;
        text.map(|text| self.parse(column, text)).transpose()
    }

    fn parse<T: FromStr<Err: Display>>(&self, column: &'static str, text: &str) -> Result<T, Failure> {
        text.parse().map_err(|error| self.bad(column, error))
    }

    fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Failure> {
        let value: Value = self.get(column)?;
        serde_json::from_value(value).map_err(|error| self.bad(column, error))
    }

    fn json_option<T: DeserializeOwned>(&self, column: &'static str) -> Result<Option<T>, Failure> {
        let value: Option<Value> = self.get(column)?;
        let read = |value| serde_json::from_value(value).map_err(|error| self.bad(column, error));
        value.map(read).transpose()
    }

    /// A value that is a word in JSON, from the bare word.
    fn word<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Failure> {
        let word = Value::String(self.get(column)?);
        serde_json::from_value(word).map_err(|error| self.bad(column, error))
    }

    fn time(&self, column: &'static str) -> Result<Millis, Failure> {
        self.get(column).map(time::read)
    }

    fn user_option(&self, column: &'static str) -> Result<Option<UserId>, Failure> {
        let id: Option<String> = self.get(column)?;
        Ok(id.map(UserId::new))
    }

    fn player(
        &self,
        id: &'static str,
        name: &'static str,
        is_guest: &'static str,
    ) -> Result<PlayerSummary, Failure> {
        Ok(PlayerSummary {
            user_id: UserId::new(self.get::<String>(id)?),
            name: self.get(name)?,
            is_guest: self.get(is_guest)?,
        })
    }

    fn bad(&self, column: &'static str, why: impl Display) -> Failure {
        Failure::Row {
            table: self.table,
            column,
            why: why.to_string(),
        }
    }
}
