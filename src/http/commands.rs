//! What a player does in a game: the same commands that a socket takes.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::post;
use commands::games::{Accepted, CommandError, PlayerCommand};
use contract::api::{CommandAnswer, CommandId, DiceSeed, DrawAnswer, DrawOffer, Join, PlayMove};
use contract::problem::ProblemType as P;
use contract::{ClientId, GameId};

use super::extract::{Body, GamePath, User};
use super::route::{Operation, Route};
use crate::app::App;
use crate::auth::{Principal, invitation};
use crate::problem::Failure;

/// What any command may be answered with.
const PROBLEMS: &[P] = &[
    P::NotFound,
    P::NotYourGame,
    P::GameOver,
    P::GameElsewhere,
    P::Conflict,
    P::Unavailable,
    P::Standby,
];
const MOVE_PROBLEMS: &[P] = &[
    P::NotFound,
    P::NotYourGame,
    P::NotYourTurn,
    P::StalePosition,
    P::IllegalMove,
    P::GameOver,
    P::GameElsewhere,
    P::Conflict,
    P::Unavailable,
    P::Standby,
];
const JOIN_PROBLEMS: &[P] = &[
    P::NotFound,
    P::InvitationExpired,
    P::OwnInvitation,
    P::SeatTaken,
    P::ActiveGame,
    P::HostBusy,
    P::TooManyGames,
    P::Unavailable,
    P::Standby,
];
const DRAW_PROBLEMS: &[P] = &[
    P::NotFound,
    P::NotYourGame,
    P::GameOver,
    P::NoDrawOffers,
    P::NotYourTurn,
    P::DrawRefused,
    P::GameElsewhere,
    P::Unavailable,
];
const SEED_PROBLEMS: &[P] = &[
    P::NotFound,
    P::NotYourGame,
    P::GameOver,
    P::NoSeeds,
    P::GameElsewhere,
    P::Unavailable,
];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Operation {
            problems: JOIN_PROBLEMS,
            ..Operation::post::<Join, CommandAnswer>(
                "/games/{id}/join",
                "joinGame",
                "Follow an invitation: the game starts.",
            )
        }
        .handled_by(post(join)),
        Operation {
            problems: MOVE_PROBLEMS,
            ..Operation::post::<PlayMove, CommandAnswer>("/games/{id}/moves", "playMove", "Play a move.")
        }
        .handled_by(post(play)),
        Operation {
            problems: PROBLEMS,
            ..Operation::post::<CommandId, CommandAnswer>(
                "/games/{id}/leave",
                "leaveGame",
                "Leave a game, which loses it.",
            )
        }
        .handled_by(post(leave)),
        Operation {
            problems: DRAW_PROBLEMS,
            ..Operation::post::<DrawOffer, CommandAnswer>(
                "/games/{id}/draw-offer",
                "offerDraw",
                "Offer a draw with the next complete turn, or withdraw that.",
            )
        }
        .handled_by(post(offer_draw)),
        Operation {
            problems: DRAW_PROBLEMS,
            ..Operation::post::<DrawAnswer, CommandAnswer>(
                "/games/{id}/draw-answer",
                "answerDraw",
                "Answer a draw offer.",
            )
        }
        .handled_by(post(answer_draw)),
        Operation {
            problems: SEED_PROBLEMS,
            ..Operation::post::<DiceSeed, CommandAnswer>(
                "/games/{id}/seed",
                "giveSeed",
                "Give a seed for the dice.",
            )
        }
        .handled_by(post(seed)),
    ]
}

type Answer = Result<Json<CommandAnswer>, Failure>;

fn answer(outcome: Result<Accepted, CommandError>, id: Option<ClientId>) -> Answer {
    let accepted = outcome?;
    Ok(Json(CommandAnswer {
        game_id: accepted.game,
        id,
        version: accepted.version,
        position: accepted.position,
        durable: accepted.durable,
        durable_version: accepted.durable_version,
    }))
}

async fn run(app: &App, game: GameId, user: &Principal, command: PlayerCommand) -> Answer {
    let id = command.id().clone();
    answer(app.games.command(game, &user.player, command).await, Some(id))
}

async fn join(
    State(app): State<Arc<App>>,
    User(user): User,
    GamePath(game): GamePath,
    Body(Join { token, id }): Body<Join>,
) -> Answer {
    let invitation = invitation::verify(app.auth.secret(), &token, game, app.clock.now())?;
    let outcome = app.games.join(invitation, &user.player, id.clone()).await;
    answer(outcome, id)
}

async fn play(
    State(app): State<Arc<App>>,
    User(user): User,
    GamePath(game): GamePath,
    Body(body): Body<PlayMove>,
) -> Answer {
    let command = PlayerCommand::Move {
        id: body.id,
        position: body.position,
        mv: body.mv,
        offer_draw: body.offer_draw,
    };
    run(&app, game, &user, command).await
}

async fn leave(
    State(app): State<Arc<App>>,
    User(user): User,
    GamePath(game): GamePath,
    Body(CommandId { id }): Body<CommandId>,
) -> Answer {
    run(&app, game, &user, PlayerCommand::Leave { id }).await
}

async fn offer_draw(
    State(app): State<Arc<App>>,
    User(user): User,
    GamePath(game): GamePath,
    Body(DrawOffer { id, offer }): Body<DrawOffer>,
) -> Answer {
    run(&app, game, &user, PlayerCommand::OfferDraw { id, offer }).await
}

async fn answer_draw(
    State(app): State<Arc<App>>,
    User(user): User,
    GamePath(game): GamePath,
    Body(DrawAnswer { id, accept }): Body<DrawAnswer>,
) -> Answer {
    run(&app, game, &user, PlayerCommand::AnswerDraw { id, accept }).await
}

async fn seed(
    State(app): State<Arc<App>>,
    User(user): User,
    GamePath(game): GamePath,
    Body(DiceSeed { id, seed }): Body<DiceSeed>,
) -> Answer {
    run(&app, game, &user, PlayerCommand::Seed { id, seed }).await
}
