//! Guests and socket tickets.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use contract::api::{Guest, NewGuest, SocketTicket};
use contract::problem::ProblemType;

use super::extract::{Body, ClientAddress, User};
use super::route::{Caller, Operation, Route};
use crate::app::App;
use crate::auth::{name, ticket};
use crate::problem::Failure;

pub(super) fn routes() -> Vec<Route> {
    let guests = Operation::post::<NewGuest, Guest>("/guests", "createGuest", "Become a guest.");
    let ticket =
        Operation::get::<SocketTicket>("/ws-ticket", "createSocketTicket", "Get a ticket for a socket.");
    vec![
        Operation {
            caller: Caller::Anybody,
            success: (201, guests.success.1),
            problems: &[ProblemType::RateLimited],
            ..guests
        }
        .handled_by(post(create_guest)),
        Operation {
            method: "POST",
            caller: Caller::User,
            success: (201, ticket.success.1),
            problems: &[ProblemType::RateLimited],
            ..ticket
        }
        .handled_by(post(create_ticket)),
    ]
}

async fn create_guest(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    Body(body): Body<NewGuest>,
) -> Result<(StatusCode, Json<Guest>), Failure> {
    let name = body
        .name
        .as_deref()
        .map_or(Ok(None), name::chosen)
        .map_err(Failure::bad_request)?;
    app.limits.guest_from(address)?;
    let (player, token) = app
        .auth
        .new_guest(name)
        .map_err(|error| Failure::internal(&error))?;
    Ok((
        StatusCode::CREATED,
        Json(Guest {
            user_id: player.user_id,
            name: player.name,
            token,
        }),
    ))
}

async fn create_ticket(
    State(app): State<Arc<App>>,
    User(user): User,
) -> Result<(StatusCode, Json<SocketTicket>), Failure> {
    let ticket = app.auth.issue_ticket(user)?;
    Ok((
        StatusCode::CREATED,
        Json(SocketTicket {
            ticket,
            expires_in_ms: ticket::LIFETIME_MS as u64,
        }),
    ))
}
