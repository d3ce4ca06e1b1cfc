//! All figures, as they are kept between runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use loadgen::report::Report;
use serde::{Deserialize, Serialize};

/// What was measured.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Results {
    /// Where, and with which versions.
    pub machine: BTreeMap<String, String>,
    /// By load, then by server: the rounds.
    pub loads: BTreeMap<String, BTreeMap<String, Vec<Report>>>,
    /// Loads of which a round was disturbed each time that it was tried.
    pub disturbed: BTreeMap<String, usize>,
    /// From start to ready.
    pub restores: Vec<Restored>,
    /// By the number of games.
    pub growth: Vec<Grown>,
}

/// A restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Restored {
    /// Of which server.
    pub subject: String,
    /// With how many live games.
    pub games: u64,
    /// Whether it was killed, or told to stop.
    pub killed: bool,
    /// From its start until it was ready, in milliseconds.
    pub took_ms: u64,
    /// How many games it had then.
    pub found: u64,
}

/// A point of the growth curves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grown {
    /// What grows: `live` or `finished`.
    pub axis: String,
    /// How many games.
    pub games: u64,
    /// Moves a second: of all live games, or of 64.
    pub rate: f64,
    /// 99 of a hundred moves were with both players by then, at a move a second per game, in microseconds.
    pub paced_p99_us: u64,
    /// Memory for a live game, or of the process, in KiB.
    pub memory_kib: f64,
    /// From start to ready, in milliseconds.
    pub restore_ms: u64,
    /// A list of popular games, in microseconds.
    pub popular_us: u64,
    /// A list of one's own games, in microseconds.
    pub recent_us: u64,
}

impl Results {
    /// What an earlier run has kept; nothing if there was none.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        match fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps them.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        Ok(fs::write(path, serde_json::to_string_pretty(self)? + "\n")?)
    }

    /// A load is measured anew.
    pub fn forget(&mut self, load: &str) {
        self.loads.remove(load);
        self.disturbed.remove(load);
    }

    /// Adds a round.
    pub fn add(&mut self, load: &str, subject: &str, report: Report, tolerated: f64) {
        if report.others > tolerated {
            *self.disturbed.entry(load.to_owned()).or_default() += 1;
        }
        let load = self.loads.entry(load.to_owned()).or_default();
        load.entry(subject.to_owned()).or_default().push(report);
    }

    /// The median of a figure over the rounds.
    pub fn median(&self, load: &str, subject: &str, figure: impl Fn(&Report) -> f64) -> Option<f64> {
        let mut figures: Vec<f64> = self.loads.get(load)?.get(subject)?.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_that_of_the_rounds() {
        let mut results = Results::default();
        for moves in [30, 10, 20] {
            let report = Report {
                moves,
                seconds: 1.0,
                ..Report::default()
            };
            results.add("saturate", "floor", report, 0.1);
        }
        assert_eq!(results.median("saturate", "floor", Report::rate), Some(20.0));
        assert_eq!(results.median("saturate", "nobody", Report::rate), None);
    }
}
