//! One game: reading it, inviting somebody to one.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use commands::games::Rejection;
use contract::api::{InvitationLink, LegalMoves, NewInvitation};
use contract::problem::ProblemType;
use contract::view::GameView;
use contract::{Choices, Seat, TimeControl};
use serde::Serialize;

use super::extract::{BaseUrl, Body, GamePath, MaybeUser, User};
use super::listing;
use super::route::{Caller, Operation, Route};
use crate::app::App;
use crate::auth::invitation::{self, Terms};
use crate::auth::{Principal, new_game_id};
use crate::problem::{Failure, not_active};

pub(super) fn routes() -> Vec<Route> {
    let read = |path, id| Operation {
        caller: Caller::Optional,
        problems: &[ProblemType::NotFound, ProblemType::Unavailable],
        ..Operation::get::<GameView>(path, id, "A game, live or finished.")
    };
    let invite = Operation::post::<NewInvitation, InvitationLink>(
        "/games",
        "createInvitation",
        "Invite somebody to a game. It starts when they join, and is unknown until then.",
    );
    let moves = Operation::get::<LegalMoves>(
        "/games/{id}/moves",
        "listLegalMoves",
        "The moves that the player to move may make.",
    );
    vec![
        read("/game/{id}", "getGame").handled_by(get(game)),
        read("/games/{id}", "getGameToo").handled_by(get(game)),
        Operation {
            success: (201, invite.success.1),
            problems: &[
                ProblemType::ActiveGame,
                ProblemType::Standby,
                ProblemType::Unavailable,
            ],
            ..invite
        }
        .handled_by(post(create_invitation)),
        Operation {
            problems: &[
                ProblemType::NotFound,
                ProblemType::GameElsewhere,
                ProblemType::Unavailable,
            ],
            ..moves
        }
        .handled_by(get(legal_moves)),
    ]
}

/// `answer` as JSON, as `reader` may see it: a legacy reader sees their own key in place of their own public id.
pub(super) fn answer_as<T: Serialize>(reader: Option<&Principal>, answer: &T) -> Result<Response, Failure> {
    match reader.and_then(|principal| principal.key.as_ref()) {
        None => Ok(Json(answer).into_response()),
        Some(key) => {
            let own = key
                .own_encoding(answer)
                .map_err(|error| Failure::internal(&error))?;
            Ok(Json(own).into_response())
        }
    }
}

async fn game(
    State(app): State<Arc<App>>,
    MaybeUser(user): MaybeUser,
    GamePath(id): GamePath,
) -> Result<Response, Failure> {
    let viewer = user.as_ref().map(|user| &user.player.user_id);
    let game = app
        .reads
        .game(id, viewer)
        .await?
        .ok_or_else(Failure::no_such_game)?;
    answer_as(user.as_ref(), &game)
}

async fn legal_moves(State(app): State<Arc<App>>, GamePath(id): GamePath) -> Result<Response, Failure> {
    let unlisted = match app.games.legal_moves(id) {
        Some(unlisted) => unlisted,
        None => match app.reads.game(id, None).await? {
            None => return Err(Failure::no_such_game()),
            Some(GameView::Finished { record, .. }) => {
                return Ok(json(listing::written(Choices::none(record.summary.kind))?));
            }
            Some(GameView::Live(_)) => {
                let found = app.reads.legal_moves(id).await?;
                found.ok_or(commands::games::CommandError::Elsewhere)?
            }
        },
    };
    Ok(json(app.listings.body(unlisted).await?))
}

fn json(body: Bytes) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

async fn create_invitation(
    State(app): State<Arc<App>>,
    User(user): User,
    BaseUrl(base): BaseUrl,
    Body(body): Body<NewInvitation>,
) -> Result<(StatusCode, Json<InvitationLink>), Failure> {
    if let Some(failure) = not_active(&app.games.role()) {
        return Err(failure);
    }
    if let Some(game) = app.games.active_game(&user.player.user_id) {
        return Err(Rejection::ActiveGame(game.id).into());
    }
    let now = app.clock.now();
    let id = new_game_id(now).map_err(|error| Failure::internal(&error))?;
    let expires_at = now.plus(invitation::LIFETIME_MS);
    let terms = Terms {
        game: id,
        kind: body.kind,
        time_control: body.time_control.unwrap_or_else(|| TimeControl::usual(body.kind)),
        durability: body.durability,
        host: user.player,
        seat: body.seat.unwrap_or(Seat::Player1),
        expires: expires_at,
    };
    let token = invitation::issue(app.auth.secret(), &terms);
    let join_url = format!("{base}/join/{id}?token={token}");
    Ok((
        StatusCode::CREATED,
        Json(InvitationLink {
            id,
            join_url,
            expires_at,
        }),
    ))
}
