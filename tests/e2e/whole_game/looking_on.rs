//! Spectators, and the list of live games.

use serde_json::{Value, json};

use super::{begun, two_guests};
use crate::harness::player::play_vector;
use crate::harness::{Events, Player, Socket, World, eventually, vectors};

on_every_backend!(
    spectators_are_counted_while_they_look_on,
    the_most_watched_games_are_listed_until_they_end,
    a_newer_socket_of_a_seat_closes_the_older_one,
);

async fn spectators_are_counted_while_they_look_on(world: World) {
    let service = world.start().await;
    let url = service.url();
    let (invite, [ann, ben]) = begun(&url).await;
    let game = invite.game.as_str();
    let mut at_ann = Socket::open(&url, Some(&ann)).await;
    at_ann.watch(game, None).await;
    let cid = Player::guest(&url, "Cid").await;

    let mut known = Socket::open(&url, Some(&cid)).await;
    known.watch(game, None).await;
    counts(&mut at_ann, game, (1, 1, 1)).await;
    let mut known_again = Socket::open(&url, Some(&cid)).await;
    known_again.watch(game, None).await;
    known_again.next("on_game_start").await;
    let stream = Events::open(&url, game, None, None).await;
    counts(&mut at_ann, game, (2, 2, 2)).await;
    let mut anonymous = Socket::open(&url, None).await;
    anonymous.watch(game, None).await;
    counts(&mut at_ann, game, (3, 3, 3)).await;
    assert_eq!(ann.game(game).await["spectatorCount"], 3);

    drop(stream);
    counts(&mut at_ann, game, (2, 3, 3)).await;
    anonymous
        .send(json!({ "channel": "unwatch_game", "payload": { "gameId": game } }))
        .await;
    counts(&mut at_ann, game, (1, 3, 3)).await;
    known.close().await;
    known_again.close().await;
    counts(&mut at_ann, game, (0, 3, 3)).await;

    ann.leave(game, "leave").await.expect("a player may leave");
    let record = eventually("the record", async || {
        let answer = ben.game(game).await;
        (answer["status"] == "finished").then(|| answer["record"].clone())
    })
    .await;
    assert_eq!(
        (&record["peakSpectators"], &record["totalSpectators"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(
        (&record["endReason"], &record["result"]),
        (&json!("left"), &json!("player2"))
    );
    assert_eq!(record["leftUserId"], ann.user_id);
    assert_eq!(
        at_ann.whole_game(game).await.ended.expect("it ended")["leftUserId"],
        ann.user_id
    );
}

/// Now, peak and total, as everybody in a game is told.
async fn counts(socket: &mut Socket, game: &str, (now, peak, total): (u32, u32, u32)) {
    let told = [json!(game), json!(now), json!(peak), json!(total)];
    let told = ["gameId", "now", "peak", "total"].into_iter().zip(told);
    let payload = socket
        .next_where("on_spectators", |payload| {
            told.clone().all(|(field, value)| payload[field] == value)
        })
        .await;
    assert!(payload["durableVersion"].is_u64(), "{payload}");
}

async fn the_most_watched_games_are_listed_until_they_end(world: World) {
    let service = world.start().await;
    let url = service.url();
    let mut lister = Socket::open(&url, None).await;
    lister.send(json!({ "channel": "subscribe_live_games" })).await;
    let (one, [ann, ben]) = begun(&url).await;
    let (two, [cid, dan]) = begun(&url).await;
    let (one, two) = (one.game.as_str(), two.game.as_str());

    // The one that moved last comes first, until the other is watched.
    lists(&mut lister, &[two, one]).await;
    play_vector([&ann, &ben], one, &vectors::game(0), 3, "a").await;
    lists(&mut lister, &[one, two]).await;
    let mut watcher = Socket::open(&url, None).await;
    watcher.watch(two, None).await;
    lists(&mut lister, &[two, one]).await;
    let (_, popular) = ann.get("/games/popular?limit=1").await;
    assert_eq!(popular["kind"], "live");
    assert_eq!(popular["games"][0]["id"], two);
    assert_eq!(popular["games"][0]["spectatorCount"], 1);
    assert_eq!(popular["games"].as_array().map(Vec::len), Some(1));

    cid.leave(two, "leave").await.expect("a player may leave");
    lists(&mut lister, &[one]).await;
    ben.leave(one, "leave").await.expect("a player may leave");
    lists(&mut lister, &[]).await;
    lister.send(json!({ "channel": "unsubscribe_live_games" })).await;
    lister.executed().await;
    let before = lister.everything().len();
    let third = dan.invite().await;
    cid.join(&third, "join").await.expect("both are free again");
    eventually("the game is listed", async || {
        let (_, popular) = ann.get("/games/popular").await;
        (popular["games"][0]["id"] == third.game).then_some(())
    })
    .await;
    lister.ping().await;
    let since = &lister.everything()[before..];
    assert_eq!(since, [json!({ "channel": "pong" })]);
}

async fn lists(lister: &mut Socket, games: &[&str]) {
    let ids = |list: &Value| -> Vec<String> {
        let games = list["games"].as_array().expect("a list");
        games
            .iter()
            .map(|game| game["id"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    lister
        .next_where("on_live_games", |list| ids(list) == games)
        .await;
}

async fn a_newer_socket_of_a_seat_closes_the_older_one(world: World) {
    let service = world.start().await;
    let url = service.url();
    let (ann, ben) = two_guests(&url).await;
    let mut older = Socket::open(&url, Some(&ann)).await;
    let invite = ann.invite().await;
    ben.join(&invite, "join").await.expect("the invitation is good");
    older.game_start().await;

    let mut newer = Socket::open(&url, Some(&ann)).await;
    assert_eq!(
        newer.everything()[0]["payload"]["activeGameId"],
        json!(invite.game)
    );
    newer.watch(&invite.game, None).await;
    let game = newer.game_start().await;
    assert_eq!(game["connections"]["player1"]["connected"], true);
    assert_eq!(older.closed().await, 4001);
    let position = game["position"].as_str().expect("a position");
    newer
        .play(&invite.game, "m0", position, 1)
        .await
        .expect("the seat moved over");

    // An event stream takes nobody's seat.
    let mut stream = Events::open(&url, &invite.game, None, Some(&ann)).await;
    stream.next().await;
    newer.ping().await;
    assert_eq!(newer.close_code(), None);
}
