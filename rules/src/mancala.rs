//! Turkish mangala, called mancala here.
//!
//! Source: the official rules of Turkish mangala, whose four rules are numbered below. Six pits and a store a
//! side, four stones a pit at the start, `player1` begins.
//!
//! A [`Board`] is 14 counts of stones: 0–5 the pits of `player1`, 6 their store, 7–12 the pits of `player2`,
//! 13 their store. Stones are sown by rising index, from 13 on to 0. Pit `i` lies opposite pit `12 - i`.
//!
//! 1. The mover takes all stones of an own pit. Of two or more, the first goes back into that pit and the
//!    others into the places that follow; a lone stone goes to the next place. The opponent's store is
//!    skipped. If the last stone falls into the mover's store, the mover moves again.
//! 2. If the last stone falls into an opponent's pit and makes its count even, those stones go to the mover's
//!    store.
//! 3. If the last stone falls into an own pit that was empty, and the opposite pit is not, both the stone and
//!    the opposite pit's go to the mover's store. (A pit that the move itself has emptied and put its first
//!    stone back into is not empty.)
//! 4. When a row is empty after a move, the other row's stones go to the store of the player whose row is
//!    empty, and the game ends. More stones win; equal stores are a draw.
//!
//! Every game ends: a move that puts no stone into a store only moves stones forward within the mover's row.
//!
//! [`steps`] is what a move did, for clients; [`history`] answers questions about a list of moves.

use std::{mem, ops::Range};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use self::steps::{Effect, Step};
use crate::{Ending, IllegalMove, Next, NoChance, Outcome, RuleEnd, Rules, Seat};

pub mod history;
pub mod steps;

/// The rules of mangala.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mancala;

/// How many stones there are, always.
pub const STONES: u8 = 48;

/// Counts of stones: 0–5 the pits of `player1`, 6 their store, 7–12 the pits of `player2`, 13 their store.
pub type Board = [u8; 14];

/// The board that every game starts from.
pub const START: Board = [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0];

/// A position: 48 stones, and a seat to move exactly as long as both rows have stones. Between moves the rows
/// are never empty one by one, as the end of a game empties both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "Unchecked")]
#[schemars(rename = "MancalaState")]
pub struct State {
    board: Board,
    to_move: Option<Seat>,
}

/// Counts and a seat as they were stored, before anybody has looked whether they are a position.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MancalaState")]
struct Unchecked {
    /// Counts of stones: 0–5 the pits of `player1`, 6 their store, 7–12 the pits of `player2`, 13 their
    /// store. They make 48.
    #[schemars(inner(range(max = 48)))]
    board: Board,
    /// Whose turn it is; null once the game is over.
    to_move: Option<Seat>,
}

/// Why counts and a seat are no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CorruptState {
    /// The counts do not make 48.
    #[error("the board has {0} stones, not {STONES}")]
    Stones(u32),
    /// Somebody is to move although a row is empty, or nobody although one is not.
    #[error("the seat to move does not fit the board: {0:?}")]
    ToMove(Option<Seat>),
}

/// A move: the index on the board of the pit to take, in JSON a bare number. What is no pit of the mover's
/// with stones in it is refused when it is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MancalaMove")]
pub struct Move(#[schemars(range(max = 12))] pub u8);

/// A move with its effects, as it stands in a game's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MancalaPlay")]
pub struct Play {
    /// The pit that was taken: 0–5 for `player1`, 7–12 for `player2`.
    pub move_index: Move,
    /// The board after the move.
    #[schemars(inner(range(max = 48)))]
    pub board_snapshot: Board,
    /// What the move did, in order: a step for each stone sown, then at most one for what the last stone did,
    /// then one for the cleared board if the game ended.
    pub game_steps: Vec<Step>,
}

impl Rules for Mancala {
    const NAME: &'static str = "mancala";
    const RULES: &'static str = "mangala";
    const VERSION: u32 = 1;

    type State = State;
    type Move = Move;
    type Steps = Vec<Step>;
    type Board = Board;
    type Play = Play;
    type Chance = NoChance;
    type Choices = Vec<Move>;

    fn initial() -> State {
        State::initial()
    }

    fn next(state: &State) -> Next<Move> {
        match (state.to_move(), state.outcome()) {
            (Some(seat), _) => Next::Choose(seat),
            (None, outcome) => Next::Over(Ending {
                outcome: outcome.expect("a game in which nobody is to move has a result"),
                reason: RuleEnd::Completed,
            }),
        }
    }

    fn to_move(state: &State) -> Option<Seat> {
        state.to_move()
    }

    fn play(state: &State, seat: Seat, mv: &Move) -> Result<(State, Vec<Step>), IllegalMove> {
        state.play(seat, *mv)
    }

    fn advance(state: &State, seat: Seat, mv: &Move) -> Result<State, IllegalMove> {
        state.advance(seat, *mv)
    }

    fn outcome(state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn board(state: &State) -> Board {
        *state.board()
    }

    fn legal_moves(state: &State) -> Vec<Move> {
        state.legal_moves().collect()
    }

    fn choices(state: &State, limit: usize) -> Option<Vec<Move>> {
        let moves = Self::legal_moves(state);
        (moves.len() <= limit).then_some(moves)
    }

    fn thrown(_: &State, chance: &NoChance) -> Result<State, IllegalMove> {
        match *chance {}
    }

    fn record(mv: &Move, after: &State, steps: &Vec<Step>) -> Play {
        Play {
            move_index: *mv,
            board_snapshot: after.board,
            game_steps: steps.clone(),
        }
    }
}

impl State {
    /// Four stones in every pit, `player1` to move.
    pub const fn initial() -> State {
        State {
            board: START,
            to_move: Some(Seat::Player1),
        }
    }

    /// The position of these counts, if it is one.
    pub fn new(board: Board, to_move: Option<Seat>) -> Result<State, CorruptState> {
        let stones = board.iter().copied().map(u32::from).sum();
        if stones != u32::from(STONES) {
            return Err(CorruptState::Stones(stones));
        }
        let empty = Seat::BOTH.map(|seat| row_is_empty(&board, seat));
        let fits = match to_move {
            Some(_) => empty == [false, false],
            None => empty == [true, true],
        };
        if fits {
            Ok(State { board, to_move })
        } else {
            Err(CorruptState::ToMove(to_move))
        }
    }

    /// The counts of stones.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Whose turn it is; `None` once the game is over.
    pub const fn to_move(&self) -> Option<Seat> {
        self.to_move
    }

    /// The stones in the store of `seat`.
    pub const fn stored(&self, seat: Seat) -> u8 {
        self.board[store(seat)]
    }

    /// The position after `mv` by `seat`, and what the move did.
    pub fn play(&self, seat: Seat, mv: Move) -> Result<(State, Vec<Step>), IllegalMove> {
        let pit = self.legal_pit(seat, mv)?;
        let mut board = self.board;
        // One for each stone, one for what the last of them does, one for the end of the game.
        let mut steps = Vec::with_capacity(usize::from(board[pit]) + 2);
        let to_move = sow(&mut board, seat, pit, |step| steps.push(step));
        Ok((State { board, to_move }, steps))
    }

    /// The position after `mv` by `seat`: as [`play`](State::play), without the steps and so without
    /// allocating.
    pub fn advance(&self, seat: Seat, mv: Move) -> Result<State, IllegalMove> {
        let pit = self.legal_pit(seat, mv)?;
        let mut board = self.board;
        let to_move = sow(&mut board, seat, pit, |_| ());
        Ok(State { board, to_move })
    }

    /// The result, once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.to_move.is_some() {
            return None;
        }
        let [first, second] = Seat::BOTH.map(|seat| self.stored(seat));
        Some(match first.cmp(&second) {
            std::cmp::Ordering::Greater => Outcome::Player1,
            std::cmp::Ordering::Less => Outcome::Player2,
            std::cmp::Ordering::Equal => Outcome::Draw,
        })
    }

    /// The pits that the seat to move may take, by rising index: none once the game is over.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let row = self.to_move.map_or(0..0, row);
        row.filter(|&pit| self.board[pit] > 0).map(|pit| Move(pit as u8))
    }

    fn legal_pit(&self, seat: Seat, mv: Move) -> Result<usize, IllegalMove> {
        let to_move = self.to_move.ok_or(IllegalMove::GameOver)?;
        if seat != to_move {
            return Err(IllegalMove::NotYourTurn);
        }
        let pit = usize::from(mv.0);
        if !Seat::BOTH.iter().any(|&seat| row(seat).contains(&pit)) {
            return Err(IllegalMove::OutOfRange);
        }
        if !row(seat).contains(&pit) {
            return Err(IllegalMove::NotYourPit);
        }
        if self.board[pit] == 0 {
            return Err(IllegalMove::EmptyPit);
        }
        Ok(pit)
    }
}

impl TryFrom<Unchecked> for State {
    type Error = CorruptState;

    fn try_from(unchecked: Unchecked) -> Result<State, CorruptState> {
        State::new(unchecked.board, unchecked.to_move)
    }
}

/// The place of the store of `seat`.
const fn store(seat: Seat) -> usize {
    match seat {
        Seat::Player1 => 6,
        Seat::Player2 => 13,
    }
}

/// The places of the pits of `seat`.
const fn row(seat: Seat) -> Range<usize> {
    match seat {
        Seat::Player1 => 0..6,
        Seat::Player2 => 7..13,
    }
}

fn row_is_empty(board: &Board, seat: Seat) -> bool {
    board[row(seat)].iter().all(|&stones| stones == 0)
}

/// Moves the stones of a pit of `seat`'s with stones in it, notes each step, and returns who is next to move.
fn sow(board: &mut Board, seat: Seat, pit: usize, mut note: impl FnMut(Step)) -> Option<Seat> {
    let mut note = |index: usize, effect| {
        let index = index as u8;
        note(Step { index, effect });
    };
    let (own, skipped) = (store(seat), store(seat.other()));

    let stones = mem::take(&mut board[pit]);
    let mut last = pit;
    for sown in 0..stones {
        if sown > 0 || stones == 1 {
            last = following(last, skipped);
        }
        board[last] += 1;
        note(last, Effect::Sown);
    }

    if last == own {
        note(last, Effect::LastStoneInBank);
    } else if row(seat).contains(&last) {
        let opposite = 12 - last;
        if board[last] == 1 && board[opposite] > 0 {
            let captured = mem::take(&mut board[last]) + mem::take(&mut board[opposite]);
            board[own] += captured;
            note(
                last,
                Effect::LastStoneInEmptyPit {
                    opposite_index: opposite as u8,
                    captured,
                },
            );
        }
    } else if board[last].is_multiple_of(2) {
        let captured = mem::take(&mut board[last]);
        board[own] += captured;
        note(last, Effect::DoubleStoneInPit { captured });
    }

    // A capture can empty both rows at once. Then nothing is left to collect, and the mover collects it.
    if let Some(cleared) = [seat, seat.other()]
        .into_iter()
        .find(|&seat| row_is_empty(board, seat))
    {
        let rest = &mut board[row(cleared.other())];
        let collected = rest.iter().sum();
        rest.fill(0);
        board[store(cleared)] += collected;
        note(store(cleared), Effect::BoardCleared { collected });
        None
    } else if last == own {
        Some(seat)
    } else {
        Some(seat.other())
    }
}

/// The place where the next stone goes after `place`.
const fn following(place: usize, skipped: usize) -> usize {
    let next = if place == 13 { 0 } else { place + 1 };
    if next != skipped {
        next
    } else if next == 13 {
        0
    } else {
        next + 1
    }
}

#[cfg(test)]
mod tests;
