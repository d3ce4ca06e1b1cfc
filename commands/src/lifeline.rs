//! Whether a task still runs that everything else depends on.

use tokio_util::sync::CancellationToken;

/// Ties the life of one task to whoever asks for it: a task that ends before it was told to is noticed, and need not be
/// found out by what it does not do any more.
#[derive(Debug, Clone, Default)]
pub struct Lifeline(CancellationToken);

impl Lifeline {
    /// Does `work`. If it ends before `told` is cancelled, or panics, the line is cut.
    pub async fn hold(self, told: CancellationToken, work: impl Future<Output = ()>) {
        let line = self.0.drop_guard();
        work.await;
        if told.is_cancelled() {
            line.disarm();
        }
    }

    /// Returns when the line is cut.
    pub async fn cut(&self) {
        self.0.cancelled().await;
    }

    /// Whether the line is cut.
    pub fn is_cut(&self) -> bool {
        self.0.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_util::task::TaskTracker;

    #[tokio::test]
    async fn a_task_that_fails_or_ends_too_soon_is_noticed() {
        let tasks = TaskTracker::new();
        let (failing, ending) = (Lifeline::default(), Lifeline::default());
        tasks.spawn(failing.clone().hold(CancellationToken::new(), async {
            panic!("the test says so");
        }));
        tasks.spawn(ending.clone().hold(CancellationToken::new(), async {}));
        failing.cut().await;
        ending.cut().await;
    }

    #[tokio::test]
    async fn a_task_that_ends_when_it_is_told_to_is_well() {
        let (line, told) = (Lifeline::default(), CancellationToken::new());
        let tasks = TaskTracker::new();
        let task = tasks.spawn(line.clone().hold(told.clone(), told.clone().cancelled_owned()));
        assert!(!line.is_cut());
        told.cancel();
        task.await.expect("it does not panic");
        assert!(!line.is_cut());
    }
}
