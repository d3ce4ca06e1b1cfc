//! Where the database is.

use std::fmt;

/// How to reach the database.
#[derive(Clone)]
pub struct PostgresConfig {
    /// `postgres://user:password@host:port/database`, with the usual parameters (`sslmode`, `sslrootcert`, …).
    pub url: String,
    /// The most connections at one time; one more is opened for moments to look whether a lost server is back.
    pub max_connections: u32,
}

/// The URL is none of a Postgres database.
#[derive(Debug, thiserror::Error)]
#[error("the database's URL cannot be used: {0}")]
pub struct InvalidUrl(#[source] pub(crate) sqlx::Error);

impl fmt::Debug for PostgresConfig {
    /// Without the URL, which may have a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConfig")
            .field("max_connections", &self.max_connections)
            .finish_non_exhaustive()
    }
}
