//! End-to-end tests: the real program, real servers or none, and clients that know only the documented protocol.
//!
//! A story is written once, over a [`World`](harness::World), and [`on_every_backend!`] runs it on NATS, Valkey and
//! Postgres and again embedded.

#[macro_use]
mod harness;

mod analysts;
mod bad_input;
mod clients;
mod clocks;
mod dice_chess;
mod downgrade;
mod kill;
mod logs;
mod metrics;
mod operations;
mod outages;
mod projectors;
mod races;
mod season;
mod secured;
mod standby;
mod tour;
mod traces;
mod whole_game;
