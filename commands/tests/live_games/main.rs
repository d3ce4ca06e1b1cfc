//! Games in memory over real adapters: the embedded log and pending store, a clock that the tests turn, and a gate before
//! the log.

mod durability;
mod ears;
mod fencing;
mod joining;
mod outages;
mod pairing;
mod playing;
mod returning;
mod service;
mod time;
mod watching;
