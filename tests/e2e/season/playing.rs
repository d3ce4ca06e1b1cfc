//! What happens in a season.

use rules::{Move, RuleEnd, State};
use serde_json::{Value, json};

use super::fixtures::{Season, Seated};
use crate::harness::inside::pass;
use crate::harness::player::text;
use crate::harness::{eventually, vectors};

/// Longer than a player may be away.
const AWAY_MS: u64 = 6 * 60_000;

/// What passes between two looks at what the service does by itself.
const MOMENT_MS: u64 = 100;

/// Turns of a game of dice chess in which nobody wants to win: it is drawn by the rules long before.
const MANY: usize = 2_000;

/// Turns to be looked at before one is chosen.
const CHOICES: usize = 300;

fn mancala() -> Value {
    json!({ "kind": "mancala" })
}

fn dice_chess() -> Value {
    json!({ "kind": "dicechess" })
}

impl Seated {
    async fn seen(&self) -> Value {
        self.players[0].get(&format!("/games/{}", self.game)).await
    }

    async fn post(&self, seat: usize, what: &str, body: &Value) -> Value {
        self.players[seat]
            .post(&format!("/games/{}/{what}", self.game), body)
            .await
    }

    /// Plays these moves of mancala, from the `begun`-th on.
    async fn play(&self, vector: &vectors::Vector, moves: std::ops::Range<usize>) {
        for n in moves {
            let position = self.seen().await["position"].clone();
            let moved = &vector.moves[n];
            let body = json!({ "id": format!("m{n}"), "position": position, "move": moved.index });
            self.post(moved.seat - 1, "moves", &body).await;
        }
    }

    async fn leave(&self, seat: usize) {
        self.post(seat, "leave", &json!({ "id": "leave" })).await;
    }

    /// Both give a seed, upon which the dice are thrown.
    async fn give_seeds(&self) {
        for seat in [0, 1] {
            let seed = format!("seat {seat} shakes the dice well");
            self.post(seat, "seed", &json!({ "id": "seed", "seed": seed }))
                .await;
        }
    }

    /// Plays the turn that somebody would choose for its outcome, the greatest of all; false once the game is over.
    async fn turn(&self, n: usize, prefer: impl Fn(&State) -> i64, further: &Value) -> bool {
        let view = self.seen().await;
        if view["status"] != "live" {
            return false;
        }
        let seat = usize::from(view["turnPlayerId"] == view["player2"]["userId"]);
        let chosen = chosen(&view, seat, prefer);
        let mut body = json!({ "id": format!("t{n}"), "position": view["position"], "move": chosen });
        for (name, value) in further.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.post(seat, "moves", &body).await;
        true
    }
}

/// The state that is shown, with the dice that are to be played.
fn state(view: &Value) -> State {
    let board = text(&view["board"]);
    let dfen: Vec<&str> = board.split(' ').take(6).collect();
    let state = json!({ "kind": "dicechess", "dfen": dfen.join(" "), "roll": view["dice"] });
    serde_json::from_value(state).expect("a shown game has a state")
}

fn chosen(view: &Value, seat: usize, prefer: impl Fn(&State) -> i64) -> Move {
    let state = state(view);
    let seat = rules::Seat::BOTH[seat];
    let moves = state.legal_moves();
    let step = moves.len().div_ceil(CHOICES).max(1);
    let best = moves.into_iter().step_by(step).max_by_key(|mv| {
        let after = state.advance(seat, mv).expect("it is legal");
        prefer(&after)
    });
    best.expect("whoever is to move has a turn")
}

fn dfen(state: &State) -> String {
    let state = serde_json::to_value(state).expect("a state is JSON");
    text(&state["dfen"])
}

fn is_over_by(state: &State, reason: RuleEnd) -> bool {
    state.ending().is_some_and(|ending| ending.reason == reason)
}

/// Fewest pieces, and the king above all.
fn to_win(state: &State) -> i64 {
    let dfen = dfen(state);
    let pieces = dfen.chars().take_while(|c| *c != ' ');
    let pieces = pieces.filter(char::is_ascii_alphabetic).count() as i64;
    if is_over_by(state, RuleEnd::KingCaptured) {
        1_000
    } else {
        -pieces
    }
}

/// Quiet moves, and no king taken.
fn to_draw(state: &State) -> i64 {
    if is_over_by(state, RuleEnd::KingCaptured) {
        return -1_000;
    }
    let dfen = dfen(state);
    let half_moves = dfen.split(' ').nth(4).and_then(|field| field.parse().ok());
    let pawns = dfen
        .chars()
        .take_while(|c| *c != ' ')
        .filter(|c| "pP".contains(*c))
        .count();
    half_moves.unwrap_or(0) * 20 - pawns as i64
}

impl Season<'_> {
    /// Waits until the service has the game's end, and its row is written.
    async fn until_over(&self, game: &str) {
        eventually(&format!("the row of {game}"), async || {
            pass(&self.clock, MOMENT_MS).await;
            self.world.row(game).await
        })
        .await;
    }

    /// To the end, left, out of the queue, and with a clock that runs out.
    pub async fn play_mancala(&mut self) {
        for number in 0..3 {
            let seated = self.invited(&mancala()).await;
            let vector = vectors::game(number + 1);
            seated.play(&vector, 0..vector.moves.len()).await;
            self.until_over(&seated.game).await;
        }
        let (seated, sockets) = self.paired("mancala").await;
        seated.play(&vectors::game(1), 0..2).await;
        seated.leave(0).await;
        self.until_over(&seated.game).await;
        drop(sockets);

        let ten_seconds =
            json!({ "kind": "mancala", "timeControl": { "type": "suddenDeath", "initialS": 10 } });
        let seated = self.invited(&ten_seconds).await;
        seated.play(&vectors::game(1), 0..1).await;
        pass(&self.clock, 11_000).await;
        self.until_over(&seated.game).await;
    }

    /// Won, drawn in both ways, and resigned.
    pub async fn play_dice_chess(&mut self) {
        let seated = self.invited(&dice_chess()).await;
        seated.give_seeds().await;
        let mut n = 0;
        while seated.turn(n, to_win, &json!({})).await {
            n += 1;
        }
        self.until_over(&seated.game).await;

        // Now and then the dice leave nothing but the capture of a king.
        while self.play_for_a_draw().await != "draw_rule" {}

        self.agree_on_a_draw().await;
        let (seated, sockets) = self.paired("dicechess").await;
        // Nobody gives a seed: the dice come without.
        pass(&self.clock, 6_000).await;
        eventually("the dice", async || {
            pass(&self.clock, MOMENT_MS).await;
            seated.seen().await["dice"].is_array().then_some(())
        })
        .await;
        seated.turn(0, to_draw, &json!({})).await;
        seated.leave(1).await;
        self.until_over(&seated.game).await;
        drop(sockets);
    }

    /// A game in which nobody wants to win; how it ended.
    async fn play_for_a_draw(&mut self) -> String {
        let seated = self.invited(&dice_chess()).await;
        seated.give_seeds().await;
        let mut n = 0;
        while seated.turn(n, to_draw, &json!({})).await {
            n += 1;
            assert!(n < MANY, "the rules draw it before");
        }
        let reason = &seated.seen().await["record"]["endReason"];
        println!("{reason} after {n} turns");
        reason.as_str().expect("it has ended").to_owned()
    }

    /// An offer is made and declined, another one armed and withdrawn, and the last accepted.
    async fn agree_on_a_draw(&mut self) {
        let seated = self.invited(&dice_chess()).await;
        seated.give_seeds().await;
        let offerer = self.offer(&seated, 0).await;
        seated
            .post(
                1 - offerer,
                "draw-answer",
                &json!({ "id": "no", "accept": false }),
            )
            .await;
        let other = 1 - offerer;
        for (id, offer) in [("arm", true), ("disarm", false)] {
            seated
                .post(other, "draw-offer", &json!({ "id": id, "offer": offer }))
                .await;
        }
        // Whoever declined may offer; whose turn it is then, the dice decide.
        let mut n = 1;
        let view = loop {
            let view = seated.seen().await;
            if usize::from(view["turnPlayerId"] == view["player2"]["userId"]) == other {
                break view;
            }
            assert!(seated.turn(n, to_draw, &json!({})).await);
            n += 1;
        };
        assert_eq!(view["status"], "live");
        seated
            .post(other, "draw-offer", &json!({ "id": "arm-again" }))
            .await;
        assert!(seated.turn(n, to_draw, &json!({})).await);
        seated
            .post(offerer, "draw-answer", &json!({ "id": "yes", "accept": true }))
            .await;
        assert_eq!(seated.seen().await["record"]["endReason"], "draw_agreed");
    }

    /// Whoever is to move offers a draw with their turn; who that is.
    async fn offer(&self, seated: &Seated, n: usize) -> usize {
        let view = seated.seen().await;
        let seat = usize::from(view["turnPlayerId"] == view["player2"]["userId"]);
        assert!(seated.turn(n, to_draw, &json!({ "offerDraw": true })).await);
        seat
    }

    /// Both players are away for minutes, or only the one who is to move.
    pub async fn be_away(&mut self) {
        let away = self.invited(&mancala()).await;
        away.play(&vectors::game(1), 0..2).await;
        pass(&self.clock, AWAY_MS).await;
        self.until_over(&away.game).await;

        let (seated, [first, mut second]) = self.paired("mancala").await;
        drop(first);
        // The second player stays, and shows it.
        for _ in 0..AWAY_MS / 10_000 {
            pass(&self.clock, 10_000).await;
            second.ping().await;
        }
        self.until_over(&seated.game).await;
        assert_eq!(seated.seen().await["record"]["endReason"], "timeout");
    }

    /// Games go on over a new start of the service.
    pub async fn restart(&mut self) {
        let seated = self.invited(&mancala()).await;
        seated.play(&vectors::game(2), 0..4).await;
        let dice = self.invited(&dice_chess()).await;
        dice.give_seeds().await;
        dice.turn(0, to_draw, &json!({})).await;
        self.going_on = vec![seated, dice];
        self.start_again().await;
        let vector = vectors::game(2);
        self.going_on[0].play(&vector, 4..vector.moves.len()).await;
        self.until_over(&self.going_on[0].game).await;
        assert!(self.going_on[1].turn(1, to_draw, &json!({})).await);
    }

    /// So much waits for the log meanwhile that it is folded into one.
    pub async fn lose_the_log_for_a_while(&mut self) {
        let nats = self.world.nats.as_ref().expect("a world of servers has NATS");
        nats.kill().await.expect("it runs");
        let dice = self.going_on.pop().expect("it goes on");
        for n in 2..80 {
            if !dice.turn(n, to_draw, &json!({})).await {
                break;
            }
        }
        nats.restart().await.expect("it starts");
        eventually("nothing waits any more", async || {
            pass(&self.clock, MOMENT_MS).await;
            (self.status().await["pendingPublishes"] == 0).then_some(())
        })
        .await;
        if dice.seen().await["status"] == "live" {
            dice.leave(0).await;
        }
        self.until_over(&dice.game).await;
    }
}
