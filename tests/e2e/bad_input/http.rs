//! Requests that are wrong, over HTTP.

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::Table;
use super::raw::say;
use crate::harness::http;
use crate::harness::player::text;

/// A refusal: status, kind and headers. Everything that is refused is a problem document.
async fn refused(request: RequestBuilder) -> (u16, String, HeaderMap) {
    let answer = request.send().await.expect("the service answers");
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let body = answer.text().await.expect("a body");
    assert_eq!(
        headers.get("content-type"),
        Some(&HeaderValue::from_static("application/problem+json")),
        "{body}"
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(
            headers.get(name).map(HeaderValue::as_bytes),
            Some(value.as_bytes()),
            "{name}"
        );
    }
    let problem: Value = serde_json::from_str(&body).expect("a problem is JSON");
    assert_eq!(problem["status"], status, "{problem}");
    assert!(problem["title"].is_string(), "{problem}");
    assert!(body.len() < 2000, "{body}");
    let kind = text(&problem["type"]);
    (status, kind.trim_start_matches("/problems/").to_owned(), headers)
}

async fn is_refused(request: RequestBuilder, status: u16, kind: &str) {
    let what = format!("{request:?}");
    let (got, why, _) = refused(request).await;
    assert_eq!((got, why.as_str()), (status, kind), "{what}");
}

#[tokio::test]
async fn what_is_not_there_or_not_so_is_told_as_a_problem() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    let me = |method: Method, path: &str| {
        http()
            .request(method, format!("{url}{path}"))
            .bearer_auth(&table.ann.token)
    };
    for path in [
        "/nowhere",
        "/game",
        "/games/",
        "/game/x/y",
        "/..%2f..%2fetc/passwd",
        "/%00",
        "/problems/x",
        "/problems/%ff",
        "/web/x",
        "/web/%ff",
        "/web/..%2f..%2fCargo.toml",
        "/web//etc/passwd",
        "//",
    ] {
        is_refused(me(Method::GET, path), 404, "not-found").await;
    }
    let upper = table.game.to_uppercase();
    let plain = table.game.replace('-', "");
    for id in [
        "7",
        "null",
        upper.as_str(),
        plain.as_str(),
        "{id}",
        "01890000-0000-7000-8000-000000000000",
        "%ff",
        "a%2fb",
    ] {
        for path in [
            format!("/game/{id}"),
            format!("/games/{id}/moves"),
            format!("/games/{id}/events"),
        ] {
            is_refused(me(Method::GET, &path), 404, "not-found").await;
        }
        let moving = me(Method::POST, &format!("/games/{id}/moves"));
        let play = json!({ "id": "x", "position": table.position(), "move": 3 });
        is_refused(moving.json(&play), 404, "not-found").await;
    }
    for (method, path) in [
        (Method::DELETE, "/guests".to_owned()),
        (Method::GET, "/guests".to_owned()),
        (Method::GET, "/ws-ticket".to_owned()),
        (Method::POST, "/games/popular".to_owned()),
        (Method::PUT, format!("/games/{}/moves", table.game)),
        (Method::PATCH, format!("/game/{}", table.game)),
        (Method::POST, "/healthz".to_owned()),
        (Method::POST, "/ws".to_owned()),
        (Method::TRACE, "/".to_owned()),
        (Method::OPTIONS, "/guests".to_owned()),
        (
            Method::from_bytes(b"BREW").expect("a token"),
            "/guests".to_owned(),
        ),
    ] {
        is_refused(me(method, &path), 405, "method-not-allowed").await;
    }
    for limit in ["0", "21", "abc", "-1", "1.5", "", "99999999999999999999", "%20"] {
        for list in ["/games/me", "/games/popular"] {
            is_refused(
                me(Method::GET, &format!("{list}?limit={limit}")),
                400,
                "limit-out-of-range",
            )
            .await;
        }
    }
    for before in ["x", "-", "7-7", "99999999999999999999999-x", "%00"] {
        is_refused(
            me(Method::GET, &format!("/games/me?before={before}")),
            400,
            "bad-request",
        )
        .await;
    }
    let events = format!("/games/{}/events", table.game);
    for held in ["x", "1", "1-x", "ends"] {
        is_refused(
            me(Method::GET, &events).header("last-event-id", held),
            400,
            "bad-request",
        )
        .await;
        is_refused(
            me(Method::GET, &format!("{events}?since={held}")),
            400,
            "bad-request",
        )
        .await;
    }
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_told_so_whatever_its_type() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    let moves = format!("{url}/games/{}/moves", table.game);
    let post = |body: &str, media: &'static str| {
        http()
            .post(&moves)
            .bearer_auth(&table.ann.token)
            .header("content-type", media)
            .body(body.to_owned())
    };
    for body in [
        "",
        "{",
        "null",
        "7",
        "\"x\"",
        "[1,2]",
        "{}",
        "id=x&move=3",
        "<xml/>",
        "\u{feff}{}",
        "{\"id\":\"x\"}{}",
        "{\"id\":\"x\",\"id\":\"y\"}",
    ] {
        for media in [
            "application/json",
            "text/plain",
            "application/x-www-form-urlencoded",
            "nonsense",
            "",
        ] {
            is_refused(post(body, media), 400, "bad-request").await;
        }
    }
    let good = json!({ "id": "x", "position": table.position(), "move": table.next_move() });
    let fields = good.as_object().expect("it is an object");
    for (field, bad) in [
        ("move", json!("3")),
        ("move", json!(-1)),
        ("move", json!(256)),
        ("move", json!({})),
        ("position", json!(3)),
        ("position", json!("3")),
        ("id", json!(7)),
        ("id", json!("")),
        ("id", json!("x".repeat(65))),
    ] {
        let mut body = fields.clone();
        body.insert(field.to_owned(), bad);
        is_refused(
            post(&Value::Object(body).to_string(), "application/json"),
            400,
            "bad-request",
        )
        .await;
    }
    let bytes = http()
        .post(&moves)
        .bearer_auth(&table.ann.token)
        .body(vec![0xff, 0xfe, 0, 1]);
    is_refused(bytes, 400, "bad-request").await;
    let deep = http()
        .post(&moves)
        .bearer_auth(&table.ann.token)
        .body("[".repeat(16_000));
    is_refused(deep, 400, "bad-request").await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_body_of_ten_megabytes_is_refused_and_its_sender_hears_why() {
    let table = Table::laid(&[], 3).await;
    let url = format!("{}/games/{}/moves", table.url(), table.game);
    let huge = vec![b'x'; 10 * 1024 * 1024];
    let announced = http().post(&url).bearer_auth(&table.ann.token).body(huge.clone());
    is_refused(announced, 413, "too-large").await;
    let pieces = huge
        .chunks(64 * 1024)
        .map(|piece| Ok::<_, std::io::Error>(piece.to_vec()));
    let streamed = reqwest::Body::wrap_stream(futures::stream::iter(pieces.collect::<Vec<_>>()));
    let unannounced = http().post(&url).bearer_auth(&table.ann.token).body(streamed);
    is_refused(unannounced, 413, "too-large").await;
    let nobody = http().post(format!("{}/guests", table.url())).body(huge);
    is_refused(nobody, 413, "too-large").await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn bytes_that_are_no_request_end_their_connection_alone() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    let many = format!("GET / HTTP/1.1\r\nhost: x\r\n{}\r\n", "a: b\r\n".repeat(500));
    let long = format!("GET / HTTP/1.1\r\nhost: x\r\na: {}\r\n\r\n", "x".repeat(200_000));
    let far = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(200_000));
    for (bytes, status) in [
        ("\0\0\0\0", Some("400")),
        ("nonsense\r\n\r\n", Some("400")),
        ("GET / HTTP/9.9\r\n\r\n", None),
        ("GET / HTTP/1.1\r\nhost x\r\n\r\n", Some("400")),
        (
            "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n",
            Some("400"),
        ),
        (
            "POST /guests HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
            Some("400"),
        ),
        ("\x16\x03\x01\x02\x00\x01\x00\x01\u{fc}\x03\x03", Some("400")),
        (many.as_str(), Some("431")),
        (long.as_str(), Some("431")),
        (far.as_str(), Some("4")),
    ] {
        let answer = say(&url, bytes.as_bytes()).await;
        let begins = status.map_or_else(String::new, |status| format!("HTTP/1.1 {status}"));
        assert!(
            answer.starts_with(&begins),
            "{:?}: {answer:?}",
            &bytes[..bytes.len().min(80)]
        );
    }
    // Both lengths at once are how requests are smuggled past a proxy: at most one request may be seen.
    let smuggled = "POST /guests HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\
                    connection: close\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    assert!(say(&url, smuggled.as_bytes()).await.matches("HTTP/1.1").count() <= 1);
    // HTTP/2 by prior knowledge is not spoken here.
    let preface = say(&url, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await;
    assert!(!preface.contains("200"), "{preface:?}");
    table.must_be_untouched().await;
}

#[tokio::test]
async fn only_pages_of_allowed_origins_may_use_the_service() {
    let table = Table::laid(&["--allowed-origin=https://friend.example"], 3).await;
    let url = table.url();
    let from = |origin: &str| {
        http()
            .get(format!("{url}/games/popular"))
            .header("origin", origin)
    };
    let allow = "access-control-allow-origin";
    let answer = from("https://friend.example").send().await.expect("it answers");
    assert_eq!(answer.headers()[allow], "https://friend.example");
    assert_eq!(answer.headers()["vary"], "origin");
    let strangers = [
        "http://friend.example",
        "https://friend.example:444",
        "https://friend.example.evil.example",
        "https://evilfriend.example",
        "https://FRIEND.example",
        "https://friend.example/",
        "null",
        "*",
        "",
    ];
    for origin in strangers {
        let answer = from(origin).send().await.expect("it answers");
        assert_eq!(answer.headers().get(allow), None, "{origin}");
        let preflight = http()
            .request(Method::OPTIONS, format!("{url}/guests"))
            .header("origin", origin)
            .header("access-control-request-method", "POST");
        let (status, kind, headers) = refused(preflight).await;
        assert_eq!((status, kind.as_str()), (403, "origin-not-allowed"), "{origin}");
        assert_eq!(headers.get(allow), None, "{origin}");
        assert_eq!(open_from(&url, origin).await, Err(403), "{origin}");
    }
    for good in [
        "https://friend.example",
        url.as_str(),
        &url.replace("http", "https"),
    ] {
        assert_eq!(open_from(&url, good).await, Ok(()), "{good}");
    }
    table.must_be_untouched().await;
}

/// Opens a socket as a page of `origin` would.
async fn open_from(url: &str, origin: &str) -> Result<(), u16> {
    let asked = upgrade(url).header("origin", origin);
    match asked.send().await.expect("it answers").status().as_u16() {
        101 => Ok(()),
        status => Err(status),
    }
}

fn upgrade(url: &str) -> RequestBuilder {
    http()
        .get(format!("{url}/ws"))
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
}

#[tokio::test]
async fn what_is_no_upgrade_is_told_what_is_missing() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    is_refused(http().get(format!("{url}/ws")), 400, "bad-request").await;
    is_refused(
        upgrade(&url).header("sec-websocket-protocol", "chat, turnstream.v2"),
        400,
        "bad-request",
    )
    .await;
    is_refused(
        http().get(format!("{url}/ws")).header("upgrade", "websocket"),
        400,
        "bad-request",
    )
    .await;
    let old = http()
        .get(format!("{url}/ws"))
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "8")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    is_refused(old, 400, "bad-request").await;
    let several = upgrade(&url).header("sec-websocket-protocol", "chat, turnstream.v1");
    let answer = several.send().await.expect("it answers");
    assert_eq!(answer.status(), 101);
    assert_eq!(answer.headers()["sec-websocket-protocol"], "turnstream.v1");
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_name_that_others_should_not_see_is_refused() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    let guest = |name: Value| {
        http()
            .post(format!("{url}/guests"))
            .json(&json!({ "name": name }))
    };
    for bad in [
        json!("x".repeat(33)),
        json!("a\nb"),
        json!("a\u{0}b"),
        json!("\u{1b}[31mred"),
        json!("a\u{202e}b"),
        json!("\u{2067}a"),
        json!("a\u{200b}b"),
        json!("\u{3164}"),
        json!("ada@example.org"),
        json!(7),
        json!(["a"]),
    ] {
        is_refused(guest(bad), 400, "bad-request").await;
    }
    for (name, taken) in [
        (json!("  Ada  "), json!("Ada")),
        (json!("   "), Value::Null),
        (Value::Null, Value::Null),
        (json!("ş".repeat(32)), json!("ş".repeat(32))),
        (json!("<script>"), json!("<script>")),
    ] {
        let answer = guest(name).send().await.expect("it answers");
        assert_eq!(answer.status(), 201);
        let guest: Value = answer.json().await.expect("JSON");
        assert_eq!(guest["name"], taken);
        let welcomed = crate::harness::Player::with_token(&url, "", "", &text(&guest["token"]));
        let (status, _) = welcomed.get("/games/me/active").await;
        assert_eq!(status, 200);
    }
    table.must_be_untouched().await;
}
