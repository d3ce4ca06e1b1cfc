//! Which of a game's events are (to be) copied to the pending store, so that they outlive the process.

use contract::EventId;

/// The state of the copy.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    /// Something must be copied or trimmed.
    pub(crate) due: bool,
    /// A copy is there, up to this event.
    pub(crate) copied: Option<EventId>,
    /// The store was asked for a copy and did not answer: it may have made it all the same.
    pub(crate) unsure: bool,
    /// The acknowledged events that are still kept go into the copy too (the log may lose them).
    pub(crate) with_kept: bool,
    /// How often the store came back from an outage: what it answered before says nothing of what it has now.
    pub(crate) returns: u32,
}

impl Mirror {
    /// Whether there may be a copy.
    pub(crate) fn exists(&self) -> bool {
        self.copied.is_some() || self.unsure
    }

    /// The store was away. It may have lost the copy, or have one again that it had dropped.
    pub(crate) fn store_came_back(&mut self) {
        self.copied = None;
        self.unsure = true;
        self.returns = self.returns.wrapping_add(1);
    }
}
