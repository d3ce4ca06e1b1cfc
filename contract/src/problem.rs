//! Problem types (RFC 9457): what can go wrong, by stable name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::GameId;
use crate::view::LiveGame;

/// One list of problems: name on the wire, HTTP status, title.
macro_rules! problems {
    ($($variant:ident $name:literal $status:literal $title:literal,)+) => {
        /// A problem's type. On the wire it is a URI reference, `/problems/<name>`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum ProblemType { $(
            #[doc = $title]
            #[serde(rename = $name)]
            $variant,
        )+ }

        impl ProblemType {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The HTTP status that it is answered with.
            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status),+ }
            }

            /// What it means, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),+ }
            }

            /// The URI reference.
            pub fn uri(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

problems! {
    BadRequest "/problems/bad-request" 400 "The request is not right",
    UnknownChannel "/problems/unknown-channel" 400 "There is no such channel",
    LimitOutOfRange "/problems/limit-out-of-range" 400 "The limit is out of range",
    Unauthenticated "/problems/unauthenticated" 401 "A valid credential is needed",
    OriginNotAllowed "/problems/origin-not-allowed" 403 "This origin may not use the service",
    NotYourGame "/problems/not-your-game" 403 "You do not play in this game",
    NotFound "/problems/not-found" 404 "There is no such thing",
    MethodNotAllowed "/problems/method-not-allowed" 405 "The resource does not answer this method",
    NotYourTurn "/problems/not-your-turn" 409 "It is not your turn",
    StalePosition "/problems/stale-position" 409 "The position is not the current one",
    GameOver "/problems/game-over" 409 "The game is over",
    ActiveGame "/problems/active-game" 409 "You have a game in progress",
    HostBusy "/problems/host-busy" 409 "The host is in another game by now",
    SeatTaken "/problems/seat-taken" 409 "Somebody else took the seat",
    OwnInvitation "/problems/own-invitation" 409 "You cannot join your own invitation",
    NoDrawOffers "/problems/no-draw-offers" 409 "This game has no draw offers",
    NoSeeds "/problems/no-seeds" 409 "This game has no dice",
    DrawRefused "/problems/draw-refused" 409 "This cannot be offered or answered now",
    GameElsewhere "/problems/game-elsewhere" 409 "Another process holds this game",
    Conflict "/problems/conflict" 409 "The game changed meanwhile; try again",
    InvitationExpired "/problems/invitation-expired" 410 "The invitation has expired",
    TooLarge "/problems/too-large" 413 "The request is too large",
    IllegalMove "/problems/illegal-move" 422 "The rules do not allow this move",
    RateLimited "/problems/rate-limited" 429 "Too many requests",
    TooManySockets "/problems/too-many-sockets" 429 "Too many connections",
    Internal "/problems/internal" 500 "Something went wrong here",
    Unavailable "/problems/unavailable" 503 "Not available right now",
    Standby "/problems/standby" 503 "This process is a standby",
    TooManyGames "/problems/too-many-games" 503 "No room for new games right now",
}

/// A problem document, `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The type, a URI reference.
    #[serde(rename = "type")]
    pub problem: ProblemType,
    /// What it means, in a few words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened here, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The game concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_id: Option<GameId>,
    /// The current state, when the position was stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Box<LiveGame>>,
    /// Whether the outcome is unknown: ask again with the same command id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_unknown: Option<bool>,
}

impl Problem {
    /// A document without details.
    pub fn new(problem: ProblemType) -> Self {
        Self {
            problem,
            title: problem.title().to_owned(),
            status: problem.status(),
            detail: None,
            game_id: None,
            game: None,
            outcome_unknown: None,
        }
    }

    /// Says what happened.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Names the game concerned.
    #[must_use]
    pub fn with_game(mut self, game: GameId) -> Self {
        self.game_id = Some(game);
        self
    }
}
