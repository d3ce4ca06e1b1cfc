//! Restoring games from what a dead process left behind, over the embedded adapters.

extern crate turnstream_projections as projections;

mod away;
mod dice;
mod ended;
mod parked;
mod process;
mod stores;
mod waiting;
