//! The read side: folds of the log into stores and memory, and what is read from them.
//!
//! **Belongs here:** the [catch-up loop](catch_up) and the projectors that run on it ([`live`], [`history`]), the
//! [sweeper](sweep), the [preview], the [library](library::Library) that answers reads, what operators do
//! ([`operations`]), and the ports these need.
//! **Does not:** what a command may do (`commands`), how a store keeps bytes (adapters), HTTP.
//!
//! **To add** a projector: implement [`catch_up::Projection`]; its checkpoint lives in the store that it writes and
//! moves with the data.

pub mod catch_up;
pub mod history;
pub mod library;
pub mod live;
mod newer;
pub mod operations;
pub mod ports;
pub mod preview;
pub mod restore;
pub mod sweep;
