//! Finished games in Postgres.
//!
//! **Belongs here:** what is SQL for Postgres, how its errors are understood, and how long a call may take. The tables
//! are in `migrations/`, each with its reason. **Does not:** when a game is written or what a list shows (`projections`
//! and the service), and anything that a running game waits for: a move never touches this crate.
//!
//! Statements stand in `.sql` files beside the module that runs them, one each. They are checked by the tests, which
//! run every one on a real server, and not at compile time, so that the crate builds without a database.
//!
//! **To change the schema**, add a migration; the old ones are never edited, as databases that have run them would be
//! refused.

mod config;
mod database;
mod failure;
mod figures;
mod gate;
mod history;
mod migrate;

pub use config::{Encryption, InvalidUrl, PostgresConfig, Tls};
pub use figures::Figures;
pub use history::PostgresHistory;
pub use migrate::MigrateError;
