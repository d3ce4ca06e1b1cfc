//! Games of dice chess: from seeds to the reveal, over a crash in the middle of a turn, and for anybody to check.

use contract::Event;
use serde_json::{Value, json};

use crate::harness::log_check::Stores;
use crate::harness::operator::well;
use crate::harness::player::{get, text};
use crate::harness::turns::{captures_king, turns};
use crate::harness::{Player, Service, Socket, World, eventually};
use crate::kill::{caught_up, converged};
use verifying::{said_of_a_forged_record, verify};

mod needles;
mod secrecy;
mod seeds;
mod verifying;

/// A table with its players, before the first throw.
struct Table {
    game: String,
    players: [Player; 2],
}

async fn table_of(url: &str) -> Table {
    let players = [Player::guest(url, "Ann").await, Player::guest(url, "Ben").await];
    let terms = json!({ "kind": "dicechess" });
    let invite = players[0].invite_to(&terms).await.expect("the terms are good");
    players[1].join(&invite, "join").await.expect("the game begins");
    Table {
        game: invite.game,
        players,
    }
}

impl Table {
    async fn post(&self, seat: usize, what: &str, body: Value) -> Value {
        let path = format!("/games/{}/{what}", self.game);
        let answer = self.players[seat].post(&path, &body).await;
        answer.unwrap_or_else(|problem| panic!("{path} {body}: {problem:?}"))
    }

    /// Both give a seed, upon which the dice are thrown.
    async fn give_seeds(&self) {
        for seat in [0, 1] {
            let seed = format!("seat {seat} shakes the dice well");
            self.post(seat, "seed", json!({ "id": "seed", "seed": seed }))
                .await;
        }
    }

    async fn seen(&self) -> Value {
        self.players[0].game(&self.game).await
    }

    /// Who is to do something now.
    fn to_move(&self, view: &Value) -> usize {
        let id = text(&view["turnPlayerId"]);
        self.players
            .iter()
            .position(|player| player.user_id == id)
            .expect("a player")
    }

    /// The first legal turn of the whole tree, and if there is one, of those that let the game go on.
    async fn legal_turn(&self) -> Vec<String> {
        let (status, body) = self.players[0].get(&format!("/games/{}/moves", self.game)).await;
        assert_eq!(status, 200, "{body}");
        let board = text(&self.seen().await["board"]);
        let all = turns(&body["moves"]);
        let goes_on = all.iter().find(|turn| !captures_king(&board, turn));
        goes_on.or(all.first()).cloned().unwrap_or_default()
    }

    /// Plays the first legal turn, if the game goes on; what was sent, by whom.
    async fn play(&self, id: &str) -> Option<(usize, Value, Value)> {
        let view = self.seen().await;
        if view["status"] != "live" {
            return None;
        }
        let seat = self.to_move(&view);
        let turn = self.legal_turn().await;
        let body = json!({ "id": id, "position": view["position"], "move": turn });
        let answer = self.post(seat, "moves", body.clone()).await;
        Some((seat, body, answer))
    }
}

/// All that strangers and operators can read before the end.
async fn pages(service: &Service, table: &Table) -> String {
    let mut all = table.seen().await.to_string();
    for url in [
        format!("{}/metrics", service.admin_url()),
        format!("{}/status", service.admin_url()),
        format!("{}/game/{}", service.url(), table.game),
        format!("{}/games/{}/moves", service.url(), table.game),
        format!("{}/games/popular", service.url()),
    ] {
        all += &get(&url).await.1.to_string();
    }
    let refused = json!({ "id": "bad", "position": "1-0000000000000000", "move": ["a1a8"] });
    let path = format!("/games/{}/moves", table.game);
    for player in &table.players {
        let problem = player.post(&path, &refused).await.expect_err("it is stale");
        all += &problem.body.to_string();
    }
    all
}

async fn a_game_that_is_killed_in_the_middle_of_a_turn_keeps_its_roll(world: World) {
    let service = world.start_with(&["--log=trace"]).await;
    let url = service.url();
    let table = table_of(&url).await;
    let mut looking_on = Socket::open(&url, None).await;
    looking_on.watch(&table.game, None).await;
    let start = looking_on.next("on_game_start").await;
    let commit = text(&start["fairness"]["commit"]);
    assert!(start["seedsUntil"].is_i64() && start["dice"].is_null(), "{start}");
    table.give_seeds().await;

    let mut last = None;
    for n in 0..6 {
        last = table.play(&format!("t{n}")).await.or(last);
    }
    let before = table.seen().await;
    let live = before["status"] == "live";
    let mut shown_before_the_end = pages(&service, &table).await;
    service.kill().await;
    service.restart().await;

    let after = table.seen().await;
    if live {
        assert!(before["dice"].is_array(), "{before}");
        for field in [
            "dice",
            "board",
            "legalMoves",
            "turnPlayerId",
            "history",
            "fairness",
        ] {
            assert_eq!(after[field], before[field], "{field}");
        }
        let (had, has) = (&before["clocks"], &after["clocks"]);
        assert_eq!(has["running"]["seat"], had["running"]["seat"]);
        for seat in ["player1", "player2"] {
            let [had, has] = [had, has].map(|clocks| clocks["remainingMs"][seat].as_i64().expect("a time"));
            let runs = after["clocks"]["running"]["seat"] == seat;
            // It ran for the moment before the kill, and from when the service was ready again.
            let ran_ms = if runs { 0..30_000 } else { 0..1 };
            assert!(ran_ms.contains(&(had - has)), "{seat} had {had} and has {has}");
        }
        let (seat, body, answer) = last.expect("turns were played");
        let again = table.post(seat, "moves", body).await;
        assert_eq!(
            again["version"], answer["version"],
            "the same command is the same answer"
        );
    }
    for n in 6..12 {
        let _over = table.play(&format!("t{n}")).await;
    }
    shown_before_the_end += &pages_if_live(&service, &table).await;
    shown_before_the_end += &service.log();
    if table.seen().await["status"] == "live" {
        table.post(1, "leave", json!({ "id": "leave" })).await;
    }

    let record = &table.seen().await["record"];
    let reveal = &record["fairness"];
    assert_eq!(reveal["commit"], commit.as_str());
    assert_eq!(reveal["clientSeeds"]["player1"], "seat 0 shakes the dice well");
    let seed = text(&reveal["seed"]);
    assert!(
        !shown_before_the_end.contains(&seed),
        "it was told before the end"
    );
    for frame in looking_on.everything() {
        let told = frame.to_string().contains(&seed);
        assert!(!told || frame["channel"] == "on_game_ended", "{frame}");
    }
    let row = eventually("the row", async || world.row(&table.game).await).await;
    assert_eq!(
        row["moves"].as_array().map(Vec::len),
        record["moves"].as_array().map(Vec::len)
    );

    let (is_true, said) = verify(&table.game, &url, &[&format!("--commit={commit}")]).await;
    assert!(is_true && said.starts_with("true: "), "{said}");
    let other = format!("--commit={seed}");
    let (is_true, said) = verify(&table.game, &url, &[&other]).await;
    assert!(!is_true && said.starts_with("false: "), "{said}");
    let forged = said_of_a_forged_record(record, &url).await;
    assert!(forged.starts_with("false: "), "{forged}");

    caught_up(&service, &["live", "history"]).await;
    service.terminate().await;
    let stores = Stores::of(&world).await;
    let log = stores.checked_log().await;
    let logged = log.game(&table.game);
    assert!(
        live == logged.names().contains(&"resumed"),
        "{:?}",
        logged.names()
    );
    for envelope in &logged.events {
        let is_end = matches!(envelope.event, Event::Ended(_));
        let told = String::from_utf8_lossy(&envelope.to_bytes()).contains(&seed);
        assert_eq!(told, is_end, "{}", envelope.event.name());
    }
    stores.check_rows(&log).await;
    stores.close().await;
}

async fn pages_if_live(service: &Service, table: &Table) -> String {
    if table.seen().await["status"] == "live" {
        pages(service, table).await
    } else {
        String::new()
    }
}

async fn dice_come_without_seeds_after_five_seconds_even_if_nobody_served_the_game_meanwhile(world: World) {
    let service = world.start().await;
    let table = table_of(&service.url()).await;
    let start = table.seen().await;
    assert!(start["dice"].is_null(), "{start}");
    service.kill().await;
    service.restart().await;
    let view = eventually("the first dice", async || {
        let view = table.seen().await;
        view["dice"].is_array().then_some(view)
    })
    .await;
    assert!(view["seedsUntil"].is_null());
    assert_eq!(view["fairness"]["clientSeeds"]["player1"], Value::Null);
    table.play("t0").await.expect("it goes on");
}

async fn players_agree_on_a_draw_before_the_dice(world: World) {
    let service = world.start().await;
    let table = table_of(&service.url()).await;
    table.give_seeds().await;
    let view = table.seen().await;
    let seat = table.to_move(&view);
    let turn = table.legal_turn().await;
    let body = json!({ "id": "t0", "position": view["position"], "move": turn, "offerDraw": true });
    table.post(seat, "moves", body).await;
    let view = table.seen().await;
    assert_eq!(view["drawOfferedBy"], table.players[seat].user_id.as_str());
    assert!(view["dice"].is_null() && view["legalMoves"].is_null(), "{view}");
    let other = 1 - seat;
    let early = json!({ "id": "t1", "position": view["position"], "move": ["e7e5"] });
    let path = format!("/games/{}", table.game);
    let refused = table.players[other].post(&format!("{path}/moves"), &early).await;
    let refused = refused.expect_err("the dice are withheld");
    assert_eq!(
        (refused.kind.as_str(), &refused.body["detail"]),
        (
            "illegal-move",
            &json!("dice not rolled yet — accept or decline draw offer first")
        )
    );
    let own = json!({ "id": "no", "accept": true });
    let refused = table.players[seat]
        .post(&format!("{path}/draw-answer"), &own)
        .await;
    assert_eq!(refused.expect_err("it is the other's").kind, "not-your-turn");
    table
        .post(other, "draw-answer", json!({ "id": "yes", "accept": true }))
        .await;
    let record = &table.seen().await["record"];
    assert_eq!(
        (&record["endReason"], &record["result"]),
        (&json!("draw_agreed"), &json!("draw"))
    );
    let (is_true, said) = verify(&table.game, &service.url(), &[]).await;
    assert!(is_true, "{said}");
}

/// Operators' tools know this kind too: draws, dice, seeds and what they reveal.
async fn a_finished_game_verifies_is_rebuilt_and_outlives_the_forgetting_of_a_player(world: World) {
    let service = world.start().await;
    let table = table_of(&service.url()).await;
    table.give_seeds().await;
    for turn in ["t0", "t1"] {
        table.play(turn).await.expect("it goes on");
    }
    let view = table.seen().await;
    let seat = table.to_move(&view);
    let turn = table.legal_turn().await;
    let body = json!({ "id": "t2", "position": view["position"], "move": turn, "offerDraw": true });
    table.post(seat, "moves", body).await;
    assert_eq!(
        well(&service, &["verify"]).await["different"],
        0,
        "while it is played"
    );
    table
        .post(1 - seat, "draw-answer", json!({ "id": "no", "accept": false }))
        .await;
    table.post(0, "leave", json!({ "id": "leave" })).await;
    converged(&service).await;
    assert_eq!(well(&service, &["verify"]).await["different"], 0);
    let rebuilt = well(&service, &["rebuild", "all"]).await;
    assert_eq!(rebuilt["history"]["same"], 1, "{rebuilt}");

    let (is_true, said) = verify(&table.game, &service.url(), &[]).await;
    assert!(is_true, "{said}");

    let erased = well(&service, &["erase", &table.players[1].user_id, "--yes"]).await;
    assert_eq!(erased["games"], 1, "{erased}");
    converged(&service).await;
    assert_eq!(well(&service, &["verify"]).await["different"], 0);
    service.kill().await;
    service.restart().await;
    let record = &table.seen().await["record"];
    assert!(
        text(&record["player2"]["userId"]).starts_with("erased:"),
        "{record}"
    );
    assert_eq!(
        record["fairness"],
        Value::Null,
        "a seed is a person's own text or their id"
    );
}

on_every_backend!(
    a_finished_game_verifies_is_rebuilt_and_outlives_the_forgetting_of_a_player,
    a_game_that_is_killed_in_the_middle_of_a_turn_keeps_its_roll,
    dice_come_without_seeds_after_five_seconds_even_if_nobody_served_the_game_meanwhile,
    players_agree_on_a_draw_before_the_dice,
);
