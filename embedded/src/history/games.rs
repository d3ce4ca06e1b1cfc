//! The tables of finished games and their players.
//!
//! Lists name the table in whose order they come first, and join by `CROSS JOIN`, which `SQLite` does not reorder: left
//! to itself it reads and sorts all games for the popular ones.

use contract::view::FinishedGameSummary;
use contract::{FinishedGame, GameId, Seat, UserId};
use projections::ports::Page;
use sqlx::{QueryBuilder, SqliteConnection, SqlitePool};

use super::finished::{Documents, finished, summary};
use crate::columns::game;
use crate::database::{execute, rows_per_statement};

/// Writes games that have no row yet, with their players, into the tables whose names begin with `prefix`.
pub(super) async fn insert(
    tx: &mut SqliteConnection,
    prefix: &str,
    games: &[(&FinishedGame, Documents)],
) -> Result<(), sqlx::Error> {
    for rows in games.chunks(rows_per_statement(22)) {
        insert_games(tx, prefix, rows).await?;
        insert_players(tx, prefix, rows).await?;
    }
    Ok(())
}

async fn insert_games(
    tx: &mut SqliteConnection,
    prefix: &str,
    games: &[(&FinishedGame, Documents)],
) -> Result<(), sqlx::Error> {
    let mut statement = QueryBuilder::new("INSERT INTO ");
    statement.push(prefix).push(
        "games (id, kind, rules, rules_version, player1_id, player2_id, time_control, durability,
         origin, rated, result, end_reason, left_user_id, started_at, ended_at, move_count, final_board,
         final_state, moves, fairness, peak_spectators, total_spectators) ",
    );
    statement.push_values(games, |mut row, (game, documents)| {
        row.push_bind(game.id.0)
            .push_bind(game.kind.as_str())
            .push_bind(game.rules.as_str())
            .push_bind(game.rules_version)
            .push_bind(game.players.player1.user_id.as_str())
            .push_bind(game.players.player2.user_id.as_str())
            .push_bind(documents.time_control.as_str())
            .push_bind(documents.durability.as_str())
            .push_bind(documents.origin.as_str())
            .push_bind(game.rated)
            .push_bind(game.result.map(contract::Outcome::as_str))
            .push_bind(game.end_reason.as_str())
            .push_bind(game.left_user_id.as_ref().map(UserId::as_str))
            .push_bind(game.started_at.0)
            .push_bind(game.ended_at.0)
            .push_bind(game.moves.len() as i64)
            .push_bind(documents.final_board.as_str())
            .push_bind(documents.final_state.as_str())
            .push_bind(documents.moves.as_str())
            .push_bind(documents.fairness.as_deref())
            .push_bind(game.spectators.peak)
            .push_bind(game.spectators.total);
    });
    statement.push(" ON CONFLICT (id) DO NOTHING");
    execute(&mut statement, tx).await?;
    Ok(())
}

/// Of a game whose row was there already the players are there too, and stay as they are.
async fn insert_players(
    tx: &mut SqliteConnection,
    prefix: &str,
    games: &[(&FinishedGame, Documents)],
) -> Result<(), sqlx::Error> {
    let players = games
        .iter()
        .flat_map(|(game, _)| Seat::BOTH.map(|seat| (*game, seat)));
    let mut statement = QueryBuilder::new("INSERT INTO ");
    statement
        .push(prefix)
        .push("game_players (game_id, seat, user_id, name, is_guest, ended_at) ");
    statement.push_values(players, |mut row, (game, seat)| {
        let player = game.players.of(seat);
        row.push_bind(game.id.0)
            .push_bind(seat.index() as i64 + 1)
            .push_bind(player.user_id.as_str())
            .push_bind(player.name.as_deref())
            .push_bind(player.is_guest)
            .push_bind(game.ended_at.0);
    });
    statement.push(" ON CONFLICT (game_id, seat) DO NOTHING");
    execute(&mut statement, tx).await?;
    Ok(())
}

/// One game.
pub(super) async fn one(db: &SqlitePool, id: GameId) -> Result<Option<FinishedGame>, sqlx::Error> {
    sqlx::query(
        "SELECT games.*, first.name AS first_name, first.is_guest AS first_is_guest,
                second.name AS second_name, second.is_guest AS second_is_guest
         FROM games
         JOIN game_players AS first ON first.game_id = games.id AND first.seat = 1
         JOIN game_players AS second ON second.game_id = games.id AND second.seat = 2
         WHERE games.id = ?",
    )
    .bind(id.0)
    .fetch_optional(db)
    .await?
    .as_ref()
    .map(finished)
    .transpose()
}

/// Which of the games have a row.
pub(super) async fn existing(db: &SqlitePool, ids: &[GameId]) -> Result<Vec<GameId>, sqlx::Error> {
    let mut found = Vec::new();
    for ids in ids.chunks(rows_per_statement(1)) {
        let mut query = QueryBuilder::new("SELECT id FROM games WHERE id IN (");
        let mut list = query.separated(", ");
        for id in ids {
            list.push_bind(id.0);
        }
        query.push(")");
        for row in query.build().persistent(false).fetch_all(db).await? {
            found.push(game(&row, "id")?);
        }
    }
    Ok(found)
}

/// A page of a user's games, newest end first.
pub(super) async fn recent(
    db: &SqlitePool,
    user: &UserId,
    page: Page,
) -> Result<Vec<FinishedGameSummary>, sqlx::Error> {
    let mut query = QueryBuilder::new(
        "SELECT games.id, kind, player1_id, player2_id, final_board, result, end_reason, left_user_id, started_at,
                games.ended_at, move_count, peak_spectators, first.name AS first_name,
                first.is_guest AS first_is_guest, second.name AS second_name, second.is_guest AS second_is_guest
         FROM game_players AS own
         CROSS JOIN games ON games.id = own.game_id
         JOIN game_players AS first ON first.game_id = games.id AND first.seat = 1
         JOIN game_players AS second ON second.game_id = games.id AND second.seat = 2
         WHERE own.user_id = ",
    );
    query.push_bind(user.as_str());
    // A game against oneself has two rows of one user; the first stands for both.
    query.push(" AND (own.seat = 1 OR first.user_id <> own.user_id)");
    if let Some((ended_at, id)) = page.before {
        query
            .push(" AND (own.ended_at, own.game_id) < (")
            .push_bind(ended_at.0);
        query.push(", ").push_bind(id.0).push(")");
    }
    query
        .push(" ORDER BY own.ended_at DESC, own.game_id DESC LIMIT ")
        .push_bind(page.limit);
    let rows = query.build().fetch_all(db).await?;
    rows.iter().map(summary).collect()
}

/// Games by peak spectators, then newest end.
pub(super) async fn popular(db: &SqlitePool, limit: u32) -> Result<Vec<FinishedGameSummary>, sqlx::Error> {
    let rows = sqlx::query(
        "SELECT games.id, kind, player1_id, player2_id, final_board, result, end_reason, left_user_id, started_at,
                games.ended_at, move_count, peak_spectators, first.name AS first_name,
                first.is_guest AS first_is_guest, second.name AS second_name, second.is_guest AS second_is_guest
         FROM games
         CROSS JOIN game_players AS first ON first.game_id = games.id AND first.seat = 1
         CROSS JOIN game_players AS second ON second.game_id = games.id AND second.seat = 2
         ORDER BY peak_spectators DESC, games.ended_at DESC, games.id DESC LIMIT ?",
    )
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.iter().map(summary).collect()
}
