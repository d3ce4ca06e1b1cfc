//! What a game must define, and why a move can be refused.

use thiserror::Error;

use crate::Seat;

/// The rules of one game, implemented on a unit type.
///
/// All functions are pure. [`State`](Rules::State) holds everything that decides the rest of the game, so
/// that two equal states have equal futures.
pub trait Rules {
    /// The game's name in JSON, SQL and text: lower case, and equal to the variant of [`Kind`](crate::Kind)
    /// that carries it, but for case.
    const NAME: &'static str;
    /// Which set of rules of that game, as analysts know it.
    const RULES: &'static str;
    /// Grows by one whenever the same moves would lead to another state or to other steps than before.
    const VERSION: u32;

    // What is usual in this game where time matters. No rule here reads it: clocks are kept elsewhere.

    /// The clock of a game whose players agreed on none: what each begins with and what each turn adds, in seconds.
    /// `None`: it has no clock.
    const USUAL_CLOCK_S: Option<(u32, u32)> = None;
    /// How long a turn may take in a game without a clock, in seconds. `None`: as long as the player is there.
    const LONGEST_TURN_S: Option<u32> = None;
    /// How long a player who was there may be away, whosever turn it is, before that counts as leaving, in seconds.
    /// `None`: only the player to move must come back, as long as there is no clock.
    const LONGEST_ABSENCE_S: Option<u32> = None;

    /// A position with the seat to move. Its `Deserialize` refuses what is no position of the game.
    type State;
    /// What a player sends. Its JSON differs from that of every other game's moves.
    type Move;
    /// What a move did, in the order in which a client shows it.
    type Steps;
    /// A position as clients draw it.
    type Board;
    /// A move with its effects, as it stands in a game's history: an object.
    type Play;

    /// The position that every game starts from.
    fn initial() -> Self::State;

    /// Whose turn it is; `None` once the game is over.
    fn to_move(state: &Self::State) -> Option<Seat>;

    /// The position after `mv` by `seat`, and what the move did. The refusals are those of [`IllegalMove`],
    /// checked in the order of its variants.
    fn play(
        state: &Self::State,
        seat: Seat,
        mv: &Self::Move,
    ) -> Result<(Self::State, Self::Steps), IllegalMove>;

    /// As [`play`](Rules::play), without the steps: for going through many moves of which only the end
    /// matters.
    fn advance(state: &Self::State, seat: Seat, mv: &Self::Move) -> Result<Self::State, IllegalMove> {
        Self::play(state, seat, mv).map(|(state, _)| state)
    }

    /// The result, once the game is over by its own rules; `None` as long as there is a seat to move.
    fn outcome(state: &Self::State) -> Option<crate::Outcome>;

    /// The position as clients draw it.
    fn board(state: &Self::State) -> Self::Board;

    /// Every move that [`play`](Rules::play) accepts from the seat to move: none once the game is over.
    fn legal_moves(state: &Self::State) -> Vec<Self::Move>;

    /// The entry for a game's history of a move that led to `after` by `steps`.
    fn record(mv: &Self::Move, after: &Self::State, steps: &Self::Steps) -> Self::Play;
}

/// Why a move is refused. The position is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum IllegalMove {
    /// The move is one of another game.
    #[error("the move belongs to another kind of game")]
    OtherKind,
    /// The game has ended by its rules; nobody moves.
    #[error("the game is over")]
    GameOver,
    /// The other seat is to move.
    #[error("it is the other player's turn")]
    NotYourTurn,
    /// The move names no place that anybody could move from: on a mancala board, a store or a number past the
    /// end.
    #[error("there is no such place to move from")]
    OutOfRange,
    /// The pit is the opponent's.
    #[error("the pit belongs to the other player")]
    NotYourPit,
    /// The pit is the player's own, with no stone in it.
    #[error("the pit is empty")]
    EmptyPit,
    /// An offer of a draw waits for the player's answer, and the dice until then.
    #[error("dice not rolled yet — accept or decline draw offer first")]
    DrawOfferPending,
    /// The dice of the turn are not thrown yet.
    #[error("dice not rolled yet")]
    NotRolled,
    /// With this roll, these moves in this order are no turn that the rules allow.
    #[error("this is no legal turn with these dice")]
    NoLegalTurn,
}
