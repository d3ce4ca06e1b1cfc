//! The event log's server, and who we are there.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use nats::{Credentials, NatsConfig, Tls};

use crate::auth::secret::Hidden;
use crate::config::ServerUrl;
use crate::config::files::{NATS_PASSWORD, NATS_TOKEN, certificates, password, private_key};

/// How the event log is reached.
#[derive(Debug, Clone, Args)]
pub struct NatsFlags {
    /// The event log, `nats://host:port` or `tls://host:port`, several nodes of a cluster separated by commas; embedded
    /// when absent.
    #[arg(long, env = "NATS_URL", hide_env_values = true, value_name = "URL")]
    pub nats_url: Option<ServerUrl>,

    /// Our user on the event log, in place of what the URL says. The password is in the variable `NATS_PASSWORD`, or in a
    /// file.
    #[arg(long, env = "NATS_USER", requires = "nats_url", value_name = "NAME")]
    pub nats_user: Option<String>,

    /// A file with the password of --nats-user.
    #[arg(long, env = "NATS_PASSWORD_FILE", requires = "nats_user", value_name = "FILE")]
    pub nats_password_file: Option<PathBuf>,

    /// A file with a token, for a server that asks for one instead of a user; or it is in the variable `NATS_TOKEN`.
    #[arg(
        long,
        env = "NATS_TOKEN_FILE",
        requires = "nats_url",
        conflicts_with = "nats_user",
        value_name = "FILE"
    )]
    pub nats_token_file: Option<PathBuf>,

    /// A `.creds` file, for a server that asks for a JWT.
    #[arg(long, env = "NATS_CREDS", requires = "nats_url", conflicts_with_all = ["nats_user", "nats_token_file"], value_name = "FILE")]
    pub nats_creds: Option<PathBuf>,

    /// The certificates of those who vouch for the event log's server, in PEM form, in place of the system's. With it the
    /// connection is always encrypted.
    #[arg(long, env = "NATS_CA", requires = "nats_url", value_name = "FILE")]
    pub nats_ca: Option<PathBuf>,

    /// Our own certificate for the event log's server, in PEM form.
    #[arg(long, env = "NATS_CERT", requires_all = ["nats_url", "nats_key"], value_name = "FILE")]
    pub nats_cert: Option<PathBuf>,

    /// The private key of --nats-cert.
    #[arg(long, env = "NATS_KEY", requires = "nats_cert", value_name = "FILE")]
    pub nats_key: Option<PathBuf>,
}

impl NatsFlags {
    /// The connection, if there is a server.
    ///
    /// # Errors
    /// A file cannot be used, or who we are is said twice or by halves.
    pub fn connection(&self) -> anyhow::Result<Option<NatsConfig>> {
        let Some(url) = &self.nats_url else {
            return Ok(None);
        };
        let given = Given {
            user: self.nats_user.clone(),
            password: password(NATS_PASSWORD, self.nats_password_file.as_deref())?,
            token: password(NATS_TOKEN, self.nats_token_file.as_deref())?,
            file: self.nats_creds.clone(),
        };
        Ok(Some(NatsConfig {
            credentials: given.credentials()?,
            tls: self.tls()?,
            ..NatsConfig::new(url.expose())
        }))
    }

    fn tls(&self) -> anyhow::Result<Option<Tls>> {
        let identity = self.nats_cert.clone().zip(self.nats_key.clone());
        if self.nats_ca.is_none() && identity.is_none() {
            return Ok(None);
        }
        // The client reads them when it connects, which may be later, and says less.
        for file in self.nats_ca.iter().chain(&self.nats_cert) {
            certificates(file)?;
        }
        if let Some(file) = &self.nats_key {
            private_key(file)?;
        }
        Ok(Some(Tls {
            authorities: self.nats_ca.clone(),
            identity,
        }))
    }
}

/// What was said of who we are.
#[derive(Default)]
struct Given {
    user: Option<String>,
    password: Option<Hidden>,
    token: Option<Hidden>,
    file: Option<PathBuf>,
}

impl Given {
    fn credentials(self) -> anyhow::Result<Option<Credentials>> {
        let text = |hidden: Hidden| hidden.expose().to_owned();
        Ok(match (self.user, self.password, self.token, self.file) {
            (None, None, None, None) => None,
            (Some(user), Some(password), None, None) => Some(Credentials::Password {
                user,
                password: text(password),
            }),
            (None, None, Some(token), None) => Some(Credentials::Token(text(token))),
            (None, None, None, Some(file)) => Some(Credentials::File(file)),
            (Some(_), None, None, None) => {
                bail!("--nats-user has no password: set {NATS_PASSWORD} or --nats-password-file")
            }
            (None, Some(_), None, None) => {
                bail!("{NATS_PASSWORD} is the password of nobody: set --nats-user")
            }
            _ => bail!("one of --nats-user, {NATS_TOKEN} and --nats-creds says who we are, not several"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_we_are_is_said_once_and_not_by_halves() {
        let user = || Some("us".to_owned());
        let secret = || Some(Hidden::from("hunter2"));
        let file = || Some(PathBuf::from("us.creds"));
        let good = |given: Given| given.credentials().expect("it is said once");
        assert!(good(Given::default()).is_none());
        let password = Given {
            user: user(),
            password: secret(),
            ..Given::default()
        };
        assert!(
            matches!(good(password), Some(Credentials::Password { password, .. }) if password == "hunter2")
        );
        let token = Given {
            token: secret(),
            ..Given::default()
        };
        assert!(matches!(good(token), Some(Credentials::Token(token)) if token == "hunter2"));
        assert!(matches!(
            good(Given {
                file: file(),
                ..Given::default()
            }),
            Some(Credentials::File(_))
        ));
        for bad in [
            Given {
                user: user(),
                ..Given::default()
            },
            Given {
                password: secret(),
                ..Given::default()
            },
            Given {
                password: secret(),
                user: user(),
                token: secret(),
                ..Given::default()
            },
            Given {
                token: secret(),
                file: file(),
                ..Given::default()
            },
        ] {
            let error = bad.credentials().expect_err("it is not clear").to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
