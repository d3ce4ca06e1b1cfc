//! The write side: what a command may do, the games in memory, and how their events reach the log.
//!
//! **Belongs here:** pure decisions (`decide`), the aggregate, live games and their publishing, presence, matchmaking,
//! the watcher, and the ports these need. **Does not:** rules of a game (`rules`), projections (they fold with
//! [`fold`]), I/O (adapters), HTTP.
//!
//! **To add** a command: a variant of the command, its decision as a pure function with tests, and, if the edge offers
//! it, a variant of [`games::PlayerCommand`].

pub mod aggregate;
pub mod clocks;
pub mod committed;
pub mod decide;
pub mod election;
pub mod fold;
pub mod games;
pub mod lifeline;
pub mod live;
pub mod matchmaking;
pub mod observer;
pub mod ports;
pub mod presence;
pub mod publish;
pub mod seed_gate;
pub mod snapshot;
pub mod trace;
pub mod view;
pub mod watcher;
