//! An issuer of tokens on loopback, in place of Keycloak: it publishes two committed test keys and signs whatever
//! claims a test wants. It knows no users and checks nothing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

/// The audience that services under test are configured with.
pub const AUDIENCE: &str = "turnstream";

/// The path of the issuer's realm, as Keycloak has it.
const REALM: &str = "/realms/test";

/// What a token is signed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKey {
    /// The published RSA key, PKCS #1 v1.5.
    Rs256,
    /// The same key, PSS.
    Ps256,
    /// The same key, with a longer hash.
    Rs512,
    /// The published P-256 key.
    Es256,
    /// A P-256 key that is not published unless a test does so.
    Unpublished,
}

impl TestKey {
    fn id(self) -> &'static str {
        match self {
            Self::Rs256 | Self::Ps256 | Self::Rs512 => "rsa",
            Self::Es256 => "ec",
            Self::Unpublished => "unpublished",
        }
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Self::Rs256 => Algorithm::RS256,
            Self::Ps256 => Algorithm::PS256,
            Self::Rs512 => Algorithm::RS512,
            Self::Es256 | Self::Unpublished => Algorithm::ES256,
        }
    }

    fn key(self) -> EncodingKey {
        match self {
            Self::Rs256 | Self::Ps256 | Self::Rs512 => {
                EncodingKey::from_rsa_der(&der(include_str!("issuer/keys/rsa.b64")))
            }
            Self::Es256 => EncodingKey::from_ec_der(&der(include_str!("issuer/keys/ec.b64"))),
            Self::Unpublished => EncodingKey::from_ec_der(&der(include_str!("issuer/keys/ec2.b64"))),
        }
    }

    fn published(self) -> anyhow::Result<Jwk> {
        let mut jwk = Jwk::from_encoding_key(&self.key(), self.algorithm())?;
        jwk.common.key_id = Some(self.id().to_owned());
        // One RSA key serves several algorithms here, so neither is named.
        jwk.common.key_algorithm = None;
        Ok(jwk)
    }
}

fn der(base64: &str) -> Vec<u8> {
    let text: String = base64.split_whitespace().collect();
    STANDARD.decode(text).expect("the committed keys are base64")
}

fn key_set(keys: &[TestKey]) -> anyhow::Result<JwkSet> {
    let keys = keys.iter().map(|key| key.published()).collect::<Result<_, _>>()?;
    Ok(JwkSet { keys })
}

#[derive(Debug)]
struct Published {
    keys: RwLock<JwkSet>,
    fetches: AtomicUsize,
    failing: AtomicBool,
}

/// A running issuer. It stops when it is dropped.
#[derive(Debug)]
pub struct TestIssuer {
    url: String,
    published: Arc<Published>,
    _stop: DropGuard,
}

impl TestIssuer {
    /// Starts one on a free loopback port.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> anyhow::Result<Self> {
        let published = Arc::new(Published {
            keys: RwLock::new(key_set(&[TestKey::Rs256, TestKey::Es256])?),
            fetches: AtomicUsize::new(0),
            failing: AtomicBool::new(false),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}{REALM}", listener.local_addr()?);
        let router = Router::new()
            .route(&format!("{REALM}/protocol/openid-connect/certs"), get(certs))
            .with_state(published.clone());
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        TaskTracker::new().spawn(async move {
            axum::serve(listener, router)
                .with_graceful_shutdown(stopped)
                .await
        });
        Ok(Self {
            url,
            published,
            _stop: stop.drop_guard(),
        })
    }

    /// The `iss` of its tokens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where its keys are.
    pub fn jwks_url(&self) -> String {
        format!("{}/protocol/openid-connect/certs", self.url)
    }

    /// From now on it publishes these keys and no others.
    ///
    /// # Errors
    /// When a key cannot be made public.
    pub fn publish(&self, keys: &[TestKey]) -> anyhow::Result<()> {
        let keys = key_set(keys)?;
        *self
            .published
            .keys
            .write()
            .unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    /// How often its keys were fetched.
    pub fn fetches(&self) -> usize {
        self.published.fetches.load(Ordering::SeqCst)
    }

    /// Whether it answers 500 from now on.
    pub fn fail(&self, failing: bool) {
        self.published.failing.store(failing, Ordering::SeqCst);
    }

    /// A token with exactly these claims.
    pub fn token(&self, claims: &Value) -> String {
        self.token_by(TestKey::Rs256, claims)
    }

    /// A token signed with `key`.
    pub fn token_by(&self, key: TestKey, claims: &Value) -> String {
        let mut header = Header::new(key.algorithm());
        header.kid = Some(key.id().to_owned());
        encode(&header, claims, &key.key()).expect("a committed key signs any claims")
    }

    /// A token of user `sub` that a service configured with [`AUDIENCE`] believes until `exp`, in seconds.
    pub fn user(&self, sub: &str, name: &str, exp: i64) -> String {
        self.token(&json!({
            "iss": self.url, "aud": AUDIENCE, "azp": "web", "sub": sub, "exp": exp, "typ": "Bearer",
            "preferred_username": name,
        }))
    }

    /// A token that says it needs no signature.
    pub fn unsigned(&self, claims: &Value) -> String {
        let header = json!({"alg": "none", "typ": "JWT", "kid": "rsa"});
        format!("{}.{}.", part(&header), part(claims))
    }

    /// A token signed by HMAC with the published RSA key's text: what a verifier believes that takes the algorithm from
    /// the token.
    pub fn confused(&self, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("rsa".to_owned());
        let key = TestKey::Rs256.published().expect("it was published before");
        let public = serde_json::to_vec(&key).expect("a key is JSON");
        let key = EncodingKey::from_secret(&public).expect("HMAC takes keys of any length");
        encode(&header, claims, &key).expect("HMAC signs any claims")
    }
}

fn part(json: &Value) -> String {
    URL_SAFE_NO_PAD.encode(json.to_string())
}

async fn certs(State(published): State<Arc<Published>>) -> Response {
    published.fetches.fetch_add(1, Ordering::SeqCst);
    if published.failing.load(Ordering::SeqCst) {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let keys = published.keys.read().unwrap_or_else(PoisonError::into_inner);
    Json(&*keys).into_response()
}
