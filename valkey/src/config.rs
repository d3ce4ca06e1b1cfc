//! Where the server is and how long it is waited for.

use std::fmt;
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::{Client, ClientTlsConfig, ConnectionAddr, IntoConnectionInfo, RedisError, TlsCertificates};

/// How the stores are reached.
#[derive(Clone)]
pub struct ValkeyConfig {
    /// `redis://[user:password@]host[:port][/database]`, or `rediss://…` with TLS.
    pub url: String,
    /// The password; what the URL says counts where this is `None`.
    pub password: Option<String>,
    /// Certificates; a `rediss://` URL uses the system's where this is `None`.
    pub tls: Option<Tls>,
    /// What every key begins with, without the colon. Services on one log share it; others must not.
    pub prefix: String,
    /// How long answers are waited for.
    pub deadlines: Deadlines,
}

/// Certificates, as the text of PEM files.
#[derive(Clone, Default)]
pub struct Tls {
    /// Who vouches for the server, in place of the system's authorities.
    pub authorities: Option<String>,
    /// Our own certificate and its key.
    pub identity: Option<(String, String)>,
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
    /// There are certificates, and nothing to use them for.
    #[error("certificates for Valkey need a URL that begins with rediss://")]
    NotEncrypted,
    /// A certificate or its key is none.
    #[error("the certificates for Valkey cannot be used: {0}")]
    Certificates(String),
}

impl ValkeyConfig {
    /// The usual prefix and deadlines.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            password: None,
            tls: None,
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
        let mut info = info.set_tcp_settings(TcpSettings::default().set_nodelay(true));
        if let Some(password) = &self.password {
            let settings = info.redis_settings().clone().set_password(password);
            info = info.set_redis_settings(settings);
        }
        let Some(tls) = &self.tls else {
            return Client::open(info).map_err(ConfigError::Url);
        };
        if !matches!(info.addr(), ConnectionAddr::TcpTls { .. }) {
            return Err(ConfigError::NotEncrypted);
        }
        // What the library says of a bad one may quote it, but holds no key.
        Client::build_with_tls(info, tls.certificates())
            .map_err(|error| ConfigError::Certificates(error.to_string()))
    }
}

impl Tls {
    fn certificates(&self) -> TlsCertificates {
        TlsCertificates {
            client_tls: self.identity.as_ref().map(|(certificate, key)| ClientTlsConfig {
                client_cert: certificate.clone().into_bytes(),
                client_key: key.clone().into_bytes(),
            }),
            root_cert: self.authorities.clone().map(String::into_bytes),
        }
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
        let mut config = ValkeyConfig::new("redis://:hunter2@localhost");
        config.password = Some("hunter2".into());
        config.tls = Some(Tls {
            authorities: None,
            identity: Some(("hunter2".into(), "hunter2".into())),
        });
        assert!(!format!("{config:?}").contains("hunter2"));
        let error = ValkeyConfig::new("nonsense://:hunter2@localhost")
            .client()
            .unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }

    #[test]
    fn certificates_are_for_an_encrypted_connection_and_have_to_be_some() {
        let with = |url: &str, authorities: &str| {
            let config = ValkeyConfig {
                tls: Some(Tls {
                    authorities: Some(authorities.to_owned()),
                    identity: None,
                }),
                ..ValkeyConfig::new(url)
            };
            config.client()
        };
        assert!(matches!(
            with("redis://localhost", ""),
            Err(ConfigError::NotEncrypted)
        ));
        let nonsense = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(
            with("rediss://localhost", nonsense),
            Err(ConfigError::Certificates(_))
        ));
    }

    #[test]
    fn a_password_of_its_own_takes_the_place_of_the_urls() {
        let config = ValkeyConfig {
            password: Some("new".into()),
            ..ValkeyConfig::new("redis://us:old@localhost")
        };
        let client = config.client().expect("a good URL");
        let settings = client.get_connection_info().redis_settings();
        assert_eq!(
            (settings.username(), settings.password()),
            (Some("us"), Some("new"))
        );
    }
}
