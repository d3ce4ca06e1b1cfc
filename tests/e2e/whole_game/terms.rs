//! Games on other terms, and players from elsewhere.

use serde_json::json;
use testkit::issuer::{AUDIENCE, TestIssuer};

use super::{Asking, is_the_whole_game, play_in_turns, two_guests};
use crate::harness::{Events, Player, Seen, Socket, World, eventually, vectors};

on_every_backend!(
    a_game_that_waits_for_the_log_is_played_to_its_end,
    a_user_of_the_issuer_plays_a_guest,
    the_inviter_may_sit_second,
);

async fn a_game_that_waits_for_the_log_is_played_to_its_end(world: World) {
    let service = world.start().await;
    let url = service.url();
    let vector = vectors::game(7);
    let (ann, ben) = two_guests(&url).await;
    let mut at_ann = Socket::open(&url, Some(&ann)).await;
    let terms = json!({ "kind": "mancala", "durability": "required" });
    let invite = ann.invite_to(&terms).await.expect("the terms are good");
    let game = invite.game.as_str();
    let joined = ben.join(&invite, "join").await.expect("the invitation is good");
    assert_eq!(joined["durable"], true);
    let asking = Asking::begin(&url, game);
    let start = at_ann.game_start().await;
    assert_eq!(
        (&start["durability"], &start["durableVersion"]),
        (&json!("required"), &json!(1))
    );
    let mut at_ben = Events::open(&url, game, None, Some(&ben)).await;
    let answers = play_in_turns(&vector, game, &mut at_ann, (&ben, &mut at_ben)).await;
    assert!(
        answers.iter().all(|answer| answer["durable"] == true),
        "{answers:?}"
    );

    assert_eq!(at_ben.drain().await, "end");
    for seen in [at_ann.whole_game(game).await, at_ben.seen(game)] {
        is_the_whole_game(&seen, &vector, [&ann, &ben]);
    }
    for frame in at_ann.everything() {
        if frame["channel"] == "on_game_update" || frame["channel"] == "on_game_ended" {
            let payload = &frame["payload"];
            assert!(
                payload["durableVersion"].as_u64() >= payload["version"].as_u64(),
                "shown before the log had it: {frame}"
            );
        }
    }
    let row = eventually("the row", async || world.row(game).await).await;
    assert_eq!(row["durability"], "required");
    asking.end().await;
}

async fn a_user_of_the_issuer_plays_a_guest(world: World) {
    let issuer = TestIssuer::start().await.expect("an issuer");
    let service = world
        .start_with(&[
            &format!("--oidc-issuer={}", issuer.url()),
            &format!("--oidc-audience={AUDIENCE}"),
        ])
        .await;
    let url = service.url();
    let vector = vectors::game(8);
    let in_2100 = 4_102_444_800;
    let token = issuer.user("5f0e2c9a", "kim", in_2100);
    let kim = Player::with_token(&url, "kc:5f0e2c9a", "kim", &token);
    let guest = Player::guest(&url, "Gil").await;
    let mut at_kim = Socket::open(&url, Some(&kim)).await;
    let invite = kim.invite().await;
    let game = invite.game.as_str();
    guest.join(&invite, "join").await.expect("the invitation is good");
    let start = at_kim.game_start().await;
    let user = json!({ "userId": "kc:5f0e2c9a", "name": "kim", "isGuest": false });
    assert_eq!(start["player1"], user);
    let mut at_guest = Events::open(&url, game, None, Some(&guest)).await;
    play_in_turns(&vector, game, &mut at_kim, (&guest, &mut at_guest)).await;

    let seen: Seen = at_kim.whole_game(game).await;
    is_the_whole_game(&seen, &vector, [&kim, &guest]);
    let row = eventually("the row", async || world.row(game).await).await;
    assert_eq!(row["players"][0]["user_id"], "kc:5f0e2c9a");
    assert_eq!(row["players"][0]["is_guest"], false);
    assert_eq!(kim.get("/games/me").await.1["games"][0]["id"], game);

    let forged = Player::with_token(&url, "kc:5f0e2c9a", "kim", &format!("{token}x"));
    assert_eq!(forged.get("/games/me").await.0, 401);
}

async fn the_inviter_may_sit_second(world: World) {
    let service = world.start().await;
    let (ann, ben) = two_guests(&service.url()).await;
    let terms = json!({ "kind": "mancala", "seat": "player2" });
    let invite = ann.invite_to(&terms).await.expect("the terms are good");
    ben.join(&invite, "join").await.expect("the invitation is good");
    let game = ann.game(&invite.game).await;
    assert_eq!(
        (&game["player1"]["userId"], &game["you"]),
        (&json!(ben.user_id), &json!("player2"))
    );
    let again = ben
        .join(&invite, "join")
        .await
        .expect("the same id gets the same answer");
    assert_eq!(again["version"], 1);
}
