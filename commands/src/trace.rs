//! Which trace a command belongs to, from where it comes in to the events that it causes.
//!
//! It goes along with the task, as a span does, and not through every signature: nothing is ever decided by it. The edge
//! says it ([`within`]), the envelope has it, and whoever passes a command on to another task takes it along. What is
//! done for a command that has a trace is in spans below the command's ([`Way`]), for whoever records them.

use contract::TraceParent;
use tracing::{Level, Span};

/// The target of spans that are there to be recorded, not to be read in a log.
pub const TARGET: &str = "turnstream::trace";

/// Their level.
pub const LEVEL: Level = Level::DEBUG;

tokio::task_local! {
    static CURRENT: TraceParent;
}

/// Does `work` in a trace, or in none.
pub async fn within<T>(trace: Option<TraceParent>, work: impl Future<Output = T>) -> T {
    match trace {
        Some(trace) => CURRENT.scope(trace, work).await,
        None => work.await,
    }
}

/// The trace of what is going on in this task.
pub fn current() -> Option<TraceParent> {
    CURRENT.try_with(|trace| *trace).ok()
}

/// An event's way to the log, from its commit to its acknowledgement: a span of its command's trace, if somebody records
/// it. It says nothing of the event, so all are equal.
#[derive(Debug, Clone, Default)]
pub struct Way(Option<Box<Span>>);

impl Way {
    /// Begins below the span of the command that is worked on, if that belongs to a trace.
    pub fn begin(event: &'static str) -> Self {
        if current().is_none() {
            return Self::default();
        }
        let span = tracing::span!(target: TARGET, LEVEL, "publish", event);
        Self((!span.is_disabled()).then(|| Box::new(span)))
    }

    /// One try of sending it, from then to the log's answer.
    pub fn attempt(&self) -> Span {
        match &self.0 {
            Some(publish) => tracing::span!(target: TARGET, parent: &**publish, LEVEL, "acknowledgement"),
            None => Span::none(),
        }
    }
}

impl PartialEq for Way {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Way {}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_ends_with_the_work() {
        let trace: TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            .parse()
            .expect("it is one");
        assert_eq!(current(), None);
        assert_eq!(within(Some(trace), async { current() }).await, Some(trace));
        assert_eq!(within(None, async { current() }).await, None);
        assert_eq!(current(), None);
    }
}
