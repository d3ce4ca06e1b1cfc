//! Where the server is and how long it is waited for.

use std::fmt;
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::{Client, IntoConnectionInfo, RedisError};

/// How the stores are reached.
#[derive(Clone)]
pub struct ValkeyConfig {
    /// `redis://[user:password@]host[:port][/database]`, or `rediss://…` with TLS.
    pub url: String,
    /// What every key begins with, without the colon. Services on one log share it; others must not.
    pub prefix: String,
    /// How long answers are waited for.
    pub deadlines: Deadlines,
}

/// How long answers are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// For each call; for each step of those that read or delete step by step.
    pub call: Duration,
    /// For the load of all live snapshots.
    pub load: Duration,
    /// For a ping, after which the server counts as down.
    pub ping: Duration,
    /// For a new connection.
    pub connect: Duration,
}

/// The configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The URL is none, or asks for something that is not compiled in. Its text is not repeated: it may hold a password.
    #[error("the URL of Valkey cannot be used")]
    Url(#[source] RedisError),
}

impl ValkeyConfig {
    /// The usual prefix and deadlines.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: "turnstream".into(),
            deadlines: Deadlines::default(),
        }
    }

    pub(crate) fn client(&self) -> Result<Client, ConfigError> {
        let info = self
            .url
            .as_str()
            .into_connection_info()
            .map_err(ConfigError::Url)?;
        // Without it a small command may wait 40 ms for the acknowledgement of the one before.
        let info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
        Client::open(info).map_err(ConfigError::Url)
    }
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            call: Duration::from_millis(100),
            load: Duration::from_secs(30),
            ping: Duration::from_millis(250),
            connect: Duration::from_secs(1),
        }
    }
}

impl fmt::Debug for ValkeyConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValkeyConfig")
            .field("prefix", &self.prefix)
            .field("deadlines", &self.deadlines)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let config = ValkeyConfig::new("redis://:hunter2@localhost");
        assert!(!format!("{config:?}").contains("hunter2"));
        let error = ValkeyConfig::new("nonsense://:hunter2@localhost")
            .client()
            .unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}
