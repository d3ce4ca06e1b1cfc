//! How long a game's running clock has run, on the time that never goes back.

use contract::Clocks;

use crate::ports::Monotonic;

/// The running clock of one game, beside its state: the state says whose it is and what is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TurnClock {
    /// Since when it runs; none while it waits to be started.
    since: Option<Monotonic>,
    /// Since when it stands still, if it does.
    held: Option<Monotonic>,
}

impl TurnClock {
    /// It runs from `at`.
    pub(crate) fn start(&mut self, at: Monotonic) {
        *self = Self {
            since: Some(at),
            held: None,
        };
    }

    /// It waits to be started.
    pub(crate) fn stop(&mut self) {
        *self = Self::default();
    }

    /// It was started, and not stopped since.
    pub(crate) fn is_started(&self) -> bool {
        self.since.is_some()
    }

    /// The time is not the player's: it stands still from `now` on.
    pub(crate) fn hold(&mut self, now: Monotonic) {
        if self.is_started() {
            self.held.get_or_insert(now);
        }
    }

    /// It runs again.
    pub(crate) fn go_on(&mut self, now: Monotonic) {
        if let Some(held) = self.held.take() {
            self.give_back(now.since(held).max(0), now);
        }
    }

    /// `ms` of the time before `now` are not counted. A clock that was started in them has run for no time at all; one that
    /// stands still does not count them anyway.
    pub(crate) fn give_back(&mut self, ms: i64, now: Monotonic) {
        if self.held.is_none() {
            self.since = self.since.map(|since| Monotonic((since.0 + ms).min(now.0)));
        }
    }

    /// For how long it has run, in milliseconds.
    pub(crate) fn ran_ms(&self, now: Monotonic) -> i64 {
        let until = self.held.map_or(now, |held| held.min(now));
        self.since.map_or(0, |since| until.since(since).max(0))
    }

    /// When it will have run for so long that nothing is left; never while it stands still.
    pub(crate) fn runs_out_at(&self, clocks: &Clocks) -> Option<Monotonic> {
        let (_, left_ms) = crate::clocks::left(clocks)?;
        let since = self.since.filter(|_| self.held.is_none())?;
        Some(Monotonic(since.0.saturating_add(left_ms)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_which_it_stands_still_is_not_counted() {
        let mut clock = TurnClock::default();
        clock.hold(Monotonic(5));
        assert_eq!(clock.ran_ms(Monotonic(50)), 0, "it was not started");
        clock.start(Monotonic(100));
        assert_eq!(clock.ran_ms(Monotonic(90)), 0, "it was started after that");
        clock.hold(Monotonic(130));
        clock.hold(Monotonic(140));
        assert_eq!(clock.ran_ms(Monotonic(190)), 30);
        clock.go_on(Monotonic(200));
        clock.go_on(Monotonic(300));
        assert_eq!(clock.ran_ms(Monotonic(210)), 40);
    }

    #[test]
    fn time_is_not_given_back_twice() {
        let mut clock = TurnClock::default();
        clock.start(Monotonic(100));
        clock.hold(Monotonic(150));
        clock.give_back(1_000, Monotonic(1_200));
        clock.go_on(Monotonic(1_250));
        assert_eq!(clock.ran_ms(Monotonic(1_260)), 60);
    }

    #[test]
    fn what_is_given_back_is_never_more_than_it_ran() {
        let mut clock = TurnClock::default();
        clock.start(Monotonic(100));
        clock.give_back(50, Monotonic(160));
        assert_eq!(clock.ran_ms(Monotonic(160)), 10);
        clock.give_back(50, Monotonic(160));
        assert_eq!(clock.ran_ms(Monotonic(160)), 0);
    }
}
