//! Commands that can be read and are not allowed, over a socket and over HTTP.

use serde_json::{Value, json};

use super::{Socket, Table, is_calm};
use crate::harness::Player;
use crate::harness::player::{Problem, text};

/// An answer over a socket: the frame's channel and the problem.
fn told(answer: Result<Value, Value>) -> (String, String) {
    let frame = answer.expect_err("it is refused");
    let kind = text(&frame["payload"]["type"]);
    (
        text(&frame["channel"]),
        kind.trim_start_matches("/problems/").to_owned(),
    )
}

fn refused(kind: &str) -> (String, String) {
    ("on_move_rejected".to_owned(), kind.to_owned())
}

/// An answer over HTTP: the status and the problem.
fn answered(answer: Result<Value, Problem>) -> (u16, String) {
    let problem = answer.expect_err("it is refused");
    assert_eq!(problem.body["status"], problem.status, "{problem:?}");
    (problem.status, problem.kind)
}

/// A pit of the player to move that is empty.
fn empty_pit(table: &Table) -> u8 {
    let own = if table.before["turnPlayerId"] == table.before["player1"]["userId"] {
        0..6
    } else {
        7..13_u8
    };
    let board = table.before["board"].as_array().expect("a board").clone();
    own.into_iter()
        .find(|pit| board[usize::from(*pit)] == 0)
        .expect("the vector's game has one by now")
}

#[tokio::test]
async fn a_move_that_the_rules_or_the_turn_forbid_is_refused_with_its_reason() {
    let table = Table::laid(&[], 9).await;
    let (mover, waiting) = table.to_move();
    let (game, position, good) = (&table.game, table.position(), table.next_move());
    let pits = [empty_pit(&table), 6, 13, 14, 99, 255];
    let theirs = if good < 6 { 7 } else { 0 };
    for (n, pit) in pits.into_iter().chain([theirs]).enumerate() {
        let refusal = mover.play(game, &format!("http{n}"), position, pit).await;
        assert_eq!(answered(refusal), (422, "illegal-move".to_owned()), "pit {pit}");
    }
    let refusal = waiting.play(game, "early", position, good).await;
    assert_eq!(answered(refusal), (409, "not-your-turn".to_owned()));
    let eve = Player::guest(table.url(), "Eve").await;
    let refusal = eve.play(game, "foreign", position, good).await;
    assert_eq!(answered(refusal), (403, "not-your-game".to_owned()));
    assert_eq!(
        answered(eve.leave(game, "leave").await),
        (403, "not-your-game".to_owned())
    );

    let mut socket = Socket::open(table.url(), Some(mover)).await;
    for (n, pit) in pits.into_iter().chain([theirs]).enumerate() {
        let refusal = socket.play(game, &format!("ws{n}"), position, pit).await;
        assert_eq!(told(refusal), refused("illegal-move"), "pit {pit}");
    }
    let mut socket = Socket::open(table.url(), Some(&eve)).await;
    assert_eq!(
        told(socket.play(game, "f2", position, good).await),
        refused("not-your-game")
    );
    let leave = json!({ "channel": "leave_game", "payload": { "gameId": game, "id": "f3" } });
    socket.send(leave).await;
    assert_eq!(told(socket.answer_to("f3").await), refused("not-your-game"));
    let nowhere = "01890000-0000-7000-8000-000000000000";
    assert_eq!(
        told(socket.play(nowhere, "f4", position, good).await),
        refused("not-found")
    );
    assert_eq!(
        answered(eve.play(nowhere, "f5", position, good).await),
        (404, "not-found".to_owned())
    );
    socket.ping().await;
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_move_decided_on_another_position_is_told_the_current_one() {
    let table = Table::laid(&[], 9).await;
    let (mover, _) = table.to_move();
    let (game, good) = (&table.game, table.next_move());
    let version = table.before["version"].as_u64().expect("a version");
    let writer = table.position().split_once('-').expect("a position").1;
    let stale = [
        format!("{}-{writer}", version - 1),
        format!("1-{writer}"),
        format!("0-{writer}"),
        format!("{}-{writer}", version + 1),
        format!("{}-{writer}", u64::MAX),
        format!("{version}-0000000000000000"),
    ];
    let mut socket = Socket::open(table.url(), Some(mover)).await;
    for (n, position) in stale.iter().enumerate() {
        let refusal = mover.play(game, &format!("http{n}"), position, good).await;
        let problem = refusal.expect_err("it is stale");
        assert_eq!(
            (problem.status, problem.kind.as_str()),
            (409, "stale-position"),
            "{position}"
        );
        assert_eq!(problem.body["game"]["position"], table.position(), "{position}");
        let frame = socket
            .play(game, &format!("ws{n}"), position, good)
            .await
            .expect_err("it is stale");
        assert_eq!(
            frame["payload"]["game"]["position"],
            table.position(),
            "{position}"
        );
        assert_eq!(told(Err(frame)), refused("stale-position"));
    }
    table.must_be_untouched().await;
}

#[tokio::test]
async fn what_this_game_does_not_have_is_refused() {
    let table = Table::laid(&[], 3).await;
    let (mover, _) = table.to_move();
    let path = |what: &str| format!("/games/{}/{what}", table.game);
    for (what, body, kind) in [
        ("draw-offer", json!({ "id": "d1" }), "no-draw-offers"),
        (
            "draw-answer",
            json!({ "id": "d2", "accept": true }),
            "no-draw-offers",
        ),
        ("seed", json!({ "id": "d3", "seed": "7" }), "no-seeds"),
    ] {
        assert_eq!(
            answered(mover.post(&path(what), &body).await),
            (409, kind.to_owned())
        );
    }
    let mut socket = Socket::open(table.url(), Some(mover)).await;
    for (channel, id, kind) in [
        ("offer_draw", "s1", "no-draw-offers"),
        ("answer_draw", "s2", "no-draw-offers"),
        ("client_seed", "s3", "no-seeds"),
    ] {
        let payload = json!({ "gameId": table.game, "id": id, "accept": true, "seed": "7" });
        socket
            .send(json!({ "channel": channel, "payload": payload }))
            .await;
        assert_eq!(told(socket.answer_to(id).await), refused(kind));
    }
    socket
        .send(json!({ "channel": "new_game", "payload": { "kind": "mancala" } }))
        .await;
    assert_eq!(
        socket.next("on_new_game_rejected").await["gameId"],
        table.game.as_str()
    );
    let another = mover
        .invite_to(&json!({ "kind": "mancala" }))
        .await
        .expect_err("they play already");
    assert_eq!((another.status, another.kind.as_str()), (409, "active-game"));
    assert_eq!(another.body["gameId"], table.game.as_str());
    table.must_be_untouched().await;
}

#[tokio::test]
async fn an_invitation_serves_its_guest_alone() {
    let table = Table::laid(&[], 3).await;
    let url = table.url();
    let (cid, dan, eve) = (
        Player::guest(&url, "Cid").await,
        Player::guest(&url, "Dan").await,
        Player::guest(&url, "Eve").await,
    );
    let invite = cid.invite().await;
    assert_eq!(
        answered(cid.join(&invite, "j1").await),
        (409, "own-invitation".to_owned())
    );
    let forged = |token: String| crate::harness::Invite {
        token,
        ..invite.clone()
    };
    let mut tokens = vec![
        String::new(),
        "x".to_owned(),
        invite.token.replace("invitation", "guest"),
        dan.token.clone(),
    ];
    tokens.extend([
        format!("{}A", invite.token),
        invite.token[..invite.token.len() - 2].to_owned(),
    ]);
    for token in tokens {
        assert_eq!(
            answered(eve.join(&forged(token), "j2").await),
            (404, "not-found".to_owned())
        );
    }
    let elsewhere = crate::harness::Invite {
        game: table.game.clone(),
        token: invite.token.clone(),
    };
    assert_eq!(
        answered(eve.join(&elsewhere, "j3").await),
        (404, "not-found".to_owned())
    );
    assert_eq!(
        answered(table.ann.join(&invite, "j4").await),
        (409, "active-game".to_owned())
    );
    dan.join(&invite, "j5").await.expect("the seat is free");
    assert_eq!(
        answered(eve.join(&invite, "j6").await),
        (409, "seat-taken".to_owned())
    );
    let used = dan.play(&invite.game, "m1", "0-0000000000000000", 7).await;
    assert_eq!(answered(used), (409, "stale-position".to_owned()));
    table.must_be_untouched().await;
}

#[tokio::test]
async fn a_game_that_is_over_takes_no_command() {
    let table = Table::laid(&[], 3).await;
    let game = &table.game;
    table.ann.leave(game, "bye").await.expect("a player may leave");
    for player in [&table.ann, &table.ben] {
        let late = player
            .play(game, "late", table.position(), table.next_move())
            .await;
        assert_eq!(answered(late), (409, "game-over".to_owned()));
        assert_eq!(
            answered(player.leave(game, "late2").await),
            (409, "game-over".to_owned())
        );
    }
    is_calm(&table.service);
}
