//! A finished game as columns.

use contract::player::BySeat;
use contract::view::FinishedGameSummary;
use contract::{FinishedGame, Millis, PlayerSummary, Players, Spectators, UserId};
use serde::Serialize;
use serde::de::value::Error as WordError;
use serde::de::{DeserializeOwned, IntoDeserializer};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::columns::{corrupt, game, parsed};

/// The parts of a game that are JSON, or words that only their JSON names.
pub(super) struct Documents {
    pub(super) time_control: String,
    pub(super) durability: String,
    pub(super) origin: String,
    pub(super) final_board: String,
    pub(super) final_state: String,
    pub(super) moves: String,
    pub(super) fairness: Option<String>,
}

impl Documents {
    pub(super) fn of(game: &FinishedGame) -> Result<Self, serde_json::Error> {
        Ok(Self {
            time_control: serde_json::to_string(&game.time_control)?,
            durability: to_word(&game.durability)?,
            origin: to_word(&game.origin)?,
            final_board: serde_json::to_string(&game.final_state.board())?,
            final_state: serde_json::to_string(&game.final_state)?,
            moves: serde_json::to_string(&game.moves)?,
            fairness: game.fairness.as_ref().map(serde_json::to_string).transpose()?,
        })
    }
}

/// A value whose JSON is a string, without the quotes.
fn to_word(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::from_value(serde_json::to_value(value)?)
}

fn word<T: DeserializeOwned>(row: &SqliteRow, column: &'static str) -> Result<T, sqlx::Error> {
    from_word(row.try_get(column)?, column)
}

fn word_or_null<T: DeserializeOwned>(
    row: &SqliteRow,
    column: &'static str,
) -> Result<Option<T>, sqlx::Error> {
    row.try_get::<Option<&str>, _>(column)?
        .map(|word| from_word(word, column))
        .transpose()
}

fn from_word<T: DeserializeOwned>(word: &str, column: &'static str) -> Result<T, sqlx::Error> {
    T::deserialize(word.into_deserializer()).map_err(|error: WordError| corrupt(column, error))
}

fn json<T: DeserializeOwned>(row: &SqliteRow, column: &'static str) -> Result<T, sqlx::Error> {
    serde_json::from_str(row.try_get(column)?).map_err(|error| corrupt(column, error))
}

fn json_or_null<T: DeserializeOwned>(
    row: &SqliteRow,
    column: &'static str,
) -> Result<Option<T>, sqlx::Error> {
    row.try_get::<Option<&str>, _>(column)?
        .map(|text| serde_json::from_str(text).map_err(|error| corrupt(column, error)))
        .transpose()
}

fn millis(row: &SqliteRow, column: &'static str) -> Result<Millis, sqlx::Error> {
    row.try_get(column).map(Millis)
}

fn user(row: &SqliteRow, column: &'static str) -> Result<UserId, sqlx::Error> {
    row.try_get::<String, _>(column).map(UserId::new)
}

/// The columns `first_*` and `second_*`.
fn players(row: &SqliteRow) -> Result<Players, sqlx::Error> {
    Ok(BySeat {
        player1: PlayerSummary {
            user_id: user(row, "player1_id")?,
            name: row.try_get("first_name")?,
            is_guest: row.try_get("first_is_guest")?,
        },
        player2: PlayerSummary {
            user_id: user(row, "player2_id")?,
            name: row.try_get("second_name")?,
            is_guest: row.try_get("second_is_guest")?,
        },
    })
}

/// A whole game.
pub(super) fn finished(row: &SqliteRow) -> Result<FinishedGame, sqlx::Error> {
    Ok(FinishedGame {
        id: game(row, "id")?,
        kind: parsed(row, "kind")?,
        rules: row.try_get("rules")?,
        rules_version: row.try_get("rules_version")?,
        players: players(row)?,
        time_control: json(row, "time_control")?,
        durability: word(row, "durability")?,
        origin: word(row, "origin")?,
        rated: row.try_get("rated")?,
        result: word_or_null(row, "result")?,
        end_reason: word(row, "end_reason")?,
        left_user_id: row.try_get::<Option<String>, _>("left_user_id")?.map(UserId::new),
        started_at: millis(row, "started_at")?,
        ended_at: millis(row, "ended_at")?,
        moves: json(row, "moves")?,
        final_state: json(row, "final_state")?,
        fairness: json_or_null(row, "fairness")?,
        spectators: Spectators {
            peak: row.try_get("peak_spectators")?,
            total: row.try_get("total_spectators")?,
        },
    })
}

/// What a list shows.
pub(super) fn summary(row: &SqliteRow) -> Result<FinishedGameSummary, sqlx::Error> {
    let players = players(row)?;
    Ok(FinishedGameSummary {
        id: game(row, "id")?,
        kind: parsed(row, "kind")?,
        player1: players.player1,
        player2: players.player2,
        board: json(row, "final_board")?,
        result: word_or_null(row, "result")?,
        end_reason: word(row, "end_reason")?,
        left_user_id: row.try_get::<Option<String>, _>("left_user_id")?.map(UserId::new),
        started_at: millis(row, "started_at")?,
        ended_at: millis(row, "ended_at")?,
        move_count: row.try_get("move_count")?,
        peak_spectators: row.try_get("peak_spectators")?,
    })
}
