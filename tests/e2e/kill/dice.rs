//! Chance that can be had again: it is made from a number that is printed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A source of chance.
pub struct Dice {
    state: u64,
}

impl Dice {
    /// A new one every time. A failed test shows its number; put it in place of the time to get the same again.
    #[expect(clippy::disallowed_methods, reason = "the time of day is only a number here")]
    pub fn thrown(what: &str) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seed = now.expect("it is after 1970").as_nanos() as u64;
        println!("{what}: seed {seed}");
        Self { state: seed }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// A length below `bound`.
    pub fn moment(&mut self, bound: Duration) -> Duration {
        Duration::from_micros(self.below(bound.as_micros() as u64))
    }
}
