//! All players lose their sockets at once, and come back at once with what they held.

use futures::StreamExt;
use tokio::time::Instant;

use super::{MOVES_BEFORE, Run};
use crate::peer::turnstream::Turnstream;
use crate::processes::{Costs, rss};
use crate::report::Report;

/// How many come back side by side: a client cannot open more sockets at once than its own backlog takes.
const AT_ONCE: usize = 512;

impl Run<Turnstream> {
    /// Begins games, drops all sockets, and measures how long it takes until everybody has their game again.
    ///
    /// # Errors
    /// The server is gone.
    pub async fn storm(&self) -> anyhow::Result<Report> {
        let plan = &self.plan;
        let mut report = Report {
            rss_before: rss(plan.server)?,
            ..Report::default()
        };
        let tables = self.begun(0..plan.games, MOVES_BEFORE).await;
        report.games = tables.len() as u64;
        let guests: Vec<_> = tables.into_iter().flat_map(|table| table.players).collect();
        let first_number = 2 * plan.games as u64;
        let before = Costs::now(plan)?;
        let began = Instant::now();
        let back: Vec<_> = futures::stream::iter((first_number..).zip(guests))
            .map(|(number, guest)| async move {
                let lost = Instant::now();
                let back = self.peer.come_back(guest, number).await;
                self.tally.returns.add(lost.elapsed());
                back.inspect_err(|error| self.tally.errors.add(error)).ok()
            })
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        report.seconds = began.elapsed().as_secs_f64();
        Costs::now(plan)?.since(&before, &mut report);
        report.rss_after = rss(plan.server)?;
        drop(back);
        Ok(self.report(report))
    }
}
