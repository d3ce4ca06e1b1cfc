//! Lists of games. They survive an outage of their stores as empty lists.

use std::str::FromStr;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use contract::api::{ActiveGame, FinishedGames, PopularGames};
use contract::problem::ProblemType;
use contract::view::FinishedGameSummary;
use contract::{GameId, Millis};
use schemars::json_schema;

use super::extract::{LIMITS, MaybeUser, Params, User};
use super::games::answer_as;
use super::route::{Caller, Operation, Parameter, Route};
use crate::app::App;
use crate::problem::Failure;

/// What a [`Cursor`] looks like.
const CURSOR: &str = "^[0-9]{1,15}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

const LIMIT: Parameter = Parameter {
    name: "limit",
    help: "How many, 1 to 20.",
    schema: |_| json_schema!({"type": "integer", "minimum": LIMITS.start(), "maximum": LIMITS.end()}),
};
const BEFORE: Parameter = Parameter {
    name: "before",
    help: "The `next` of the page before.",
    schema: |_| json_schema!({"type": "string", "pattern": CURSOR}),
};

pub(super) fn routes() -> Vec<Route> {
    let active = Operation::get::<ActiveGame>("/games/me/active", "getActiveGame", "The game you are in.");
    let mine =
        Operation::get::<FinishedGames>("/games/me", "listMyGames", "Your finished games, newest first.");
    let popular = Operation::get::<PopularGames>(
        "/games/popular",
        "listPopularGames",
        "Live games by spectators; when there are none, finished games by peak spectators.",
    );
    vec![
        Operation {
            caller: Caller::User,
            ..active
        }
        .handled_by(get(active_game)),
        Operation {
            caller: Caller::User,
            query: &[LIMIT, BEFORE],
            problems: &[ProblemType::LimitOutOfRange, ProblemType::BadRequest],
            ..mine
        }
        .handled_by(get(my_games)),
        Operation {
            caller: Caller::Optional,
            query: &[LIMIT],
            problems: &[ProblemType::LimitOutOfRange],
            ..popular
        }
        .handled_by(get(popular_games)),
    ]
}

async fn active_game(State(app): State<Arc<App>>, User(user): User) -> Result<Response, Failure> {
    let id = &user.player.user_id;
    let game = app.games.active_game(id).or_else(|| app.live_list.active(id));
    answer_as(Some(&user), &ActiveGame { game })
}

async fn my_games(
    State(app): State<Arc<App>>,
    User(user): User,
    params: Params,
) -> Result<Response, Failure> {
    let limit = params.limit(3)?;
    let before = params
        .parse::<Cursor>("before")?
        .map(|Cursor(ended, game)| (ended, game));
    let games = app.reads.recent(&user.player.user_id, limit, before).await;
    let full = games.len() >= limit as usize;
    let next = games
        .last()
        .filter(|_| full)
        .map(|last| Cursor::after(last).to_string());
    answer_as(Some(&user), &FinishedGames { games, next })
}

async fn popular_games(
    State(app): State<Arc<App>>,
    MaybeUser(user): MaybeUser,
    params: Params,
) -> Result<Response, Failure> {
    answer_as(user.as_ref(), &app.reads.popular(params.limit(5)?).await)
}

/// Where a page of history begins: after a game, in the list's order. Opaque to clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor(Millis, GameId);

impl Cursor {
    fn after(game: &FinishedGameSummary) -> Self {
        Self(game.ended_at, game.id)
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.0.0, self.1)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (ended, game) = text.split_once('-').ok_or(())?;
        Ok(Self(
            Millis(ended.parse().map_err(|_| ())?),
            game.parse().map_err(|_| ())?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_cursor_survives_its_text() {
        let cursor = Cursor(Millis(1_700_000_000_000), GameId(Uuid::from_u128(7)));
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for bad in ["", "-", "7", "7-", "x-00000000-0000-0000-0000-000000000007"] {
            assert_eq!(bad.parse::<Cursor>(), Err(()), "{bad}");
        }
    }
}
