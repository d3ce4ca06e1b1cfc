//! Games in memory over real adapters: the embedded log and pending store, a clock that the tests turn, and a gate before
//! the log.

mod clocks;
mod copies;
mod durability;
mod ears;
mod fencing;
mod hour;
mod joining;
mod outages;
mod over;
mod pairing;
mod playing;
mod returning;
mod service;
mod time;
mod watching;
