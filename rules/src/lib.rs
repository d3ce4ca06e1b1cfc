//! The games themselves: who may move what, what a move does, and who has won.
//!
//! **What belongs here:** positions, moves, their effects, and pure functions over them. Given the same
//! values every function returns the same values, for ever: a game is restored from its list of moves, so a
//! change of what a move does is a new [`VERSION`](Rules::VERSION) of the rules and never an edit of the old
//! one.
//!
//! **What does not:** players' ids, clocks, chance (what dice show is handed in, or follows from a seed that
//! is), storage, the network. Nothing here waits, reads a clock or allocates beyond what it returns.
//!
//! [`kinds`] closes the games over one set of types ([`Kind`], [`State`], [`Move`], [`Steps`], [`Board`],
//! [`Play`], [`Chance`], [`Choices`]), which is all that the other crates need; [`mancala`] and [`dicechess`]
//! are the games; [`seat`] and [`Next`] have the words that all games share, [`fair`] has how chance is made
//! of seeds.
//!
//! # How to add a game
//!
//! 1. Write one module with a unit type that implements [`Rules`]. Give it types of its own for everything:
//!    the JSON of moves, steps, boards, plays, throws and choices carries no tag, so each must look different from those of
//!    the other games.
//! 2. Add one arm to the `kinds!` list in [`kinds`].

pub mod dicechess;
mod draw;
pub mod fair;
pub mod kinds;
pub mod mancala;
mod next;
mod rules;
pub mod seat;

pub use draw::DrawRefusal;
pub use kinds::{Board, Chance, Choices, Kind, Move, Play, Played, State, Steps};
pub use next::{Ending, Leaving, Next, RuleEnd};
pub use rules::{IllegalMove, NoChance, Rules};
pub use seat::{Outcome, Seat};
