//! Starts turnstream and its peers one after the other, lets the load generator at them, and writes down how they compare.
//!
//! **Belongs here:** which servers, which loads, in which order, what counts as disturbed, and the tables. **Does not:** the
//! load itself (`loadgen`).
//!
//! `bench/run` builds everything and starts this on the client's processor; the server that is measured gets the other one.
//! What stands behind a server (NATS, Valkey, Postgres) shares the client's.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

mod growth;
mod load;
mod machine;
mod restore;
mod results;
mod rounds;
mod scenario;
mod subject;
mod tables;

use results::Results;

/// Measures, and adds to what was measured before.
#[derive(Debug, Clone, Parser)]
pub struct Options {
    /// What to measure; all of it when nothing is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// How often each server is measured with each load.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How long each time, in seconds.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// A measurement during which other processes took more than this is repeated, in cores.
    #[arg(long, default_value_t = 0.1)]
    tolerated: f64,
    /// A tenth of all games and a third of the time, to see that everything works.
    #[arg(long)]
    smoke: bool,
    /// Where the peers are installed.
    #[arg(long)]
    peers: PathBuf,
    /// Where the figures are kept.
    #[arg(long)]
    results: PathBuf,
    /// Where the tables go.
    #[arg(long)]
    tables: PathBuf,
}

/// What can be measured apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// 64 games as fast as they go.
    Saturate,
    /// 1,000 games with a move a second each.
    Paced,
    /// 5,000 games in which nobody moves.
    Idle,
    /// One game and 5,000 who watch.
    FanOut,
    /// 5,000 games whose players all lose their sockets.
    Storm,
    /// From start to ready with games to restore.
    Restore,
    /// By the number of games that are live, and that are finished.
    Growth,
    /// Only the tables, from what was measured before.
    Tables,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let mut results = Results::read(&options.results)?;
    results.machine = machine::describe(&options.peers)?;
    let parts = if options.parts.is_empty() {
        Part::value_variants().to_vec()
    } else {
        options.parts.clone()
    };
    for part in parts {
        match part {
            Part::Restore => restore::measure(&options, &mut results).await?,
            Part::Growth => growth::measure(&options, &mut results).await?,
            Part::Tables => {}
            loaded => {
                for scenario in scenario::of(loaded, &options) {
                    rounds::measure(&scenario, &options, &mut results).await?;
                }
            }
        }
    }
    std::fs::write(&options.tables, tables::markdown(&results))?;
    Ok(())
}
