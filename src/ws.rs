//! Sockets: the subprotocol `turnstream.v1`.
//!
//! **Belongs here:** the upgrade, reading and writing frames, bounds of one socket. **Does not:** what waits to be sent
//! (`outbox`), what a command does (`commands`).
//!
//! One task per socket runs three loops: [`reader`] takes frames and never waits for a command, [`session`] executes
//! them one after the other, [`writer`] sends. **To add** a channel: a variant in `contract::frames` and its arm in
//! [`session`].

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use contract::frames::SUBPROTOCOL;
use contract::problem::ProblemType;

use crate::app::App;
use crate::auth::{AuthError, Principal};
use crate::http::extract::{ClientAddress, Params};
use crate::http::route::{Answer, Caller, Operation, Parameter, Route, schema};
use crate::limits::Permit;
use crate::problem::Failure;

pub(crate) mod origin;
mod reader;
mod session;
mod socket;
mod writer;

use session::Opening;

/// What is read at once: more than nearly every frame of a player. The library's own 128 KiB would cost 16 times the memory per
/// game, and each look at a socket begins with zeroing as much.
const READ_BUFFER: usize = 1024;

/// Frames that wait together are sent together, up to so many bytes.
const WRITE_BUFFER: usize = 4096;

const TICKET: Parameter = Parameter {
    name: "ticket",
    help: "A ticket from `POST /ws-ticket`.",
    schema: schema::<String>,
};

/// `GET /ws`.
pub(crate) fn routes() -> Vec<Route> {
    let socket = Operation {
        method: "GET",
        path: "/ws",
        id: "openSocket",
        summary: "Open a WebSocket with the subprotocol `turnstream.v1`; see /asyncapi.json.",
        caller: Caller::Anybody,
        query: &[TICKET],
        body: None,
        success: (101, Answer::Empty),
        problems: &[
            ProblemType::BadRequest,
            ProblemType::OriginNotAllowed,
            ProblemType::TooManySockets,
        ],
    };
    vec![socket.handled_by(get(open))]
}

async fn open(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    params: Params,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Failure> {
    let upgrade = upgrade.map_err(|rejection| match rejection {
        WebSocketUpgradeRejection::MethodNotGet(_) => Failure::new(ProblemType::MethodNotAllowed),
        other => Failure::bad_request(other.body_text()),
    })?;
    if !origin::may_open(&headers, &app.edge.allowed_origins) {
        return Err(Failure::new(ProblemType::OriginNotAllowed));
    }
    let offers = headers.contains_key(header::SEC_WEBSOCKET_PROTOCOL);
    let upgrade = upgrade.protocols([SUBPROTOCOL]);
    if offers && upgrade.selected_protocol().is_none() {
        return Err(Failure::bad_request(format!("the subprotocol is {SUBPROTOCOL}")));
    }
    let place = app.limits.connection_from(address)?;
    let opening = opening(&app, &params, address).await?;
    let most = app.limits.config().max_body_bytes;
    Ok(upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(most)
        .max_frame_size(most)
        .on_failed_upgrade(|error| tracing::debug!(%error, "a socket was not opened"))
        .on_upgrade(async move |socket| {
            let tasks = app.tasks.clone();
            // Shutdown waits for it as for any task of ours.
            let socket = tasks.track_future(socket::run(app, socket, opening, place));
            socket.await;
        })
        .into_response())
}

/// Who opens the socket, as far as its URL says. A credential that is not valid is told on the socket, since a page
/// cannot see why an upgrade fails.
async fn opening(app: &App, params: &Params, address: IpAddr) -> Result<Opening, Failure> {
    let looking = async |ticket: Option<&str>, key: Option<&str>| match (ticket, key) {
        (Some(ticket), _) => app.auth.ticket(ticket),
        (None, key) => app.auth.user_key(key.unwrap_or_default()),
    };
    let (ticket, key) = (params.get("ticket"), params.get("userKey"));
    if ticket.or(key).is_none() {
        return Ok(Opening::Undecided(address));
    }
    match app.admit(address, looking(ticket, key)).await {
        Ok(principal) => {
            let place = users_place(app, &principal)?;
            Ok(Opening::Known(principal, place))
        }
        Err(error) => Ok(Opening::Refused(error)),
    }
}

/// A place among the user's connections.
fn users_place(app: &App, principal: &Principal) -> Result<Permit, Failure> {
    Ok(app.limits.connection_of(&principal.player.user_id)?)
}

/// What a refused credential is told.
fn refusal(error: AuthError) -> Failure {
    error.into()
}

#[cfg(test)]
mod tests;
