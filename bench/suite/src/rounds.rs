//! Each server in turn, several times over, so that what changes on the machine meanwhile meets all of them.

use loadgen::report::Report;

use crate::results::Results;
use crate::scenario::Scenario;
use crate::subject::Subject;
use crate::{Options, load};

/// So often a disturbed measurement is repeated. Then it is taken, and the tables say so.
const ATTEMPTS: usize = 4;

/// Measures one load on all who are to be compared by it.
pub async fn measure(scenario: &Scenario, options: &Options, results: &mut Results) -> anyhow::Result<()> {
    results.forget(&scenario.name);
    for round in 0..options.rounds {
        for subject in &scenario.subjects {
            let report = one(*subject, scenario, round, options).await?;
            results.add(&scenario.name, subject.name(), report, options.tolerated);
            results.write(&options.results)?;
        }
    }
    Ok(())
}

async fn one(
    subject: Subject,
    scenario: &Scenario,
    round: usize,
    options: &Options,
) -> anyhow::Result<Report> {
    let mut attempt = 1;
    loop {
        let running = subject.start(&options.peers).await?;
        let report = load::run(subject, &running, round + 1, &scenario.arguments).await?;
        println!(
            "{}, {}: {:.0} moves/s, p99 {} us, {:.4} s per 1,000, {:.1} KiB a game, others {:.2}, errors {} {}",
            scenario.name,
            subject.name(),
            report.rate(),
            report.round_trip.map_or(0, |trip| trip.p99_us),
            report.cpu_per_1000(),
            report.kib_per_game(),
            report.others,
            report.errors,
            report.first_error.as_deref().unwrap_or_default(),
        );
        if report.others <= options.tolerated || attempt == ATTEMPTS {
            return Ok(report);
        }
        attempt += 1;
    }
}
