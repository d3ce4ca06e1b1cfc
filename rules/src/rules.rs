//! What a game must define, and why a move can be refused.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use thiserror::Error;

use crate::fair::{ClientSeeds, ServerSeed};
use crate::{DrawRefusal, Ending, Leaving, Next, Outcome, Seat};

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
    /// Whether chance decides anything: then a game has seeds from which each throw follows.
    const FAIR: bool = false;
    /// What it is called when a player leaves.
    const LEAVING: Leaving = Leaving::Left;

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
    /// What chance decides at once: [`NoChance`] in games without any.
    type Chance;
    /// What the seat to move may choose from, as clients get it; by default nothing.
    type Choices: Default;

    /// The position that every game starts from.
    fn initial() -> Self::State;

    /// What the game waits for.
    fn next(state: &Self::State) -> Next<Self::Move>;

    /// Whose turn it is, as [`next`](Rules::next) says; `None` once the game is over.
    fn to_move(state: &Self::State) -> Option<Seat> {
        Self::next(state).seat()
    }

    /// How the game has ended by its rules, as [`next`](Rules::next) says.
    fn ending(state: &Self::State) -> Option<Ending> {
        match Self::next(state) {
            Next::Over(ending) => Some(ending),
            _ => None,
        }
    }

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
    fn outcome(state: &Self::State) -> Option<Outcome> {
        Self::ending(state).map(|ending| ending.outcome)
    }

    /// The position as clients draw it.
    fn board(state: &Self::State) -> Self::Board;

    /// Every move that [`play`](Rules::play) accepts from the seat to move: none once the game is over.
    fn legal_moves(state: &Self::State) -> Vec<Self::Move>;

    /// The same as clients get it; `None` if there are more than `limit`.
    fn choices(state: &Self::State, limit: usize) -> Option<Self::Choices>;

    /// The entry for a game's history of a move that led to `after` by `steps`.
    fn record(mv: &Self::Move, after: &Self::State, steps: &Self::Steps) -> Self::Play;

    /// The position once chance has decided; refused with [`IllegalMove::ChanceNotDue`] when the game does not
    /// wait for that.
    fn thrown(state: &Self::State, chance: &Self::Chance) -> Result<Self::State, IllegalMove>;

    /// Throw number `index` of a game with these seeds; `None` in games without chance.
    fn throw(_seed: &ServerSeed, _clients: ClientSeeds<'_>, _index: u64) -> Option<Self::Chance> {
        None
    }

    /// What chance has decided for the move that is to be made, if it has.
    fn chance(_state: &Self::State) -> Option<Self::Chance> {
        None
    }

    /// What chance has decided for a move of the game's history.
    fn chance_of(_play: &Self::Play) -> Option<Self::Chance> {
        None
    }

    /// How many throws were used up by moves: the number of the one that is thrown or to be thrown next.
    fn chance_index(_state: &Self::State) -> u64 {
        0
    }

    /// The position once `seat` has armed or disarmed its offer of a draw, which is delivered with its next
    /// move; equal to this one if it was so before.
    fn arm_draw(_state: &Self::State, _seat: Seat, _armed: bool) -> Result<Self::State, DrawRefusal> {
        Err(DrawRefusal::NoDrawOffers)
    }

    /// Whether `seat` has armed an offer. That is for its own eyes.
    fn is_draw_armed(_state: &Self::State, _seat: Seat) -> bool {
        false
    }

    /// The position once `seat` has accepted or declined the offer of a draw that was made to it.
    fn answer_draw(_state: &Self::State, _seat: Seat, _accept: bool) -> Result<Self::State, DrawRefusal> {
        Err(DrawRefusal::NoDrawOffers)
    }

    /// Whose offer of a draw waits for an answer.
    fn pending_draw(_state: &Self::State) -> Option<Seat> {
        None
    }
}

/// What chance decides in a game without any: there is no such value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoChance {}

impl fmt::Display for NoChance {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl Serialize for NoChance {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        match *self {}
    }
}

impl<'de> Deserialize<'de> for NoChance {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("nothing is left to chance"))
    }
}

impl JsonSchema for NoChance {
    fn schema_name() -> Cow<'static, str> {
        "NoChance".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        false.into()
    }
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
    /// Chance has decided where the game did not wait for it.
    #[error("it is not the time to throw dice")]
    ChanceNotDue,
}
