//! Draws by agreement, in games that have them: why an offer or an answer is refused.

use thiserror::Error;

/// Why an offer or an answer is refused. Nothing is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum DrawRefusal {
    /// The game's rules know no draw by agreement.
    #[error("this game has no draw offers")]
    NoDrawOffers,
    #[error("game is over")]
    GameOver,
    /// The seat's own offer waits for its answer.
    #[error("draw offer already delivered")]
    AlreadyDelivered,
    /// The opponent's offer waits for this seat's answer.
    #[error("respond to the pending draw offer first")]
    RespondFirst,
    /// The seat has made the last offer.
    #[error("opponent must offer next")]
    OpponentMustOfferNext,
    /// The seat has made the last offer, and too few turns since.
    #[error("draw offer cooldown")]
    Cooldown,
    #[error("too many draw toggles")]
    TooManyToggles,
    #[error("no draw offer pending")]
    NothingPending,
    /// It is not this seat that the offer was made to.
    #[error("not your turn")]
    NotYourTurn,
}
