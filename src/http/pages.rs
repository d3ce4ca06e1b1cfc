//! The pages of a service without a web client, and the documents that describe it.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use commands::games::Role;
use serde_json::Value;

use super::extract::GamePath;
use super::route::{Answer, Caller, Operation, Route};
use crate::app::App;
use crate::problem::Failure;

pub(super) fn routes() -> Vec<Route> {
    let other = |path, id, summary, media| Operation {
        method: "GET",
        path,
        id,
        summary,
        caller: Caller::Anybody,
        query: &[],
        body: None,
        success: (200, Answer::Other(media)),
        problems: &[],
    };
    vec![
        other("/", "getPage", "A page that says what is running.", "text/html").handled_by(get(page)),
        other(
            "/join/{id}",
            "getJoinPage",
            "What an invitation's link leads to.",
            "text/html",
        )
        .handled_by(get(join_page)),
        other(
            "/openapi.json",
            "getOpenapi",
            "This document.",
            "application/json",
        )
        .handled_by(get(openapi)),
        other(
            "/asyncapi.json",
            "getAsyncapi",
            "The description of the WebSocket.",
            "application/json",
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

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}\
    td{padding:.2rem 1rem .2rem 0}";

fn html(body: &str) -> Html<String> {
    Html(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>turnstream</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style>\n{body}\n"
    ))
}

async fn page(State(app): State<Arc<App>>) -> Html<String> {
    let role = match app.games.role() {
        Role::Starting(_) => "It is restoring games.",
        Role::Active => "It holds games and takes new ones.",
        Role::Standby => "It is a standby: another process holds the games.",
        Role::Leaving => "It is going away.",
    };
    let mut rows = String::new();
    for served in &app.served {
        writeln!(rows, "<tr><td>{}<td>{}", served.port, served.adapter)
            .expect("writing to a string does not fail");
    }
    html(&format!(
        "<h1>turnstream {}</h1>\n<p>A backend for live, turn-based board games. {role}\n\
         <table>{rows}</table>\n<p><a href=\"/openapi.json\">HTTP interface</a> · \
         <a href=\"/asyncapi.json\">WebSocket interface</a>",
        env!("CARGO_PKG_VERSION"),
    ))
}

async fn join_page(GamePath(id): GamePath) -> Result<Html<String>, Failure> {
    Ok(html(&format!(
        "<h1>You are invited to a game</h1>\n<p>Join it with the <code>token</code> of this link:\n\
         <pre>POST /games/{id}/join\n{{\"token\": \"…\"}}</pre>\n<p>The link is good for 30 minutes and for one \
         player."
    )))
}
