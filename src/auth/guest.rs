//! Guests: a signed token that says who they are, good for 90 days from its last renewal.

use contract::{Millis, PlayerSummary, UserId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::secret::Secret;
use super::signed;

/// What guests' tokens are signed for, and begin with.
pub const PURPOSE: &str = "guest";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// How long a token is good for, in milliseconds.
pub const LIFETIME_MS: i64 = 90 * DAY_MS;
/// A token older than this is renewed when it is used: not at each use, so that answers can be the same for a while.
const RENEW_AFTER_MS: i64 = DAY_MS;

#[derive(Serialize, Deserialize)]
struct Payload {
    id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    at: Millis,
}

/// A guest, as their token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Who.
    pub player: PlayerSummary,
    /// A younger token, when it is time for one.
    pub renewed: Option<String>,
}

/// A token for the guest `id`.
pub fn issue(secret: &Secret, id: Uuid, name: Option<String>, now: Millis) -> (PlayerSummary, String) {
    let token = signed::seal(
        secret,
        PURPOSE,
        &Payload {
            id,
            name: name.clone(),
            at: now,
        },
    );
    (player(id, name), token)
}

/// Who the token's bearer is; `None` if it is forged or expired.
pub fn verify(secret: &Secret, token: &str, now: Millis) -> Option<Verified> {
    let (payload, key_id) = signed::open::<Payload>(secret, PURPOSE, token)?;
    let age = now.since(payload.at);
    if age >= LIFETIME_MS {
        return None;
    }
    let stale = age >= RENEW_AFTER_MS || key_id != secret.signing_key_id();
    let renewed = stale.then(|| issue(secret, payload.id, payload.name.clone(), now).1);
    Some(Verified {
        player: player(payload.id, payload.name),
        renewed,
    })
}

fn player(id: Uuid, name: Option<String>) -> PlayerSummary {
    PlayerSummary {
        user_id: UserId::new(format!("guest:{}", id.hyphenated())),
        name,
        is_guest: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(id: &str) -> Secret {
        Secret::parse(&format!("{id}:{}", "5a".repeat(32))).expect("one good key")
    }

    #[test]
    fn a_guest_is_the_same_for_ninety_days() {
        let (player, token) = issue(&secret("k"), Uuid::from_u128(7), Some("Ada".into()), Millis(0));
        let verify = |at| verify(&secret("k"), &token, Millis(at));
        assert_eq!(
            verify(1000),
            Some(Verified {
                player: player.clone(),
                renewed: None
            })
        );
        assert_eq!(verify(LIFETIME_MS - 1).map(|v| v.player), Some(player));
        assert_eq!(verify(LIFETIME_MS), None);
    }

    #[test]
    fn a_token_in_use_is_renewed() {
        let (player, token) = issue(&secret("k"), Uuid::from_u128(7), None, Millis(0));
        let later = Millis(2 * DAY_MS);
        let renewed = verify(&secret("k"), &token, later)
            .and_then(|v| v.renewed)
            .expect("two days old");
        let at_the_end = Millis(LIFETIME_MS + DAY_MS);
        assert_eq!(
            verify(&secret("k"), &renewed, at_the_end).map(|v| v.player),
            Some(player)
        );
    }

    #[test]
    fn a_token_of_an_older_key_is_renewed_with_the_newer_one() {
        let (_, token) = issue(&secret("old"), Uuid::from_u128(7), None, Millis(0));
        let both =
            Secret::parse(&format!("new:{},old:{}", "11".repeat(32), "5a".repeat(32))).expect("two keys");
        let renewed = verify(&both, &token, Millis(1))
            .and_then(|v| v.renewed)
            .expect("of an older key");
        assert!(renewed.starts_with("guest.new."));
    }
}
