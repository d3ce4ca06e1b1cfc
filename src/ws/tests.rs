//! Sockets over a real connection, with games that do as they are told.

use std::net::SocketAddr;
use std::time::Duration;

use commands::games::{Encoded, Push};
use contract::frames::ServerFrame;
use contract::frames::server::Durable;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::app::tests_support::{Told, app, app_with, elsewhere, held};
use crate::auth::legacy::UserKey;

struct Server {
    told: Told,
    address: SocketAddr,
}

struct Client(WebSocketStream<MaybeTlsStream<TcpStream>>);

async fn serve(told: Told) -> Server {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let service = told
        .app
        .clone()
        .router()
        .into_make_service_with_connect_info::<SocketAddr>();
    tokio_util::task::TaskTracker::new().spawn(async move { axum::serve(listener, service).await });
    Server { told, address }
}

impl Server {
    async fn try_open(&self, query: &str, origin: Option<&str>) -> Result<Client, tungstenite::Error> {
        let mut request = format!("ws://{}/ws{query}", self.address).into_client_request()?;
        let headers = request.headers_mut();
        headers.insert(
            "sec-websocket-protocol",
            "turnstream.v1".parse().expect("a header value"),
        );
        if let Some(origin) = origin {
            headers.insert("origin", origin.parse().expect("a header value"));
        }
        Ok(Client(connect_async(request).await?.0))
    }

    async fn open(&self, query: &str) -> Client {
        self.try_open(query, None).await.expect("it opens")
    }

    fn guest(&self) -> String {
        self.told.app.auth.new_guest(None).expect("random bytes").1
    }

    async fn ticket(&self) -> String {
        let principal = self
            .told
            .app
            .auth
            .bearer(&self.guest())
            .await
            .expect("a good token");
        self.told.app.auth.issue_ticket(principal).expect("room")
    }
}

impl Client {
    async fn send(&mut self, channel: &str, payload: &Value) {
        self.text(&json!({"channel": channel, "payload": payload}).to_string())
            .await;
    }

    async fn text(&mut self, text: &str) {
        self.0
            .send(Message::text(text))
            .await
            .expect("the socket is open");
    }

    /// The next frame, or the close code.
    async fn next(&mut self) -> Result<Value, u16> {
        loop {
            let message = tokio::time::timeout(Duration::from_secs(20), self.0.next()).await;
            match message
                .expect("an answer in time")
                .expect("an answer")
                .expect("no broken connection")
            {
                Message::Text(text) => return Ok(serde_json::from_str(&text).expect("frames are JSON")),
                Message::Close(frame) => return Err(frame.expect("a reason").code.into()),
                _ => {}
            }
        }
    }

    async fn expect(&mut self, channel: &str) -> Value {
        let frame = self.next().await.expect("the socket lives");
        assert_eq!(frame["channel"], channel, "{frame}");
        frame["payload"].clone()
    }

    async fn expect_error(&mut self, problem: &str) -> Value {
        let error = self.expect("on_error").await;
        assert_eq!(error["type"], format!("/problems/{problem}"), "{error}");
        error
    }

    async fn expect_close(&mut self, code: u16) {
        loop {
            match self.next().await {
                Ok(_) => {}
                Err(closed) => return assert_eq!(closed, code),
            }
        }
    }
}

fn game_move(id: &str) -> Value {
    json!({"gameId": held(), "id": id, "position": "1-0000000000000001", "move": 2})
}

#[tokio::test]
async fn a_ticket_opens_one_socket() {
    let server = serve(app()).await;
    let query = format!("?ticket={}", server.ticket().await);
    let mut first = server.open(&query).await;
    let welcome = first.expect("on_welcome").await;
    assert!(welcome["userId"].as_str().expect("a user").starts_with("guest:"));
    assert_eq!(welcome["settings"]["framesBurst"], 40);
    let mut second = server.open(&query).await;
    second.expect_error("unauthenticated").await;
    second.expect_close(4003).await;
}

#[tokio::test]
async fn the_first_frame_may_say_who_it_is_and_a_forger_is_closed() {
    let server = serve(app()).await;
    let mut client = server.open("").await;
    client
        .send("authenticate", &json!({"token": server.guest()}))
        .await;
    client.expect("on_welcome").await;
    client.send("game_move", &game_move("m1")).await;
    assert_eq!(client.expect("on_move_accepted").await["id"], "m1");
    client
        .send("authenticate", &json!({"token": server.guest()}))
        .await;
    client.expect_error("bad-request").await;
    for token in ["", "guest.k.e30.AAAA", "ticket.x", "a.b.c"] {
        let mut forger = server.open("").await;
        forger.send("authenticate", &json!({"token": token})).await;
        forger.expect_error("unauthenticated").await;
        forger.expect_close(4003).await;
    }
}

#[tokio::test]
async fn a_guest_whose_token_is_no_longer_young_is_welcomed_with_another() {
    let server = serve(app()).await;
    let token = server.guest();
    let welcomed = async |token: &str| {
        let mut client = server.open("").await;
        client.send("authenticate", &json!({"token": token})).await;
        client.expect("on_welcome").await
    };
    let young = welcomed(&token).await;
    assert_eq!(young["token"], Value::Null);
    server.told.clock.advance(2 * 24 * 60 * 60 * 1000);
    let renewed = welcomed(&token).await;
    let other = renewed["token"].as_str().expect("a younger token").to_owned();
    assert_ne!(other, token);
    let again = welcomed(&other).await;
    assert_eq!(
        (&again["userId"], &again["token"]),
        (&young["userId"], &Value::Null)
    );
}

#[tokio::test]
async fn nobody_known_may_watch_but_not_play() {
    let server = serve(app()).await;
    let mut client = server.open("").await;
    client.send("watch_game", &json!({"gameId": held()})).await;
    assert!(client.expect("on_welcome").await.get("userId").is_none());
    client.expect("on_game_start").await;
    client.send("watch_game", &json!({"gameId": elsewhere()})).await;
    assert_eq!(
        client.expect("resync").await["game"]["id"],
        elsewhere().to_string()
    );
    client
        .send("watch_game", &json!({"gameId": uuid::Uuid::nil()}))
        .await;
    client.expect_error("not-found").await;
    client.send("game_move", &game_move("m1")).await;
    assert_eq!(client.expect_error("unauthenticated").await["id"], "m1");
    client.send("new_game", &json!({"kind": "mancala"})).await;
    client.expect_error("unauthenticated").await;
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_and_the_socket_lives() {
    let server = serve(app()).await;
    let mut client = server.open(&format!("?ticket={}", server.ticket().await)).await;
    client.expect("on_welcome").await;
    for (text, problem) in [
        ("{", "bad-request"),
        ("[]", "bad-request"),
        ("{\"channel\": \"win_game\"}", "unknown-channel"),
        (
            "{\"channel\": \"game_move\", \"payload\": {\"id\": \"m1\", \"move\": \"three\"}}",
            "bad-request",
        ),
    ] {
        client.text(text).await;
        client.expect_error(problem).await;
    }
    client
        .0
        .send(Message::binary(vec![1, 2, 3]))
        .await
        .expect("the socket is open");
    client.expect_error("bad-request").await;
    client.send("ping", &Value::Null).await;
    client.expect("pong").await;
    assert!(
        server
            .told
            .games
            .commands
            .lock()
            .expect("not poisoned")
            .is_empty()
    );
}

#[tokio::test]
async fn a_frame_that_is_too_large_closes_the_socket() {
    let server = serve(app()).await;
    let mut client = server.open("").await;
    client.text(&"x".repeat(16 * 1024 + 1)).await;
    client.expect_close(1009).await;
}

#[tokio::test]
async fn a_frame_of_ten_megabytes_closes_the_socket_unread() {
    let server = serve(app()).await;
    let (mut sink, mut stream) = server.open("").await.0.split();
    let close = async {
        loop {
            let message = stream
                .next()
                .await
                .expect("a close frame first")
                .expect("no broken connection");
            if let Message::Close(frame) = message {
                return frame.expect("a reason").code;
            }
        }
    };
    let send = async {
        // It fails when the server is gone before it took all of it.
        let _ = sink.send(Message::text("x".repeat(10_000_000))).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        code = close => assert_eq!(u16::from(code), 1009),
        () = send => {}
    }
}

#[tokio::test]
async fn a_flood_is_refused_and_then_closed() {
    let server = serve(app()).await;
    let mut client = server.open("").await;
    for _ in 0..1000 {
        if client
            .0
            .send(Message::text("{\"channel\":\"unsubscribe_live_games\"}"))
            .await
            .is_err()
        {
            break;
        }
    }
    let mut refused = 0;
    loop {
        match client.next().await {
            Ok(frame) if frame["channel"] == "on_error" => {
                assert_eq!(frame["payload"]["type"], "/problems/rate-limited");
                refused += 1;
            }
            Ok(_) => {}
            Err(code) => break assert_eq!(code, 4004),
        }
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn shutdown_closes_sockets_with_4000_and_waits_for_them() {
    let server = serve(app()).await;
    let mut client = server.open(&format!("?ticket={}", server.ticket().await)).await;
    client.expect("on_welcome").await;
    server.told.app.closing.cancel();
    client.expect_close(4000).await;
    server.told.app.tasks.close();
    server.told.app.tasks.wait().await;
    assert!(server.told.games.open.lock().expect("not poisoned").is_empty());
}

#[tokio::test]
async fn a_user_has_so_many_sockets_and_an_address_too() {
    let server = serve(app_with(|config| {
        config.limits.sockets_per_user = 1;
        config.limits.sockets_per_address = 2;
    }))
    .await;
    let token = server.guest();
    let mut first = server.open("").await;
    first.send("authenticate", &json!({"token": token})).await;
    first.expect("on_welcome").await;
    let mut second = server.open("").await;
    second.send("authenticate", &json!({"token": token})).await;
    second.expect_error("too-many-sockets").await;
    let third = server.try_open("", None).await;
    assert!(matches!(third, Err(tungstenite::Error::Http(answer)) if answer.status() == 429));
    second.expect_close(4004).await;
}

#[tokio::test]
async fn pages_of_other_origins_open_nothing() {
    let server = serve(app()).await;
    let refused = server.try_open("", Some("https://evil.example")).await;
    assert!(matches!(refused, Err(tungstenite::Error::Http(answer)) if answer.status() == 403));
    assert!(
        server
            .try_open("", Some(&format!("http://{}", server.address)))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_silent_socket_is_closed() {
    let server = serve(app_with(|config| {
        config.limits.idle_close_ms = Duration::from_millis(50);
    }))
    .await;
    server.open("").await.expect_close(4000).await;
}

#[tokio::test]
async fn a_legacy_player_knows_their_own_key() {
    let server = serve(app_with(|config| config.identity.legacy_userkey_auth = true)).await;
    let public = UserKey::new("my-own-key").expect("long enough").public_id();
    *server.told.games.player1.lock().expect("not poisoned") = public.to_string();
    let mut mine = server.open("?userKey=my-own-key").await;
    assert_eq!(mine.expect("on_welcome").await["userId"], "my-own-key");
    let mut other = server.open(&format!("?ticket={}", server.ticket().await)).await;
    other.expect("on_welcome").await;
    for (client, id) in [(&mut mine, "my-own-key"), (&mut other, public.as_str())] {
        client.send("watch_game", &json!({"gameId": held()})).await;
        assert_eq!(client.expect("on_game_start").await["player1"]["userId"], id);
    }
    let mut off = serve(app()).await.open("?userKey=my-own-key").await;
    off.expect_error("unauthenticated").await;
    off.expect_close(4003).await;
}

fn durable(version: u64) -> Push {
    Push::Frame(Encoded::new(ServerFrame::OnDurable(Durable {
        game_id: held(),
        durable_version: version,
    })))
}

#[tokio::test]
async fn a_reader_that_missed_frames_gets_one_resync_in_their_place() {
    let server = serve(app()).await;
    let mut client = server.open(&format!("?ticket={}", server.ticket().await)).await;
    client.expect("on_welcome").await;
    client.send("watch_game", &json!({"gameId": held()})).await;
    client.expect("on_game_start").await;
    // Nothing else runs meanwhile, so the queue fills.
    (1..=1000).for_each(|version| server.told.games.push(&durable(version)));
    for version in 1..=256 {
        assert_eq!(client.expect("on_durable").await["durableVersion"], version);
    }
    assert_eq!(client.expect("resync").await["game"]["id"], held().to_string());
    client.send("ping", &Value::Null).await;
    client.expect("pong").await;
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_closed() {
    let server = serve(app_with(|config| {
        config.limits.write_stall_ms = Duration::from_millis(200);
    }))
    .await;
    let mut client = server.open(&format!("?ticket={}", server.ticket().await)).await;
    client.expect("on_welcome").await;
    while !server.told.games.open.lock().expect("not poisoned").is_empty() {
        (1..=256).for_each(|version| server.told.games.push(&durable(version)));
        tokio::task::yield_now().await;
    }
    assert_eq!(server.told.app.metrics.slow_closed.get(), 1);
}
