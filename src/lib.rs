//! turnstream: the service. HTTP and WebSocket at the edge, and the composition of everything behind it.
//!
//! **Belongs here:** settings ([`config`], [`cli`]), who is asking ([`auth`]), how many may ask ([`limits`], [`server`]), routes
//! ([`http`]), sockets ([`ws`]), the wiring of parts. **Does not:** a rule of a game (`rules`), what a command may do
//! (`commands`), how a list is made (`projections`), how a server is spoken to (adapters).
//!
//! The edge reaches games through one port, `commands::games::Games`, and reads through [`ports`].
//!
//! **To add** a route: a handler in a module of [`http`] and its entry in that module's `routes()`, which the router
//! and the `OpenAPI` document are both made from, and an example in `docs/PROTOCOL.md`.

// They panic when nobody reads: see [`said`].
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod app;
pub mod asyncapi;
pub mod auth;
pub mod cli;
pub mod config;
pub mod connection;
pub mod documents;
pub mod events;
pub mod http;
pub mod limits;
pub mod metrics;
pub mod openapi;
pub mod operations;
pub mod operator;
pub mod outbox;
pub mod ownership;
pub mod ports;
pub mod problem;
mod progress;
pub mod project;
pub mod projecting;
pub mod reads;
pub mod said;
pub mod server;
pub mod service;
pub mod status;
pub mod stores;
pub mod system_clock;
pub mod telemetry;
mod trace;
pub mod verify_dice;
pub mod ws;
