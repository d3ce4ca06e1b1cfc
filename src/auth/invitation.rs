//! Invitations: the link is a signed token with the game's id and terms. Nothing is stored; that it is used once is the
//! log's doing.

use commands::games::Invitation;
use contract::{Durability, GameId, Kind, Millis, PlayerSummary, Seat, TimeControl};
use serde::{Deserialize, Serialize};

use super::secret::Secret;
use super::signed;

/// What invitations are signed for, and begin with.
pub const PURPOSE: &str = "invitation";

/// How long an invitation is good for, in milliseconds (30 minutes).
pub const LIFETIME_MS: i64 = 30 * 60 * 1000;

/// What a link says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// The game that it makes.
    pub game: GameId,
    /// Which game.
    pub kind: Kind,
    /// How long a player may think.
    pub time_control: TimeControl,
    /// When moves are shown.
    pub durability: Durability,
    /// Who invites.
    pub host: PlayerSummary,
    /// Where they sit.
    pub seat: Seat,
    /// When it expires.
    pub expires: Millis,
}

/// Why a link is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvitationError {
    /// Forged, garbled, signed with a key that is gone, or for another game.
    #[error("this is no invitation to that game")]
    Forged,
    /// It was good once.
    #[error("the invitation has expired")]
    Expired,
}

/// The token of a link.
pub fn issue(secret: &Secret, terms: &Terms) -> String {
    signed::seal(secret, PURPOSE, terms)
}

/// The invitation that `token` is, to `game`.
///
/// # Errors
/// [`InvitationError`].
pub fn verify(
    secret: &Secret,
    token: &str,
    game: GameId,
    now: Millis,
) -> Result<Invitation, InvitationError> {
    let (terms, key_id) = signed::open::<Terms>(secret, PURPOSE, token).ok_or(InvitationError::Forged)?;
    if terms.game != game {
        return Err(InvitationError::Forged);
    }
    if terms.expires <= now {
        return Err(InvitationError::Expired);
    }
    Ok(Invitation {
        game: terms.game,
        kind: terms.kind,
        time_control: terms.time_control,
        durability: terms.durability,
        host: terms.host,
        host_seat: terms.seat,
        key_id,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::UserId;
    use uuid::Uuid;

    fn terms() -> Terms {
        Terms {
            game: GameId(Uuid::from_u128(1)),
            kind: Kind::Mancala,
            time_control: TimeControl::Unlimited,
            durability: Durability::Required,
            host: PlayerSummary {
                user_id: UserId::new("guest:1"),
                name: None,
                is_guest: true,
            },
            seat: Seat::Player2,
            expires: Millis(100),
        }
    }

    #[test]
    fn a_link_is_good_for_its_game_until_it_expires() {
        let secret = Secret::parse(&format!("k:{}", "5a".repeat(32))).expect("one good key");
        let token = issue(&secret, &terms());
        let to = |game, at| verify(&secret, &token, GameId(Uuid::from_u128(game)), Millis(at));
        let invitation = to(1, 99).expect("not expired");
        assert_eq!(
            (invitation.host_seat, invitation.key_id.as_str()),
            (Seat::Player2, "k")
        );
        assert_eq!(to(1, 100), Err(InvitationError::Expired));
        assert_eq!(to(2, 99), Err(InvitationError::Forged));
        assert_eq!(
            verify(&secret, "x", terms().game, Millis(0)),
            Err(InvitationError::Forged)
        );
    }
}
