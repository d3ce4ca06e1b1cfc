//! Whether the process is alive, and whether it holds games.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use contract::api::Health;
use contract::problem::ProblemType;

use super::route::{Operation, Route};
use crate::app::App;
use crate::problem::{Failure, not_active};

pub(super) fn routes() -> Vec<Route> {
    let ready = Operation::get::<Health>(
        "/readyz",
        "getReadiness",
        "Whether this process holds games; a standby does not, and answers every read all the same.",
    );
    vec![
        Operation::get::<Health>("/healthz", "getHealth", "Whether the process is alive.")
            .handled_by(get(healthz)),
        Operation {
            problems: &[ProblemType::Standby, ProblemType::Unavailable],
            ..ready
        }
        .handled_by(get(readyz)),
    ]
}

/// Alive, whatever else is down.
pub(super) async fn healthz() -> Json<Health> {
    Json(Health {
        status: "ok".to_owned(),
    })
}

async fn readyz(State(app): State<Arc<App>>) -> Result<Json<Health>, Failure> {
    match not_active(&app.games.role()) {
        Some(failure) => Err(failure),
        None => Ok(Json(Health {
            status: "ready".to_owned(),
        })),
    }
}
