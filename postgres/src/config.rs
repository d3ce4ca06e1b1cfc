//! Where the database is.

use std::fmt;
use std::path::PathBuf;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// How to reach the database.
#[derive(Clone)]
pub struct PostgresConfig {
    /// `postgres://user:password@host:port/database`, with the usual parameters (`sslmode`, `sslrootcert`, …).
    pub url: String,
    /// The password; what the URL says counts where this is `None`.
    pub password: Option<String>,
    /// Encryption, beyond what the URL says.
    pub tls: Tls,
    /// The most connections at one time; one more is opened for moments to look whether a lost server is back.
    pub max_connections: u32,
}

/// Encryption, and the PEM files for it.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// What is asked for; what the URL says counts where this is `None`.
    pub encryption: Option<Encryption>,
    /// Who vouches for the server, beside the public authorities. With it the whole certificate is looked at, unless
    /// something else is asked for.
    pub authorities: Option<PathBuf>,
    /// Our own certificate and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// None.
    Disable,
    /// If the server can; nothing is looked at.
    Prefer,
    /// Always; nothing is looked at.
    Require,
    /// Always, and somebody known vouches for the server.
    VerifyCa,
    /// The same, and for the host that the URL names.
    VerifyFull,
}

impl From<Encryption> for PgSslMode {
    fn from(encryption: Encryption) -> Self {
        match encryption {
            Encryption::Disable => Self::Disable,
            Encryption::Prefer => Self::Prefer,
            Encryption::Require => Self::Require,
            Encryption::VerifyCa => Self::VerifyCa,
            Encryption::VerifyFull => Self::VerifyFull,
        }
    }
}

/// The URL is none of a Postgres database.
#[derive(Debug, thiserror::Error)]
#[error("the database's URL cannot be used: {0}")]
pub struct InvalidUrl(#[source] pub(crate) sqlx::Error);

impl PostgresConfig {
    /// What the URL says, and eight connections: enough for lists beside one writer. Each costs the server some 10 MB.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            password: None,
            tls: Tls::default(),
            max_connections: 8,
        }
    }

    /// What the URL says. The library takes one of any other database for its own.
    pub(crate) fn options(&self) -> Result<PgConnectOptions, InvalidUrl> {
        let scheme = self.url.split_once("://").map(|(scheme, _)| scheme);
        if !matches!(scheme, Some("postgres" | "postgresql")) {
            return Err(InvalidUrl(sqlx::Error::Configuration(
                "it does not begin with postgres://".into(),
            )));
        }
        let options: PgConnectOptions = self.url.parse().map_err(InvalidUrl)?;
        let options = match &self.password {
            Some(password) => options.password(password),
            None => options,
        };
        Ok(self.tls.applied_to(options))
    }
}

impl Tls {
    fn applied_to(&self, mut options: PgConnectOptions) -> PgConnectOptions {
        if let Some(authorities) = &self.authorities {
            options = options.ssl_root_cert(authorities);
            // The default looks at no certificate: whoever names an authority wants it asked.
            if matches!(options.get_ssl_mode(), PgSslMode::Prefer) {
                options = options.ssl_mode(PgSslMode::VerifyFull);
            }
        }
        if let Some((certificate, key)) = &self.identity {
            options = options.ssl_client_cert(certificate).ssl_client_key(key);
        }
        match self.encryption {
            Some(encryption) => options.ssl_mode(encryption.into()),
            None => options,
        }
    }
}

impl fmt::Debug for PostgresConfig {
    /// Without the URL, which may have a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresConfig")
            .field("tls", &self.tls)
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
            password: Some("hunter2".to_owned()),
            ..PostgresConfig::new(url)
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

    #[test]
    fn whoever_names_an_authority_has_it_asked() {
        let mode = |url: &str, tls: &Tls| {
            let config = PostgresConfig {
                tls: tls.clone(),
                ..PostgresConfig::new(url)
            };
            config.options().expect("a good URL").get_ssl_mode()
        };
        let mut tls = Tls::default();
        assert!(matches!(mode("postgres://host/x", &tls), PgSslMode::Prefer));
        tls.authorities = Some("ca.pem".into());
        assert!(matches!(mode("postgres://host/x", &tls), PgSslMode::VerifyFull));
        assert!(matches!(
            mode("postgres://host/x?sslmode=verify-ca", &tls),
            PgSslMode::VerifyCa
        ));
        tls.encryption = Some(Encryption::Require);
        assert!(matches!(mode("postgres://host/x", &tls), PgSslMode::Require));
    }
}
