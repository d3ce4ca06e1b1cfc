//! Settings of who may come in.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::auth::oidc::Issuer;
use crate::auth::secret::{Fallback, Hidden, Secret, SecretError};

/// Credentials and keys.
#[derive(Debug, Clone, Args)]
pub struct IdentityConfig {
    /// The service's keys, `id:hex,…`, at least 32 bytes each: the first signs, all are accepted.
    #[arg(long, env = "TURNSTREAM_SECRET", hide_env_values = true, value_name = "KEYS")]
    pub secret: Option<Hidden>,

    /// A file with the keys. With neither, an embedded service makes `<data-dir>/secret`.
    #[arg(
        long,
        env = "TURNSTREAM_SECRET_FILE",
        conflicts_with = "secret",
        value_name = "FILE"
    )]
    pub secret_file: Option<PathBuf>,

    /// The issuer whose tokens are believed: for Keycloak `https://<host>/realms/<realm>`.
    #[arg(
        long,
        env = "TURNSTREAM_OIDC_ISSUER",
        requires = "oidc_audience",
        value_name = "URL"
    )]
    pub oidc_issuer: Option<String>,

    /// What a token's `aud` must hold, or its `azp` be.
    #[arg(
        long,
        env = "TURNSTREAM_OIDC_AUDIENCE",
        requires = "oidc_issuer",
        value_name = "CLIENT"
    )]
    pub oidc_audience: Option<String>,

    /// Where the issuer's keys are; where Keycloak has them, when absent.
    #[arg(
        long,
        env = "TURNSTREAM_OIDC_JWKS_URL",
        requires = "oidc_issuer",
        value_name = "URL"
    )]
    pub oidc_jwks_url: Option<String>,

    /// Believe the user keys of old clients. They are weak credentials that travel in URLs.
    #[arg(long, env = "LEGACY_USERKEY_AUTH", value_name = "BOOL", default_value_t = false, num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub legacy_userkey_auth: bool,
}

impl IdentityConfig {
    /// The issuer, if there is one.
    pub fn issuer(&self) -> Option<Issuer> {
        let (issuer, audience) = (self.oidc_issuer.clone()?, self.oidc_audience.clone()?);
        let jwks_url = self
            .oidc_jwks_url
            .clone()
            .unwrap_or_else(|| format!("{}/protocol/openid-connect/certs", issuer.trim_end_matches('/')));
        Some(Issuer {
            issuer,
            audience,
            jwks_url,
        })
    }

    /// The keys. Without any configured: a service with a server does not start, one in memory makes some up, an
    /// embedded one keeps them in `data_dir`.
    ///
    /// # Errors
    /// [`SecretError`], with a message for the operator.
    pub fn load_secret(
        &self,
        any_server: bool,
        in_memory: bool,
        data_dir: &Path,
    ) -> Result<Secret, SecretError> {
        let fallback = match (any_server, in_memory) {
            (true, _) => Fallback::Refuse,
            (false, true) => Fallback::Ephemeral,
            (false, false) => Fallback::KeepIn(data_dir),
        };
        Secret::load(self.secret.as_ref(), self.secret_file.as_deref(), fallback)
    }
}
