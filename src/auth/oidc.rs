//! Keycloak's tokens: JWTs verified against the issuer's published keys.
//!
//! Only three signature algorithms are believed, whatever a token says of itself; the expiry is compared with the
//! service's own clock.

use contract::{Millis, PlayerSummary, UserId};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;

pub mod keys;

use super::{AuthError, name};
use keys::{KeyStore, KeysError};

const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::PS256];
/// How far the issuer's clock and ours may be apart, in milliseconds.
const LEEWAY_MS: i64 = 30_000;

/// Whose tokens are believed.
#[derive(Debug, Clone)]
pub struct Issuer {
    /// The `iss` of its tokens.
    pub issuer: String,
    /// What must be in `aud`, or be `azp`.
    pub audience: String,
    /// Where its keys are.
    pub jwks_url: String,
}

/// Verifies an issuer's tokens.
#[derive(Debug)]
pub struct Oidc {
    issuer: Issuer,
    keys: KeyStore,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    exp: i64,
    #[serde(default)]
    nbf: Option<i64>,
    #[serde(default)]
    aud: Audience,
    #[serde(default)]
    azp: Option<String>,
    /// Keycloak says `Bearer` for access tokens, `ID` and `Refresh` for those that are none.
    #[serde(default)]
    typ: Option<String>,
    #[serde(default)]
    preferred_username: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
    #[default]
    None,
}

impl Audience {
    fn has(&self, wanted: &str) -> bool {
        match self {
            Self::One(one) => one == wanted,
            Self::Many(many) => many.iter().any(|one| one == wanted),
            Self::None => false,
        }
    }
}

impl Oidc {
    /// Believes `issuer`. Keys are fetched when the first token comes.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(issuer: Issuer) -> Result<Self, KeysError> {
        let keys = KeyStore::new(issuer.jwks_url.clone())?;
        Ok(Self { issuer, keys })
    }

    /// Who the token's bearer is.
    ///
    /// # Errors
    /// [`AuthError::Invalid`], or [`AuthError::Unavailable`] when the issuer's keys cannot be had.
    pub async fn verify(&self, token: &str, now: Millis) -> Result<PlayerSummary, AuthError> {
        let header = decode_header(token).map_err(|_| AuthError::Invalid)?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(AuthError::Invalid);
        }
        let kid = header.kid.ok_or(AuthError::Invalid)?;
        let jwk = self
            .keys
            .find(&kid)
            .await
            .map_err(AuthError::from)?
            .ok_or(AuthError::Invalid)?;
        let key = DecodingKey::from_jwk(&jwk).map_err(|_| AuthError::Invalid)?;
        let mut validation = Validation::new(header.alg);
        // The claims are checked below: time by our own clock, and the audience in two places.
        validation.validate_exp = false;
        validation.validate_aud = false;
        validation.required_spec_claims.clear();
        let claims = decode::<Claims>(token, &key, &validation)
            .map_err(|_| AuthError::Invalid)?
            .claims;
        if self.accepts(&claims, now) {
            player(&claims)
        } else {
            Err(AuthError::Invalid)
        }
    }

    fn accepts(&self, claims: &Claims, now: Millis) -> bool {
        let expired = claims.exp.saturating_mul(1000) <= now.0.saturating_sub(LEEWAY_MS);
        let early = claims
            .nbf
            .is_some_and(|nbf| nbf.saturating_mul(1000) > now.0.saturating_add(LEEWAY_MS));
        let for_us = claims.aud.has(&self.issuer.audience)
            || claims.azp.as_deref() == Some(self.issuer.audience.as_str());
        let access = claims.typ.as_deref().is_none_or(|typ| typ == "Bearer");
        claims.iss == self.issuer.issuer && for_us && access && !expired && !early
    }
}

fn player(claims: &Claims) -> Result<PlayerSummary, AuthError> {
    if claims.sub.is_empty() || claims.sub.len() > 255 {
        return Err(AuthError::Invalid);
    }
    Ok(PlayerSummary {
        user_id: UserId::new(format!("kc:{}", claims.sub)),
        name: claims.preferred_username.as_deref().and_then(name::of_account),
        is_guest: false,
    })
}

#[cfg(test)]
mod tests;
