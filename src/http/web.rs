//! The web client: its files, which are embedded, and what it must know of the service.
//!
//! **Belongs here:** serving the files as they are, and the policy that their pages live under. **Does not:** anything
//! that they do.
//!
//! **To add** a page: its path in [`PAGES`]. Every page is the same document, which looks at its own address; no path
//! of the interface may be among them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{self, HeaderMap, HeaderName};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use contract::problem::ProblemType;
use schemars::JsonSchema;
use serde::Serialize;

use super::extract::TextPath;
use super::route::{Operation, Route};
use crate::app::App;
use crate::config::identity::SignIn;
use crate::problem::Failure;

/// The paths at which the client begins; each may end in a slash, too.
const PAGES: [&str; 6] = [
    "/",
    "/new",
    "/history",
    "/play/{id}",
    "/replay/{id}",
    "/join/{id}",
];

/// An embedded file.
struct File {
    /// Below `web/`.
    path: &'static str,
    /// Its media type.
    kind: &'static str,
    /// Its entity tag, quotes and all.
    tag: &'static str,
    bytes: &'static [u8],
    /// Compressed, if that is worth it.
    gzip: Option<&'static [u8]>,
    /// The compressed form's own tag: a strong tag names bytes.
    gzip_tag: &'static str,
}

// `FILES` and `IMPORT_MAP`, made by build.rs.
include!(concat!(env!("OUT_DIR"), "/web.rs"));

/// What the client is told at its start.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientConfig {
    /// The service's version.
    version: &'static str,
    /// Which adapter serves which port.
    served: Vec<ServedPort>,
    /// Where accounts sign in; `null` when there are only guests.
    sign_in: Option<SignIn>,
}

/// A port and its adapter.
#[derive(Debug, Serialize, JsonSchema)]
struct ServedPort {
    /// The port, such as `event log`.
    port: &'static str,
    /// What serves it, such as `NATS JetStream`.
    adapter: &'static str,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Operation::get::<ClientConfig>(
            "/config.json",
            "getClientConfig",
            "What the web client must know of the service.",
        )
        .handled_by(get(config)),
    ]
}

/// The client's files. They are no part of the interface, and so not in its description.
pub(super) fn router() -> Router<Arc<App>> {
    let files = Router::new().route("/web/{*path}", get(file));
    PAGES.into_iter().fold(files, |router, path| {
        let router = router.route(path, get(page));
        match path {
            "/" => router,
            path => router.route(&format!("{path}/"), get(page)),
        }
    })
}

/// What is nowhere: a page that says so for whoever looks for one with a browser, a problem for everybody else.
pub(super) async fn nowhere(State(app): State<Arc<App>>, method: Method, headers: HeaderMap) -> Response {
    let looks =
        method == Method::GET && parts(&headers, header::ACCEPT).any(|part| media(part) == "text/html");
    if !looks {
        return Failure::new(ProblemType::NotFound).into_response();
    }
    let mut response = page(State(app), headers).await.into_response();
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// The media type of a part of `accept`, without its weight.
fn media(part: &str) -> &str {
    part.split(';').next().unwrap_or_default().trim()
}

async fn config(State(app): State<Arc<App>>) -> Json<ClientConfig> {
    let served = app.served.iter().map(|served| ServedPort {
        port: served.port,
        adapter: served.adapter,
    });
    Json(ClientConfig {
        version: env!("CARGO_PKG_VERSION"),
        served: served.collect(),
        sign_in: app.sign_in.clone(),
    })
}

async fn page(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, Failure> {
    let mut response = answer("index.html", &headers)?;
    let policy = policy(app.sign_in.as_ref());
    response
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}

async fn file(TextPath(path): TextPath, headers: HeaderMap) -> Result<Response, Failure> {
    answer(&path, &headers)
}

fn answer(path: &str, asked: &HeaderMap) -> Result<Response, Failure> {
    let found = FILES.binary_search_by(|file| file.path.cmp(path));
    let file = &FILES[found.map_err(|_| Failure::new(ProblemType::NotFound))?];
    let packed = file.gzip.filter(|_| takes_gzip(asked));
    let tag = if packed.is_some() { file.gzip_tag } else { file.tag };
    let common = [
        (header::ETAG, tag),
        // Names of files stay the same from version to version, so each use asks whether it is still the same file.
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding"),
    ];
    if knows(asked, tag) {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    let kind = [(header::CONTENT_TYPE, file.kind)];
    Ok(match packed {
        Some(packed) => (common, kind, [(header::CONTENT_ENCODING, "gzip")], packed).into_response(),
        None => (common, kind, file.bytes).into_response(),
    })
}

/// The comma-separated parts of a header, wherever they stand.
fn parts(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    parts(headers, header::ACCEPT_ENCODING).any(|part| {
        let (coding, weight) = part.split_once(';').unwrap_or((part, "q=1"));
        let refused = weight.trim().trim_start_matches("q=").parse() == Ok(0.0);
        matches!(coding.trim(), "gzip" | "*") && !refused
    })
}

/// Whether the asker has these bytes. A tag that was weakened on its way still names them.
fn knows(headers: &HeaderMap, tag: &str) -> bool {
    parts(headers, header::IF_NONE_MATCH).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

/// What a page may do: use its own files and its own service, and sign in at the issuer.
fn policy(sign_in: Option<&SignIn>) -> HeaderValue {
    let issuer = sign_in.map_or(String::new(), |sign_in| format!(" {}", sign_in.origin()));
    let policy = format!(
        "default-src 'none'; script-src 'self' '{IMPORT_MAP}'; style-src 'self'; img-src 'self'; font-src 'self'; \
         connect-src 'self'{issuer}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).expect("an origin is of characters that a header takes")
}

#[cfg(test)]
mod tests;
