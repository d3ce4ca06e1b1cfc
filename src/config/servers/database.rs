//! The database of finished games, and who we are there.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use postgres::{Encryption, PostgresConfig, Tls};

use crate::config::ServerUrl;
use crate::config::files::{DATABASE_PASSWORD, certificates, password, private_key};

/// How Postgres is reached.
#[derive(Debug, Clone, Args)]
pub struct DatabaseFlags {
    /// Finished games, `postgres://user@host:port/database`; embedded when absent.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    pub database_url: Option<ServerUrl>,

    /// A file with the password of the database, in place of what the URL says; or it is in the variable
    /// `DATABASE_PASSWORD`.
    #[arg(
        long,
        env = "DATABASE_PASSWORD_FILE",
        requires = "database_url",
        value_name = "FILE"
    )]
    pub database_password_file: Option<PathBuf>,

    /// Whether the connection to the database is encrypted, and what is looked at: by default `prefer`, or `verify-full`
    /// where --database-ca is given.
    #[arg(
        long,
        env = "DATABASE_SSLMODE",
        requires = "database_url",
        value_enum,
        value_name = "MODE"
    )]
    pub database_sslmode: Option<SslMode>,

    /// The certificates of those who vouch for the database, in PEM form, beside the public ones.
    #[arg(long, env = "DATABASE_CA", requires = "database_url", value_name = "FILE")]
    pub database_ca: Option<PathBuf>,

    /// Our own certificate for the database, in PEM form.
    #[arg(long, env = "DATABASE_CERT", requires_all = ["database_url", "database_key"], value_name = "FILE")]
    pub database_cert: Option<PathBuf>,

    /// The private key of --database-cert.
    #[arg(long, env = "DATABASE_KEY", requires = "database_cert", value_name = "FILE")]
    pub database_key: Option<PathBuf>,
}

/// `sslmode`, as Postgres has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SslMode {
    /// Never encrypted.
    Disable,
    /// Encrypted if the server can, whoever it is.
    Prefer,
    /// Encrypted, whoever the server is.
    Require,
    /// Encrypted, and somebody known vouches for the server.
    VerifyCa,
    /// The same, and it is the host that the URL names.
    VerifyFull,
}

impl From<SslMode> for Encryption {
    fn from(mode: SslMode) -> Self {
        match mode {
            SslMode::Disable => Self::Disable,
            SslMode::Prefer => Self::Prefer,
            SslMode::Require => Self::Require,
            SslMode::VerifyCa => Self::VerifyCa,
            SslMode::VerifyFull => Self::VerifyFull,
        }
    }
}

impl DatabaseFlags {
    /// The connection, if there is a server.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn connection(&self) -> anyhow::Result<Option<PostgresConfig>> {
        let Some(url) = &self.database_url else {
            return Ok(None);
        };
        let password = password(DATABASE_PASSWORD, self.database_password_file.as_deref())?;
        Ok(Some(PostgresConfig {
            password: password.map(|password| password.expose().to_owned()),
            tls: self.tls()?,
            ..PostgresConfig::new(url.expose())
        }))
    }

    fn tls(&self) -> anyhow::Result<Tls> {
        // The client reads them when it connects, and says less.
        for file in self.database_ca.iter().chain(&self.database_cert) {
            certificates(file)?;
        }
        if let Some(file) = &self.database_key {
            private_key(file)?;
        }
        Ok(Tls {
            encryption: self.database_sslmode.map(Encryption::from),
            authorities: self.database_ca.clone(),
            identity: self.database_cert.clone().zip(self.database_key.clone()),
        })
    }
}
