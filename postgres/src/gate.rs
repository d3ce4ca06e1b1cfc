//! Keeps calls from waiting for a server that is known to be away.
//!
//! While it is away every call fails at once, but for one at a time, at most every [`PAUSE`], which goes to look. While
//! that is merely suspected, one goes to look and the others wait for what it finds.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// How long a failed look is believed.
const PAUSE: Duration = Duration::from_millis(100);

/// What is known of the server.
#[derive(Debug)]
pub struct Gate(watch::Sender<State>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has answered.
    There,
    /// Nothing, or a call has failed since.
    Unknown,
    /// It has not answered the last look.
    Away { look_from: Instant },
    /// Somebody looks.
    Looking { was_away: bool },
}

/// What a call is to do.
#[derive(Debug)]
pub enum Entry<'gate> {
    /// Go on.
    Pass,
    /// Look whether the server is there, then go on.
    Look(Look<'gate>),
    /// Wait for the look of another call ([`Gate::looked`]), then enter again.
    Wait,
    /// Fail.
    Refused,
}

/// The right to look. Dropped without a verdict, it goes to the next call.
#[derive(Debug)]
pub struct Look<'gate> {
    gate: &'gate Gate,
    verdict: State,
}

impl Gate {
    /// Nothing is known of the server yet.
    pub fn new() -> Self {
        Self(watch::Sender::new(State::Unknown))
    }

    pub fn enter(&self, now: Instant) -> Entry<'_> {
        let mut entry = Entry::Refused;
        self.0.send_if_modified(|state| {
            let before = *state;
            entry = match before {
                State::There => Entry::Pass,
                State::Looking { was_away: false } => Entry::Wait,
                State::Unknown => Entry::Look(Look {
                    gate: self,
                    verdict: before,
                }),
                State::Away { look_from } if look_from <= now => Entry::Look(Look {
                    gate: self,
                    verdict: before,
                }),
                State::Away { .. } | State::Looking { was_away: true } => Entry::Refused,
            };
            if matches!(entry, Entry::Look(_)) {
                *state = State::Looking {
                    was_away: before != State::Unknown,
                };
            }
            *state != before
        });
        entry
    }

    /// Whether it did not answer the last look.
    pub fn is_away(&self) -> bool {
        matches!(
            *self.0.borrow(),
            State::Away { .. } | State::Looking { was_away: true }
        )
    }

    /// Returns when nobody looks.
    pub async fn looked(&self) {
        let mut state = self.0.subscribe();
        state
            .wait_for(|state| !matches!(state, State::Looking { .. }))
            .await
            .expect("the gate itself is the sender");
    }

    /// A call failed in a way that the server may be the reason of: the next one looks.
    pub fn suspect(&self) {
        self.0.send_if_modified(|state| {
            let believed = *state == State::There;
            if believed {
                *state = State::Unknown;
            }
            believed
        });
    }
}

impl Look<'_> {
    /// The server is there.
    pub fn found(mut self) {
        self.verdict = State::There;
    }

    /// It is not.
    pub fn missed(mut self, now: Instant) {
        self.verdict = State::Away {
            look_from: now + PAUSE,
        };
    }
}

impl Drop for Look<'_> {
    fn drop(&mut self) {
        self.gate.0.send_replace(self.verdict);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(gate: &Gate, now: Instant) -> Look<'_> {
        match gate.enter(now) {
            Entry::Look(look) => look,
            other => panic!("{other:?} instead of a look"),
        }
    }

    fn refuses(gate: &Gate, now: Instant) -> bool {
        matches!(gate.enter(now), Entry::Refused)
    }

    #[tokio::test]
    async fn one_call_looks_while_the_others_wait_for_it() {
        let (gate, now) = (Gate::new(), Instant::now());
        let first = look(&gate, now);
        assert!(matches!(gate.enter(now), Entry::Wait));
        first.found();
        gate.looked().await;
        assert!(matches!(gate.enter(now), Entry::Pass));
    }

    #[test]
    fn after_a_failed_look_calls_are_refused_and_one_looks_now_and_then() {
        let (gate, now) = (Gate::new(), Instant::now());
        look(&gate, now).missed(now);
        assert!(refuses(&gate, now) && gate.is_away());
        assert!(refuses(&gate, now + PAUSE / 2));
        let second = look(&gate, now + PAUSE);
        assert!(refuses(&gate, now + PAUSE), "nobody waits for one that was away");
        assert!(gate.is_away(), "nothing else is known yet");
        second.found();
        assert!(matches!(gate.enter(now), Entry::Pass) && !gate.is_away());
    }

    #[test]
    fn a_call_that_gives_up_looking_leaves_it_to_the_next() {
        let (gate, now) = (Gate::new(), Instant::now());
        drop(look(&gate, now));
        look(&gate, now).missed(now);
        drop(look(&gate, now + PAUSE));
        drop(look(&gate, now + PAUSE));
    }

    #[test]
    fn a_suspicion_is_looked_into_at_once_and_shortens_no_pause() {
        let (gate, now) = (Gate::new(), Instant::now());
        look(&gate, now).found();
        gate.suspect();
        look(&gate, now).missed(now);
        gate.suspect();
        assert!(refuses(&gate, now));
    }
}
