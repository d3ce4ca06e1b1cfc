//! The edge's state and its two routers, made of the parts that the composition root gives it.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use commands::games::Games;
use commands::ports::Clock;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::{Auth, AuthError, Principal};
use crate::config::EdgeConfig;
use crate::config::identity::SignIn;
use crate::http::listing::Listings;
use crate::limits::{LimitError, Limits};
use crate::metrics::Metrics;
use crate::ports::{LiveList, Reads, Status};

/// Which adapter serves a port, as `/` and the status say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// The port, such as `event log`.
    pub port: &'static str,
    /// The adapter, such as `embedded (SQLite)`. Never a URL.
    pub adapter: &'static str,
}

/// Everything that the edge works with.
pub struct App {
    /// The games.
    pub games: Arc<dyn Games>,
    /// Reads of games and lists.
    pub reads: Arc<dyn Reads>,
    /// The list of live games.
    pub live_list: Arc<dyn LiveList>,
    /// What operators see.
    pub status: Arc<dyn Status>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who is asking.
    pub auth: Auth,
    /// How much they may have.
    pub limits: Limits,
    /// Long lists of legal moves.
    pub listings: Listings,
    /// Where browsers sign in, if there is an issuer.
    pub sign_in: Option<SignIn>,
    /// How the service is seen from outside.
    pub edge: EdgeConfig,
    /// Which adapter serves which port.
    pub served: Vec<Served>,
    /// What is counted as it happens.
    pub metrics: Arc<Metrics>,
    /// The tasks of sockets and streams; shutdown waits for them.
    pub tasks: TaskTracker,
    /// Cancelled when sockets and streams must end: they close with 4000.
    pub closing: CancellationToken,
}

impl App {
    /// What players use. It must be served with `ConnectInfo<SocketAddr>`, or every client has one address.
    pub fn router(self: Arc<Self>) -> Router {
        crate::http::router(self)
    }

    /// Looks at a credential that came from `address`; not while too many from there were not valid.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn admit(
        &self,
        address: IpAddr,
        looking: impl Future<Output = Result<Principal, AuthError>>,
    ) -> Result<Principal, AuthError> {
        if let Err(LimitError::RateLimited { retry_after_ms }) = self.limits.may_log_in(address) {
            return Err(AuthError::TooOften { retry_after_ms });
        }
        let found = looking.await;
        if matches!(found, Err(AuthError::Invalid)) {
            self.metrics.failed_logins.inc();
            self.limits.failed_to_log_in(address);
        }
        found
    }

    /// What operators use, on an address of its own; `operations` is what they can have done.
    pub fn admin_router(self: Arc<Self>, operations: Router) -> Router {
        crate::http::admin::router(&self, operations)
    }
}

#[cfg(test)]
pub(crate) mod tests_support;
