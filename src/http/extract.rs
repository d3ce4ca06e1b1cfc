//! What handlers are given of a request. Each failure is a problem document.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use contract::GameId;
use contract::problem::ProblemType;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::auth::{AuthError, Principal};
use crate::limits::client_ip::client_ip;
use crate::problem::Failure;

/// The header that an old client's key travels in; `?userKey=` does as well.
const USER_KEY: &str = "x-user-key";

/// How many entries a list may be asked for.
pub const LIMITS: RangeInclusive<u32> = 1..=20;

/// A JSON body. An empty one is `{}`; what is said of its type is not looked at.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Failure> {
        let bytes = Bytes::from_request(request, app).await.map_err(|rejection| {
            let problem = match rejection.status().as_u16() {
                413 => ProblemType::TooLarge,
                _ => ProblemType::BadRequest,
            };
            Failure::new(problem).with_detail(rejection.body_text())
        })?;
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        std::str::from_utf8(text)
            .map_err(|error| error.to_string())
            .and_then(contract::read_object)
            .map(Self)
            .map_err(Failure::bad_request)
    }
}

/// The game that the path names. What cannot be an id is no game.
pub struct GamePath(pub GameId);

impl FromRequestParts<Arc<App>> for GamePath {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let path = Path::<String>::from_request_parts(parts, app).await;
        path.ok()
            .and_then(|Path(id)| id.parse().ok())
            .map(Self)
            .ok_or_else(Failure::no_such_game)
    }
}

/// What the path says. What is no text names nothing.
pub struct TextPath(pub String);

impl FromRequestParts<Arc<App>> for TextPath {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let path = Path::<String>::from_request_parts(parts, app).await;
        path.map(|Path(text)| Self(text))
            .map_err(|_| Failure::new(ProblemType::NotFound))
    }
}

/// The query's parameters.
pub struct Params(HashMap<String, String>);

impl Params {
    /// The parameter `name`, if it is there.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The parameter `name` as a `T`, if it is there.
    pub fn parse<T: FromStr>(&self, name: &str) -> Result<Option<T>, Failure> {
        let parse = |text: &str| {
            text.parse()
                .map_err(|_| Failure::bad_request(format!("`{name}` does not have the right form")))
        };
        self.get(name).map(parse).transpose()
    }

    /// `limit`, within [`LIMITS`].
    pub fn limit(&self, default: u32) -> Result<u32, Failure> {
        let limit = self.get("limit").map_or(Ok(default), str::parse);
        limit
            .ok()
            .filter(|limit| LIMITS.contains(limit))
            .ok_or_else(|| Failure::new(ProblemType::LimitOutOfRange).with_detail("a limit is 1 to 20"))
    }
}

impl FromRequestParts<Arc<App>> for Params {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let query = Query::<HashMap<String, String>>::from_request_parts(parts, app).await;
        query
            .map(|Query(map)| Self(map))
            .map_err(|rejection| Failure::bad_request(rejection.body_text()))
    }
}

/// Who is asking, if they say so. A credential that is not valid is an error, not nobody.
pub struct MaybeUser(pub Option<Principal>);

impl FromRequestParts<Arc<App>> for MaybeUser {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let principal = authenticate(parts, app).await?;
        if let Some(token) = principal.as_ref().and_then(|principal| principal.renewed.clone())
            && let Some(renewed) = parts.extensions.get::<Renewed>()
        {
            renewed.0.get_or_init(|| token);
        }
        Ok(Self(principal))
    }
}

async fn authenticate(parts: &mut Parts, app: &Arc<App>) -> Result<Option<Principal>, Failure> {
    let ClientAddress(address) = ClientAddress::from_request_parts(parts, app).await?;
    if let Some(header) = parts.headers.get(AUTHORIZATION) {
        let token = header.to_str().ok().and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let looking = app.auth.bearer(token.unwrap_or_default());
        return Ok(Some(app.admit(address, looking).await?));
    }
    let header = parts
        .headers
        .get(USER_KEY)
        .map(|key| key.to_str().unwrap_or_default().to_owned());
    let key = match header {
        Some(key) => Some(key),
        None => Params::from_request_parts(parts, app)
            .await?
            .get("userKey")
            .map(str::to_owned),
    };
    match key {
        None => Ok(None),
        Some(key) => Ok(Some(app.admit(address, async { app.auth.user_key(&key) }).await?)),
    }
}

/// Who is asking; nobody may not.
pub struct User(pub Principal);

impl FromRequestParts<Arc<App>> for User {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let MaybeUser(user) = MaybeUser::from_request_parts(parts, app).await?;
        Ok(Self(user.ok_or(AuthError::Missing)?))
    }
}

/// Where a guest's renewed token waits for the answer that carries it.
#[derive(Debug, Clone, Default)]
pub struct Renewed(pub Arc<OnceLock<String>>);

/// The address that a request comes from.
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<Arc<App>> for ClientAddress {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        Ok(Self(client_ip(
            peer(parts),
            &parts.headers,
            &app.edge.trusted_proxies,
        )))
    }
}

/// The peer's address; all that are served without one count as one.
fn peer(parts: &Parts) -> IpAddr {
    let info = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    info.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip())
}

/// What links to this service begin with, as whoever asks sees it.
pub struct BaseUrl(pub String);

impl FromRequestParts<Arc<App>> for BaseUrl {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        if let Some(url) = &app.edge.public_url {
            return Ok(Self(url.as_str().to_owned()));
        }
        let host = parts
            .headers
            .get(HOST)
            .and_then(|host| host.to_str().ok())
            .or(parts.uri.host());
        let host: Authority = host
            .and_then(|host| host.parse().ok())
            .ok_or_else(|| Failure::bad_request("the request has no host"))?;
        let proxied = app
            .edge
            .trusted_proxies
            .iter()
            .any(|network| network.contains(peer(parts)));
        let forwarded = parts.headers.get("x-forwarded-proto").filter(|_| proxied);
        let scheme = if forwarded.is_some_and(|proto| proto == "https") {
            "https"
        } else {
            "http"
        };
        Ok(Self(format!("{scheme}://{host}")))
    }
}
