//! Questions about a list of moves: pure, from the start of the game each time.
//!
//! Moves carry no seat, as the rules say whose turn it is. They are numbered from 1, extra turns counted like
//! any other; 0 stands for the start of the game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Board, Effect, Move, State, Step, row};
use crate::{IllegalMove, Seat};

/// Why a question about a list of moves has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HistoryError {
    /// There is no move of that number.
    #[error("there is no move {number} in a game of {moves} moves")]
    NoSuchMove {
        /// The number asked for.
        number: usize,
        /// How many moves the list has.
        moves: usize,
    },
    /// A move of the list cannot be played: the list is no game.
    #[error("move {number} is illegal: {reason}")]
    Illegal {
        /// The number of that move, from 1.
        number: usize,
        /// Why it is refused.
        #[source]
        reason: IllegalMove,
    },
}

/// What a move was and did, for telling it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MancalaMoveDescription")]
pub struct MoveDescription {
    /// Which move of the game, from 1.
    pub number: usize,
    /// Who moved.
    pub player: Seat,
    /// Which of the mover's pits was taken, from 1 for the one farthest from their store to 6 for the one
    /// beside it.
    #[schemars(range(min = 1, max = 6))]
    pub pit: u8,
    /// Whether the mover moves again.
    pub extra_turn: bool,
    /// Whether the mover took stones from the opponent's row by where the last stone fell.
    pub capture: bool,
    /// How many more stones the mover's store has after the move than before, with those collected at the
    /// end.
    pub store_gain: u8,
    /// Whether the move ended the game.
    pub game_over: bool,
}

/// The board after move `n`; that of the start for 0.
pub fn board_after(moves: &[Move], n: usize) -> Result<Board, HistoryError> {
    let played = moves.get(..n).ok_or(HistoryError::NoSuchMove {
        number: n,
        moves: moves.len(),
    })?;
    replay(played).map(|state| *state.board())
}

/// The position that move `n` was played in, `n` from 1.
pub fn game_before(moves: &[Move], n: usize) -> Result<State, HistoryError> {
    split(moves, n).and_then(|(before, _)| replay(before))
}

/// What move `n` was and did, `n` from 1.
pub fn describe_move(moves: &[Move], n: usize) -> Result<MoveDescription, HistoryError> {
    let (earlier, mv) = split(moves, n)?;
    let before = replay(earlier)?;
    let illegal = |reason| HistoryError::Illegal { number: n, reason };
    let player = before.to_move().ok_or(illegal(IllegalMove::GameOver))?;
    let (after, steps) = before.play(player, mv).map_err(illegal)?;
    Ok(MoveDescription {
        number: n,
        player,
        pit: mv.0 - row(player).start as u8 + 1,
        extra_turn: after.to_move() == Some(player),
        capture: steps
            .iter()
            .copied()
            .map(|Step { effect, .. }| effect)
            .any(Effect::is_capture),
        store_gain: after.stored(player) - before.stored(player),
        game_over: after.to_move().is_none(),
    })
}

/// The moves before move `n`, and move `n` itself.
fn split(moves: &[Move], n: usize) -> Result<(&[Move], Move), HistoryError> {
    let index = n.checked_sub(1).filter(|&index| index < moves.len());
    let index = index.ok_or(HistoryError::NoSuchMove {
        number: n,
        moves: moves.len(),
    })?;
    Ok((&moves[..index], moves[index]))
}

fn replay(moves: &[Move]) -> Result<State, HistoryError> {
    moves
        .iter()
        .zip(1..)
        .try_fold(State::initial(), |state, (&mv, number)| {
            state
                .to_move()
                .ok_or(IllegalMove::GameOver)
                .and_then(|seat| state.advance(seat, mv))
                .map_err(|reason| HistoryError::Illegal { number, reason })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mancala::START;

    /// A move into the store, and after the extra turn a quiet move of either player.
    const MOVES: [Move; 3] = [Move(3), Move(5), Move(11)];

    /// A whole game: both players always take the first pit that has stones.
    fn whole_game() -> Vec<Move> {
        let mut state = State::initial();
        let mut moves = Vec::new();
        while let Some(seat) = state.to_move() {
            let mv = state.legal_moves().next().expect("who is to move has a move");
            state = state.advance(seat, mv).expect("a listed move is legal");
            moves.push(mv);
        }
        moves
    }

    #[test]
    fn the_board_after_no_move_is_the_start() {
        assert_eq!(board_after(&MOVES, 0), Ok(START));
        assert_eq!(board_after(&[], 0), Ok(START));
        assert_eq!(
            board_after(&MOVES, 1),
            Ok([4, 4, 4, 1, 5, 5, 1, 4, 4, 4, 4, 4, 4, 0])
        );
        assert_eq!(
            board_after(&MOVES, 2),
            Ok([4, 4, 4, 1, 5, 1, 2, 5, 5, 5, 4, 4, 4, 0])
        );
    }

    #[test]
    fn the_game_before_a_move_is_the_one_after_the_move_before() {
        let moves = whole_game();
        assert_eq!(game_before(&moves, 1), Ok(State::initial()));
        for n in 1..=moves.len() {
            let before = game_before(&moves, n).unwrap();
            assert_eq!(Ok(*before.board()), board_after(&moves, n - 1));
            let after = before.advance(before.to_move().unwrap(), moves[n - 1]).unwrap();
            assert_eq!(Ok(*after.board()), board_after(&moves, n));
        }
    }

    #[test]
    fn a_move_into_the_store_is_described_as_an_extra_turn() {
        let described = MoveDescription {
            number: 1,
            player: Seat::Player1,
            pit: 4,
            extra_turn: true,
            capture: false,
            store_gain: 1,
            game_over: false,
        };
        assert_eq!(describe_move(&MOVES, 1), Ok(described));
        let json = serde_json::to_value(described).unwrap();
        assert_eq!(json["extraTurn"], true);
        assert_eq!(
            serde_json::from_value::<MoveDescription>(json).unwrap(),
            described
        );
    }

    #[test]
    fn pits_of_player2_are_numbered_from_their_own_side() {
        let third = describe_move(&MOVES, 3).unwrap();
        assert_eq!((third.player, third.pit), (Seat::Player2, 5));
        assert_eq!((third.extra_turn, third.game_over), (false, false));
    }

    #[test]
    fn gains_add_up_to_the_stores_and_only_the_last_move_ends_the_game() {
        let moves = whole_game();
        let mut stores = [0, 0];
        for n in 1..=moves.len() {
            let described = describe_move(&moves, n).unwrap();
            assert_eq!(described.number, n);
            assert!((1..=6).contains(&described.pit));
            assert!(!(described.extra_turn && (described.capture || described.game_over)));
            assert_eq!(described.game_over, n == moves.len());
            stores[described.player.index()] += described.store_gain;
        }
        // What is collected at the end may go to the player who did not make the last move.
        let end = board_after(&moves, moves.len()).unwrap();
        let last = describe_move(&moves, moves.len()).unwrap().player;
        assert_eq!(stores[last.index()], [end[6], end[13]][last.index()]);
    }

    #[test]
    fn a_number_out_of_range_is_an_error() {
        for n in [4, 5, usize::MAX] {
            let error = HistoryError::NoSuchMove { number: n, moves: 3 };
            assert_eq!(board_after(&MOVES, n), Err(error));
            assert_eq!(game_before(&MOVES, n), Err(error));
            assert_eq!(describe_move(&MOVES, n), Err(error));
        }
        let error = HistoryError::NoSuchMove { number: 0, moves: 3 };
        assert_eq!(game_before(&MOVES, 0), Err(error));
        assert_eq!(describe_move(&MOVES, 0), Err(error));
    }

    #[test]
    fn a_list_that_is_no_game_is_an_error_from_the_bad_move_on() {
        let moves = [Move(3), Move(7), Move(0)];
        let error = HistoryError::Illegal {
            number: 2,
            reason: IllegalMove::NotYourPit,
        };
        assert!(board_after(&moves, 1).is_ok());
        assert_eq!(board_after(&moves, 2), Err(error));
        assert_eq!(game_before(&moves, 3), Err(error));
        assert_eq!(describe_move(&moves, 2), Err(error));
        assert_eq!(describe_move(&moves, 3), Err(error));

        let mut over = whole_game();
        over.push(Move(0));
        let error = HistoryError::Illegal {
            number: over.len(),
            reason: IllegalMove::GameOver,
        };
        assert_eq!(board_after(&over, over.len()), Err(error));
        assert_eq!(describe_move(&over, over.len()), Err(error));
    }
}
