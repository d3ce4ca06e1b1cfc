//! The queue.

use serde_json::{Value, json};

use super::{is_the_start, two_guests};
use crate::harness::{Player, Service, Socket, World};

on_every_backend!(
    two_who_wait_are_paired,
    who_left_the_queue_is_not_paired,
    who_plays_gets_no_second_game,
);

/// How many wait, as operators see it.
async fn seeks(service: &Service) -> Value {
    service.status().await["seeks"].clone()
}

async fn two_who_wait_are_paired(world: World) {
    let service = world.start().await;
    let (ann, ben) = two_guests(&service.url()).await;
    let mut at_ann = Socket::open(service.url(), Some(&ann)).await;
    let mut at_ben = Socket::open(service.url(), Some(&ben)).await;
    assert_eq!(seeks(&service).await, 0);
    seek(&mut at_ann).await;
    let waiting = json!({ "kind": "mancala", "timeControl": { "type": "unlimited" } });
    assert_eq!(at_ann.next("on_waiting").await, waiting);
    // Nobody is paired with themselves.
    seek(&mut at_ann).await;
    assert_eq!(at_ann.next("on_waiting").await, waiting);
    assert_eq!(seeks(&service).await, 1);
    seek(&mut at_ben).await;

    let start = at_ann.game_start().await;
    let game = start["id"].as_str().expect("an id").to_owned();
    is_the_start(&start, [&ann, &ben], &game);
    assert_eq!(seeks(&service).await, 0);
    let other = at_ben.game_start().await;
    assert_eq!((&other["id"], &other["you"]), (&start["id"], &json!("player2")));
    assert_eq!(ben.get("/games/me/active").await.1["game"]["id"], start["id"]);
}

async fn who_left_the_queue_is_not_paired(world: World) {
    let service = world.start().await;
    let (ann, ben) = two_guests(&service.url()).await;
    let cid = Player::guest(service.url(), "Cid").await;
    let mut at_ann = Socket::open(service.url(), Some(&ann)).await;
    let mut at_ben = Socket::open(service.url(), Some(&ben)).await;
    let mut at_cid = Socket::open(service.url(), Some(&cid)).await;
    seek(&mut at_ann).await;
    at_ann.next("on_waiting").await;
    at_ann.send(json!({ "channel": "cancel_new_game" })).await;
    at_ann.executed().await;
    assert_eq!(seeks(&service).await, 0);
    seek(&mut at_ben).await;
    at_ben.next("on_waiting").await;
    seek(&mut at_cid).await;

    let start = at_cid.game_start().await;
    assert_eq!(start["player1"]["userId"], ben.user_id);
    assert_eq!(ann.get("/games/me/active").await.1, json!({ "game": null }));
}

async fn who_plays_gets_no_second_game(world: World) {
    let service = world.start().await;
    let (ann, ben) = two_guests(&service.url()).await;
    let cid = Player::guest(service.url(), "Cid").await;
    let mut at_ann = Socket::open(service.url(), Some(&ann)).await;
    let (early, late) = (ann.invite().await, ben.invite().await);
    cid.join(&early, "join").await.expect("the invitation is good");
    let game = at_ann.game_start().await["id"].clone();

    seek(&mut at_ann).await;
    assert_eq!(
        at_ann.next("on_new_game_rejected").await,
        json!({ "gameId": game })
    );
    let refused = ann
        .invite_to(&json!({ "kind": "mancala" }))
        .await
        .expect_err("she plays");
    assert_eq!((refused.status, refused.kind.as_str()), (409, "active-game"));
    assert_eq!(refused.body["gameId"], game);
    let refused = ann.join(&late, "join").await.expect_err("she plays");
    assert_eq!((refused.status, refused.kind.as_str()), (409, "active-game"));

    cid.leave(&early.game, "leave").await.expect("a player may leave");
    ann.join(&late, "join").await.expect("she is free again");
}

async fn seek(socket: &mut Socket) {
    let payload: Value = json!({ "kind": "mancala" });
    socket
        .send(json!({ "channel": "new_game", "payload": payload }))
        .await;
}
