//! What everything over one connection shares.

use async_nats::Client;
use async_nats::connection::State;
use commands::lifeline::Lifeline;
use commands::ports::Unavailable;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::denied::Denied;
use crate::link::LinkState;
use std::sync::Arc;

/// The client, whether it may be used, and the tasks that use it.
#[derive(Debug)]
pub struct Shared {
    pub client: Client,
    pub link: Arc<LinkState>,
    pub denied: Arc<Denied>,
    pub tasks: TaskTracker,
    /// Cancelled when the log is closed: every task ends.
    pub closed: CancellationToken,
    /// That of the task without which no connection is ever found fit. The others are begun anew by whoever misses them.
    pub lifeline: Lifeline,
}

impl Shared {
    /// The client, if what it is asked now can be answered.
    ///
    /// Whatever the client is given while it has no connection it keeps, and sends it later.
    pub fn ready(&self) -> Result<&Client, Unavailable> {
        if self.link.is_up() && self.client.connection_state() == State::Connected {
            Ok(&self.client)
        } else {
            Err(Unavailable::new("nats", "not connected"))
        }
    }
}
