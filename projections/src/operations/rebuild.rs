//! A projection made anew from the log, as far back as it reaches, while the service runs.
//!
//! The whole live store: a second projector fills the next generation, follows until it has passed the running one, and
//! readers go over in one step ([`live`]). The whole history: a shadow is filled and merged ([`history`]). A part of
//! either is put right game by game, in place.
//!
//! **One at a time** for each projection, a part of it included: the right to write the next generation, or to have a
//! shadow, is a lease of ten seconds that each step renews. **A rebuild that is killed** leaves a generation, or a shadow,
//! that nobody reads; the next one throws it away, once the lease has lapsed. **One that is cancelled or fails** throws it
//! away itself.

use serde::{Deserialize, Serialize};

use super::Scope;

mod carry;
mod history;
mod live;
mod some;

pub use history::{HistoryRebuilt, history};
pub use live::{LiveRebuilt, live};
pub(super) use some::put;

/// What to make anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Which games; all of them if nothing is said.
    #[serde(flatten)]
    pub scope: Scope,
    /// Whether only to say what would be done.
    #[serde(default)]
    pub dry_run: bool,
}

/// What is said to a second one.
const BUSY: &str = "another rebuild of this projection is under way, or was killed less than ten seconds ago: try again later";

/// What is said to one that was overtaken.
const OVERTAKEN: &str = "another rebuild came in between: nothing was changed by this one";
