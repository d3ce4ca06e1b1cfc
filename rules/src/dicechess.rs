//! Dice chess: chess in which three dice say what may move, and a king can be captured.
//!
//! Source: the public rules of dice chess as played on dicechess.com, with the readings of the servers that
//! play it where those rules are silent. White is `player1`.
//!
//! 1. For each turn three dice are thrown. A face names a kind of piece: 1 pawn, 2 knight, 3 bishop, 4 rook,
//!    5 queen, 6 king. A *micro-move* moves one own piece and spends a die of its kind; the same piece may
//!    move again, a promoted pawn with a die of its new kind. Castling spends a king's die and a rook's.
//! 2. A turn must spend as many dice as any turn with this roll could, and may end early only with the
//!    capture of the king ([`search`] says it precisely). Who can spend none passes.
//! 3. Pieces move as in chess, with no check, mate or pin: a king may go anywhere, and castles also out of,
//!    through or into attack. Each pawn's double step can be captured en passant by any micro-move of the
//!    opponent's next turn, several in one turn. Who captures a king wins, at once.
//! 4. The game is a draw when at the end of a turn 100 micro-moves in a row were neither by a pawn nor a
//!    capture, when 5,000 turns were played, or when a player accepts the other's offer ([`draw_offers`]).
//!    There is no stalemate and no draw by repetition or by lack of material.
//!
//! [`Position`] is a board with its dice, as text a DFEN ([`dfen`]); [`State`] is a game between two events.
//! [`LegalTurns`] is the tree of what may be played, [`fair`](crate::fair) how the dice are thrown, [`odds`]
//! what they make likely. Attack tables and the words for squares, pieces and colours are those of `cozy-chess`; its
//! board is not used, as it knows no position with a capturable king.

pub use cozy_chess::{Color, Piece, Square};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    dfen::{BadDfen, START},
    dice::{DICE, NoFace, Pool, Roll},
    draw_offers::DrawOffers,
    micro_move::{MicroMove, NoMicroMove},
    position::Position,
    state::{CorruptState, Ending, Next, NoRollDue, State},
    turn::{TooLong, Turn},
    turns::LegalTurns,
};
use crate::{
    DrawRefusal, IllegalMove, Leaving, Outcome, RuleEnd, Rules, Seat,
    fair::{ClientSeeds, ServerSeed},
};

mod castling;
pub mod dfen;
mod dice;
pub mod draw_offers;
mod micro_move;
mod micro_moves;
pub mod odds;
pub mod position;
pub mod search;
pub mod state;
mod turn;
mod turns;

/// The rules of dice chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiceChess;

/// A position as clients draw it: its DFEN, with the dice that are to be played.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DiceChessBoard")]
pub struct Board(pub String);

/// What a turn did, beyond what its micro-moves say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DiceChessSteps")]
pub struct Steps {
    /// The dice that it was played with, in the order in which they were thrown.
    pub dice: Roll,
}

/// A turn with its effects, as it stands in a game's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DiceChessPlay")]
pub struct Play {
    /// The dice, in the order in which they were thrown.
    pub dice: Roll,
    /// The micro-moves, in order; none for a forced pass.
    pub moves: Turn,
    /// The position after the turn. That of a captured king has its captor still to move.
    pub dfen_after: String,
}

impl Rules for DiceChess {
    const NAME: &'static str = "dicechess";
    const RULES: &'static str = "dicechess";
    const VERSION: u32 = 1;
    const FAIR: bool = true;
    const LEAVING: Leaving = Leaving::Resigned;

    const USUAL_CLOCK_S: Option<(u32, u32)> = Some((600, 10));
    const LONGEST_TURN_S: Option<u32> = Some(120);
    const LONGEST_ABSENCE_S: Option<u32> = Some(30);

    type State = State;
    type Move = Turn;
    type Steps = Steps;
    type Board = Board;
    type Play = Play;
    type Chance = Roll;
    type Choices = LegalTurns;

    fn initial() -> State {
        State::initial()
    }

    fn next(state: &State) -> crate::Next<Turn> {
        match state.next() {
            Next::Answer(seat) => crate::Next::Answer(seat),
            Next::Roll(seat) => crate::Next::Chance(seat),
            Next::Turn(seat) => crate::Next::Choose(seat),
            Next::Pass(seat) => crate::Next::Forced(seat, Turn::PASS),
            Next::Over(ending) => crate::Next::Over(ending.into()),
        }
    }

    fn to_move(state: &State) -> Option<Seat> {
        state.to_move()
    }

    fn play(state: &State, seat: Seat, turn: &Turn) -> Result<(State, Steps), IllegalMove> {
        let (next, dice) = state.play(seat, turn)?;
        Ok((next, Steps { dice }))
    }

    fn ending(state: &State) -> Option<crate::Ending> {
        state.ending().map(crate::Ending::from)
    }

    fn board(state: &State) -> Board {
        Board(state.position().to_string())
    }

    fn legal_moves(state: &State) -> Vec<Turn> {
        match state.next() {
            Next::Turn(_) => state.legal_turns().iter().collect(),
            Next::Pass(_) => vec![Turn::PASS],
            Next::Answer(_) | Next::Roll(_) | Next::Over(_) => Vec::new(),
        }
    }

    fn choices(state: &State, limit: usize) -> Option<LegalTurns> {
        LegalTurns::at_most(limit, state.position())
    }

    fn thrown(state: &State, roll: &Roll) -> Result<State, IllegalMove> {
        state.rolled(*roll).map_err(|NoRollDue| IllegalMove::ChanceNotDue)
    }

    fn throw(seed: &ServerSeed, clients: ClientSeeds<'_>, index: u64) -> Option<Roll> {
        Some(Roll::of(seed, clients, index))
    }

    fn chance(state: &State) -> Option<Roll> {
        state.roll()
    }

    fn chance_of(play: &Play) -> Option<Roll> {
        Some(play.dice)
    }

    fn chance_index(state: &State) -> u64 {
        state.turns_over()
    }

    fn arm_draw(state: &State, seat: Seat, armed: bool) -> Result<State, DrawRefusal> {
        state.arm_draw_offer(seat, armed)
    }

    fn is_draw_armed(state: &State, seat: Seat) -> bool {
        state.draw_offers().is_armed(seat)
    }

    fn answer_draw(state: &State, seat: Seat, accept: bool) -> Result<State, DrawRefusal> {
        state.answer_draw_offer(seat, accept)
    }

    fn pending_draw(state: &State) -> Option<Seat> {
        state.draw_offers().pending()
    }

    fn record(turn: &Turn, after: &State, steps: &Steps) -> Play {
        Play {
            dice: steps.dice,
            moves: turn.clone(),
            dfen_after: after.position().to_string(),
        }
    }
}

impl From<Ending> for crate::Ending {
    fn from(ending: Ending) -> crate::Ending {
        let (outcome, reason) = match ending {
            Ending::KingCaptured(seat) => (Outcome::win(seat), RuleEnd::KingCaptured),
            Ending::DrawAgreed => (Outcome::Draw, RuleEnd::DrawAgreed),
            Ending::DrawRule => (Outcome::Draw, RuleEnd::DrawRule),
        };
        crate::Ending { outcome, reason }
    }
}

#[cfg(test)]
mod tests;
