//! Who is asking: credentials in, public ids out.
//!
//! **Belongs here:** every kind of credential, the keys that sign, and the tokens and links signed with them.
//! **Does not:** what somebody may do (that is `commands`), how many may ask (`limits`).
//!
//! The public id is the only id that leaves: whoever gets a [`Principal`] sees no token, and of a legacy key only the
//! encoder that its owner needs.
//!
//! **To add** a kind of credential: a module here and an arm in [`Auth::bearer`].

use std::sync::Arc;

use commands::ports::Clock;
use contract::PlayerSummary;
use uuid::Uuid;

pub mod dice_seeds;
pub mod guest;
pub mod invitation;
pub mod legacy;
pub mod name;
pub mod oidc;
pub mod secret;
pub mod signed;
pub mod ticket;

use legacy::UserKey;
use oidc::Oidc;
use secret::Secret;
use ticket::{NoRoom, Tickets};

/// How many tickets may wait to be used.
const MOST_TICKETS: usize = 100_000;

/// Somebody who proved who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// As everybody sees them.
    pub player: PlayerSummary,
    /// The key of a legacy client, for its own answers alone.
    pub key: Option<UserKey>,
    /// A younger token for a guest whose own is no longer young.
    pub renewed: Option<String>,
}

impl Principal {
    /// Somebody with nothing but a public id.
    pub fn of(player: PlayerSummary) -> Self {
        Self {
            player,
            key: None,
            renewed: None,
        }
    }
}

/// Why a credential is not taken. Which part of it is wrong is nobody's business.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// There is none.
    #[error("a credential is needed")]
    Missing,
    /// It is forged, garbled, expired, used up or of a kind that is switched off.
    #[error("the credential is not valid")]
    Invalid,
    /// The issuer's keys cannot be had right now.
    #[error("the issuer of the credential cannot be asked right now")]
    Unavailable,
    /// It was not looked at: too many from the same address were not valid.
    #[error("too many credentials from here were not valid; try again later")]
    TooOften {
        /// When it may be tried again, in milliseconds.
        retry_after_ms: u64,
    },
}

impl From<oidc::keys::KeysError> for AuthError {
    fn from(error: oidc::keys::KeysError) -> Self {
        // One attempt is told once, however many tokens wait for it.
        if !matches!(error, oidc::keys::KeysError::Recently) {
            tracing::warn!(%error, "tokens cannot be verified");
        }
        Self::Unavailable
    }
}

/// The authenticating functions.
pub struct Auth {
    secret: Arc<Secret>,
    oidc: Option<Oidc>,
    legacy: bool,
    tickets: Tickets,
    clock: Arc<dyn Clock>,
}

impl Auth {
    /// Believes guests' tokens signed with `secret`, the issuer's if there is one, and legacy keys if `legacy`.
    pub fn new(secret: Arc<Secret>, oidc: Option<Oidc>, legacy: bool, clock: Arc<dyn Clock>) -> Self {
        Self {
            secret,
            oidc,
            legacy,
            tickets: Tickets::new(MOST_TICKETS),
            clock,
        }
    }

    /// The service's keys.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Who the bearer of a token is.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn bearer(&self, token: &str) -> Result<Principal, AuthError> {
        let now = self.clock.now();
        if signed::claims_to_be(guest::PURPOSE, token) {
            let verified = guest::verify(&self.secret, token, now).ok_or(AuthError::Invalid)?;
            return Ok(Principal {
                renewed: verified.renewed,
                ..Principal::of(verified.player)
            });
        }
        let oidc = self.oidc.as_ref().ok_or(AuthError::Invalid)?;
        oidc.verify(token, now).await.map(Principal::of)
    }

    /// Who a socket's first frame says it is: by a ticket or a bearer token.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn ticket_or_bearer(&self, token: &str) -> Result<Principal, AuthError> {
        if signed::claims_to_be(ticket::PREFIX, token) {
            self.ticket(token)
        } else {
            self.bearer(token).await
        }
    }

    /// Whose ticket it is; it is used up by this.
    ///
    /// # Errors
    /// [`AuthError::Invalid`].
    pub fn ticket(&self, ticket: &str) -> Result<Principal, AuthError> {
        self.tickets
            .take(ticket, self.clock.monotonic())
            .ok_or(AuthError::Invalid)
    }

    /// Who owns a legacy key.
    ///
    /// # Errors
    /// [`AuthError::Invalid`], always while legacy keys are switched off.
    pub fn user_key(&self, key: &str) -> Result<Principal, AuthError> {
        let key = UserKey::new(key)
            .filter(|_| self.legacy)
            .ok_or(AuthError::Invalid)?;
        Ok(Principal {
            player: key.player(),
            key: Some(key),
            renewed: None,
        })
    }

    /// A ticket for `principal`'s next socket.
    ///
    /// # Errors
    /// [`NoRoom`].
    pub fn issue_ticket(&self, principal: Principal) -> Result<String, NoRoom> {
        // A renewed token travels with the answer to this request; the socket need not carry it again.
        self.tickets.issue(
            Principal {
                renewed: None,
                ..principal
            },
            self.clock.monotonic(),
        )
    }

    /// A new guest with a name that [`name::chosen`] gave, and their token.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn new_guest(&self, name: Option<String>) -> Result<(PlayerSummary, String), getrandom::Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let id = uuid::Builder::from_random_bytes(random).into_uuid();
        Ok(guest::issue(&self.secret, id, name, self.clock.now()))
    }
}

/// A new game's id: a version 7 UUID of the time `now`.
///
/// # Errors
/// When the system gives no random bytes.
pub fn new_game_id(now: contract::Millis) -> Result<contract::GameId, getrandom::Error> {
    let mut random = [0; 10];
    getrandom::fill(&mut random)?;
    let id: Uuid = uuid::Builder::from_unix_timestamp_millis(now.0.max(0) as u64, &random).into_uuid();
    Ok(contract::GameId(id))
}
