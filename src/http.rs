//! HTTP: routes, and what surrounds them.
//!
//! **Belongs here:** reading a request, asking the part behind that knows, writing the answer. **Does not:** deciding
//! anything about a game; sockets (`ws`).
//!
//! **To add** a route: a handler and its [`Route`](route::Route) in a module's `routes()`. The router and the `OpenAPI` document are both
//! made from that list, so neither can lack one.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use contract::problem::ProblemType;

use crate::app::App;
use crate::problem::Failure;

pub mod admin;
mod commands;
mod events;
pub(crate) mod extract;
mod games;
mod health;
mod identity;
pub(crate) mod listing;
mod lists;
mod pages;
mod problems;
pub mod route;
mod surround;
mod web;

use route::Route;

/// Every route that players use.
pub fn routes() -> Vec<Route> {
    [
        pages::routes(),
        web::routes(),
        problems::routes(),
        health::routes(),
        identity::routes(),
        lists::routes(),
        games::routes(),
        commands::routes(),
        events::routes(),
        crate::ws::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The router of [`routes`].
pub fn router(app: Arc<App>) -> Router {
    let mut router = web::router();
    for route in routes() {
        router = router.route(route.doc.path, route.handler);
    }
    router
        .fallback(web::nowhere)
        .method_not_allowed_fallback(async || Failure::new(ProblemType::MethodNotAllowed))
        .layer(DefaultBodyLimit::max(app.limits.config().max_body_bytes))
        .layer(from_fn_with_state(app.clone(), surround::surround))
        .with_state(app)
}

#[cfg(test)]
mod tests;
