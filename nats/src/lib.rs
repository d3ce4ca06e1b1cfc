//! The event log on NATS JetStream, and what else travels on NATS: heartbeats, counts of spectators and dead
//! letters.
//!
//! **Belongs here:** subjects, stream definitions, how a port's promise is kept by requests to the server, and what each
//! of the server's answers means. **Does not:** what is in an event, when to publish one, what to do about an outcome
//! that is not known (`commands`), what is done with what a cursor returns (`projections`).
//!
//! [`NatsLog`] is the one type that the service uses. It implements [`EventLog`](commands::ports::EventLog),
//! [`Heartbeats`](commands::ports::Heartbeats), [`LogReader`](projections::ports::LogReader),
//! [`SpectatorCounts`](projections::ports::SpectatorCounts) and [`DeadLetters`](projections::ports::DeadLetters) over one connection, and can
//! be made while the server is away. [`NatsPages`] reads the log and does nothing else: it is for analysts.
//!
//! Two rules hold everywhere: nothing is sent while the link is down (the client would keep it and send it later, when
//! nobody expects it any more), and no request is without a deadline.

mod address;
mod api;
mod append;
mod config;
mod connection;
mod cursor;
mod dead;
mod denied;
mod direct;
mod game;
mod link;
mod log;
mod pages;
mod plain;
mod requirements;
mod shared;
mod streams;
pub mod subjects;
mod takeovers;
mod unfinished;

pub use append::LARGEST_EVENT;
pub use config::{Credentials, NatsConfig, Tls};
pub use connection::ConnectError;
pub use log::NatsLog;
pub use pages::NatsPages;
pub use requirements::{OLDEST_SERVER, SMALLEST_MAX_PAYLOAD, Unfit};
