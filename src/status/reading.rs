//! The part of the status that every process has which projects: log, projectors, dead letters, audit.

use std::fmt::Write as _;
use std::sync::Arc;

use commands::ports::{Clock, EventLog, LogInfo};
use contract::Seq;
use projections::catch_up::status::{Progress, ProjectorState, ProjectorStatus};
use projections::operations::verify::audit::Audited;
use projections::ports::{Checkpoint, DeadLetters, HistoryStore, LiveStore, LogReader};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::app::Served;

/// Where the figures come from.
pub struct ReadSide {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Its reader.
    pub reader: Arc<dyn LogReader>,
    /// Where the live projector's checkpoint is.
    pub live: Arc<dyn LiveStore>,
    /// Where the history projector's checkpoint is.
    pub history: Arc<dyn HistoryStore>,
    /// Dead letters.
    pub dead_letters: Arc<dyn DeadLetters>,
    /// The projectors, whether they run here or elsewhere.
    pub projectors: Vec<Arc<Progress>>,
    /// What the audit has found.
    pub audited: watch::Receiver<Audited>,
    /// Which adapter serves which port.
    pub served: Vec<Served>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl ReadSide {
    /// The figures, and what is not as it should be.
    pub(super) async fn status(&self) -> (Map<String, Value>, Vec<String>) {
        let mut troubles = Vec::new();
        let info = self.log.info().await;
        if let Err(error) = &info {
            troubles.push(format!("the log is not available: {error}"));
        }
        let info = info.map_err(|error| error.to_string());
        let mut projectors = Vec::new();
        for progress in &self.projectors {
            projectors.push(self.projector(progress, info.as_ref().ok(), &mut troubles).await);
        }
        let dead_letters = self.dead_letters.count().await.ok();
        if let Some(count @ 1..) = dead_letters {
            troubles.push(format!("{count} dead letters"));
        }
        let audited = *self.audited.borrow();
        if let Some(game) = audited.last_different {
            troubles.push(format!(
                "the audit found {} differences, the last in game {game}",
                audited.differences
            ));
        }
        let adapters: Map<String, Value> = self
            .served
            .iter()
            .map(|served| (served.port.to_owned(), json!(served.adapter)))
            .collect();
        let status = [
            ("adapters", Value::Object(adapters)),
            ("log", log(&info)),
            ("projectors", Value::Array(projectors)),
            ("deadLetters", json!(dead_letters)),
            ("audit", json!(audited)),
        ];
        let status = status.into_iter().map(|(name, value)| (name.to_owned(), value));
        (status.collect(), troubles)
    }

    /// The figures of the audit for Prometheus.
    pub(super) fn metrics(&self) -> String {
        let audited = *self.audited.borrow();
        let mut text = String::new();
        for (name, help, value) in [
            (
                "games",
                "Random games that were compared with the log.",
                audited.games,
            ),
            (
                "differences",
                "Differences that were found so.",
                audited.differences,
            ),
            ("failures", "Comparisons that could not be made.", audited.failed),
        ] {
            let name = format!("turnstream_audit_{name}_total");
            writeln!(
                text,
                "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}"
            )
            .expect("writing to a string does not fail");
        }
        text
    }

    async fn projector(
        &self,
        progress: &Progress,
        log: Option<&LogInfo>,
        troubles: &mut Vec<String>,
    ) -> Value {
        let name = progress.name();
        let status = progress.status();
        if let ProjectorState::Waiting(why) = &status.state {
            troubles.push(format!("the {name} projector waits: {why}"));
        }
        let checkpoint = self.checkpoint(name, &status).await;
        let lag = log
            .zip(checkpoint)
            .map(|(log, checkpoint)| log.last.saturating_sub(checkpoint));
        json!({
            "name": name,
            "checkpoint": checkpoint,
            "lag": lag,
            "lagMs": self.lag_ms(checkpoint, lag).await,
            "state": status.state,
            "counts": status.counts,
        })
    }

    /// How far a projector has come: its own word where it runs here, else its store's.
    async fn checkpoint(&self, name: &str, status: &ProjectorStatus) -> Option<Seq> {
        if !matches!(
            status.state,
            ProjectorState::Starting | ProjectorState::HeldElsewhere
        ) {
            return Some(status.checkpoint);
        }
        let stored = if name == projections::live::NAME {
            self.live_checkpoint().await
        } else {
            self.history.checkpoint().await.ok().flatten()
        };
        stored.map(|stored| stored.seq)
    }

    async fn live_checkpoint(&self) -> Option<Checkpoint> {
        let generation = self.live.generation().await.ok()?;
        self.live.checkpoint(generation).await.ok().flatten()
    }

    /// How long ago the first event was committed that is not projected yet.
    async fn lag_ms(&self, checkpoint: Option<Seq>, lag: Option<u64>) -> Option<i64> {
        if lag? == 0 {
            return Some(0);
        }
        let waiting = projections::catch_up::first_time_after(self.reader.as_ref(), checkpoint?).await;
        Some(self.clock.now().since(waiting.ok()??).max(0))
    }
}

fn log(info: &Result<LogInfo, String>) -> Value {
    match info {
        Ok(info) => json!({ "identity": info.identity, "first": info.first, "last": info.last }),
        Err(why) => json!({ "notAvailable": why }),
    }
}
