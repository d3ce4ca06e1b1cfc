//! All games go on: as fast as they can, or a move a second each.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, sleep_until};

use super::{Run, all};
use crate::measure::{Tally, Window};
use crate::peer::Peer;
use crate::processes::{Costs, rss};
use crate::report::Report;
use crate::table::Table;

/// Between two moves of a game that takes its time.
const BEAT: Duration = Duration::from_secs(1);

impl<P: Peer> Run<P> {
    /// Plays and measures; each game a move a second if `paced`.
    ///
    /// # Errors
    /// The server is gone.
    pub async fn play(&self, paced: bool) -> anyhow::Result<Report> {
        let plan = &self.plan;
        let mut report = Report {
            rss_before: rss(plan.server)?,
            ..Report::default()
        };
        let tables = self.open(0..plan.games).await;
        report.games = tables.len() as u64;
        let window = Window::after(plan.warming(), plan.measured());
        let mut tasks = JoinSet::new();
        for table in tables {
            let (peer, tally) = (self.peer.clone(), self.tally.clone());
            tasks.spawn(async move {
                let done = if paced {
                    play_paced(&peer, table, &tally, window).await
                } else {
                    play_on(&peer, table, &tally, window).await
                };
                if let Err(error) = done {
                    tally.errors.add(&error);
                }
            });
        }
        sleep_until(window.from).await;
        let before = Costs::now(plan)?;
        sleep_until(window.to).await;
        report.seconds = plan.measured().as_secs_f64();
        Costs::now(plan)?.since(&before, &mut report);
        report.rss_after = rss(plan.server)?;
        all(tasks).await?;
        Ok(self.report(report))
    }
}

async fn play_on<P: Peer>(
    peer: &Arc<P>,
    mut table: Table<P>,
    tally: &Tally,
    window: Window,
) -> anyhow::Result<()> {
    while !window.is_over() {
        table = one(peer, table, tally, window).await?;
    }
    Ok(())
}

async fn play_paced<P: Peer>(
    peer: &Arc<P>,
    mut table: Table<P>,
    tally: &Tally,
    window: Window,
) -> anyhow::Result<()> {
    sleep(BEAT.mul_f64(fastrand::f64())).await;
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Skip);
    while !window.is_over() {
        let due = beat.tick().await;
        if due.elapsed() > BEAT / 2 {
            tally.late.up();
        }
        table = one(peer, table, tally, window).await?;
    }
    Ok(())
}

/// A move, and the next game if it was the last.
async fn one<P: Peer>(
    peer: &Arc<P>,
    mut table: Table<P>,
    tally: &Tally,
    window: Window,
) -> anyhow::Result<Table<P>> {
    let (sent, seen) = table.turn().await?;
    if window.has(sent) && window.has(seen) {
        tally.moves.up();
        tally.round_trips.add(seen - sent);
    }
    if !table.is_over() {
        return Ok(table);
    }
    tally.finished.up();
    table.again(peer).await
}
