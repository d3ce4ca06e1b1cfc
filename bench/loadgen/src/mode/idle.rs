//! Games that were begun, and nobody moves: what one takes of memory, and what all of them take of a processor.

use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{MOVES_BEFORE, Run, all};
use crate::peer::{Peer, Player};
use crate::processes::{Costs, rss};
use crate::report::Report;
use crate::table::Table;

impl<P: Peer> Run<P> {
    /// Begins games and measures.
    ///
    /// # Errors
    /// The server is gone.
    pub async fn idle(&self) -> anyhow::Result<Report> {
        let plan = &self.plan;
        let mut report = Report {
            rss_before: rss(plan.server)?,
            ..Report::default()
        };
        let tables = self.begun(0..plan.games, MOVES_BEFORE).await;
        report.games = tables.len() as u64;
        let (stop, tasks) = self.sit(tables);
        sleep(plan.warming()).await;
        let before = Costs::now(plan)?;
        sleep(plan.measured()).await;
        report.seconds = plan.measured().as_secs_f64();
        Costs::now(plan)?.since(&before, &mut report);
        report.rss_after = rss(plan.server)?;
        stop.cancel();
        all(tasks).await?;
        Ok(self.report(report))
    }

    /// Tables at which so many moves were played.
    pub(super) async fn begun(&self, numbers: std::ops::Range<usize>, moves: usize) -> Vec<Table<P>> {
        let mut begun = Vec::with_capacity(numbers.len());
        let mut tasks = JoinSet::new();
        for mut table in self.open(numbers).await {
            tasks.spawn(async move {
                for _ in 0..moves {
                    table.turn().await?;
                }
                anyhow::Ok(table)
            });
        }
        while let Some(done) = tasks.join_next().await {
            match done.map_err(anyhow::Error::from).flatten() {
                Ok(table) => begun.push(table),
                Err(error) => self.tally.errors.add(&error),
            }
        }
        begun
    }

    /// Lets all players read, so that pings are answered, until it is told to stop.
    pub(super) fn sit(&self, tables: Vec<Table<P>>) -> (CancellationToken, JoinSet<()>) {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        for player in tables.into_iter().flat_map(|table| table.players) {
            let (stop, tally) = (stop.clone(), self.tally.clone());
            tasks.spawn(async move {
                let mut player = player;
                tokio::select! {
                    () = stop.cancelled() => {}
                    seen = player.seen() => {
                        let error = seen.map(|seen| anyhow::anyhow!("nobody moved, and {seen:?} is shown"));
                        tally.errors.add(&error.unwrap_or_else(|error| error));
                    }
                }
            });
        }
        (stop, tasks)
    }
}
