//! Too much at once.

use std::collections::BTreeMap;

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::raw::Raw;
use super::{Socket, Table, figure, is_calm};
use crate::harness::player::text;
use crate::harness::{Player, vectors};

/// Plays a whole game, which nothing may disturb.
async fn play_through(url: &str) {
    let (ann, ben) = (Player::guest(url, "Ann").await, Player::guest(url, "Ben").await);
    let invite = ann.invite().await;
    ben.join(&invite, "join").await.expect("the seat is free");
    let mut sockets = [
        Socket::open(url, Some(&ann)).await,
        Socket::open(url, Some(&ben)).await,
    ];
    let vector = vectors::game(1);
    let mut position = text(&ann.game(&invite.game).await["position"]);
    for (n, moved) in vector.moves.iter().enumerate() {
        let played = sockets[moved.seat - 1]
            .play(&invite.game, &format!("m{n}"), &position, moved.index)
            .await;
        position = text(&played.expect("the move is taken")["position"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_frames_in_a_second_close_their_socket_and_disturb_nobody() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    let flood = async {
        for frame in [
            json!({ "channel": "ping" }),
            json!({ "channel": "watch_game", "payload": { "gameId": table.game } }),
            json!({ "channel": "new_game", "payload": { "kind": "chess" } }),
            table.game_move("same", &json!({ "position": "1-0000000000000000" })),
        ] {
            let mut raw = Raw::open(&url, &table.ann.token).await;
            let text = frame.to_string();
            for _ in 0..10_000 {
                if raw.try_send(Message::text(text.as_str())).await.is_err() {
                    break;
                }
            }
            let (frames, code) = raw.drain().await;
            assert_eq!(code, 4004, "{frame}");
            assert!((1..=400).contains(&frames), "{frames} answers to {frame}");
        }
    };
    tokio::join!(flood, play_through(&url));
    assert!(figure(&table.service, "turnstream_frames_limited_total").await > 0);
    table.must_be_untouched().await;
}

#[tokio::test]
async fn frames_above_the_rate_are_refused_by_their_ids_and_the_socket_lives() {
    let table = Table::laid(&["--frames-per-second=1", "--frames-burst=20"], 3).await;
    let (_, waiting) = table.to_move();
    let mut raw = Raw::open(&table.url(), &waiting.token).await;
    // One of twenty was `authenticate`.
    for n in 0..30 {
        let frame = table.game_move(&format!("m{n}"), &json!({}));
        raw.send(Message::text(frame.to_string())).await;
    }
    let mut answers = BTreeMap::new();
    for _ in 0..30 {
        let payload = raw.next().await.expect("the socket lives")["payload"].clone();
        answers.insert(text(&payload["id"]), text(&payload["type"]));
    }
    assert_eq!(answers.len(), 30, "each is answered: {answers:?}");
    for n in 0..19 {
        assert_eq!(answers[&format!("m{n}")], "/problems/not-your-turn");
    }
    assert!(
        answers.values().any(|kind| kind == "/problems/rate-limited"),
        "{answers:?}"
    );
    raw.send(Message::text("{\"channel\":\"ping\"}")).await;
    assert_eq!(raw.next().await.expect("pings are free")["channel"], "pong");
    table.must_be_untouched().await;
}

#[tokio::test]
async fn protocol_pings_are_not_endless_either() {
    let table = Table::laid(&[], 3).await;
    let mut raw = Raw::open(&table.url(), &table.ann.token).await;
    for _ in 0..5_000 {
        if raw.try_send(Message::Ping(vec![0; 100].into())).await.is_err() {
            break;
        }
    }
    assert_eq!(raw.drain().await.1, 4004);
    is_calm(&table.service);
    table.must_be_untouched().await;
}
