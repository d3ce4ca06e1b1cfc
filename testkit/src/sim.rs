//! A small world in one thread: the ports of several processes over one set of stores, with time that passes only when
//! everybody waits, and faults that come when they are asked for.
//!
//! **Belongs here:** time ([`Time`]), whether a process runs, is frozen or dead ([`Life`]), and the ports of one process
//! with everything that may go wrong on the way to a store: [`Bus`] (the log, its readers, heartbeats) and [`Shelf`]
//! (the stores). **Does not:** what a process is made of and what must hold of it: that is the simulation's.
//!
//! **One thread.** The runtime of the simulation is single-threaded with its time paused, so that it jumps to the next
//! timer whenever nothing else is left to do. The real adapters need threads of their own; a call to one is made on
//! another runtime, and the simulation stands still until it is back ([`Outside`]). So the order of everything is decided
//! by the simulation alone, and a history that went wrong goes wrong again.
//!
//! **Chance** ([`Chance`]) only decides how long a message takes.

mod bus;
mod bus_log;
mod bus_reader;
mod bus_words;
mod chance;
mod life;
mod outside;
mod shelf;
mod shelf_history;
mod shelf_live;
mod time;

pub use bus::{Bus, Fate, Line};
pub use chance::Chance;
pub use life::Life;
pub use outside::Outside;
pub use shelf::{Access, Shelf, ShelfPorts};
pub use time::{LifeClock, Time};
