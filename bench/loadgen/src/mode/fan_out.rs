//! One game, and many who watch it.

use std::time::Duration;

use futures::StreamExt;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{OPENING, Run, all};
use crate::measure::Window;
use crate::peer::{Peer, Player};
use crate::plan::FanOut;
use crate::processes::{Costs, rss};
use crate::report::Report;

/// For what was sent before the end and not yet read.
const SETTLE: Duration = Duration::from_millis(500);

impl<P: Peer> Run<P> {
    /// Plays one game after the other in front of many.
    ///
    /// # Errors
    /// The server is gone, or the game does not begin.
    pub async fn fan_out(&self, fan_out: &FanOut) -> anyhow::Result<Report> {
        let plan = &self.plan;
        let mut report = Report {
            games: 1,
            rss_before: rss(plan.server)?,
            ..Report::default()
        };
        let mut table = self
            .open(0..1)
            .await
            .pop()
            .ok_or_else(|| anyhow::anyhow!("no game"))?;
        let (stop, tasks, _deaf) = self.gather(&table.players[0], fan_out).await;
        sleep(plan.warming()).await;
        let window = Window::after(Duration::ZERO, plan.measured());
        let before = Costs::now(plan)?;
        let delivered = self.tally.delivered.get();
        let mut beat = interval(Duration::from_secs(1) / fan_out.rate);
        while !window.is_over() && !table.is_over() {
            beat.tick().await;
            let (sent, seen) = table.turn().await?;
            self.tally.moves.up();
            self.tally.round_trips.add(seen - sent);
        }
        report.seconds = window.from.elapsed().as_secs_f64();
        sleep_until(tokio::time::Instant::now() + SETTLE).await;
        Costs::now(plan)?.since(&before, &mut report);
        report.rss_after = rss(plan.server)?;
        stop.cancel();
        all(tasks).await?;
        let mut report = self.report(report);
        report.delivered = report.delivered - delivered + 2 * report.moves;
        Ok(report)
    }

    /// Those who watch; they read until they are told to stop, the deaf ones not at all.
    async fn gather(
        &self,
        player: &P::Player,
        fan_out: &FanOut,
    ) -> (CancellationToken, JoinSet<()>, Vec<P::Player>) {
        let all = fan_out.spectators + fan_out.deaf;
        let watching: Vec<_> = (0..all)
            .map(|n| {
                let deaf = n >= fan_out.spectators;
                async move { (deaf, self.peer.watch(player, 10 + n as u64, deaf).await) }
            })
            .collect();
        let watching: Vec<_> = futures::stream::iter(watching)
            .buffer_unordered(OPENING)
            .collect()
            .await;
        let stop = CancellationToken::new();
        let (mut tasks, mut deaf_ones) = (JoinSet::new(), Vec::new());
        for (deaf, watcher) in watching {
            match watcher {
                Err(error) => self.tally.errors.add(&error),
                Ok(watcher) if deaf => deaf_ones.push(watcher),
                Ok(mut watcher) => {
                    let (stop, tally) = (stop.clone(), self.tally.clone());
                    tasks.spawn(async move {
                        let read = async {
                            loop {
                                match watcher.seen().await {
                                    Ok(_) => tally.delivered.up(),
                                    Err(error) => return tally.errors.add(&error),
                                }
                            }
                        };
                        tokio::select! {
                            () = stop.cancelled() => {}
                            () = read => {}
                        }
                    });
                }
            }
        }
        (stop, tasks, deaf_ones)
    }
}
