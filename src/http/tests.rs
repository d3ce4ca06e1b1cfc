use ::commands::games::{CommandError, Games, NotNow, Rejection, Role};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use futures::StreamExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;
use crate::app::tests_support::{Told, app, app_with, elsewhere, held};
use crate::auth::legacy::UserKey;

struct Answered {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Answered {
    fn problem(&self) -> &str {
        assert_eq!(
            self.headers["content-type"], "application/problem+json",
            "{}",
            self.body
        );
        self.body["type"].as_str().expect("a problem has a type")
    }
}

async fn ask(told: &Told, request: Request<Body>) -> Answered {
    let response = told
        .app
        .clone()
        .router()
        .oneshot(request)
        .await
        .expect("a router does not fail");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("bodies here end");
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Answered {
        status: parts.status,
        headers: parts.headers,
        body,
    }
}

fn request(method: &str, path: &str, token: Option<&str>, body: impl Into<Body>) -> Request<Body> {
    let builder = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "play.example");
    let builder = match token {
        Some(token) => builder.header("authorization", format!("Bearer {token}")),
        None => builder,
    };
    builder.body(body.into()).expect("a good request")
}

async fn get(told: &Told, path: &str, token: Option<&str>) -> Answered {
    ask(told, request("GET", path, token, Body::empty())).await
}

async fn post(told: &Told, path: &str, token: Option<&str>, body: &Value) -> Answered {
    ask(told, request("POST", path, token, body.to_string())).await
}

async fn guest(told: &Told) -> String {
    let answered = post(told, "/guests", None, &json!({"name": "Ada"})).await;
    assert_eq!(answered.status, StatusCode::CREATED);
    answered.body["token"]
        .as_str()
        .expect("a guest gets a token")
        .to_owned()
}

fn play() -> Value {
    json!({"id": "m1", "position": "1-0000000000000001", "move": 2})
}

#[tokio::test]
async fn every_route_of_the_table_is_served_and_no_other_method() {
    let told = app();
    for route in routes() {
        let path = route.doc.path.replace("{id}", &held().to_string());
        let path = path.replace("{name}", "not-found");
        // Only the head of the answer: an event stream's body does not end.
        let asked = request(route.doc.method, &path, None, "[]");
        let status = told
            .app
            .clone()
            .router()
            .oneshot(asked)
            .await
            .expect("a router does not fail")
            .status();
        let lost = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&status);
        assert!(!lost, "{} {path}: {status}", route.doc.method);
        let answered = ask(&told, request("DELETE", &path, None, Body::empty())).await;
        assert_eq!(answered.problem(), "/problems/method-not-allowed", "{path}");
    }
}

#[tokio::test]
async fn what_needs_a_user_is_refused_to_nobody_and_to_forgers() {
    let told = app();
    for route in routes()
        .into_iter()
        .filter(|route| route.doc.caller == route::Caller::User)
    {
        let path = route.doc.path.replace("{id}", &held().to_string());
        for token in [None, Some("guest.k.e30.AAAA"), Some("a.b.c"), Some("")] {
            let answered = ask(&told, request(route.doc.method, &path, token, "{}")).await;
            assert_eq!(answered.problem(), "/problems/unauthenticated", "{path}");
            assert_eq!(answered.status, StatusCode::UNAUTHORIZED);
        }
    }
}

#[tokio::test]
async fn every_error_is_a_problem() {
    let told = app();
    let token = guest(&told).await;
    let token = Some(token.as_str());
    let moves = format!("/games/{}/moves", held());
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(20_000));
    for (request, problem) in [
        (request("GET", "/nowhere", None, ""), "not-found"),
        (request("GET", "/game/7", None, ""), "not-found"),
        (
            request("GET", &format!("/game/{}", "0".repeat(36)), None, ""),
            "not-found",
        ),
        (request("PUT", "/guests", None, ""), "method-not-allowed"),
        (request("POST", "/guests", None, large), "too-large"),
        (request("POST", "/guests", None, "{"), "bad-request"),
        (
            request("POST", "/guests", None, "{\"name\": \"a@example.org\"}"),
            "bad-request",
        ),
        (
            request(
                "POST",
                &moves,
                token,
                "{\"id\": \"m\", \"position\": \"x\", \"move\": 1}",
            ),
            "bad-request",
        ),
        (
            request(
                "POST",
                &moves,
                token,
                "{\"id\": \"m\", \"position\": \"1-0000000000000001\", \"move\": \"1\"}",
            ),
            "bad-request",
        ),
        (
            request("GET", "/games/popular?limit=0", None, ""),
            "limit-out-of-range",
        ),
        (
            request("GET", "/games/popular?limit=21", None, ""),
            "limit-out-of-range",
        ),
        (
            request("GET", "/games/popular?limit=many", None, ""),
            "limit-out-of-range",
        ),
        (
            request("GET", "/games/me?limit=-1", token, ""),
            "limit-out-of-range",
        ),
        (request("GET", "/games/me?before=then", token, ""), "bad-request"),
        (request("GET", "/ws", None, ""), "bad-request"),
        (
            request("GET", &format!("/games/{}/events?since=now", held()), None, ""),
            "bad-request",
        ),
        (
            request("GET", &format!("/games/{}/moves", elsewhere()), None, ""),
            "game-elsewhere",
        ),
    ] {
        let what = format!("{} {}", request.method(), request.uri());
        let answered = ask(&told, request).await;
        assert_eq!(answered.problem(), format!("/problems/{problem}"), "{what}");
    }
    assert!(
        told.games.commands.lock().expect("not poisoned").is_empty(),
        "no game heard of it"
    );
}

#[tokio::test]
async fn a_guest_plays_a_move() {
    let told = app();
    let token = guest(&told).await;
    let answered = post(&told, &format!("/games/{}/moves", held()), Some(&token), &play()).await;
    assert_eq!(answered.status, StatusCode::OK, "{}", answered.body);
    assert_eq!(answered.body["id"], "m1");
    assert_eq!(answered.body["durable"], true);
}

#[tokio::test]
async fn a_stale_move_gets_the_current_game_and_an_unknown_outcome_says_so() {
    let told = app();
    let token = guest(&told).await;
    let moves = format!("/games/{}/moves", held());
    let game = told.games.live(held(), None).map(Box::new);
    let stale = CommandError::Rejected {
        reason: Rejection::Stale,
        game,
    };
    let unknown = CommandError::Unavailable {
        reason: NotNow::LogAway,
        retry_after_ms: 2500,
        outcome_unknown: true,
    };
    told.games
        .outcomes
        .lock()
        .expect("not poisoned")
        .extend([stale, unknown]);
    let answered = post(&told, &moves, Some(&token), &play()).await;
    assert_eq!(answered.problem(), "/problems/stale-position");
    assert_eq!(answered.body["game"]["version"], 1);
    let answered = post(&told, &moves, Some(&token), &play()).await;
    assert_eq!(
        (answered.problem(), answered.headers["retry-after"].as_bytes()),
        ("/problems/unavailable", &b"3"[..])
    );
    assert_eq!(answered.body["outcomeUnknown"], true);
}

#[tokio::test(start_paused = true)]
async fn a_command_that_takes_too_long_may_have_been_accepted() {
    let told = app();
    let token = guest(&told).await;
    *told.games.stuck.lock().expect("not poisoned") = true;
    let answered = post(&told, &format!("/games/{}/moves", held()), Some(&token), &play()).await;
    assert_eq!(answered.problem(), "/problems/unavailable");
    assert_eq!(answered.body["outcomeUnknown"], true);
}

#[tokio::test]
async fn an_invitation_is_a_link_that_expires() {
    let told = app();
    let (host, joiner) = (guest(&told).await, guest(&told).await);
    let made = post(
        &told,
        "/games",
        Some(&host),
        &json!({"kind": "mancala", "seat": "player2"}),
    )
    .await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let (id, url) = (
        made.body["id"].as_str().expect("an id"),
        made.body["joinUrl"].as_str().expect("a link"),
    );
    let token = url
        .strip_prefix(&format!("http://play.example/join/{id}?token="))
        .expect("the link's form");
    assert_eq!(
        get(&told, &format!("/game/{id}"), None).await.problem(),
        "/problems/not-found"
    );
    let join = |id: String, token: String| {
        let (told, joiner) = (&told, &joiner);
        async move {
            post(
                told,
                &format!("/games/{id}/join"),
                Some(joiner),
                &json!({"token": token, "id": "j"}),
            )
            .await
        }
    };
    assert_eq!(
        join(held().to_string(), token.into()).await.problem(),
        "/problems/not-found"
    );
    assert_eq!(join(id.into(), "x".into()).await.problem(), "/problems/not-found");
    assert_eq!(join(id.into(), token.into()).await.status, StatusCode::OK);
    assert_eq!(
        told.games.joins.lock().expect("not poisoned")[0].host_seat,
        contract::Seat::Player2
    );
    told.clock.advance(30 * 60 * 1000);
    assert_eq!(
        join(id.into(), token.into()).await.problem(),
        "/problems/invitation-expired"
    );
}

#[tokio::test]
async fn who_is_in_a_game_or_asks_a_standby_invites_nobody() {
    let told = app();
    let host = guest(&told).await;
    let invite = json!({"kind": "mancala"});
    *told.games.active.lock().expect("not poisoned") = Some(held());
    let answered = post(&told, "/games", Some(&host), &invite).await;
    assert_eq!(answered.problem(), "/problems/active-game");
    assert_eq!(answered.body["gameId"], held().to_string());
    for (role, problem) in [
        (Role::Standby, "/problems/standby"),
        (
            Role::Starting("NATS and Valkey are away".into()),
            "/problems/unavailable",
        ),
        (Role::Leaving, "/problems/unavailable"),
    ] {
        *told.games.role.lock().expect("not poisoned") = role;
        assert_eq!(
            post(&told, "/games", Some(&host), &invite).await.problem(),
            problem
        );
        assert_eq!(get(&told, "/readyz", None).await.problem(), problem);
        assert_eq!(get(&told, "/healthz", None).await.status, StatusCode::OK);
        assert_eq!(
            get(&told, &format!("/game/{}", held()), None).await.status,
            StatusCode::OK
        );
    }
}

#[tokio::test]
async fn guests_are_limited_by_address() {
    let told = app_with(|config| config.limits.guests_per_minute = std::num::NonZeroU32::MIN);
    guest(&told).await;
    let answered = post(&told, "/guests", None, &json!({})).await;
    assert_eq!(answered.problem(), "/problems/rate-limited");
    assert!(answered.headers.contains_key("retry-after"));
}

#[tokio::test]
async fn a_guests_token_is_renewed_when_it_is_used() {
    let told = app();
    let token = guest(&told).await;
    assert!(
        !get(&told, "/games/me", Some(&token))
            .await
            .headers
            .contains_key("x-renewed-token")
    );
    told.clock.advance(89 * 24 * 60 * 60 * 1000);
    let answered = get(&told, "/games/me", Some(&token)).await;
    let renewed = answered.headers["x-renewed-token"]
        .to_str()
        .expect("ASCII")
        .to_owned();
    told.clock.advance(89 * 24 * 60 * 60 * 1000);
    assert_eq!(
        get(&told, "/games/me", Some(&token)).await.problem(),
        "/problems/unauthenticated"
    );
    assert_eq!(
        get(&told, "/games/me", Some(&renewed)).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_legacy_key_is_a_credential_only_when_it_is_switched_on() {
    let path = format!("/game/{}?userKey=my-own-key", held());
    assert_eq!(
        get(&app(), &path, None).await.problem(),
        "/problems/unauthenticated"
    );
    let told = app_with(|config| config.identity.legacy_userkey_auth = true);
    let public = UserKey::new("my-own-key").expect("long enough").public_id();
    *told.games.player1.lock().expect("not poisoned") = public.to_string();
    let mine = get(&told, &path, None).await;
    assert_eq!(mine.body["player1"]["userId"], "my-own-key");
    let others = get(&told, &format!("/game/{}", held()), None).await;
    assert_eq!(others.body["player1"]["userId"], public.as_str());
}

#[tokio::test]
async fn only_allowed_origins_are_named() {
    let told = app_with(|config| config.edge.allowed_origins = vec!["https://friend.example".into()]);
    for (origin, allowed) in [("https://friend.example", true), ("https://evil.example", false)] {
        let mut asked = request("GET", "/healthz", None, "");
        asked
            .headers_mut()
            .insert("origin", origin.parse().expect("a header value"));
        let answered = ask(&told, asked).await;
        assert_eq!(
            answered.headers.contains_key("access-control-allow-origin"),
            allowed
        );
        assert_eq!(answered.headers["x-content-type-options"], "nosniff");
        let mut asked = request("OPTIONS", "/guests", None, "");
        asked
            .headers_mut()
            .insert("origin", origin.parse().expect("a header value"));
        asked.headers_mut().insert(
            "access-control-request-method",
            "POST".parse().expect("a header value"),
        );
        let answered = ask(&told, asked).await;
        let expected = if allowed {
            StatusCode::NO_CONTENT
        } else {
            StatusCode::FORBIDDEN
        };
        assert_eq!(answered.status, expected);
    }
}

#[tokio::test]
async fn an_event_stream_is_a_connection_until_its_reader_leaves() {
    let told = app();
    let request = request("GET", &format!("/games/{}/events", held()), None, "");
    let response = told
        .app
        .clone()
        .router()
        .oneshot(request)
        .await
        .expect("a router does not fail");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body().into_data_stream();
    let mut text = String::new();
    while !text.contains("\ndata: ") {
        let chunk = body
            .next()
            .await
            .expect("the stream goes on")
            .expect("nothing breaks it");
        text.push_str(std::str::from_utf8(&chunk).expect("events are text"));
    }
    assert!(
        text.contains("id: 1-0000000000000001\ndata: {\"channel\":\"on_game_start\""),
        "{text}"
    );
    assert_eq!(told.games.open.lock().expect("not poisoned").len(), 1);
    drop(body);
    told.app.tasks.close();
    told.app.tasks.wait().await;
    assert!(told.games.open.lock().expect("not poisoned").is_empty());
}

#[tokio::test]
async fn an_event_stream_of_a_game_held_elsewhere_gives_it_once() {
    let told = app();
    let request = request("GET", &format!("/games/{}/events", elsewhere()), None, "");
    let response = told
        .app
        .clone()
        .router()
        .oneshot(request)
        .await
        .expect("a router does not fail");
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("it ends");
    let text = String::from_utf8(bytes.to_vec()).expect("events are text");
    assert!(
        text.contains("id: 1-0000000000000001\ndata: {\"channel\":\"resync\""),
        "{text}"
    );
}

#[tokio::test]
async fn whoever_saw_the_end_is_told_not_to_come_back_and_no_game_has_no_events() {
    let told = app();
    let mut asked = request("GET", &format!("/games/{}/events", held()), None, "");
    asked
        .headers_mut()
        .insert("last-event-id", "end".parse().expect("a header value"));
    assert_eq!(ask(&told, asked).await.status, StatusCode::NO_CONTENT);
    let nowhere = format!("/games/{}/events", uuid::Uuid::nil());
    assert_eq!(get(&told, &nowhere, None).await.problem(), "/problems/not-found");
    assert!(told.games.open.lock().expect("not poisoned").is_empty());
}

#[tokio::test]
async fn operators_see_figures_and_the_status_on_their_own_address() {
    let told = app();
    guest(&told).await;
    let ask = async |path: &str| {
        let mut request = request("GET", path, None, "");
        let host = "127.0.0.1:9090".parse().expect("a header's value");
        request.headers_mut().insert("host", host);
        let response = told
            .app
            .clone()
            .admin_router(axum::Router::new())
            .oneshot(request)
            .await
            .expect("a router does not fail");
        let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("it ends");
        String::from_utf8(bytes.to_vec()).expect("text")
    };
    assert!(
        ask("/metrics")
            .await
            .contains("turnstream_http_requests_total{status=\"2xx\"} 1\n")
    );
    assert_eq!(ask("/status").await, "{\"role\":\"active\"}");
    assert_eq!(
        get(&told, "/metrics", None).await.problem(),
        "/problems/not-found"
    );
}

#[tokio::test]
async fn a_page_from_elsewhere_gets_nothing_from_the_operators_address() {
    let told = app();
    let ask = async |headers: &[(&str, &str)]| {
        let mut request = request("GET", "/status", None, "");
        for (name, value) in headers {
            let name = axum::http::HeaderName::try_from(*name).expect("a header's name");
            request
                .headers_mut()
                .insert(name, value.parse().expect("a header's value"));
        }
        let response = told
            .app
            .clone()
            .admin_router(axum::Router::new())
            .oneshot(request)
            .await;
        response.expect("a router does not fail").status().as_u16()
    };
    assert_eq!(ask(&[("host", "127.0.0.1:9090")]).await, 200);
    assert_eq!(
        ask(&[("host", "localhost:9090"), ("origin", "http://localhost:9090")]).await,
        200
    );
    assert_eq!(ask(&[("host", "rebound.example:9090")]).await, 403);
    assert_eq!(
        ask(&[("host", "127.0.0.1:9090"), ("origin", "https://evil.example")]).await,
        403
    );
}
