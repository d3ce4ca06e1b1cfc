//! What outlives a process: ids, events, frames, summaries and problem types, with their JSON shapes.
//!
//! **Belongs here:** a type that is written to the log, to a store, or to a client, and how it is encoded.
//! **Does not:** rules of a game (`rules`), when a command is allowed (`commands`), where bytes are kept (adapters).
//!
//! **To add** a frame: a variant in [`frames`], an example in `docs/PROTOCOL.md`. An event: a variant and a struct in
//! [`event`], its type name, an example in `docs/EVENTS.md`. A changed event shape is a new `vN` with an upcaster and
//! a golden test; the old one is read for ever.
//!
//! Every type derives `JsonSchema` once; OpenAPI, AsyncAPI and the event schemas are all made from that one derive.

pub mod api;
pub mod chain;
pub mod command;
pub mod event;
pub mod fairness;
pub mod frames;
pub mod game_state;
pub mod ids;
pub mod json;
pub mod object;
pub mod player;
pub mod problem;
pub mod record;
mod spelling;
pub mod terms;
pub mod trace;
pub mod view;

pub use chain::Chain;
pub use command::{ClientId, CommandHash};
pub use event::{Envelope, Event};
pub use fairness::{Fairness, Reveal};
pub use game_state::GameState;
pub use ids::{EventId, GameId, GameKey, Millis, Position, Seq, UserId, Version, WriterId};
pub use object::read_object;
pub use player::{PlayerSummary, Players, Spectators};
pub use record::{EndReason, FinishedGame, PlayedMove};
pub use rules::{Board, Chance, Choices, Kind, Move, Outcome, Play, Seat, State, Steps};
pub use terms::{Clocks, Durability, Origin, Running, TimeControl};
pub use trace::TraceParent;
