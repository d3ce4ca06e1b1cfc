//! Whether a process runs.

use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Frozen,
    Dead,
}

/// Whether a process runs, is frozen, or is dead. Whatever a process does to the world, and whatever the world answers,
/// has to [`pass`](Life::pass); its memory may go on for the moment, as nobody can tell.
#[derive(Debug, Clone)]
pub struct Life {
    state: watch::Sender<State>,
}

impl Default for Life {
    fn default() -> Self {
        Self {
            state: watch::Sender::new(State::Runs),
        }
    }
}

impl Life {
    /// Ends it for ever: SIGKILL.
    pub fn kill(&self) {
        self.state.send_replace(State::Dead);
    }

    /// Makes it stand still: SIGSTOP.
    pub fn freeze(&self) {
        self.change(State::Runs, State::Frozen);
    }

    /// Ends a freeze.
    pub fn thaw(&self) {
        self.change(State::Frozen, State::Runs);
    }

    fn change(&self, from: State, to: State) {
        self.state.send_if_modified(|state| {
            let changes = *state == from;
            if changes {
                *state = to;
            }
            changes
        });
    }

    /// Whether it runs.
    pub fn runs(&self) -> bool {
        *self.state.borrow() == State::Runs
    }

    /// Whether it has ended.
    pub fn is_dead(&self) -> bool {
        *self.state.borrow() == State::Dead
    }

    /// Returns as soon as it runs; never, once it is dead.
    pub async fn pass(&self) {
        if self.runs() {
            return;
        }
        let mut state = self.state.subscribe();
        if state.wait_for(|state| *state == State::Runs).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
