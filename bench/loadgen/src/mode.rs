//! The loads.

use std::sync::Arc;

use futures::StreamExt;
use tokio::task::JoinSet;

use crate::measure::Tally;
use crate::peer::Peer;
use crate::plan::Plan;
use crate::report::Report;
use crate::table::Table;

pub mod fan_out;
pub mod idle;
pub mod leave;
pub mod play;
pub mod storm;

/// How many sockets are opened side by side.
const OPENING: usize = 32;
/// So that no game is as it was at the start.
const MOVES_BEFORE: usize = 4;

/// A load at work.
pub struct Run<P> {
    /// The server.
    pub peer: Arc<P>,
    /// What was asked for.
    pub plan: Plan,
    /// What was counted.
    pub tally: Arc<Tally>,
}

impl<P: Peer> Run<P> {
    /// A load on `peer`.
    pub fn new(peer: P, plan: Plan) -> Self {
        Self {
            peer: Arc::new(peer),
            plan,
            tally: Arc::default(),
        }
    }

    /// Opens tables with these numbers. One that does not open is an error and no more than that.
    async fn open(&self, numbers: std::ops::Range<usize>) -> Vec<Table<P>> {
        futures::stream::iter(numbers)
            .map(|number| {
                let random = fastrand::Rng::with_seed(
                    self.plan.seed.wrapping_mul(1_000_003).wrapping_add(number as u64),
                );
                async move { (self.peer.open(number as u64).await, random) }
            })
            .buffer_unordered(OPENING)
            .filter_map(|(opened, random)| async move {
                match opened {
                    Ok(players) => Some(Table::new(players, random)),
                    Err(error) => {
                        self.tally.errors.add(&error);
                        None
                    }
                }
            })
            .collect()
            .await
    }

    /// All that was counted, in a report that has the rest.
    fn report(&self, mut report: Report) -> Report {
        let tally = &self.tally;
        let (not_durable, durable) = self.peer.acknowledged();
        report.moves = tally.moves.get();
        report.round_trip = tally.round_trips.percentiles();
        report.returns = tally.returns.percentiles();
        report.finished = tally.finished.get();
        report.late = tally.late.get();
        report.delivered = tally.delivered.get();
        (report.not_durable, report.durable) = (not_durable, durable);
        report.errors = tally.errors.count();
        report.first_error = tally.errors.first();
        report
    }
}

/// Waits until all are done.
async fn all(mut tasks: JoinSet<()>) -> anyhow::Result<()> {
    while let Some(done) = tasks.join_next().await {
        done?;
    }
    Ok(())
}
