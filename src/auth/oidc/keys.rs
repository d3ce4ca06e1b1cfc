//! An issuer's published keys (JWKS), kept and fetched again when they are old or one is missing.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jsonwebtoken::jwk::{Jwk, JwkSet};
use tokio::time::Instant;

/// Keys older than this are fetched again: a key that was withdrawn is not believed for ever.
const STALE_AFTER: Duration = Duration::from_hours(1);
/// An unknown key id makes no more than one fetch in this time, however many tokens name one.
const COOLDOWN: Duration = Duration::from_mins(1);
/// After a failure without any keys it is tried sooner: nobody can come in meanwhile.
const RETRY: Duration = Duration::from_secs(1);
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BYTES: usize = 256 * 1024;

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The issuer did not answer, or with something else than keys.
    #[error("the issuer's keys cannot be fetched: {0}")]
    Fetch(#[from] reqwest::Error),
    /// The answer is too large.
    #[error("the issuer's keys are larger than {MAX_BYTES} bytes")]
    TooLarge,
    /// The answer is not a key set.
    #[error("the issuer's answer is not a key set: {0}")]
    Form(#[from] serde_json::Error),
    /// A moment ago it failed; it is not tried again so soon.
    #[error("the issuer's keys could not be fetched a moment ago")]
    Recently,
}

#[derive(Debug, Default)]
struct Kept {
    keys: Option<(JwkSet, Instant)>,
    tried: Option<Instant>,
}

impl Kept {
    fn key(&self, kid: &str) -> Option<Jwk> {
        self.keys.as_ref().and_then(|(set, _)| set.find(kid).cloned())
    }

    /// Whether a fetch would help, and there was none a moment ago.
    fn is_due(&self, kid: &str, now: Instant) -> bool {
        let needed = self.keys.as_ref().is_none_or(|(set, fetched)| {
            set.find(kid).is_none() || now.duration_since(*fetched) >= STALE_AFTER
        });
        let pause = if self.keys.is_some() { COOLDOWN } else { RETRY };
        needed && self.tried.is_none_or(|tried| now.duration_since(tried) >= pause)
    }

    fn is_fresh(&self, now: Instant) -> bool {
        self.keys
            .as_ref()
            .is_some_and(|(_, fetched)| now.duration_since(*fetched) < STALE_AFTER)
    }
}

/// The keys at one URL.
#[derive(Debug)]
pub struct KeyStore {
    url: String,
    client: reqwest::Client,
    kept: Mutex<Kept>,
    /// Held while fetching: whoever needs it meanwhile waits for this fetch in place of making another.
    fetching: tokio::sync::Mutex<()>,
}

impl KeyStore {
    /// Keys at `url`; nothing is fetched yet.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(url: String) -> Result<Self, KeysError> {
        let client = reqwest::Client::builder().timeout(FETCH_TIMEOUT).build()?;
        Ok(Self {
            url,
            client,
            kept: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key `kid`, if the issuer has published one. A key that is known waits for no fetch: neither a stranger who
    /// invents ids nor an issuer that hangs keeps anybody else out.
    ///
    /// # Errors
    /// [`KeysError`], only while there are no keys at all.
    pub async fn find(&self, kid: &str) -> Result<Option<Jwk>, KeysError> {
        {
            let kept = self.kept();
            let key = kept.key(kid).filter(|_| kept.is_fresh(Instant::now()));
            if key.is_some() {
                return Ok(key);
            }
        }
        let fetching = self.fetching.lock().await;
        let due = self.kept().is_due(kid, Instant::now());
        if due {
            self.kept().tried = Some(Instant::now());
            let fetched = self.fetch().await;
            let mut kept = self.kept();
            match fetched {
                Ok(set) => kept.keys = Some((set, Instant::now())),
                Err(error) if kept.keys.is_none() => return Err(error),
                Err(error) => tracing::warn!(%error, "the issuer's keys stay as they were"),
            }
        }
        drop(fetching);
        let kept = self.kept();
        match &kept.keys {
            Some(_) => Ok(kept.key(kid)),
            None => Err(KeysError::Recently),
        }
    }

    async fn fetch(&self) -> Result<JwkSet, KeysError> {
        let mut response = self.client.get(&self.url).send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > MAX_BYTES {
                return Err(KeysError::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(serde_json::from_slice(&body)?)
    }
}
