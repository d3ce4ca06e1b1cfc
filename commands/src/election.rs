//! Which of several processes on one log holds games: decided from what they say of themselves, without I/O.
//!
//! A process becomes active unless it hears an active one; of several that are not, the one with the smallest writer id
//! does, or, if that one cannot restore the games, the next. An active process that was out of touch for a while gives way to any other active one, since that one has taken
//! its games over. The fence, not this, keeps two from extending one game; this keeps them from trying.

use std::collections::BTreeMap;

use contract::WriterId;

use crate::ports::{Heartbeat, Monotonic};

/// How often a process says that it is there, in milliseconds.
pub const BEAT_MS: u64 = 500;

/// A process that says nothing for this long is silent, in milliseconds.
pub const SILENCE_MS: i64 = 3000;

/// As [`SILENCE_MS`] for a process that has just started, where the store of keys answers and has no key of another: a
/// key lapses after three seconds, so both together say no less. After an outage it says less: whoever was cut off
/// like this process may not have renewed its key yet.
pub const SILENCE_WITHOUT_KEY_MS: i64 = 1500;

/// A process that could not take the games over lets others try for this long, in milliseconds.
pub const STEP_BACK_MS: i64 = 10_000;

/// What a process says of itself.
#[derive(Debug, Clone, Copy)]
struct Said {
    active: bool,
    unable: bool,
}

impl Said {
    fn by(heartbeat: &Heartbeat) -> Self {
        Self {
            active: heartbeat.active,
            unable: heartbeat.unable,
        }
    }
}

#[derive(Debug)]
struct Heard {
    said: Said,
    at: Monotonic,
}

/// What a process should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Not known yet: listen on.
    Listening,
    /// Hold games.
    Active,
    /// Hold none.
    Standby,
}

/// What an active process should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Go on; it is not certain yet that nobody else is active.
    On,
    /// Go on; nobody else is active.
    Alone,
    /// Another process is active: step down.
    Yield,
}

/// What is known of the others.
#[derive(Debug)]
pub struct Election {
    me: WriterId,
    others: BTreeMap<WriterId, Heard>,
    listening_since: Monotonic,
    /// Whether others may have taken this process for a dead one since it was heard last.
    out_of_touch: bool,
    /// Since when another process says that it is active while this one is.
    contested_since: Option<Monotonic>,
    /// The other processes whose key has not lapsed, and what it says; `None` when the store of keys does not answer.
    keys: Option<BTreeMap<WriterId, Said>>,
    keys_at: Monotonic,
    /// When this process tried to take the games over and could not.
    failed_at: Option<Monotonic>,
}

impl Election {
    /// Nothing heard yet.
    pub fn new(me: WriterId, now: Monotonic) -> Self {
        Self {
            me,
            others: BTreeMap::new(),
            listening_since: now,
            out_of_touch: false,
            contested_since: None,
            keys: None,
            keys_at: now,
            failed_at: None,
        }
    }

    /// Another process said something.
    pub fn heard(&mut self, heartbeat: &Heartbeat, now: Monotonic) {
        if heartbeat.writer == self.me {
            return;
        }
        if heartbeat.leaving {
            self.gone(heartbeat.writer);
        } else {
            let said = Said::by(heartbeat);
            self.others.insert(heartbeat.writer, Heard { said, at: now });
        }
    }

    /// This process is not there any more, for certain: it said so, or it was seen to be dead.
    pub fn gone(&mut self, writer: WriterId) {
        self.others.remove(&writer);
        if let Some(keys) = &mut self.keys {
            keys.remove(&writer);
        }
    }

    /// What the store of keys says; `None` if it does not answer. What it said before holds for as long as a key does: one
    /// answer that is late proves nobody dead.
    pub fn set_keys(&mut self, keys: Option<&[Heartbeat]>, now: Monotonic) {
        if let Some(keys) = keys {
            let others = keys.iter().filter(|key| key.writer != self.me && !key.leaving);
            self.keys = Some(others.map(|key| (key.writer, Said::by(key))).collect());
            self.keys_at = now;
        } else if now.since(self.keys_at) >= SILENCE_MS {
            self.keys = None;
        }
    }

    /// The bus was away, or this process stood still, or somebody took a game from it: what it knows of the others is
    /// worth nothing, and one of them may be active.
    pub fn lost_touch(&mut self, now: Monotonic) {
        self.listening_since = now;
        self.out_of_touch = true;
        self.others.clear();
    }

    /// This process becomes active: whatever it missed before, it has made up for.
    pub fn took_over(&mut self) {
        self.out_of_touch = false;
        self.contested_since = None;
    }

    /// This process tried to restore the games: whether it could.
    pub fn tried(&mut self, could: bool, now: Monotonic) {
        self.failed_at = (!could).then_some(now);
    }

    /// Whether it lets others go first, because it could not restore the games a moment ago.
    pub fn is_unable(&self, now: Monotonic) -> bool {
        self.failed_at.is_some_and(|at| now.since(at) < STEP_BACK_MS)
    }

    /// Whether `writer` is not an active process any more.
    pub fn is_silent(&self, writer: WriterId, now: Monotonic) -> bool {
        if writer == self.me {
            return true;
        }
        let key = self.keys.as_ref().and_then(|keys| keys.get(&writer));
        let has_key = key.is_some_and(|said| said.active);
        let speaks = self
            .others
            .get(&writer)
            .is_some_and(|heard| heard.said.active && now.since(heard.at) < SILENCE_MS);
        !has_key && !speaks
    }

    /// Another active process, if one is heard (the one with the smallest id).
    pub fn other_active(&self, now: Monotonic) -> Option<WriterId> {
        let heard = self
            .fresh(now)
            .find(|(_, heard)| heard.said.active)
            .map(|(writer, _)| *writer);
        let mut keys = self.keys.iter().flatten();
        heard.or_else(|| keys.find(|(_, said)| said.active).map(|(writer, _)| *writer))
    }

    /// What this process should be, while it is not active. While the bus is away the keys say who else starts; while it
    /// is there they do not: whoever cannot be heard cannot take over either.
    pub fn part(&self, now: Monotonic, bus_is_up: bool) -> Part {
        if self.other_active(now).is_some() {
            return Part::Standby;
        }
        if !self.has_listened(now) {
            return Part::Listening;
        }
        // Whoever could not do it comes behind whoever may.
        let mine = (self.is_unable(now), self.me);
        let comes_before = |writer: &WriterId, said: Said| (said.unable, *writer) < mine;
        let is_behind = if bus_is_up {
            self.fresh(now)
                .any(|(writer, heard)| comes_before(writer, heard.said))
        } else {
            let mut keys = self.keys.iter().flatten();
            keys.any(|(writer, said)| comes_before(writer, *said))
        };
        if is_behind { Part::Standby } else { Part::Active }
    }

    /// What this process should do, while it is active. Of two that do not know how it came, the one with the larger id
    /// steps down, but not at once: the other one may be about to step down for a better reason.
    pub fn keep(&mut self, now: Monotonic) -> Keep {
        let Some(other) = self.other_active(now) else {
            self.contested_since = None;
            if self.has_listened(now) {
                self.out_of_touch = false;
                return Keep::Alone;
            }
            return Keep::On;
        };
        let since = *self.contested_since.get_or_insert(now);
        if self.out_of_touch || (other < self.me && now.since(since) >= SILENCE_MS) {
            self.contested_since = None;
            return Keep::Yield;
        }
        Keep::On
    }

    fn has_listened(&self, now: Monotonic) -> bool {
        let needed = if self.keys.is_some() && !self.out_of_touch {
            SILENCE_WITHOUT_KEY_MS
        } else {
            SILENCE_MS
        };
        now.since(self.listening_since) >= needed
    }

    fn fresh(&self, now: Monotonic) -> impl Iterator<Item = (&WriterId, &Heard)> {
        self.others
            .iter()
            .filter(move |(_, heard)| now.since(heard.at) < SILENCE_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::LogIdentity;

    fn beat(writer: u64, active: bool, leaving: bool) -> Heartbeat {
        let log = LogIdentity("GAMES@1".to_owned());
        Heartbeat {
            writer: WriterId(writer),
            active,
            since: 0,
            log,
            leaving,
            unable: false,
            process: None,
        }
    }

    fn at(ms: i64) -> Monotonic {
        Monotonic(ms)
    }

    #[test]
    fn alone_it_becomes_active_after_the_silence() {
        let election = Election::new(WriterId(5), at(0));
        assert_eq!(election.part(at(2999), true), Part::Listening);
        assert_eq!(election.part(at(3000), true), Part::Active);
    }

    #[test]
    fn a_store_without_keys_shortens_the_silence() {
        let mut election = Election::new(WriterId(5), at(0));
        election.set_keys(Some(&[]), at(0));
        assert_eq!(election.part(at(1499), true), Part::Listening);
        assert_eq!(election.part(at(1500), true), Part::Active);
        election.set_keys(Some(&[beat(9, true, false)]), at(0));
        assert_eq!(election.part(at(1500), true), Part::Standby);
        assert!(!election.is_silent(WriterId(9), at(9000)));
    }

    #[test]
    fn a_store_of_keys_that_answers_late_proves_nobody_dead() {
        let mut election = Election::new(WriterId(5), at(0));
        election.set_keys(Some(&[beat(9, true, false)]), at(60_000));
        election.set_keys(None, at(62_999));
        assert_eq!(election.part(at(62_999), true), Part::Standby);
        election.set_keys(None, at(63_000));
        assert_eq!(election.part(at(63_000), true), Part::Active);
    }

    #[test]
    fn of_two_that_start_together_the_smaller_becomes_active() {
        let (mut small, mut large) = (
            Election::new(WriterId(1), at(0)),
            Election::new(WriterId(2), at(0)),
        );
        small.heard(&beat(2, false, false), at(2800));
        large.heard(&beat(1, false, false), at(2800));
        assert_eq!(
            (small.part(at(3000), true), large.part(at(3000), true)),
            (Part::Active, Part::Standby)
        );
    }

    #[test]
    fn without_the_bus_the_keys_say_who_starts_at_the_same_time() {
        let mut large = Election::new(WriterId(2), at(0));
        large.set_keys(Some(&[beat(1, false, false), beat(2, false, false)]), at(0));
        assert_eq!(large.part(at(1500), false), Part::Standby);
        // Whoever has a key and is not heard on the bus has lost it.
        assert_eq!(large.part(at(1500), true), Part::Active);
        let mut small = Election::new(WriterId(1), at(0));
        small.set_keys(Some(&[beat(1, false, false), beat(2, false, false)]), at(0));
        assert_eq!(small.part(at(1500), false), Part::Active);
    }

    /// What a standby says that could not restore the games, or might.
    fn standby(writer: u64, unable: bool) -> Heartbeat {
        Heartbeat {
            unable,
            ..beat(writer, false, false)
        }
    }

    #[test]
    fn one_that_cannot_restore_the_games_lets_others_try() {
        let (mut small, mut large) = (
            Election::new(WriterId(1), at(0)),
            Election::new(WriterId(2), at(0)),
        );
        small.heard(&standby(2, false), at(3000));
        large.heard(&standby(1, false), at(3000));
        assert_eq!(small.part(at(3000), true), Part::Active);
        small.tried(false, at(3000));
        assert!(small.is_unable(at(3001)));
        large.heard(&standby(1, true), at(3500));
        assert_eq!(
            (small.part(at(3500), true), large.part(at(3500), true)),
            (Part::Standby, Part::Active)
        );
        // Neither can: they try in turn.
        large.tried(false, at(3500));
        small.heard(&standby(2, true), at(4000));
        large.heard(&standby(1, true), at(4000));
        assert_eq!(
            (small.part(at(4000), true), large.part(at(4000), true)),
            (Part::Active, Part::Standby)
        );
        small.tried(false, at(4000));
        large.heard(&standby(1, true), at(13_500));
        assert_eq!(large.part(at(13_500), true), Part::Active);
        small.tried(true, at(13_500));
        assert!(!small.is_unable(at(13_500)));
    }

    #[test]
    fn one_that_is_alone_tries_again_at_once() {
        let mut election = Election::new(WriterId(5), at(0));
        election.tried(false, at(3000));
        assert_eq!(election.part(at(3500), true), Part::Active);
        assert_eq!(election.part(at(3500), false), Part::Active);
    }

    #[test]
    fn one_that_was_seen_dead_is_silent_at_once() {
        let mut election = Election::new(WriterId(5), at(0));
        election.heard(&beat(9, true, false), at(10_000));
        election.set_keys(Some(&[beat(9, true, false)]), at(10_000));
        assert_eq!(election.part(at(10_100), true), Part::Standby);
        election.gone(WriterId(9));
        assert!(election.is_silent(WriterId(9), at(10_100)));
        assert_eq!(election.part(at(10_100), true), Part::Active);
    }

    #[test]
    fn a_standby_takes_over_when_the_active_one_falls_silent_or_leaves() {
        let mut election = Election::new(WriterId(5), at(0));
        election.heard(&beat(9, true, false), at(10_000));
        assert_eq!(election.part(at(12_999), true), Part::Standby);
        assert_eq!(election.part(at(13_000), true), Part::Active);
        election.heard(&beat(9, true, false), at(14_000));
        election.heard(&beat(9, true, true), at(14_500));
        assert_eq!(election.part(at(14_500), true), Part::Active);
        assert!(election.is_silent(WriterId(9), at(14_500)));
    }

    #[test]
    fn after_an_outage_of_the_bus_silence_is_counted_anew_and_keys_do_not_shorten_it() {
        let mut election = Election::new(WriterId(5), at(0));
        election.set_keys(Some(&[]), at(0));
        election.lost_touch(at(60_000));
        assert_eq!(election.part(at(62_999), true), Part::Listening);
        assert_eq!(election.part(at(63_000), true), Part::Active);
    }

    #[test]
    fn an_active_process_that_was_out_of_touch_gives_way_to_any_other_active_one() {
        let mut election = Election::new(WriterId(5), at(0));
        assert_eq!(election.keep(at(3000)), Keep::Alone);
        election.lost_touch(at(60_000));
        assert_eq!(election.keep(at(60_500)), Keep::On);
        election.heard(&beat(9, true, false), at(60_900));
        assert_eq!(election.keep(at(61_000)), Keep::Yield);
    }

    #[test]
    fn one_that_was_never_out_of_touch_stays_beside_one_that_was() {
        let mut election = Election::new(WriterId(5), at(0));
        election.heard(&beat(1, true, false), at(60_000));
        assert_eq!(election.keep(at(60_100)), Keep::On);
        election.heard(&beat(1, false, false), at(60_500));
        assert_eq!(election.keep(at(60_600)), Keep::Alone);
    }

    #[test]
    fn of_two_that_stay_active_the_larger_steps_down() {
        let (mut small, mut large) = (
            Election::new(WriterId(1), at(0)),
            Election::new(WriterId(2), at(0)),
        );
        for ms in [10_000, 12_000, 13_000] {
            small.heard(&beat(2, true, false), at(ms));
            large.heard(&beat(1, true, false), at(ms));
            let expected = if ms < 13_000 { Keep::On } else { Keep::Yield };
            assert_eq!((small.keep(at(ms)), large.keep(at(ms))), (Keep::On, expected));
        }
    }

    #[test]
    fn after_an_outage_it_is_alone_once_it_has_listened_whoever_stands_by() {
        let mut election = Election::new(WriterId(5), at(0));
        election.lost_touch(at(60_000));
        election.heard(&beat(1, false, false), at(62_900));
        assert_eq!(election.keep(at(62_900)), Keep::On);
        assert_eq!(election.keep(at(63_000)), Keep::Alone);
    }
}
