//! Games that were begun and are left, for a restart of the server to find.

use super::{Run, all};
use crate::peer::Peer;
use crate::plan::Leave;
use crate::processes::rss;
use crate::report::Report;

/// So many have sockets at one time.
const WAVE: usize = 2_000;

impl<P: Peer> Run<P> {
    /// Begins games, a wave at a time, and leaves them; or stays until it is interrupted.
    ///
    /// # Errors
    /// The server is gone.
    pub async fn leave(&self, leave: &Leave) -> anyhow::Result<Report> {
        let plan = &self.plan;
        let mut report = Report {
            rss_before: rss(plan.server)?,
            ..Report::default()
        };
        let mut kept = Vec::new();
        for from in (0..plan.games).step_by(WAVE) {
            let wave = self.begun(from..plan.games.min(from + WAVE), leave.moves).await;
            report.games += wave.len() as u64;
            if leave.stay {
                kept.extend(wave);
            }
        }
        report.rss_after = rss(plan.server)?;
        if leave.stay {
            let (stop, tasks) = self.sit(kept);
            println!("{}", serde_json::to_string(&self.report(report.clone()))?);
            tokio::signal::ctrl_c().await?;
            stop.cancel();
            all(tasks).await?;
        }
        Ok(self.report(report))
    }
}
