//! Real servers for tests: NATS, Valkey and Postgres, started on private loopback ports with private stores.
//!
//! A test that breaks a server starts its own; the others may share one within their process. Whatever was started
//! ends with the value that stands for it, and at the latest with the test process, however that ends. A server
//! that is not installed is an error that says so, never a skipped test.
//!
//! Not for tests with paused time: starting and stopping wait for real processes.

mod ask;
mod find;
mod nats;
mod nats_cluster;
mod old_nats;
mod ports;
mod postgres;
mod postgres_store;
mod process;
mod server;
mod valkey;

pub use find::analysts_python;
pub use nats::{Nats, NatsProgram};
pub use nats_cluster::NatsCluster;
pub use old_nats::{OldNats, OldNatsProgram};
pub use ports::free as free_port;
pub use postgres::{Postgres, PostgresProgram};
pub use server::{Program, Server};
pub use valkey::{Valkey, ValkeyProgram};

#[cfg(test)]
mod tests;
