//! Load: many games of mancala at once, played by the rules over real sockets, against turnstream or one of its peers.
//!
//! **Belongs here:** what a load is ([`mode`]), how each server is spoken to ([`peer`]), what is measured meanwhile
//! ([`measure`], [`processes`]). **Does not:** starting servers, comparing them, and writing that down; the suite does.
//!
//! A table is two players, each with a socket of its own. Whoever's turn it is sends a move, and nobody goes on before
//! both have seen it and the board that they were shown is what the rules say. So each measured round trip lasts until
//! the slower of the two has the move, and a server that loses or garbles one is an error and not fast.
//!
//! Everything is bounded: loopback only, at most [`plan::MOST_GAMES`] games with sockets, every wait has a deadline.

pub mod lobby;
pub mod measure;
pub mod mode;
pub mod peer;
pub mod plan;
pub mod processes;
pub mod report;
pub mod socket;
pub mod table;
