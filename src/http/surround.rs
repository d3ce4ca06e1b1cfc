//! What every request passes through: its address's rate, origins, deadline, headers, counting.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use contract::problem::ProblemType;
use futures::FutureExt;

use super::extract::{ClientAddress, Renewed};
use crate::app::App;
use crate::problem::Failure;
use crate::trace;

/// The header that brings a guest a younger token.
pub const RENEWED_TOKEN: HeaderName = HeaderName::from_static("x-renewed-token");

const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

/// The middleware.
pub async fn surround(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    mut request: Request,
    next: Next,
) -> Response {
    let origin = allowed_origin(&app, request.headers());
    let preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if let Err(limit) = app.limits.request_from(address) {
        Failure::from(limit).into_response()
    } else if preflight {
        preflight_answer(origin.is_some())
    } else {
        let renewed = Renewed::default();
        request.extensions_mut().insert(renewed.clone());
        let mut response = if changes(request.method()) {
            let (span, carried) = (span_of(&request), trace::carried(request.headers()));
            let answering = within_deadline(&app, request, next);
            trace::within(span, carried, app.edge.trace_commands, answering).await
        } else {
            within_deadline(&app, request, next).await
        };
        if let Some(token) = renewed
            .0
            .get()
            .and_then(|token| HeaderValue::from_str(token).ok())
        {
            response.headers_mut().insert(RENEWED_TOKEN, token);
        }
        response
    };
    add_headers(response.headers_mut(), origin);
    app.metrics.answered(response.status().as_u16());
    response
}

async fn within_deadline(app: &App, request: Request, next: Next) -> Response {
    let changes = changes(request.method());
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
    match tokio::time::timeout(app.limits.config().request_timeout_ms, answer).await {
        Ok(Ok(response)) => response,
        // The panic's own message is logged by the panic hook.
        Ok(Err(_)) => Failure::internal(&"a handler panicked").into_response(),
        Err(_) => {
            let mut failure = Failure::new(ProblemType::Unavailable).with_detail("this took too long");
            failure.problem.outcome_unknown = changes.then_some(true);
            failure.into_response()
        }
    }
}

/// The route, not the path: that has an id in it.
fn span_of(request: &Request) -> tracing::Span {
    let route = request.extensions().get::<MatchedPath>();
    trace::request(
        request.method().as_str(),
        route.map_or("none", |route| route.as_str()),
    )
}

/// Whether a request may do more than ask.
fn changes(method: &Method) -> bool {
    method != Method::GET && method != Method::HEAD
}

/// The request's origin, if pages from there may use the service.
fn allowed_origin(app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    app.edge
        .allowed_origins
        .iter()
        .any(|allowed| *allowed == *origin)
        .then(|| origin.clone())
}

fn preflight_answer(allowed: bool) -> Response {
    if !allowed {
        return Failure::new(ProblemType::OriginNotAllowed).into_response();
    }
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "authorization, content-type, last-event-id, traceparent, x-user-key",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

fn add_headers(headers: &mut HeaderMap, origin: Option<HeaderValue>) {
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("x-renewed-token, retry-after"),
        );
    }
}
