//! What operators can have done over the administration port, and how they are told how far it is.
//!
//! **Belongs here:** routes, who may do what at the same time, progress as lines of JSON. **Does not:** the work itself
//! (`projections::operations`), the commands that ask for it ([`operator`](crate::operator)).
//!
//! A long work lives as long as the request for it: when the caller goes away, by Ctrl-C or a lost connection, it stops
//! at its next step and leaves everything in order.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use commands::ports::Clock;
use contract::{UserId, WriterId};
use projections::operations::{OperationParts, Patient};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::stores::Stores;

mod dead_letters;
mod works;

pub mod lines;

/// What the administration port works with.
pub struct Operations {
    stores: OperationParts,
    /// The tasks of works under way; shutdown waits for them.
    tasks: TaskTracker,
    /// Cancelled when works must end.
    closing: CancellationToken,
}

impl Operations {
    /// On these stores.
    pub fn new(stores: &Stores, clock: &Arc<dyn Clock>) -> anyhow::Result<Self> {
        Ok(Self {
            stores: parts(stores, clock)?,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        })
    }

    /// The routes.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/rebuild/{projection}", post(works::rebuild))
            .route("/verify", post(works::verify))
            .route("/erase", post(works::erase))
            .route("/dead-letters", get(dead_letters::list))
            .route(
                "/dead-letters/{projector}/{seq}",
                get(dead_letters::show).delete(dead_letters::remove),
            )
            .route("/dead-letters/{projector}/{seq}/retry", post(dead_letters::retry))
            .with_state(self)
    }

    /// Stops every work, and gives each `patience` to leave everything in order. What one leaves behind that cannot, the
    /// next one throws away.
    pub async fn close(&self, patience: Duration) {
        self.closing.cancel();
        self.tasks.close();
        if tokio::time::timeout(patience, self.tasks.wait()).await.is_err() {
            tracing::warn!("an operator's work did not end in time");
        }
    }

    /// The stores, by a right of its own for each work.
    fn parts(&self) -> Result<OperationParts, getrandom::Error> {
        Ok(OperationParts {
            token: new_token()?,
            ..self.stores.clone()
        })
    }
}

/// What works are done with.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn parts(stores: &Stores, clock: &Arc<dyn Clock>) -> Result<OperationParts, getrandom::Error> {
    Ok(OperationParts {
        log: stores.log.clone(),
        reader: stores.reader.clone(),
        eraser: stores.eraser.clone(),
        live: Patient::over(stores.live.clone(), clock.clone()),
        history: stores.history.clone(),
        cache: stores.cache.clone(),
        dead_letters: stores.dead_letters.clone(),
        clock: clock.clone(),
        token: new_token()?,
    })
}

/// A right that nobody else has.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn new_token() -> Result<WriterId, getrandom::Error> {
    Ok(WriterId(getrandom::u64()?))
}

/// An id of nobody.
fn nobody() -> UserId {
    let random = getrandom::u64().expect("the operating system gave random bytes before");
    UserId::new(format!("erased:{random:016x}"))
}
