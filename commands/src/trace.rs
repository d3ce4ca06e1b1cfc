//! Which trace a command belongs to, from where it comes in to the events that it causes.
//!
//! It goes along with the task, as a span does, and not through every signature: nothing is ever decided by it. The edge
//! says it ([`within`]), the envelope has it, and whoever passes a command on to another task takes it along.

use contract::TraceParent;

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
