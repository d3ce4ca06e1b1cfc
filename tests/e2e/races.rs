//! Many at once, and one outcome each.

use std::collections::BTreeMap;

use commands::ports::Clock;
use contract::Millis;
use futures::future::join_all;
use serde_json::{Value, json};
use testkit::clock::FakeClock;
use tokio::sync::watch;

use crate::harness::log_check::Stores;
use crate::harness::player::play_vector;
use crate::harness::{Invite, Player, Problem, Service, Socket, World, eventually, pass, vectors};
use crate::kill::{caught_up, short_vectors};

/// The watcher looks this often, in milliseconds.
const TICK_MS: i64 = 10_000;

/// The clock moves by this, so that a jump is no standstill, in milliseconds.
const STEP_MS: u64 = 500;

/// A player to move who is away for this long loses, in milliseconds.
const TIMEOUT_MS: u64 = 300_000;

/// New guests, some at a time.
async fn guests(url: &str, count: usize) -> Vec<Player> {
    const AT_ONCE: usize = 50;
    let mut guests = Vec::new();
    while guests.len() < count {
        let some = (0..AT_ONCE.min(count - guests.len())).map(|_| Player::guest(url, "guest"));
        guests.extend(join_all(some).await);
    }
    guests
}

async fn a_thousand_invitations_are_followed_at_once(world: World) {
    const COUNT: usize = 1_000;
    let service = world.start().await;
    let (hosts, joiners) = (
        guests(&service.url(), COUNT).await,
        guests(&service.url(), COUNT).await,
    );
    let mut invites: Vec<Invite> = Vec::new();
    for some in hosts.chunks(50) {
        invites.extend(join_all(some.iter().map(Player::invite)).await);
    }
    let all = || joiners.iter().zip(&invites);
    let joined = join_all(all().map(|(joiner, invite)| joiner.join(invite, "join"))).await;
    let again = join_all(all().map(|(joiner, invite)| joiner.join(invite, "join"))).await;
    for (first, second) in joined.iter().zip(&again) {
        let first = first.as_ref().expect("everybody joins");
        let second = second.as_ref().expect("the same command has the same answer");
        assert_eq!(
            (&first["version"], &first["position"]),
            (&second["version"], &second["position"])
        );
    }
    assert_eq!(service.status().await["liveGames"], COUNT);
    caught_up(&service, &["live", "history"]).await;
    service.terminate().await;
    let stores = Stores::of(&world).await;
    let log = stores.checked_log().await;
    assert_eq!(log.games.len(), COUNT);
    for (host, (joiner, invite)) in hosts.iter().zip(all()) {
        let game = log.game(&invite.game);
        assert_eq!(game.names(), ["started"]);
        let players = &game.state.players;
        let seated = [&players.player1, &players.player2].map(|player| player.user_id.as_str());
        assert_eq!(seated, [&host.user_id, &joiner.user_id]);
    }
    stores.close().await;
}

async fn of_fifty_who_want_one_seat_one_gets_it(world: World) {
    let service = world.start().await;
    let (host, others) = (
        Player::guest(service.url(), "host").await,
        guests(&service.url(), 50).await,
    );
    let invite = host.invite().await;
    let answers = join_all(others.iter().map(|other| other.join(&invite, "join"))).await;
    let (seated, refused): (Vec<_>, Vec<_>) =
        others.iter().zip(answers).partition(|(_, answer)| answer.is_ok());
    assert_eq!(seated.len(), 1);
    for (_, answer) in refused {
        let problem = answer.expect_err("the seat is taken");
        assert_eq!((problem.status, problem.kind.as_str()), (409, "seat-taken"));
    }
    let (winner, _) = &seated[0];
    let game = host.game(&invite.game).await;
    assert_eq!(game["player2"]["userId"], winner.user_id.as_str());
    for other in &others {
        let (_, active) = other.get("/games/me/active").await;
        let expected = if other.user_id == winner.user_id {
            json!(invite.game)
        } else {
            Value::Null
        };
        assert_eq!(active["game"].get("id").unwrap_or(&Value::Null), &expected);
    }
    // Nobody who was refused is bound by it.
    let (one, two) = (&others[0], &others[1]);
    let free = [one, two]
        .into_iter()
        .find(|other| other.user_id != winner.user_id);
    let another = Player::guest(service.url(), "another").await.invite().await;
    free.expect("one of two")
        .join(&another, "join")
        .await
        .expect("they are free");
    no_game_twice(&world, service).await;
}

/// Ends the service and checks its log.
async fn no_game_twice(world: &World, service: Service) {
    caught_up(&service, &["live", "history"]).await;
    service.terminate().await;
    let stores = Stores::of(world).await;
    let log = stores.checked_log().await;
    stores.check_rows(&log).await;
    stores.close().await;
}

/// A game whose last move is to be played by somebody who is away or has no time left, while the other one is there.
struct LastMove {
    game: String,
    mover: Player,
    other: Player,
    index: u8,
    position: String,
    result: String,
    _there: Socket,
}

impl LastMove {
    async fn prepare(url: &str, vector: &vectors::Vector, terms: &Value) -> Self {
        let players = [
            Player::guest(url, "host").await,
            Player::guest(url, "guest").await,
        ];
        let invite = players[0].invite_to(terms).await.expect("the terms are good");
        players[1].join(&invite, "join").await.expect("the game begins");
        let (last, before) = vector.moves.split_last().expect("a game has moves");
        let both = [&players[0], &players[1]];
        let answer = play_vector(both, &invite.game, vector, before.len(), "m").await;
        let [mut mover, mut other] = players;
        if last.seat == 2 {
            std::mem::swap(&mut mover, &mut other);
        }
        Self {
            _there: Socket::open(url, Some(&other)).await,
            game: invite.game,
            mover,
            other,
            index: last.index,
            position: answer["position"]
                .as_str()
                .expect("an answer has a position")
                .to_owned(),
            result: vector.result.clone(),
        }
    }

    /// What both ask for at once. Each answer is counted.
    async fn all_at_once(&self, answered: &watch::Sender<usize>) -> [Result<Value, Problem>; 2] {
        let moving = async {
            let answer = self
                .mover
                .play(&self.game, "last", &self.position, self.index)
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

    /// Panics unless there is one outcome, and those who asked were told of it.
    async fn has_one_outcome(&self, answers: &[Result<Value, Problem>; 2]) -> String {
        let game = self.other.game(&self.game).await;
        let record = &game["record"];
        let reason = record["endReason"]
            .as_str()
            .unwrap_or_else(|| panic!("it is over: {game}"));
        let accepted = answers.each_ref().map(Result::is_ok);
        let expected = match reason {
            "completed" => [true, false],
            "left" => [false, true],
            "timeout" | "flag" => [false, false],
            other => panic!("nobody asked for {other}"),
        };
        assert_eq!(accepted, expected, "{reason}: {answers:?}");
        for problem in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            assert_eq!((problem.status, problem.kind.as_str()), (409, "game-over"));
        }
        if reason == "completed" {
            assert_eq!(record["result"], self.result);
        }
        reason.to_owned()
    }
}

async fn the_last_move_a_resignation_and_a_timeout_at_once_have_one_outcome(world: World) {
    let to_the_last_step = async |clock: &FakeClock| {
        pass(clock, TIMEOUT_MS).await;
        while (Clock::monotonic(clock).0 + STEP_MS as i64) % TICK_MS != 0 {
            pass(clock, STEP_MS).await;
        }
    };
    race(&world, &json!({ "kind": "mancala" }), to_the_last_step).await;
}

async fn the_last_move_a_resignation_and_a_flag_at_once_have_one_outcome(world: World) {
    let control = json!({ "type": "suddenDeath", "initialS": 10 });
    let terms = json!({ "kind": "mancala", "timeControl": control });
    race(&world, &terms, async |clock| pass(clock, 10_000 - STEP_MS).await).await;
}

/// In many games at once the last move is played, the other player leaves, and, in the middle of that, time passes that
/// ends the game as well.
async fn race(world: &World, terms: &Value, to_the_last_step: impl AsyncFnOnce(&FakeClock)) {
    const GAMES: usize = 24;
    let clock = FakeClock::at(Millis(1_790_000_000_000));
    let service = world.start_inside(clock.clone()).await;
    let url = service.url();
    let vectors = short_vectors(GAMES);
    let games = join_all(
        vectors
            .iter()
            .map(|vector| LastMove::prepare(&url, vector, terms)),
    )
    .await;
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
    for (game, answers) in games.iter().zip(&answers) {
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
    a_thousand_invitations_are_followed_at_once,
    of_fifty_who_want_one_seat_one_gets_it,
    the_last_move_a_resignation_and_a_timeout_at_once_have_one_outcome,
    the_last_move_a_resignation_and_a_flag_at_once_have_one_outcome,
);
