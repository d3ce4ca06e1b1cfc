//! A player at a socket that may end under them.

use serde_json::{Value, json};

use crate::harness::{Player, Problem, Socket};

/// An open socket in a game.
pub struct Seat {
    socket: Socket,
}

impl Seat {
    /// Opens it and watches the game.
    pub async fn open(player: &Player, game: &str) -> Self {
        let mut socket = Socket::open(&player.url, Some(player)).await;
        socket.watch(game, None).await;
        Self { socket }
    }

    /// Plays a move. A socket that ends without an answer is a problem of status 0, as for a request.
    pub async fn play(&mut self, game: &str, id: &str, position: &str, mv: u8) -> Result<Value, Problem> {
        let payload = json!({ "gameId": game, "id": id, "position": position, "move": mv });
        let frame = json!({ "channel": "game_move", "payload": payload });
        if let Err(error) = self.socket.try_send(frame.to_string()).await {
            return Err(no_answer(&error.to_string()));
        }
        match self.socket.try_answer_to(id).await {
            None => Err(no_answer("the socket ended")),
            Some(Ok(accepted)) => Ok(accepted),
            Some(Err(frame)) => Err(problem(frame)),
        }
    }

    /// Waits for the end of the socket: its close code.
    pub async fn closed(&mut self) -> u16 {
        self.socket.closed().await
    }
}

fn no_answer(why: &str) -> Problem {
    Problem {
        status: 0,
        kind: "no-answer".to_owned(),
        body: json!(why),
    }
}

/// A frame that refuses, as the problem that a request would get.
fn problem(frame: Value) -> Problem {
    let kind = frame["payload"]["type"].as_str().unwrap_or_default();
    let kind = kind.trim_start_matches("/problems/").to_owned();
    Problem {
        status: if kind == "unavailable" { 503 } else { 409 },
        kind,
        body: frame,
    }
}
