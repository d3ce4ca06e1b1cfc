//! Where the database is.

use std::fmt;

use sqlx::postgres::PgConnectOptions;

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

impl PostgresConfig {
    /// What the URL says. The library takes one of any other database for its own.
    pub(crate) fn options(&self) -> Result<PgConnectOptions, InvalidUrl> {
        let scheme = self.url.split_once("://").map(|(scheme, _)| scheme);
        if !matches!(scheme, Some("postgres" | "postgresql")) {
            return Err(InvalidUrl(sqlx::Error::Configuration(
                "it does not begin with postgres://".into(),
            )));
        }
        self.url.parse().map_err(InvalidUrl)
    }
}

impl fmt::Debug for PostgresConfig {
    /// Without the URL, which may have a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConfig")
            .field("max_connections", &self.max_connections)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_url_of_postgres_is_one_and_none_is_shown() {
        let config = |url: &str| PostgresConfig {
            url: url.to_owned(),
            max_connections: 1,
        };
        for good in [
            "postgres://us:hunter2@host/x",
            "postgresql://host:5433/x?sslmode=require",
        ] {
            assert!(config(good).options().is_ok(), "{good}");
        }
        for bad in [
            "",
            "hunter2",
            "mysql://us:hunter2@host/x",
            "postgres://us:hunter2@host:x/x",
        ] {
            let error = config(bad).options().expect_err("it is none");
            assert!(!error.to_string().contains("hunter2"), "{error}");
            assert!(!format!("{:?}", config(bad)).contains("hunter2"));
        }
    }
}
