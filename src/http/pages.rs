//! The documents that describe the service.

use axum::Json;
use axum::routing::get;
use serde_json::Value;

use super::route::{Answer, Caller, Operation, Route};

pub(super) fn routes() -> Vec<Route> {
    let document = |path, id, summary| Operation {
        method: "GET",
        path,
        id,
        summary,
        caller: Caller::Anybody,
        query: &[],
        body: None,
        success: (200, Answer::Other("application/json")),
        problems: &[],
    };
    vec![
        document("/openapi.json", "getOpenapi", "This document.").handled_by(get(openapi)),
        document(
            "/asyncapi.json",
            "getAsyncapi",
            "The description of the WebSocket.",
        )
        .handled_by(get(asyncapi)),
    ]
}

async fn openapi() -> Json<Value> {
    Json(crate::openapi::document())
}

async fn asyncapi() -> Json<Value> {
    Json(crate::asyncapi::document())
}
