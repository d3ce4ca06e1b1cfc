//! What must be known to connect.

use std::fmt;
use std::path::PathBuf;

/// Where the servers are, and how the streams on them are kept.
#[derive(Clone)]
pub struct NatsConfig {
    /// One server's URL, or those of several nodes of a cluster, separated by commas.
    pub url: String,
    /// Who we are; what the URL says counts where this is `None`.
    pub credentials: Option<Credentials>,
    /// Certificates; a `tls://` URL uses the public ones where this is `None`.
    pub tls: Option<Tls>,
    /// Copies of each stream: 1, or 3 on a cluster.
    pub replicas: usize,
    /// How long the log keeps a message, in milliseconds; 0: for ever.
    pub max_age_ms: u64,
    /// `sync_interval` of the server's own configuration, in milliseconds: what a power cut can cost. Clients cannot
    /// ask the server for it.
    pub sync_interval_ms: u64,
}

impl NatsConfig {
    /// A single server without authentication, as the tests and `compose.yaml` run it.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            credentials: None,
            tls: None,
            replicas: 1,
            max_age_ms: 0,
            sync_interval_ms: 1_000,
        }
    }
}

impl fmt::Debug for NatsConfig {
    /// Without the URL, which may have a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsConfig")
            .field("credentials", &self.credentials)
            .field("tls", &self.tls)
            .field("replicas", &self.replicas)
            .finish_non_exhaustive()
    }
}

/// How we prove who we are. Its `Debug` shows no secret.
#[derive(Clone)]
pub enum Credentials {
    /// A user and a password.
    Password {
        /// The user.
        user: String,
        /// The password.
        password: String,
    },
    /// A token.
    Token(String),
    /// A `.creds` file with a JWT and its key.
    File(PathBuf),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => write!(f, "the password of {user:?}"),
            Self::Token(_) => f.write_str("a token"),
            Self::File(path) => write!(f, "credentials in {}", path.display()),
        }
    }
}

/// Certificates, as PEM files. With it the connection is always encrypted.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// Who vouches for the server, beside the public authorities.
    pub authorities: Option<PathBuf>,
    /// Our own certificate and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown() {
        let mut config = NatsConfig::new("nats://us:hunter2@localhost");
        for credentials in [
            Credentials::Password {
                user: "us".into(),
                password: "hunter2".into(),
            },
            Credentials::Token("hunter2".into()),
        ] {
            config.credentials = Some(credentials);
            assert!(!format!("{config:?}").contains("hunter2"));
        }
    }
}
