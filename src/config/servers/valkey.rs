//! The server of live snapshots, and who we are there.

use std::path::PathBuf;

use clap::Args;
use valkey::{Tls, ValkeyConfig};

use crate::config::ServerUrl;
use crate::config::files::{VALKEY_PASSWORD, certificates, password, private_key};

/// How Valkey is reached.
#[derive(Debug, Clone, Args)]
pub struct ValkeyFlags {
    /// Live snapshots and caches, `redis://host:port`, or `rediss://…` for an encrypted connection; embedded when absent.
    #[arg(long, env = "VALKEY_URL", hide_env_values = true, value_name = "URL")]
    pub valkey_url: Option<ServerUrl>,

    /// A file with the password of Valkey, in place of what the URL says; or it is in the variable `VALKEY_PASSWORD`.
    #[arg(
        long,
        env = "VALKEY_PASSWORD_FILE",
        requires = "valkey_url",
        value_name = "FILE"
    )]
    pub valkey_password_file: Option<PathBuf>,

    /// The certificates of those who vouch for Valkey, in PEM form, in place of the system's.
    #[arg(long, env = "VALKEY_CA", requires = "valkey_url", value_name = "FILE")]
    pub valkey_ca: Option<PathBuf>,

    /// Our own certificate for Valkey, in PEM form.
    #[arg(long, env = "VALKEY_CERT", requires_all = ["valkey_url", "valkey_key"], value_name = "FILE")]
    pub valkey_cert: Option<PathBuf>,

    /// The private key of --valkey-cert.
    #[arg(long, env = "VALKEY_KEY", requires = "valkey_cert", value_name = "FILE")]
    pub valkey_key: Option<PathBuf>,
}

impl ValkeyFlags {
    /// The connection, if there is a server.
    ///
    /// # Errors
    /// A file cannot be used.
    pub fn connection(&self) -> anyhow::Result<Option<ValkeyConfig>> {
        let Some(url) = &self.valkey_url else {
            return Ok(None);
        };
        let password = password(VALKEY_PASSWORD, self.valkey_password_file.as_deref())?;
        Ok(Some(ValkeyConfig {
            password: password.map(|password| password.expose().to_owned()),
            tls: self.tls()?,
            ..ValkeyConfig::new(url.expose())
        }))
    }

    fn tls(&self) -> anyhow::Result<Option<Tls>> {
        let authorities = self.valkey_ca.as_deref().map(certificates).transpose()?;
        let identity = match (&self.valkey_cert, &self.valkey_key) {
            (Some(certificate), Some(key)) => Some((certificates(certificate)?, private_key(key)?)),
            _ => None,
        };
        Ok((authorities.is_some() || identity.is_some()).then_some(Tls {
            authorities,
            identity,
        }))
    }
}
