//! What a standby answers.

use serde_json::{Value, json};

use super::{start_standby, tables};
use crate::harness::{Events, Player, Problem, Socket, World, eventually};
use crate::kill::{Table, caught_up};

/// The first player of a game, at the standby.
struct Guest<'a> {
    table: &'a Table,
    player: Player,
}

impl<'a> Guest<'a> {
    fn of(table: &'a Table, standby: &str) -> Self {
        let player = table.players[0].at(standby);
        Self { table, player }
    }

    async fn get(&self, path: &str) -> Value {
        let (status, body) = self.player.get(path).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// The game here, once it has every move.
    async fn up_to_date(&self) -> Value {
        let there = self.table.players[0].game(&self.table.game).await;
        let path = format!("/game/{}", self.table.game);
        let here = async || {
            let here = self.get(&path).await;
            (here["version"] == there["version"]).then_some(here)
        };
        eventually("the standby has what the log has", here).await
    }
}

/// A game without what only the process knows that holds it.
fn essence(mut game: Value) -> Value {
    let fields = game.as_object_mut().expect("a game is an object");
    for known_there in ["connections", "spectatorCount"] {
        fields.remove(known_there);
    }
    game
}

fn refused<T: std::fmt::Debug>(answer: Result<T, Problem>) -> (u16, String) {
    let problem = answer.expect_err("a standby decides nothing");
    (problem.status, problem.kind)
}

async fn it_begins_no_game(guest: &Guest<'_>) {
    let standby = (503, "standby".to_owned());
    let invitation = guest.player.invite_to(&json!({ "kind": "mancala" })).await;
    assert_eq!(refused(invitation), standby);
    let stranger = Player::guest(&guest.player.url, "stranger").await;
    let host = Player::guest(&guest.table.players[0].url, "host").await;
    let link = host.invite().await;
    assert_eq!(refused(stranger.join(&link, "join").await), standby);
    let mut socket = Socket::open(&guest.player.url, Some(&stranger)).await;
    let seek = json!({ "channel": "new_game", "payload": { "kind": "mancala" } });
    socket.send(seek).await;
    assert_eq!(socket.next("on_error").await["type"], "/problems/standby");
}

async fn it_takes_no_command(guest: &Guest<'_>) {
    let elsewhere = (409, "game-elsewhere".to_owned());
    let (game, position) = (&guest.table.game, &guest.table.position);
    let moved = guest.player.play(game, "m", position, 0).await;
    assert_eq!(refused(moved), elsewhere);
    assert_eq!(refused(guest.player.leave(game, "l").await), elsewhere);
    let mut socket = Socket::open(&guest.player.url, Some(&guest.player)).await;
    let refused = socket.play(game, "s", position, 0).await;
    let refused = refused.expect_err("a standby decides nothing");
    assert_eq!(refused["payload"]["type"], "/problems/game-elsewhere");
}

async fn it_shows_a_live_game(guest: &Guest<'_>) {
    let game = &guest.table.game;
    let here = guest.up_to_date().await;
    let there = guest.table.players[0].game(game).await;
    assert_eq!(essence(here), essence(there));
    let path = format!("/games/{game}/moves");
    let (_, there) = guest.table.players[0].get(&path).await;
    assert_eq!(guest.get(&path).await, there);
    let mut socket = Socket::open(&guest.player.url, Some(&guest.player)).await;
    socket.watch(game, None).await;
    assert_eq!(socket.next("resync").await["game"]["id"], game.as_str());
    let mut events = Events::open(&guest.player.url, game, None, None).await;
    let (_, whole) = events.next().await;
    assert_eq!(whole["payload"]["game"]["id"], game.as_str());
}

async fn it_lists_a_live_game(guest: &Guest<'_>) {
    let game = &guest.table.game;
    let popular = guest.get("/games/popular?limit=20").await;
    assert_eq!(popular["kind"], "live", "{popular}");
    let mut games = popular["games"].as_array().expect("a list").iter();
    let listed = games.find(|listed| listed["id"] == game.as_str());
    let listed = listed.unwrap_or_else(|| panic!("{game} is not in {popular}"));
    assert_eq!(listed["moveCount"], guest.table.played());
    let active = guest.get("/games/me/active").await;
    assert_eq!(active["game"]["id"], game.as_str());
}

/// Whoever watches, watches where the game is held.
async fn it_shows_how_many_watch(guest: &Guest<'_>) {
    let game = guest.table.game.as_str();
    let mut fan = Socket::open(&guest.table.players[0].url, None).await;
    fan.watch(game, None).await;
    let counted = async |spectators: u64| {
        let shown = async || {
            let here = guest.get(&format!("/game/{game}")).await;
            (here["spectatorCount"] == spectators).then_some(())
        };
        eventually("the standby knows how many watch", shown).await;
    };
    counted(1).await;
    let popular = guest.get("/games/popular?limit=1").await;
    assert_eq!(popular["games"][0]["id"], game, "{popular}");
    assert_eq!(popular["games"][0]["spectatorCount"], 1, "{popular}");
    drop(fan);
    counted(0).await;
}

async fn it_shows_a_finished_game(guest: &Guest<'_>) {
    let game = guest.table.game.as_str();
    let mine = guest.get("/games/me").await;
    assert_eq!(mine["games"][0]["id"], game, "{mine}");
    assert_eq!(guest.get(&format!("/game/{game}")).await["status"], "finished");
    let moves = guest.get(&format!("/games/{game}/moves")).await;
    assert_eq!(moves["moves"], json!([]));
    assert_eq!(guest.get("/games/me/active").await["game"], Value::Null);
}

async fn a_standby_decides_nothing_and_answers_every_read(world: World) {
    let first = world.start().await;
    let mut tables = tables(&first, 3).await;
    tables[0].finish().await;
    caught_up(&first, &["live", "history"]).await;
    let standby = start_standby(&world, &[]).await;
    let live = Guest::of(&tables[1], &standby.url());
    it_shows_a_live_game(&live).await;
    it_lists_a_live_game(&live).await;
    it_shows_how_many_watch(&live).await;
    it_begins_no_game(&live).await;
    it_takes_no_command(&live).await;
    it_shows_a_finished_game(&Guest::of(&tables[0], &standby.url())).await;
    assert_eq!(standby.status().await["liveGames"], 0);
}

async fn a_standby_follows_what_happens(world: World) {
    let first = world.start().await;
    let standby = start_standby(&world, &[]).await;
    let mut socket = Socket::open(standby.url(), None).await;
    socket.send(json!({ "channel": "subscribe_live_games" })).await;
    assert_eq!(socket.next("on_live_games").await["games"], json!([]));
    let mut table = tables(&first, 1).await.remove(0);
    let shown = |moves: usize| {
        let game = table.game.clone();
        move |list: &Value| list["games"][0]["id"] == game.as_str() && list["games"][0]["moveCount"] == moves
    };
    let (three, four) = (shown(3), shown(4));
    socket.next_where("on_live_games", three).await;
    table.play_to(4).await;
    socket.next_where("on_live_games", four).await;
    it_shows_a_live_game(&Guest::of(&table, &standby.url())).await;
    table.finish().await;
    socket
        .next_where("on_live_games", |list| list["games"] == json!([]))
        .await;
    caught_up(&first, &["history"]).await;
    it_shows_a_finished_game(&Guest::of(&table, &standby.url())).await;
}

async fn a_standby_answers_from_memory_while_valkey_is_away(world: World) {
    let first = world.start().await;
    let standby = start_standby(&world, &[]).await;
    let mut table = tables(&first, 1).await.remove(0);
    Guest::of(&table, &standby.url()).up_to_date().await;
    let valkey = world.valkey.as_ref().expect("a world of servers has Valkey");
    valkey.stop().await.expect("it stops");
    table.play_to(5).await;
    let guest = Guest::of(&table, &standby.url());
    guest.up_to_date().await;
    it_shows_a_live_game(&guest).await;
    it_lists_a_live_game(&guest).await;
    valkey.restart().await.expect("it starts again");
    table.finish().await;
}

on_one_node_and_on_three!(
    a_standby_decides_nothing_and_answers_every_read,
    a_standby_follows_what_happens,
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_valkey() {
    Box::pin(a_standby_answers_from_memory_while_valkey_is_away(
        World::servers().await,
    ))
    .await;
}
