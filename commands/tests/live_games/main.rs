//! Games in memory over real adapters: the embedded log and pending store, a clock that the tests turn, and a gate before
//! the log.

mod bounds;
mod clocks;
mod copies;
mod dice;
mod durability;
mod dying;
mod ears;
mod fencing;
mod hour;
mod joining;
mod leaving;
mod measured;
mod outages;
mod over;
mod pairing;
mod playing;
mod returning;
mod rooms;
mod service;
mod standstill;
mod thousand;
mod time;
mod time_of_day;
mod watching;
