//! A vector's game and its two players, who remember what they were promised and come back after a crash.

use serde_json::{Value, json};

use crate::harness::player::text;
use crate::harness::vectors::{self, Vector};
use crate::harness::{Player, Problem};

use super::seat::Seat;

/// What a player was told of an accepted move.
#[derive(Debug, Clone, PartialEq)]
pub struct Promise {
    /// The version that it made.
    pub version: u64,
    /// The position after it.
    pub position: String,
    /// Whether the log had it.
    pub durable: bool,
}

/// A game under way.
pub struct Table {
    /// Its id.
    pub game: String,
    /// Who plays.
    pub players: [Player; 2],
    /// How it goes.
    pub vector: Vector,
    /// What was said of each move that was accepted.
    pub promises: Vec<Promise>,
    /// The position that the next move is decided on.
    pub position: String,
    seats: Option<[Seat; 2]>,
}

/// What a return found out.
#[derive(Debug, Default, Clone, Copy)]
pub struct Return {
    /// Moves that were never answered, and are there.
    pub landed: usize,
    /// Moves that would be legal twice, and were sent again.
    pub extra_turns: usize,
    /// Moves that were shown, never promised, and are gone.
    pub lost: usize,
}

impl Table {
    /// Two new guests begin a game by an invitation.
    pub async fn sit(url: &str, number: usize, vector: Vector) -> Self {
        Self::sit_on(url, number, vector, &json!({ "kind": "mancala" })).await
    }

    /// The same on other terms.
    pub async fn sit_on(url: &str, number: usize, vector: Vector, terms: &Value) -> Self {
        let host = Player::guest(url, &format!("host {number}")).await;
        let guest = Player::guest(url, &format!("guest {number}")).await;
        let invite = host.invite_to(terms).await.expect("the invitation is made");
        let joined = guest.join(&invite, "join").await.expect("the game begins");
        Self {
            game: invite.game,
            players: [host, guest],
            vector,
            promises: Vec::new(),
            position: text(&joined["position"]),
            seats: None,
        }
    }

    /// Both play over sockets from now on.
    pub async fn take_sockets(&mut self) {
        let [host, guest] = &self.players;
        self.seats = Some([
            Seat::open(host, &self.game).await,
            Seat::open(guest, &self.game).await,
        ]);
    }

    /// Whether they play over sockets.
    pub fn has_sockets(&self) -> bool {
        self.seats.is_some()
    }

    /// The close codes of both sockets, once they are closed.
    pub async fn close_codes(&mut self) -> Vec<u16> {
        let mut codes = Vec::new();
        for seat in self.seats.iter_mut().flatten() {
            codes.push(seat.closed().await);
        }
        codes
    }

    /// How many moves were accepted.
    pub fn played(&self) -> usize {
        self.promises.len()
    }

    /// Half of the game.
    pub fn half(&self) -> usize {
        self.vector.moves.len() / 2
    }

    /// Whether all moves were accepted.
    pub fn is_over(&self) -> bool {
        self.played() == self.vector.moves.len()
    }

    /// Plays the next move.
    pub async fn play_next(&mut self) -> Result<&Promise, Problem> {
        let n = self.played();
        let answer = self.send(n, &self.position.clone()).await?;
        self.position = text(&answer["position"]);
        self.promises.push(promise(&answer));
        Ok(&self.promises[n])
    }

    /// Plays until this many moves were accepted. Each must be.
    pub async fn play_to(&mut self, count: usize) {
        while self.played() < count {
            if let Err(problem) = self.play_next().await {
                panic!("move {} of {}: {problem:?}", self.played(), self.game);
            }
        }
    }

    /// Plays to the end.
    pub async fn finish(&mut self) {
        self.play_to(self.vector.moves.len()).await;
    }

    /// After a crash: what was promised is there; what was sent is sent again, and counts once.
    pub async fn come_back(&mut self) -> Return {
        let mut found = Return::default();
        if self.seats.is_some() {
            self.take_sockets().await;
        }
        let there = self.moves_there().await;
        let promised = self.promises.iter().rposition(|promise| promise.durable);
        assert!(
            there >= promised.map_or(0, |last| last + 1),
            "of {} moves {there} are there, of which were promised: {:#?}",
            self.played(),
            self.promises
        );
        found.lost = self.played().saturating_sub(there);
        found.landed = there.saturating_sub(self.played());
        self.promises.truncate(there);
        if let Some(last) = self.promises.len().checked_sub(1) {
            found.extra_turns += usize::from(self.resend(last).await);
        }
        if found.lost == 0 && !self.is_over() {
            found.extra_turns += usize::from(self.resend_unanswered(there).await);
        }
        self.catch_up().await;
        found
    }

    /// After an old backup took the place of everything: what was promised since is lost. How many moves that is.
    pub async fn come_back_to_a_backup(&mut self) -> usize {
        let there = self.moves_there().await;
        let lost = self.played() - there;
        self.promises.truncate(there);
        self.catch_up().await;
        lost
    }

    /// Sends a move again whose answer is known: it is the same. Whether the move would be legal twice.
    async fn resend(&mut self, n: usize) -> bool {
        let before = if n == 0 {
            // Whatever it was decided on, it was accepted.
            self.promises[0].position.clone()
        } else {
            self.promises[n - 1].position.clone()
        };
        let again = self.send(n, &before).await;
        let again = again.unwrap_or_else(|problem| panic!("move {n} of {} again: {problem:?}", self.game));
        let known = &self.promises[n];
        assert_eq!(
            (again["version"].as_u64(), text(&again["position"])),
            (Some(known.version), known.position.clone()),
            "move {n} of {} has one answer",
            self.game
        );
        self.is_extra_turn(n)
    }

    /// Sends the move again that had no answer, decided on what its player saw then. Whether it was there already and
    /// would be legal twice.
    async fn resend_unanswered(&mut self, there: usize) -> bool {
        let n = self.played();
        let answer = self.send(n, &self.position.clone()).await;
        let answer = answer.unwrap_or_else(|problem| panic!("move {n} of {} again: {problem:?}", self.game));
        self.promises.push(promise(&answer));
        assert_eq!(
            self.moves_there().await,
            n + 1,
            "move {n} of {} counts once",
            self.game
        );
        there > n && self.is_extra_turn(n)
    }

    /// Takes the position from the service, as a client does that lost it.
    async fn catch_up(&mut self) {
        let game = self.players[0].game(&self.game).await;
        if game["status"] == "live" {
            self.position = text(&game["position"]);
        }
        let (there, over) = (self.moves_there().await, self.is_over());
        assert_eq!(there, self.played(), "{} (over: {over})", self.game);
    }

    /// How many moves of the vector the service has. They must be its first ones.
    pub async fn moves_there(&self) -> usize {
        let game = self.players[0].game(&self.game).await;
        let moves = if game["status"] == "live" {
            &game["history"]
        } else {
            &game["record"]["moves"]
        };
        let moves = moves.as_array().expect("a game has moves");
        self.vector.agrees_with(moves, self.user_ids());
        moves.len()
    }

    /// Whether the same seat moves again after this move.
    fn is_extra_turn(&self, n: usize) -> bool {
        let moves = &self.vector.moves;
        moves.get(n + 1).is_some_and(|next| next.seat == moves[n].seat)
    }

    /// Both public ids.
    pub fn user_ids(&self) -> [&str; 2] {
        [&self.players[0].user_id, &self.players[1].user_id]
    }

    /// The record of the game, which must be the vector's.
    pub async fn check_record(&self) {
        let game = self.players[1].game(&self.game).await;
        assert_eq!(game["status"], "finished", "{game}");
        let record = &game["record"];
        assert_eq!(record["result"], self.vector.result, "{record}");
        assert_eq!(record["board"], *self.vector.board(), "{record}");
        assert_eq!(self.moves_there().await, self.vector.moves.len());
    }

    async fn send(&mut self, n: usize, position: &str) -> Result<Value, Problem> {
        let moved = &self.vector.moves[n];
        let (index, id) = (moved.seat - 1, format!("m{n}"));
        match &mut self.seats {
            Some(seats) => seats[index].play(&self.game, &id, position, moved.index).await,
            None => {
                self.players[index]
                    .play(&self.game, &id, position, moved.index)
                    .await
            }
        }
    }
}

fn promise(answer: &Value) -> Promise {
    Promise {
        version: answer["version"].as_u64().expect("an answer has a version"),
        position: text(&answer["position"]),
        durable: answer["durable"]
            .as_bool()
            .expect("an answer says whether it is durable"),
    }
}

/// Vectors' games that are not the longest, again and again.
pub fn short_vectors(count: usize) -> Vec<Vector> {
    const DIFFERENT: usize = 12;
    let mut all: Vec<Vector> = (0..2 * DIFFERENT).map(vectors::game).collect();
    all.sort_by_key(|vector| vector.moves.len());
    all.truncate(DIFFERENT);
    all.into_iter().cycle().take(count).collect()
}
