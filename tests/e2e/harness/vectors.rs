//! Whole games of mancala, recorded elsewhere.

use serde::Deserialize;
use serde_json::{Value, json};

/// A whole game.
#[derive(Debug, Clone)]
pub struct Vector {
    /// The moves.
    pub moves: Vec<Moved>,
    /// Who won: `player1`, `player2` or `draw`.
    pub result: String,
}

/// One move of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// Who moves: 1 or 2.
    pub seat: usize,
    /// The pit.
    pub index: u8,
    /// The board after it.
    pub board: Value,
    /// Who moves next, if anybody does.
    pub next: Option<usize>,
    /// What it did.
    pub steps: Vec<Value>,
}

#[derive(Deserialize)]
struct File {
    games: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Recorded {
    result: String,
    moves: Vec<Line>,
}

/// Seat, pit, board after it, places sown, further steps, next seat.
#[derive(Deserialize)]
struct Line(usize, u8, Value, Vec<u8>, Vec<Value>, Option<usize>);

/// A game of the file; any number will do.
pub fn game(number: usize) -> Vector {
    let file = include_str!("../../../rules/tests/vectors/mancala-games.json");
    let mut games = serde_json::from_str::<File>(file)
        .expect("the file has this form")
        .games;
    let recorded = games.swap_remove(number % games.len());
    Vector {
        result: recorded.result,
        moves: recorded.moves.into_iter().map(Moved::from).collect(),
    }
}

impl From<Line> for Moved {
    fn from(Line(seat, index, board, sown, effects, next): Line) -> Self {
        let sown = sown
            .into_iter()
            .map(|index| json!({ "index": index, "type": "GAME_STEP_GAME_MOVE" }));
        Self {
            seat,
            index,
            board,
            next,
            steps: sown.chain(effects).collect(),
        }
    }
}

impl Vector {
    /// The final board.
    pub fn board(&self) -> &Value {
        &self.moves.last().expect("a game has moves").board
    }

    /// Panics unless `moves`, as clients see them, are the first ones of this game, played by `players`.
    pub fn agrees_with(&self, moves: &[Value], players: [&str; 2]) {
        assert!(
            moves.len() <= self.moves.len(),
            "more moves than were played: {moves:#?}"
        );
        for (n, (seen, moved)) in moves.iter().zip(&self.moves).enumerate() {
            assert_eq!(seen["playerId"], players[moved.seat - 1], "move {n}");
            assert_eq!(seen["moveIndex"], moved.index, "move {n}");
            assert_eq!(seen["boardSnapshot"], moved.board, "move {n}");
            assert_eq!(seen["gameSteps"], json!(moved.steps), "move {n}");
            assert!(seen["at"].is_i64(), "move {n}: {seen}");
        }
    }
}
