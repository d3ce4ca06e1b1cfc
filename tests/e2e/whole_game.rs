//! Two guests play a whole game, one over WebSocket and one over REST with server-sent events, while others look on;
//! and what is left of it afterwards.

use std::sync::Arc;

use commands::ports::Clock;
use contract::Millis;
use serde_json::{Value, json};
use testkit::clock::FakeClock;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::harness::player::{get, play_vector, text};
use super::harness::vectors::{self, Vector};
use super::harness::{Events, Invite, Player, Seen, Socket, World, eventually, pass};

mod looking_on;
mod pairing;
mod resuming;
mod terms;

on_every_backend!(
    two_guests_play_to_the_end_while_others_look_on,
    a_live_game_is_gone_from_its_store_a_minute_after_its_end,
    an_end_that_is_delivered_again_changes_nothing,
);

async fn two_guests_play_to_the_end_while_others_look_on(world: World) {
    let service = world.start().await;
    let url = service.url();
    let vector = vectors::game(0);
    let (ann, ben) = two_guests(&url).await;
    let mut lister = Socket::open(&url, None).await;
    lister.send(json!({ "channel": "subscribe_live_games" })).await;
    assert_eq!(lister.next("on_live_games").await, json!({ "games": [] }));
    let mut at_ann = Socket::open(&url, Some(&ann)).await;

    let invite = ann.invite().await;
    let game = invite.game.as_str();
    assert_eq!(
        get(&format!("{url}/game/{game}")).await.0,
        404,
        "nobody joined yet"
    );
    let joined = ben.join(&invite, "join").await.expect("the invitation is good");
    assert_eq!((&joined["gameId"], &joined["version"]), (&json!(game), &json!(1)));
    let asking = Asking::begin(&url, game);
    let start = at_ann.game_start().await;
    is_the_start(&start, [&ann, &ben], game);
    let mut at_ben = Events::open(&url, game, None, Some(&ben)).await;
    let mut watcher = Socket::open(&url, None).await;
    watcher.watch(game, None).await;
    lister
        .next_where("on_live_games", |list| {
            list["games"][0]["id"] == game && list["games"][0]["spectatorCount"] == 1
        })
        .await;

    play_in_turns(&vector, game, &mut at_ann, (&ben, &mut at_ben)).await;

    assert_eq!(at_ben.drain().await, "end");
    let everybody = [
        at_ann.whole_game(game).await,
        at_ben.seen(game),
        watcher.whole_game(game).await,
    ];
    for seen in &everybody {
        is_the_whole_game(seen, &vector, [&ann, &ben]);
    }
    lister
        .next_where("on_live_games", |list| list["games"] == json!([]))
        .await;
    is_in_the_history(&world, game, &vector, [&ann, &ben]).await;
    let asked = asking.end().await;
    assert!(asked > 10, "the game was asked for all along, not {asked} times");
}

async fn a_live_game_is_gone_from_its_store_a_minute_after_its_end(world: World) {
    let clock = FakeClock::at(Millis(1_790_000_000_000));
    let service = world.start_inside(Arc::clone(&clock)).await;
    let vector = vectors::game(1);
    let (game, players) = played(&service.url(), &vector).await;
    let asking = Asking::begin(&service.url(), &game);
    let ended_at = clock.now();
    let key = async || world.live_key(&game).await;
    eventually("the row and the tombstone", async || {
        pass(&clock, 100).await;
        world.row(&game).await?;
        (key().await.as_deref() == Some("tombstone")).then_some(())
    })
    .await;

    pass(&clock, 55_000 - clock.now().since(ended_at) as u64).await;
    assert_eq!(
        key().await.as_deref(),
        Some("tombstone"),
        "who comes a moment later still finds it"
    );
    pass(&clock, 15_000).await;
    // A turn of the sweeper may fail when a store is slow to answer; the next one does it.
    eventually("the key is gone", async || {
        let gone = key().await.is_none().then_some(());
        pass(&clock, 500).await;
        gone
    })
    .await;

    is_the_record(
        &players[0].game(&game).await["record"],
        &vector,
        [&players[0], &players[1]],
    );
    asking.end().await;
    service.stop().await;
}

async fn an_end_that_is_delivered_again_changes_nothing(world: World) {
    let service = world.start().await;
    let vector = vectors::game(2);
    let (game, [ann, ben]) = played(&service.url(), &vector).await;
    let before = eventually("the row", async || world.row(&game).await).await;
    let reached = world.history_checkpoint().await;
    assert!(reached.is_some(), "it moved with the row");

    service.terminate().await;
    world.forget_history_checkpoint().await;
    service.restart().await;
    eventually("everything was read again", async || {
        (world.history_checkpoint().await == reached).then_some(())
    })
    .await;

    assert_eq!(world.row(&game).await, Some(before));
    assert_eq!(world.rows().await, 1);
    assert_eq!(service.status().await["deadLetters"], 0);
    is_the_record(&ann.game(&game).await["record"], &vector, [&ann, &ben]);
    let (_, mine) = ben.get("/games/me").await;
    assert_eq!(mine["games"].as_array().map(Vec::len), Some(1), "{mine}");
}

async fn two_guests(url: &str) -> (Player, Player) {
    (Player::guest(url, "Ann").await, Player::guest(url, "Ben").await)
}

/// A game of two new guests that has begun.
async fn begun(url: &str) -> (Invite, [Player; 2]) {
    let (ann, ben) = two_guests(url).await;
    let invite = ann.invite().await;
    ben.join(&invite, "join").await.expect("the invitation is good");
    (invite, [ann, ben])
}

/// A game of two new guests, played to its end over REST.
async fn played(url: &str, vector: &Vector) -> (String, [Player; 2]) {
    let (invite, [ann, ben]) = begun(url).await;
    play_vector([&ann, &ben], &invite.game, vector, vector.moves.len(), "m").await;
    (invite.game, [ann, ben])
}

/// Plays a game, each move with the position that the mover's own frames gave them: player 1 over their socket,
/// player 2 over REST. Every answer.
async fn play_in_turns(
    vector: &Vector,
    game: &str,
    first: &mut Socket,
    second: (&Player, &mut Events),
) -> Vec<Value> {
    let (ben, at_ben) = second;
    let mut answers = Vec::new();
    for (n, moved) in vector.moves.iter().enumerate() {
        let (version, id) = (n as u64 + 1, format!("m{n}"));
        let accepted = if moved.seat == 1 {
            let position = position_at(first, game, version).await;
            first
                .play(game, &id, &position, moved.index)
                .await
                .map_err(|frame| format!("{frame}"))
        } else {
            let position = if at_ben.everything().is_empty() || at_ben.seen(game).version < version {
                at_ben.until_version(version).await
            } else {
                at_ben.seen(game).position
            };
            ben.play(game, &id, &position, moved.index)
                .await
                .map_err(|problem| format!("{problem:?}"))
        };
        let accepted = accepted.unwrap_or_else(|refusal| panic!("move {n}: {refusal}"));
        assert_eq!((&accepted["id"], &accepted["gameId"]), (&json!(id), &json!(game)));
        // The last move makes two versions: itself and the end.
        let made = if moved.next.is_some() { 1 } else { 2 };
        assert_eq!(accepted["version"], version + made);
        answers.push(accepted);
    }
    answers
}

/// Waits until a socket has seen a version; the position it holds then.
async fn position_at(socket: &mut Socket, game: &str, version: u64) -> String {
    socket
        .until(&format!("version {version} of {game}"), |frames| {
            let seen = Seen::of(game, frames);
            (seen.version >= version).then_some(seen.position)
        })
        .await
}

fn is_the_start(live: &Value, players: [&Player; 2], game: &str) {
    assert_eq!(live["id"], game);
    assert_eq!(
        (&live["status"], &live["kind"]),
        (&json!("live"), &json!("mancala"))
    );
    assert_eq!((&live["version"], &live["moveCount"]), (&json!(1), &json!(0)));
    assert_eq!(live["board"], json!([4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0]));
    assert_eq!(live["turnPlayerId"], players[0].user_id);
    assert_eq!(live["you"], "player1");
    assert_eq!(live["turnTimeoutMs"], 300_000);
    for (seat, player) in ["player1", "player2"].into_iter().zip(players) {
        let summary = json!({ "userId": player.user_id, "name": player.name, "isGuest": true });
        assert_eq!(live[seat], summary);
        assert!(live["connections"][seat]["connected"].is_boolean(), "{live}");
    }
}

/// One whole state, every version after it, and the vector's moves.
fn is_the_whole_game(seen: &Seen, vector: &Vector, players: [&Player; 2]) {
    let moves = vector.moves.len() as u64;
    assert_eq!(seen.wholes, 1);
    assert_eq!(seen.versions, (2..=moves + 2).collect::<Vec<_>>());
    assert_eq!(seen.moves.len(), vector.moves.len());
    seen.agrees_with(vector, ids(players));
    let ended = seen.ended.as_ref().expect("it ended");
    assert_eq!(ended["result"], vector.result);
    assert_eq!(ended["endReason"], "completed");
    assert_eq!(&ended["board"], vector.board());
    assert_eq!(ended["game"]["moveCount"], moves);
}

async fn is_in_the_history(world: &World, game: &str, vector: &Vector, players: [&Player; 2]) {
    let row = eventually("the row", async || world.row(game).await).await;
    assert_eq!(world.rows().await, 1);
    let answer = players[1].game(game).await;
    assert_eq!(answer["status"], "finished");
    let record = &answer["record"];
    is_the_record(record, vector, players);
    assert_eq!(record["peakSpectators"], 1);
    assert_eq!(record["totalSpectators"], 1);
    is_the_row(&row, record, vector);
    for player in players {
        let (status, active) = player.get("/games/me/active").await;
        assert_eq!((status, active), (200, json!({ "game": null })));
        let (_, mine) = player.get("/games/me").await;
        let mine = mine["games"].as_array().expect("a list").clone();
        assert_eq!(mine.len(), 1, "{mine:?}");
        for (name, value) in mine[0].as_object().expect("a summary") {
            assert_eq!(value, &record[name], "{name}");
        }
    }
    let (_, popular) = players[0].get("/games/popular").await;
    assert_eq!(
        (&popular["kind"], &popular["games"][0]["id"]),
        (&json!("finished"), &json!(game))
    );
}

fn is_the_record(record: &Value, vector: &Vector, players: [&Player; 2]) {
    let moves = record["moves"].as_array().expect("a record has moves");
    assert_eq!(moves.len(), vector.moves.len());
    vector.agrees_with(moves, ids(players));
    assert_eq!(record["result"], vector.result);
    assert_eq!(record["endReason"], "completed");
    assert_eq!(record["moveCount"], vector.moves.len());
    assert_eq!(&record["board"], vector.board());
    for (seat, player) in ["player1", "player2"].into_iter().zip(players) {
        assert_eq!(record[seat]["userId"], player.user_id);
        assert_eq!(record[seat]["name"], player.name);
    }
}

/// The row holds what the record shows, in its own form.
fn is_the_row(row: &Value, record: &Value, vector: &Vector) {
    let same = [
        ("kind", "kind"),
        ("rules", "rules"),
        ("result", "result"),
        ("end_reason", "endReason"),
        ("started_at", "startedAt"),
        ("ended_at", "endedAt"),
        ("move_count", "moveCount"),
        ("final_board", "board"),
        ("peak_spectators", "peakSpectators"),
        ("total_spectators", "totalSpectators"),
    ];
    for (column, field) in same {
        assert_eq!(row[column], record[field], "{column}");
    }
    assert_eq!(row["left_user_id"], Value::Null);
    assert_eq!(
        (&row["origin"], &row["durability"]),
        (&json!("invitation"), &json!("best_effort"))
    );
    let moves = vector
        .moves
        .iter()
        .zip(record["moves"].as_array().expect("moves"));
    let moves: Vec<Value> = moves
        .map(|(moved, seen)| json!({ "seat": format!("player{}", moved.seat), "move": moved.index, "at": seen["at"] }))
        .collect();
    assert_eq!(row["moves"], json!(moves));
    for (n, seat) in ["player1", "player2"].into_iter().enumerate() {
        let player = &record[seat];
        assert_eq!(row[format!("{seat}_id")], player["userId"]);
        let stored = json!({
            "seat": n + 1, "user_id": player["userId"], "name": player["name"], "is_guest": player["isGuest"],
        });
        assert_eq!(row["players"][n], stored);
    }
}

fn ids(players: [&Player; 2]) -> [&str; 2] {
    players.map(|player| player.user_id.as_str())
}

/// Somebody who asks for a game all the time, and to whom it is never unknown.
struct Asking {
    stop: CancellationToken,
    asking: JoinSet<u32>,
}

impl Asking {
    fn begin(url: &str, game: &str) -> Self {
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let url = format!("{url}/game/{game}");
        let mut asking = JoinSet::new();
        asking.spawn(async move {
            let mut times = 0;
            while !stopped.is_cancelled() {
                let (status, body) = get(&url).await;
                assert_eq!(status, 200, "{body}");
                let id = if body["status"] == "live" {
                    &body["id"]
                } else {
                    &body["record"]["id"]
                };
                assert!(url.ends_with(&text(id)), "{body}");
                times += 1;
            }
            times
        });
        Self { stop, asking }
    }

    async fn end(mut self) -> u32 {
        self.stop.cancel();
        let asked = self.asking.join_next().await.expect("it was begun");
        asked.expect("the game is always there")
    }
}
