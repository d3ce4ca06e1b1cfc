//! The tasks that an open database runs: the log's writer, and one for each watch of takeovers.

use std::future::Future;

use commands::lifeline::Lifeline;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Runs tasks and stops them. Clones share the tasks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    stopping: CancellationToken,
    lifeline: Lifeline,
}

impl Tasks {
    /// Runs a task, which must end soon after [`stopping`](Self::stopping).
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tracker.spawn(task);
    }

    /// The same for a task that nothing takes the place of.
    pub(crate) fn spawn_vital(&self, task: impl Future<Output = ()> + Send + 'static) {
        let lifeline = self.lifeline.clone();
        self.spawn(lifeline.hold(self.stopping(), task));
    }

    /// Returns when such a task died.
    pub(crate) async fn died(&self) {
        self.lifeline.cut().await;
    }

    /// Is cancelled when the tasks are to end.
    pub(crate) fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }

    /// Has all tasks end, and waits for them.
    pub(crate) async fn stop(&self) {
        self.stopping.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}
