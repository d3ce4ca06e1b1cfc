//! What operators use, on an address of its own.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router, middleware};
use contract::problem::ProblemType;

pub use addressed::{Hosts, addressed};

use super::health::healthz;
use crate::app::App;
use crate::metrics::CONTENT_TYPE;
use crate::problem::Failure;

mod addressed;

/// `/metrics`, `/status`, `/healthz`, and what operators can have done.
pub fn router(app: &Arc<App>, operations: Router) -> Router {
    let hosts: Hosts = app.edge.admin_hosts.clone().into();
    Router::new()
        .route("/metrics", get(metrics))
        .route("/status", get(status))
        .route("/healthz", get(healthz))
        .fallback(async || Failure::new(ProblemType::NotFound))
        .method_not_allowed_fallback(async || Failure::new(ProblemType::MethodNotAllowed))
        .with_state(Arc::clone(app))
        .merge(operations)
        .layer(middleware::from_fn_with_state(hosts, addressed))
}

async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let text = app.metrics.render(app.status.figures().await);
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], text)
}

async fn status(State(app): State<Arc<App>>) -> Json<serde_json::Value> {
    Json(app.status.status().await)
}
