//! Which of a game's events are (to be) copied to the pending store, so that they outlive the process.

use contract::EventId;

/// The state of the copy.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    /// Something must be copied or trimmed.
    pub(crate) due: bool,
    /// A copy is there, up to this event.
    pub(crate) copied: Option<EventId>,
    /// The acknowledged events that are still kept go into the copy too (the log may lose them).
    pub(crate) with_kept: bool,
}
