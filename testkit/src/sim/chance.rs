//! Numbers that look random and are the same in every run.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers from a seed. Clones share them.
///
/// Each is drawn for something (a call by a process, a step of a history), and depends on the seed, on what it is for and
/// on how often that was drawn for, and on nothing else. So what happens at one moment may happen in any order: a runtime
/// wakes those who wait for one thing as it likes.
#[derive(Debug, Clone)]
pub struct Chance {
    seed: u64,
    drawn: Arc<Mutex<HashMap<u64, u64>>>,
}

impl Chance {
    /// The numbers of `seed`.
    pub fn of(seed: u64) -> Self {
        Self {
            seed,
            drawn: Arc::default(),
        }
    }

    /// The next number for `what`, below `bound`, which is not 0.
    pub fn below(&self, what: impl Hash, bound: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.seed, what).hash(&mut hasher);
        let stream = hasher.finish();
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let times = drawn.entry(stream).or_default();
        *times += 1;
        mixed(stream, *times) % bound
    }
}

/// The `times`th number of `SplitMix64`: every seed gives a good stream, 0 included.
fn mixed(seed: u64, times: u64) -> u64 {
    let mut mixed = seed.wrapping_add(times.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
