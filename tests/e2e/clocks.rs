//! Games with clocks: agreed on, charged, kept over a crash, and ended when a player's time is up.

use std::time::Duration;

use contract::Millis;
use serde_json::{Value, json};

use crate::harness::log_check::Stores;
use crate::harness::{Events, Player, Socket, World, eventually};
use crate::kill::caught_up;

/// The shortest that may be agreed on.
const TEN_SECONDS_MS: i64 = 10_000;

/// A flag falls at most so long after its instant. What is promised is 50 ms, and tests on a clock of their own show that
/// it falls at the millisecond; here the machine may be busy with other tests.
const LATE_MS: i64 = 1_000;

/// How long each thinks about the first move, at least.
const A_MOMENT: Duration = Duration::from_millis(20);

/// Leaves the turn to the other player.
const PLAIN: [u8; 2] = [0, 7];

fn ten_seconds() -> Value {
    json!({ "type": "suddenDeath", "initialS": 10 })
}

fn ms(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no time: {value}"))
}

fn position(answer: &Value) -> String {
    answer["position"].as_str().expect("a position").to_owned()
}

async fn seek(socket: &mut Socket, control: &Value) {
    let payload = json!({ "kind": "mancala", "timeControl": control });
    socket
        .send(json!({ "channel": "new_game", "payload": payload }))
        .await;
}

/// Two guests whose sockets are paired on these terms.
async fn paired(url: &str, control: &Value) -> (Value, [Socket; 2], [Player; 2]) {
    let players = [Player::guest(url, "Ann").await, Player::guest(url, "Ben").await];
    let mut sockets = [
        Socket::open(url, Some(&players[0])).await,
        Socket::open(url, Some(&players[1])).await,
    ];
    seek(&mut sockets[0], control).await;
    assert_eq!(&sockets[0].next("on_waiting").await["timeControl"], control);
    seek(&mut sockets[1], control).await;
    let game = sockets[0].game_start().await;
    (game, sockets, players)
}

async fn a_player_whose_time_is_up_loses_at_that_instant(world: World) {
    let service = world.start().await;
    let (start, [mut at_ann, mut at_ben], [ann, _]) = paired(&service.url(), &ten_seconds()).await;
    let game = start["id"].as_str().expect("an id").to_owned();
    assert_eq!(start["timeControl"], ten_seconds());
    let left = &start["clocks"]["remainingMs"];
    // What is shown is as of now, and the first clock runs since the start.
    assert!(
        (TEN_SECONDS_MS - LATE_MS..=TEN_SECONDS_MS).contains(&ms(&left["player1"])),
        "{start}"
    );
    assert_eq!(left["player2"], TEN_SECONDS_MS);
    assert_eq!(start["clocks"]["running"]["seat"], "player1");

    tokio::time::sleep(A_MOMENT).await;
    let first = at_ann.play(&game, "a1", &position(&start), PLAIN[0]).await;
    let first = first.expect("it is in time");
    tokio::time::sleep(A_MOMENT).await;
    at_ben
        .play(&game, "b1", &position(&first), PLAIN[1])
        .await
        .expect("it is in time");
    let update = at_ben
        .next_where("on_game_update", |update| update["version"] == 3)
        .await;
    let clocks = &update["change"]["clocks"];
    let (left, running) = (&clocks["remainingMs"], &clocks["running"]);
    let charged = 1..=TEN_SECONDS_MS - A_MOMENT.as_millis() as i64;
    assert!(charged.contains(&ms(&left["player1"])), "{clocks}");
    assert!(charged.contains(&ms(&left["player2"])), "{clocks}");
    assert_eq!(running["seat"], "player1");
    let instant = ms(&running["since"]) + ms(&left["player1"]);
    let mut looking_on = Events::open(&service.url(), &game, None, None).await;

    for socket in [&mut at_ben, &mut at_ann] {
        let ended = socket.next("on_game_ended").await;
        assert_eq!(
            (&ended["result"], &ended["endReason"], &ended["leftUserId"]),
            (&json!("player2"), &json!("flag"), &Value::Null)
        );
        let late = ms(&ended["game"]["endedAt"]) - instant;
        println!("{late} ms after the instant");
        assert!((0..=LATE_MS).contains(&late), "{late} ms late");
    }
    assert_eq!(looking_on.drain().await, "end");
    let too_late = ann.play(&game, "a2", "3-0000000000000000", 1).await;
    assert_eq!(too_late.expect_err("it is over").kind, "game-over");
    let record = &ann.game(&game).await["record"];
    assert_eq!(
        (&record["endReason"], &record["moveCount"]),
        (&json!("flag"), &json!(2))
    );
    let row = eventually("the row", async || world.row(&game).await).await;
    assert_eq!(row["end_reason"], "flag");
    caught_up(&service, &["live", "history"]).await;
    service.terminate().await;
    let stores = Stores::of(&world).await;
    let log = stores.checked_log().await;
    assert_eq!(log.game(&game).names(), ["started", "moved", "moved", "ended"]);
    let end = log.game(&game).state.clocks.expect("it had clocks");
    assert_eq!((end.remaining_ms.player1, end.running), (0, None));
    stores.check_rows(&log).await;
    stores.close().await;
}

async fn a_game_that_is_killed_in_the_middle_of_a_turn_keeps_its_clocks(world: World) {
    const THOUGHT: Duration = Duration::from_secs(3);
    const AWAY: Duration = Duration::from_secs(5);
    let service = world.start().await;
    let url = service.url();
    let (ann, ben) = (Player::guest(&url, "Ann").await, Player::guest(&url, "Ben").await);
    let terms = json!({ "kind": "mancala", "timeControl": ten_seconds() });
    let invite = ann.invite_to(&terms).await.expect("the terms are good");
    let joined = ben.join(&invite, "join").await.expect("the game begins");
    let game = invite.game.as_str();
    ann.play(game, "a1", &position(&joined), PLAIN[0])
        .await
        .expect("it is in time");
    let before = ben.game(game).await;
    let had = before["clocks"]["remainingMs"].clone();
    // Ben thinks. What others do meanwhile is the last that is heard of the process.
    tokio::time::sleep(THOUGHT).await;
    let others = [Player::guest(&url, "Cem").await, Player::guest(&url, "Dan").await];
    let other = others[0].invite().await;
    others[1].join(&other, "join").await.expect("the game begins");
    service.kill().await;
    tokio::time::sleep(AWAY).await;
    service.restart().await;

    let at = ben.at(service.url());
    let after = at.game(game).await;
    let clocks = &after["clocks"];
    assert_eq!(
        clocks["remainingMs"]["player1"], had["player1"],
        "hers did not run"
    );
    assert_eq!(clocks["running"]["seat"], "player2");
    let thought = ms(&had["player2"]) - ms(&clocks["remainingMs"]["player2"]);
    // He pays for his thought, and, as long as it may take to be ready and to answer, for what came after.
    let thought_ms = THOUGHT.as_millis() as i64;
    let away_ms = AWAY.as_millis() as i64;
    assert!(
        (thought_ms..thought_ms + away_ms - 1_000).contains(&thought),
        "{thought} ms"
    );
    let instant = Millis(ms(&clocks["running"]["since"]) + ms(&clocks["remainingMs"]["player2"]));
    let record = eventually("its end", async || {
        let now = at.game(game).await;
        now["record"].is_object().then(|| now["record"].clone())
    })
    .await;
    assert_eq!(
        (&record["endReason"], &record["result"]),
        (&json!("flag"), &json!("player1"))
    );
    let late = Millis(ms(&record["endedAt"])).since(instant);
    // The view's instant is a millisecond or two younger or older than the clock, which is read twice for it.
    assert!((-2..=LATE_MS).contains(&late), "{late} ms late");

    caught_up(&service, &["live", "history"]).await;
    service.terminate().await;
    let stores = Stores::of(&world).await;
    let log = stores.checked_log().await;
    assert_eq!(log.game(game).names(), ["started", "moved", "resumed", "ended"]);
    stores.check_rows(&log).await;
    stores.close().await;
}

async fn only_times_within_the_bounds_can_be_agreed_on(world: World) {
    let service = world.start().await;
    let ann = Player::guest(service.url(), "Ann").await;
    let mut at_ann = Socket::open(service.url(), Some(&ann)).await;
    for (control, said) in [
        (
            json!({ "type": "suddenDeath", "initialS": 9 }),
            "10 to 10800 seconds, not 9",
        ),
        (
            json!({ "type": "perMove", "seconds": 10_801 }),
            "10 to 10800 seconds, not 10801",
        ),
        (
            json!({ "type": "fischer", "initialS": 60, "incrementS": 181 }),
            "0 to 180 seconds, not 181",
        ),
        (json!({ "type": "hourglass" }), "hourglass"),
    ] {
        let terms = json!({ "kind": "mancala", "timeControl": control });
        let refused = ann.invite_to(&terms).await.expect_err("it is out of bounds");
        assert_eq!((refused.status, refused.kind.as_str()), (400, "bad-request"));
        let detail = refused.body["detail"].as_str().expect("it says why");
        assert!(detail.contains(said), "{detail}");
        seek(&mut at_ann, &control).await;
        at_ann
            .next_where("on_error", |error| {
                error["detail"]
                    .as_str()
                    .is_some_and(|detail| detail.contains(said))
            })
            .await;
    }
}

on_every_backend!(
    a_player_whose_time_is_up_loses_at_that_instant,
    a_game_that_is_killed_in_the_middle_of_a_turn_keeps_its_clocks,
    only_times_within_the_bounds_can_be_agreed_on,
);
