//! Games that could end in three ways at one instant, and end in one.

use std::collections::BTreeMap;

use commands::ports::Clock;
use contract::{Kind, Millis};
use futures::future::join_all;
use serde_json::{Value, json};
use testkit::clock::FakeClock;
use tokio::sync::watch;

use crate::harness::log_check::Stores;
use crate::harness::player::{play_vector, text};
use crate::harness::turns::{captures_king, turns};
use crate::harness::{Player, Problem, Socket, World, eventually, pass, vectors};
use crate::kill::short_vectors;

/// The watcher looks this often, in milliseconds.
const TICK_MS: i64 = 10_000;

/// The clock moves by this, so that a jump is no standstill, in milliseconds.
const STEP_MS: u64 = 500;

/// A player to move who is away for this long loses, in milliseconds.
const TIMEOUT_MS: u64 = 300_000;

/// So many games come to their end at once.
const GAMES: usize = 24;

/// More turns than it takes until somebody can capture the king.
const MOST_TURNS: usize = 1_000;

/// A game whose last move is to be played by somebody who is away or has no time left, while the other one is there.
struct LastMove {
    game: String,
    mover: Player,
    other: Player,
    mv: Value,
    position: String,
    /// Who has won (or it is a draw) once it is played.
    result: String,
    /// How the game ends by it, and by the other player's leaving.
    reasons: [&'static str; 2],
    /// What the other player sees.
    there: Socket,
}

/// A game on these terms, and its players.
async fn begun(url: &str, terms: &Value) -> (String, [Player; 2]) {
    let players = [
        Player::guest(url, "host").await,
        Player::guest(url, "guest").await,
    ];
    let invite = players[0].invite_to(terms).await.expect("the terms are good");
    players[1].join(&invite, "join").await.expect("the game begins");
    (invite.game, players)
}

async fn looking_on(url: &str, player: &Player, game: &str) -> Socket {
    let mut socket = Socket::open(url, Some(player)).await;
    socket.watch(game, None).await;
    socket
}

impl LastMove {
    async fn of_mancala(url: &str, vector: &vectors::Vector, terms: &Value) -> Self {
        let (game, players) = begun(url, terms).await;
        let (last, before) = vector.moves.split_last().expect("a game has moves");
        let both = [&players[0], &players[1]];
        let answer = play_vector(both, &game, vector, before.len(), "m").await;
        let [mut mover, mut other] = players;
        if last.seat == 2 {
            std::mem::swap(&mut mover, &mut other);
        }
        Self {
            there: looking_on(url, &other, &game).await,
            game,
            mover,
            other,
            mv: json!(last.index),
            position: text(&answer["position"]),
            result: vector.result.clone(),
            reasons: ["completed", "left"],
        }
    }

    /// Played until somebody can capture the king.
    async fn of_dice_chess(url: &str, number: usize, terms: &Value) -> Self {
        let (game, players) = begun(url, terms).await;
        for player in &players {
            let seed = json!({ "id": "seed", "seed": format!("sixteen or more of {number}") });
            let given = player.post(&format!("/games/{game}/seed"), &seed).await;
            given.expect("it is long enough");
        }
        for turn in 0..MOST_TURNS {
            let view = players[0].game(&game).await;
            let (_, tree) = players[0].get(&format!("/games/{game}/moves")).await;
            let (all, board) = (turns(&tree["moves"]), text(&view["board"]));
            let [white, black] = &players;
            let (mover, other, result) = if view["turnPlayerId"] == white.user_id.as_str() {
                (white, black, "player1")
            } else {
                (black, white, "player2")
            };
            if let Some(capture) = all.iter().find(|turn| captures_king(&board, turn)) {
                return Self {
                    there: looking_on(url, other, &game).await,
                    game,
                    mover: mover.clone(),
                    other: other.clone(),
                    mv: json!(capture),
                    position: text(&view["position"]),
                    result: result.to_owned(),
                    reasons: ["king_captured", "resigned"],
                };
            }
            // Another one in each game and turn, so that they come to something.
            let chosen = &all[(turn * 31 + number * 7) % all.len()];
            let body = json!({ "id": format!("t{turn}"), "position": view["position"], "move": chosen });
            let played = mover.post(&format!("/games/{game}/moves"), &body).await;
            played.expect("it is legal");
        }
        panic!("no king was ever attacked in {game}");
    }

    /// What both ask for at once. Each answer is counted.
    async fn all_at_once(&self, answered: &watch::Sender<usize>) -> [Result<Value, Problem>; 2] {
        let moving = async {
            let body = json!({ "id": "last", "position": self.position, "move": self.mv });
            let answer = self
                .mover
                .post(&format!("/games/{}/moves", self.game), &body)
                .await;
            answered.send_modify(|count| *count += 1);
            answer
        };
        let leaving = async {
            let answer = self.other.leave(&self.game, "leave").await;
            answered.send_modify(|count| *count += 1);
            answer
        };
        let (moved, left) = tokio::join!(moving, leaving);
        [moved, left]
    }

    /// Panics unless there is one outcome, and those who asked were told of it, and whoever looks on.
    async fn has_one_outcome(&mut self, answers: &[Result<Value, Problem>; 2]) -> String {
        let game = self.other.game(&self.game).await;
        let record = &game["record"];
        let reason = record["endReason"]
            .as_str()
            .unwrap_or_else(|| panic!("it is over: {game}"));
        let accepted = answers.each_ref().map(Result::is_ok);
        let [by_move, by_leaving] = self.reasons;
        let expected = match reason {
            _ if reason == by_move => [true, false],
            _ if reason == by_leaving => [false, true],
            "timeout" | "flag" => [false, false],
            other => panic!("nobody asked for {other}"),
        };
        assert_eq!(accepted, expected, "{reason}: {answers:?}");
        for problem in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            assert_eq!((problem.status, problem.kind.as_str()), (409, "game-over"));
        }
        if reason == by_move {
            assert_eq!(record["result"], self.result);
        }
        // Every version once, the end as the last one.
        let seen = self.there.whole_game(&self.game).await;
        assert_eq!(seen.ended.expect("it was waited for")["endReason"], reason);
        reason.to_owned()
    }
}

fn ten_seconds() -> Value {
    json!({ "type": "suddenDeath", "initialS": 10 })
}

async fn almost_ten_seconds(clock: &FakeClock) {
    pass(clock, 10_000 - STEP_MS).await;
}

async fn the_last_move_a_resignation_and_a_timeout_at_once_have_one_outcome(world: World) {
    let terms = json!({ "kind": "mancala" });
    let to_the_last_step = async |clock: &FakeClock| {
        pass(clock, TIMEOUT_MS).await;
        while (Clock::monotonic(clock).0 + STEP_MS as i64) % TICK_MS != 0 {
            pass(clock, STEP_MS).await;
        }
    };
    race(&world, Kind::Mancala, &terms, to_the_last_step).await;
}

async fn the_last_move_a_resignation_and_a_flag_at_once_have_one_outcome(world: World) {
    let terms = json!({ "kind": "mancala", "timeControl": ten_seconds() });
    race(&world, Kind::Mancala, &terms, almost_ten_seconds).await;
}

async fn the_capture_of_a_king_a_resignation_and_a_flag_at_once_have_one_outcome(world: World) {
    let terms = json!({ "kind": "dicechess", "timeControl": ten_seconds() });
    race(&world, Kind::DiceChess, &terms, almost_ten_seconds).await;
}

/// In many games at once the last move is played, the other player leaves, and, in the middle of that, time passes that
/// ends the game as well.
async fn race(world: &World, kind: Kind, terms: &Value, to_the_last_step: impl AsyncFnOnce(&FakeClock)) {
    let clock = FakeClock::at(Millis(1_790_000_000_000));
    let service = world.start_inside(clock.clone()).await;
    let url = service.url();
    let mut games = match kind {
        Kind::Mancala => {
            let vectors = short_vectors(GAMES);
            let games = vectors
                .iter()
                .map(|vector| LastMove::of_mancala(&url, vector, terms));
            join_all(games).await
        }
        Kind::DiceChess => {
            join_all((0..GAMES).map(|number| LastMove::of_dice_chess(&url, number, terms))).await
        }
    };
    to_the_last_step(&clock).await;
    // The last step comes when some have been answered, in the middle of the others.
    let answered = watch::Sender::new(0);
    let mut some = answered.subscribe();
    let tick = async {
        let some = some.wait_for(|count| *count >= GAMES / 4).await;
        some.expect("the sender lives");
        clock.advance(STEP_MS);
    };
    let asking = join_all(games.iter().map(|game| game.all_at_once(&answered)));
    let (answers, ()) = tokio::join!(asking, tick);
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for (game, answers) in games.iter_mut().zip(&answers) {
        *outcomes.entry(game.has_one_outcome(answers).await).or_default() += 1;
    }
    println!("{outcomes:?}");
    let rows = async || (world.rows().await == GAMES as i64).then_some(());
    eventually("each game has one row", rows).await;
    service.stop().await;
    let stores = Stores::of(world).await;
    let log = stores.checked_log().await;
    stores.check_rows(&log).await;
    stores.close().await;
    for game in &games {
        let names = log.game(&game.game).names();
        assert_eq!(names.iter().filter(|name| **name == "ended").count(), 1);
    }
}

on_every_backend!(
    the_capture_of_a_king_a_resignation_and_a_flag_at_once_have_one_outcome,
    the_last_move_a_resignation_and_a_timeout_at_once_have_one_outcome,
    the_last_move_a_resignation_and_a_flag_at_once_have_one_outcome,
);
