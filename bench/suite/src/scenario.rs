//! The loads that servers are compared by.

use crate::subject::Subject;
use crate::{Options, Part};

/// A load, and on whom.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// What it is called in the results.
    pub name: String,
    /// What the load generator is told.
    pub arguments: Vec<String>,
    /// Who is measured.
    pub subjects: Vec<Subject>,
}

/// The loads of a part.
pub fn of(part: Part, options: &Options) -> Vec<Scenario> {
    let all = Subject::ALL.to_vec();
    let watched = vec![Subject::Floor, Subject::File, Subject::Servers];
    let ours = vec![Subject::File, Subject::Servers];
    let games = |games: usize| if options.smoke { games.div_ceil(10) } else { games };
    let scenario = |name: &str, number: usize, mode: &[&str], subjects: Vec<Subject>| Scenario {
        name: name.to_owned(),
        arguments: [
            format!("--games={number}"),
            format!("--seconds={}", seconds(options)),
        ]
        .into_iter()
        .chain(mode.iter().map(|argument| (*argument).to_owned()))
        .collect(),
        subjects,
    };
    let spectators = format!("--spectators={}", games(5_000));
    match part {
        Part::Saturate => vec![scenario("saturate", 64, &["saturate"], all)],
        Part::Paced => vec![scenario("paced", games(1_000), &["paced"], all)],
        Part::Idle => vec![scenario("idle", games(5_000), &["--warm-up=5", "idle"], all)],
        Part::FanOut => vec![
            scenario(
                "fan-out: nobody watches",
                1,
                &["fan-out", "--spectators=0"],
                watched.clone(),
            ),
            scenario("fan-out", 1, &["fan-out", &spectators], watched.clone()),
            scenario(
                "fan-out: 100 never read",
                1,
                &["fan-out", &spectators, "--deaf=100"],
                watched,
            ),
        ],
        Part::Storm => vec![scenario("storm", games(5_000), &["storm"], ours)],
        Part::Restore | Part::Growth | Part::Tables => Vec::new(),
    }
}

/// How long to measure.
pub fn seconds(options: &Options) -> u64 {
    if options.smoke {
        options.seconds.div_ceil(3)
    } else {
        options.seconds
    }
}
