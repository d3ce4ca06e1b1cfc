//! Settings of who may come in.

use std::path::{Path, PathBuf};

use axum::http::Uri;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

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

    /// The public client as which browsers sign in at the issuer; the audience when absent.
    #[arg(
        long,
        env = "TURNSTREAM_OIDC_CLIENT_ID",
        requires = "oidc_issuer",
        value_name = "CLIENT"
    )]
    pub oidc_client_id: Option<String>,

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

/// Where browsers sign in, by authorization code with PKCE.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignIn {
    /// The issuer.
    pub issuer: String,
    /// The public client.
    pub client_id: String,
}

impl SignIn {
    /// The issuer's origin, as browsers write it; empty if it is no URL.
    pub fn origin(&self) -> String {
        let uri = self.issuer.parse::<Uri>().unwrap_or_default();
        match (uri.scheme_str(), uri.authority()) {
            (Some(scheme), Some(authority)) => format!("{scheme}://{authority}"),
            _ => String::new(),
        }
    }
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

    /// Where browsers sign in, if anywhere.
    pub fn sign_in(&self) -> Option<SignIn> {
        let (issuer, audience) = (self.oidc_issuer.clone()?, self.oidc_audience.clone()?);
        Some(SignIn {
            issuer,
            client_id: self.oidc_client_id.clone().unwrap_or(audience),
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
