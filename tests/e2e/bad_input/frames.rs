//! Frames that cannot be read, or make no sense.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::raw::Raw;
use super::{Socket, Table};
use crate::harness::Player;

/// Room for many frames: these tests are not about their rate.
const FAST: [&str; 2] = ["--frames-per-second=10000", "--frames-burst=10000"];

/// Sends a text and expects `on_error` of a kind. Returns its payload.
async fn error(socket: &mut Socket, text: &str, kind: &str) -> Value {
    let sent = socket.try_send(text.to_owned()).await;
    sent.unwrap_or_else(|error| panic!("{error} before {text}"));
    let error = socket.next("on_error").await;
    assert_eq!(error["type"], format!("/problems/{kind}"), "{text}: {error}");
    assert!(error["detail"].is_string(), "{text}: {error}");
    assert!(
        error["detail"].to_string().len() < 1500,
        "{text} is not quoted whole: {error}"
    );
    error
}

#[tokio::test]
async fn text_that_is_no_frame_is_told_so_and_the_socket_lives() {
    let table = Table::laid(&FAST, 3).await;
    let mut socket = Socket::open(table.url(), Some(&table.ann)).await;
    let long = format!("{{\"channel\":\"{}\"}}", "x".repeat(10_000));
    for text in [
        "",
        " ",
        "{",
        "nonsense",
        "null",
        "7",
        "[]",
        "\"ping\"",
        "{}",
        "{\"channel\":7}",
        "{\"channel\":null}",
        "{\"channel\":[\"ping\"]}",
        "{\"channel\":\"ping\"",
        "{\"channel\":\"ping\"}{}",
        "{'channel':'ping'}",
        "{\"channel\":\"ping\",}",
        "\u{0}",
        "{\"Channel\":\"ping\"}",
        "{\"channel\":\"ping\",\"channel\":\"ping\"}",
        "{\"channel\":\"\\ud800\"}",
    ] {
        error(&mut socket, text, "bad-request").await;
    }
    for text in [
        "{\"channel\":\"\"}",
        "{\"channel\":\"PING\"}",
        "{\"channel\":\"on_welcome\",\"payload\":{}}",
        "{\"channel\":\"game_moves\"}",
        "{\"channel\":\"ping\\u0000\"}",
        long.as_str(),
    ] {
        error(&mut socket, text, "unknown-channel").await;
    }
    socket.ping().await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_payload_of_the_wrong_form_is_told_with_its_commands_id() {
    let table = Table::laid(&FAST, 3).await;
    let mut socket = Socket::open(table.url(), Some(&table.ann)).await;
    let bad_moves = [
        json!({ "move": "3" }),
        json!({ "move": -1 }),
        json!({ "move": 300 }),
        json!({ "move": 1.5 }),
        json!({ "move": 1e99 }),
        json!({ "move": null }),
        json!({ "move": [3] }),
        json!({ "move": true }),
        json!({ "gameId": "7" }),
        json!({ "gameId": 7 }),
        json!({ "gameId": format!("{} ", table.game) }),
        json!({ "position": 4 }),
        json!({ "position": "" }),
        json!({ "position": "4" }),
        json!({ "position": "-4-0000000000000001" }),
        json!({ "position": "99999999999999999999999-0000000000000001" }),
        json!({ "position": null }),
    ];
    for (n, bad) in bad_moves.iter().enumerate() {
        let id = format!("bad{n}");
        let text = table.game_move(&id, bad).to_string();
        assert_eq!(error(&mut socket, &text, "bad-request").await["id"], id, "{text}");
    }
    for bad in [
        json!({ "id": "" }),
        json!({ "id": "x".repeat(65) }),
        json!({ "id": 7 }),
        json!({ "id": null }),
    ] {
        let text = table.game_move("", &bad).to_string();
        assert_eq!(
            error(&mut socket, &text, "bad-request").await.get("id"),
            None,
            "{text}"
        );
    }
    for (channel, payload) in [
        ("game_move", Value::Null),
        ("game_move", json!({})),
        ("game_move", json!([])),
        ("game_move", json!("3")),
        ("leave_game", json!({ "gameId": table.game })),
        ("leave_game", json!({ "id": "x" })),
        (
            "answer_draw",
            json!({ "gameId": table.game, "id": "x", "accept": "yes" }),
        ),
        (
            "client_seed",
            json!({ "gameId": table.game, "id": "x", "seed": 7 }),
        ),
        ("watch_game", json!({})),
        (
            "watch_game",
            json!({ "gameId": table.game, "since": "yesterday" }),
        ),
        ("unwatch_game", json!({ "gameId": 1 })),
        ("new_game", json!({})),
        ("new_game", json!({ "kind": "poker" })),
        (
            "new_game",
            json!({ "kind": "mancala", "timeControl": { "type": "endless" } }),
        ),
        ("new_game", json!({ "kind": "mancala", "timeControl": 7 })),
        ("authenticate", json!({ "token": 7 })),
        ("authenticate", json!({ "token": table.ben.token })),
    ] {
        let text = json!({ "channel": channel, "payload": payload }).to_string();
        error(&mut socket, &text, "bad-request").await;
    }
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    let deep = format!("{{\"channel\":\"new_game\",\"payload\":{deep}}}");
    error(&mut socket, &deep, "bad-request").await;
    let silly = format!(
        "{{\"channel\":\"new_game\",\"payload\":{{\"kind\":\"{}\"}}}}",
        "x".repeat(15_000)
    );
    error(&mut socket, &silly, "bad-request").await;
    socket.ping().await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn nobody_known_may_watch_and_is_told_what_else_needs_a_user() {
    let table = Table::laid(&FAST, 3).await;
    let mut socket = Socket::open(table.url(), None).await;
    let named = json!({ "gameId": table.game, "id": "x", "accept": true, "seed": "s" });
    for (channel, payload) in [
        ("new_game", json!({ "kind": "mancala" })),
        ("cancel_new_game", Value::Null),
        ("leave_game", named.clone()),
        ("offer_draw", named.clone()),
        ("answer_draw", named.clone()),
        ("client_seed", named),
    ] {
        let text = json!({ "channel": channel, "payload": payload }).to_string();
        error(&mut socket, &text, "unauthenticated").await;
    }
    let text = table.game_move("x", &json!({})).to_string();
    assert_eq!(error(&mut socket, &text, "unauthenticated").await["id"], "x");
    let late = json!({ "channel": "authenticate", "payload": { "token": table.ann.token } }).to_string();
    error(&mut socket, &late, "bad-request").await;
    socket.watch(&table.game, None).await;
    socket.game_start().await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_binary_frame_is_told_that_frames_are_text() {
    let table = Table::laid(&FAST, 3).await;
    let mut raw = Raw::open(&table.url(), &table.ann.token).await;
    raw.send(Message::binary(b"{\"channel\":\"ping\"}".as_slice()))
        .await;
    let frame = raw.next().await.expect("the socket lives");
    assert_eq!(frame["payload"]["type"], "/problems/bad-request", "{frame}");
    raw.send(Message::text("{\"channel\":\"ping\"}")).await;
    assert_eq!(raw.next().await.expect("the socket lives")["channel"], "pong");
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_frame_of_ten_megabytes_is_not_taken_and_its_socket_hears_why() {
    let table = Table::laid(&[], 3).await;
    let huge = "x".repeat(10 * 1024 * 1024);
    for message in [
        Message::text(huge.as_str()),
        Message::binary(huge.clone().into_bytes()),
    ] {
        let mut raw = Raw::open(&table.url(), &table.ann.token).await;
        // The service may have closed the socket before all of it is sent.
        let _ = raw.try_send(message).await;
        assert_eq!(raw.next().await, Err(1009));
    }
    // One byte more than is allowed.
    let mut raw = Raw::open(&table.url(), &table.ann.token).await;
    raw.send(Message::text("x".repeat(16 * 1024 + 1))).await;
    assert_eq!(raw.next().await, Err(1009));
    let mut raw = Raw::open(&table.url(), &table.ann.token).await;
    raw.send(Message::text("x".repeat(16 * 1024))).await;
    assert_eq!(
        raw.next().await.expect("it is read")["payload"]["type"],
        "/problems/bad-request"
    );
    table.must_be_untouched().await;
}

#[tokio::test]
async fn bytes_against_the_protocol_close_their_socket_with_the_protocols_code() {
    let table = Table::laid(&[], 3).await;
    for (bytes, code) in [
        // A text that is not UTF-8, with a mask of zeros.
        (vec![0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe], 1007),
        // No mask; a reserved bit; a reserved opcode; a continuation of nothing; a ping of 126 bytes.
        (vec![0x81, 0x02, b'h', b'i'], 1002),
        (vec![0xc1, 0x82, 0, 0, 0, 0, b'h', b'i'], 1002),
        (vec![0x83, 0x80, 0, 0, 0, 0], 1002),
        (vec![0x80, 0x80, 0, 0, 0, 0], 1002),
        ([vec![0x89, 0xfe, 0, 126], vec![0; 130]].concat(), 1002),
        // A length of eight exabytes.
        (
            vec![
                0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
            ],
            1009,
        ),
    ] {
        let mut raw = Raw::open(&table.url(), &table.ann.token).await;
        raw.send_bytes(&bytes).await;
        assert_eq!(raw.next().await, Err(code), "{bytes:02x?}");
    }
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_game_that_is_not_there_is_told_so() {
    let table = Table::laid(&FAST, 3).await;
    let mut socket = Socket::open(table.url(), Some(&table.ann)).await;
    let nowhere = "01890000-0000-7000-8000-000000000000";
    let watch = json!({ "channel": "watch_game", "payload": { "gameId": nowhere } }).to_string();
    assert_eq!(error(&mut socket, &watch, "not-found").await["gameId"], nowhere);
    let unwatch = json!({ "channel": "unwatch_game", "payload": { "gameId": nowhere } });
    socket.send(unwatch).await;
    socket.ping().await;
    let outsider = Player::guest(table.url(), "Eve").await;
    let mut socket = Socket::open(table.url(), Some(&outsider)).await;
    socket
        .send(json!({ "channel": "new_game", "payload": { "kind": "mancala" } }))
        .await;
    socket.next("on_waiting").await;
    socket.send(json!({ "channel": "cancel_new_game" })).await;
    socket.ping().await;
    table.must_be_untouched().await;
}
