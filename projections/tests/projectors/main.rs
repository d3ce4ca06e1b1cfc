//! The projectors over the embedded adapters: a real log and real stores in one process, and a clock that the test
//! turns.

extern crate turnstream_projections as projections;

mod elsewhere;
mod erase;
mod faulty;
mod history;
mod library;
mod live;
mod newer;
mod rebuild;
mod retry;
mod silent;
mod sweep;
mod token;
mod verify;
mod world;
