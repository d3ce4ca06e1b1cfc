//! What a run found, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What durations are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Percentiles {
    /// How many there are.
    pub count: u64,
    /// Half of them are not longer, in microseconds.
    pub p50_us: u64,
    /// Nine of ten.
    pub p90_us: u64,
    /// 99 of a hundred.
    pub p99_us: u64,
    /// 999 of a thousand.
    pub p999_us: u64,
    /// The longest.
    pub max_us: u64,
}

/// A run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// How many games there were at once.
    pub games: u64,
    /// How long was measured, in seconds.
    pub seconds: f64,
    /// Moves in that time.
    pub moves: u64,
    /// From the send of a move until both players had it.
    pub round_trip: Option<Percentiles>,
    /// From the loss of a socket until its player had the game again.
    pub returns: Option<Percentiles>,
    /// Games that ended, warming up included.
    pub finished: u64,
    /// Moves that were not sent when they were due.
    pub late: u64,
    /// Frames that spectators got.
    pub delivered: u64,
    /// Moves that were accepted before the log had them.
    pub not_durable: u64,
    /// Moves that were accepted when the log had them.
    pub durable: u64,
    /// The server's CPU time while it was measured, in seconds.
    pub server_cpu: f64,
    /// The CPU time of each server behind it, in seconds.
    pub behind_cpu: BTreeMap<String, f64>,
    /// The load generator's own, in seconds.
    pub client_cpu: f64,
    /// The server's memory before the first socket, in KiB.
    pub rss_before: u64,
    /// The same when the games were there.
    pub rss_after: u64,
    /// The time that all other processes of the machine took, in cores.
    pub others: f64,
    /// How many moves, sockets or games went wrong.
    pub errors: u64,
    /// The first of it.
    pub first_error: Option<String>,
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run are far below 2^52")]
impl Report {
    /// Moves a second.
    pub fn rate(&self) -> f64 {
        self.moves as f64 / self.seconds
    }

    /// The server's CPU time for a thousand moves, in seconds.
    pub fn cpu_per_1000(&self) -> f64 {
        self.server_cpu * 1000.0 / self.moves as f64
    }

    /// The memory of a game, in KiB.
    pub fn kib_per_game(&self) -> f64 {
        self.rss_after.saturating_sub(self.rss_before) as f64 / self.games as f64
    }
}
