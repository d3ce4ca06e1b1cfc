//! Whether what this process knows of the others still holds: pure.

/// A beat later than this was a standstill: others may have taken over, in milliseconds.
const STANDSTILL_MS: i64 = 2000;

/// What happened since this process looked around last.
#[derive(Debug, Clone, Copy)]
pub(super) struct SinceLastLook {
    /// How long ago that was, in milliseconds.
    pub(super) ms: i64,
    /// Whether the connection to the log came, went, or is another one: heartbeats were missed, by both sides.
    pub(super) link_changed: bool,
    /// Whether another process took games that this one held: it believes that it may.
    pub(super) lost_games: bool,
}

impl SinceLastLook {
    /// Whether this process stood still so long that others may have taken it for dead.
    pub(super) fn stood_still(self) -> bool {
        self.ms > STANDSTILL_MS
    }

    /// Whether another process may be active without this one's knowing.
    pub(super) fn lost_touch(self) -> bool {
        self.link_changed || self.stood_still() || self.lost_games
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing but one beat.
    const BEAT: SinceLastLook = SinceLastLook {
        ms: 500,
        link_changed: false,
        lost_games: false,
    };

    #[test]
    fn a_beat_in_time_keeps_touch() {
        assert!(!BEAT.lost_touch());
    }

    #[test]
    fn another_connection_loses_touch() {
        let reconnected = SinceLastLook {
            link_changed: true,
            ..BEAT
        };
        assert!(reconnected.lost_touch());
    }

    #[test]
    fn a_standstill_of_more_than_two_seconds_loses_touch() {
        let late = |ms| SinceLastLook { ms, ..BEAT };
        assert!(!late(2_000).lost_touch());
        assert!(late(2_001).lost_touch());
    }

    #[test]
    fn lost_games_lose_touch() {
        let taken = SinceLastLook {
            lost_games: true,
            ..BEAT
        };
        assert!(taken.lost_touch());
    }
}
