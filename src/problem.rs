//! Errors as clients see them: one place that turns every kind of failure into a problem document.
//!
//! Three audiences: a player's mistake is told in full; what another process or the log decided is told as what to do
//! next; what is broken here is logged once, and told without any detail.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use commands::games::{CommandError, NotNow, Rejection, Role};
use commands::ports::Unavailable;
use contract::frames::FrameError;
use contract::problem::{Problem, ProblemType};

use crate::auth::AuthError;
use crate::auth::invitation::InvitationError;
use crate::auth::ticket::NoRoom;
use crate::limits::LimitError;

/// The longest detail, in characters: it may quote what a client sent, and waits in queues.
const MAX_DETAIL: usize = 300;
/// When to try again, when nobody knows better.
const SOON_MS: u64 = 1000;

/// A failure, ready to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The document.
    pub problem: Problem,
    /// When to try again, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    /// A failure that is told by its type alone, or with a detail.
    pub fn new(problem: ProblemType) -> Self {
        let later = matches!(problem.status(), 429 | 503);
        Self {
            problem: Problem::new(problem),
            retry_after_ms: later.then_some(SOON_MS),
        }
    }

    /// Says what happened.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.problem = self.problem.with_detail(shortened(detail.into()));
        self
    }

    fn retry_after(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }

    /// A request that cannot be read.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::BadRequest).with_detail(detail)
    }

    /// The game does not exist.
    pub fn no_such_game() -> Self {
        Self::new(ProblemType::NotFound).with_detail("there is no such game")
    }

    /// Something is broken here. Logged once, here.
    pub fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        Self::new(ProblemType::Internal)
    }

    /// Whether the same command may have been accepted all the same.
    pub fn outcome_unknown(&self) -> bool {
        self.problem.outcome_unknown == Some(true)
    }

    /// What happened, for a person.
    pub fn detail(&self) -> String {
        self.problem
            .detail
            .clone()
            .unwrap_or_else(|| self.problem.title.clone())
    }
}

fn shortened(mut detail: String) -> String {
    if let Some((end, _)) = detail.char_indices().nth(MAX_DETAIL) {
        detail.truncate(end);
        detail.push('…');
    }
    detail
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        let detail = error.to_string();
        match error {
            CommandError::Rejected { reason, game } => {
                let mut failure = Self::from(reason);
                failure.problem.game_id = failure
                    .problem
                    .game_id
                    .or(game.as_ref().map(|game| game.summary.id));
                failure.problem.game = game;
                failure
            }
            CommandError::Elsewhere => Self::new(ProblemType::GameElsewhere).with_detail(detail),
            CommandError::Unavailable {
                reason,
                retry_after_ms,
                outcome_unknown,
            } => {
                let mut failure = Self::from(reason).retry_after(retry_after_ms);
                failure.problem.outcome_unknown = outcome_unknown.then_some(true);
                failure
            }
        }
    }
}

impl From<Rejection> for Failure {
    fn from(reason: Rejection) -> Self {
        let mut failure = Self::new(reason.problem()).with_detail(reason.to_string());
        if let Rejection::ActiveGame(game) = reason {
            failure.problem.game_id = Some(game);
        }
        failure
    }
}

impl From<NotNow> for Failure {
    fn from(reason: NotNow) -> Self {
        let (problem, detail) = match reason {
            NotNow::Standby => (ProblemType::Standby, "this process is a standby"),
            NotNow::Restoring => (ProblemType::Unavailable, "games are being restored"),
            NotNow::Leaving => (ProblemType::Unavailable, "this process is going away"),
            NotNow::LogAway => (
                ProblemType::Unavailable,
                "the event log cannot be reached, and this game waits for it",
            ),
            NotNow::Full => (ProblemType::TooManyGames, "there is no room for further games"),
            NotNow::Internal => (ProblemType::Internal, "this command failed; nothing else did"),
        };
        Self::new(problem).with_detail(detail)
    }
}

impl From<Unavailable> for Failure {
    fn from(error: Unavailable) -> Self {
        tracing::warn!(%error, "a read had no answer");
        Self::new(ProblemType::Unavailable)
    }
}

impl From<AuthError> for Failure {
    fn from(error: AuthError) -> Self {
        let detail = error.to_string();
        match error {
            AuthError::Missing | AuthError::Invalid => Self::new(ProblemType::Unauthenticated),
            AuthError::Unavailable => Self::new(ProblemType::Unavailable),
            AuthError::TooOften { retry_after_ms } => {
                Self::new(ProblemType::RateLimited).retry_after(retry_after_ms)
            }
        }
        .with_detail(detail)
    }
}

impl From<InvitationError> for Failure {
    fn from(error: InvitationError) -> Self {
        let problem = match error {
            // Not told from a game that was never offered: a link is a secret.
            InvitationError::Forged => ProblemType::NotFound,
            InvitationError::Expired => ProblemType::InvitationExpired,
        };
        Self::new(problem).with_detail(error.to_string())
    }
}

impl From<LimitError> for Failure {
    fn from(error: LimitError) -> Self {
        let detail = error.to_string();
        match error {
            LimitError::TooManySockets => Self::new(ProblemType::TooManySockets),
            LimitError::RateLimited { retry_after_ms } => {
                Self::new(ProblemType::RateLimited).retry_after(retry_after_ms)
            }
        }
        .with_detail(detail)
    }
}

impl From<NoRoom> for Failure {
    fn from(_: NoRoom) -> Self {
        Self::new(ProblemType::RateLimited).with_detail("too many tickets wait to be used")
    }
}

impl From<FrameError> for Failure {
    fn from(error: FrameError) -> Self {
        let problem = match error {
            FrameError::Malformed(_) | FrameError::BadPayload { .. } => ProblemType::BadRequest,
            FrameError::UnknownChannel(_) => ProblemType::UnknownChannel,
        };
        Self::new(problem).with_detail(error.to_string())
    }
}

/// Why a process that is not active takes no new games, if it is not.
pub fn not_active(role: &Role) -> Option<Failure> {
    match role {
        Role::Active => None,
        Role::Standby => Some(NotNow::Standby.into()),
        Role::Starting(why) => Some(Failure::new(ProblemType::Unavailable).with_detail(why.clone())),
        Role::Leaving => Some(NotNow::Leaving.into()),
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body =
            serde_json::to_vec(&self.problem).expect("a problem has string keys and finite numbers only");
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(ms) = self.retry_after_ms {
            headers.insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000).max(1)));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert("www-authenticate", HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests;
