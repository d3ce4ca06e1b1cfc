//! The part of the status that every process has which projects: log, projectors, dead letters, audit.

use std::sync::Arc;
use std::time::Duration;

use commands::ports::{Clock, EventLog, LogInfo};
use contract::Seq;
use futures::future::join_all;
use projections::catch_up::status::{Progress, ProjectorState, ProjectorStatus};
use projections::operations::verify::audit::Audited;
use projections::ports::{Checkpoint, DeadLetters, HistoryStore, LiveStore, LogReader};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::app::Served;
use crate::stores::Watched;

/// How long a log or a store may take to answer before what it would say is not known.
const PATIENCE: Duration = Duration::from_secs(2);

/// A projector that runs elsewhere is not further behind than this, in milliseconds: another one takes over within ten
/// seconds.
const UNATTENDED_MS: i64 = 30_000;

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
    /// The adapters, as far as they can be seen from outside.
    pub adapters: Watched,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// What was read.
pub(super) struct Reading {
    pub(super) log: Result<LogInfo, String>,
    pub(super) projectors: Vec<Projected>,
    pub(super) dead_letters: Option<u64>,
    pub(super) audited: Audited,
}

/// How a projector is, here or elsewhere.
pub(super) struct Projected {
    pub(super) name: &'static str,
    pub(super) status: ProjectorStatus,
    pub(super) checkpoint: Reached,
    /// How many messages it is behind.
    pub(super) lag: Option<u64>,
    /// How long ago the first event was committed that it has not come to.
    pub(super) lag_ms: Option<i64>,
}

/// How far a projector has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// So far.
    At(Seq),
    /// Nowhere: its store has no checkpoint.
    Never,
    /// Its store did not say.
    NotKnown,
}

impl Reached {
    fn seq(self) -> Option<Seq> {
        match self {
            Self::At(seq) => Some(seq),
            Self::Never | Self::NotKnown => None,
        }
    }

    /// How many of the log's messages are behind it. One that has never begun is behind by all of them: that there are none
    /// says nothing about it.
    fn lag(self, log: &LogInfo) -> Option<u64> {
        match self {
            Self::At(seq) => Some(log.last.saturating_sub(seq)),
            Self::Never => Some((log.last + 1).saturating_sub(log.first.max(1))).filter(|lag| *lag > 0),
            Self::NotKnown => None,
        }
    }
}

impl ReadSide {
    /// Asks everybody.
    pub(super) async fn read(&self) -> Reading {
        let log = in_time(self.log.info()).await;
        let log = log.map_or_else(
            || Err("no answer".to_owned()),
            |info| info.map_err(|error| error.to_string()),
        );
        let projectors = self.projectors.iter();
        let projectors = projectors.map(|progress| self.projector(progress, log.as_ref().ok()));
        let (projectors, dead_letters) =
            futures::join!(join_all(projectors), in_time(self.dead_letters.count()));
        Reading {
            projectors,
            dead_letters: dead_letters.and_then(Result::ok),
            audited: *self.audited.borrow(),
            log,
        }
    }

    /// The figures, and what is not as it should be.
    pub(super) async fn status(&self) -> (Map<String, Value>, Vec<String>) {
        let reading = self.read().await;
        let adapters: Map<String, Value> = self
            .served
            .iter()
            .map(|served| (served.port.to_owned(), json!(served.adapter)))
            .collect();
        let projectors = reading.projectors.iter().map(Projected::told).collect();
        let status = [
            ("adapters", Value::Object(adapters)),
            ("log", log(&reading.log)),
            ("projectors", Value::Array(projectors)),
            ("deadLetters", json!(reading.dead_letters)),
            ("audit", json!(reading.audited)),
        ];
        let status = status.into_iter().map(|(name, value)| (name.to_owned(), value));
        (status.collect(), reading.troubles())
    }

    async fn projector(&self, progress: &Progress, log: Option<&LogInfo>) -> Projected {
        let (name, status) = (progress.name(), progress.status());
        let checkpoint = self.checkpoint(name, &status).await;
        let lag = log.and_then(|log| checkpoint.lag(log));
        Projected {
            name,
            checkpoint,
            lag,
            lag_ms: self.lag_ms(checkpoint, lag).await,
            status,
        }
    }

    /// How far a projector has come: its own word where it runs here and has begun, else its store's.
    async fn checkpoint(&self, name: &str, status: &ProjectorStatus) -> Reached {
        let elsewhere = status.state == ProjectorState::HeldElsewhere;
        if let Some(own) = status.checkpoint.filter(|_| !elsewhere) {
            return Reached::At(own);
        }
        let stored = if name == projections::live::NAME {
            in_time(self.live_checkpoint()).await
        } else {
            in_time(self.history.checkpoint()).await
        };
        match stored {
            Some(Ok(Some(stored))) => Reached::At(stored.seq),
            Some(Ok(None)) => Reached::Never,
            Some(Err(_)) | None => Reached::NotKnown,
        }
    }

    async fn live_checkpoint(&self) -> Result<Option<Checkpoint>, commands::ports::Unavailable> {
        let generation = self.live.generation().await?;
        self.live.checkpoint(generation).await
    }

    /// How long ago the first event was committed that is not projected yet.
    async fn lag_ms(&self, checkpoint: Reached, lag: Option<u64>) -> Option<i64> {
        if lag? == 0 {
            return Some(0);
        }
        let after = checkpoint.seq().unwrap_or(0);
        let waiting = projections::catch_up::first_time_after(self.reader.as_ref(), after);
        Some(self.clock.now().since(in_time(waiting).await?.ok()??).max(0))
    }
}

impl Reading {
    /// What is not as it should be.
    fn troubles(&self) -> Vec<String> {
        let mut troubles = Vec::new();
        if let Err(why) = &self.log {
            troubles.push(format!("the log is not available: {why}"));
        }
        troubles.extend(self.projectors.iter().filter_map(Projected::trouble));
        if let Some(count @ 1..) = self.dead_letters {
            troubles.push(format!("{count} dead letters"));
        }
        if let Some(game) = self.audited.last_different {
            troubles.push(format!(
                "the audit found {} differences, the last in game {game}",
                self.audited.differences
            ));
        }
        troubles
    }
}

impl Projected {
    fn trouble(&self) -> Option<String> {
        let name = self.name;
        if let ProjectorState::Waiting(why) = &self.status.state {
            return Some(format!("the {name} projector waits: {why}"));
        }
        let lag = self.lag?;
        if self.checkpoint == Reached::Never {
            return Some(format!(
                "the {name} projector has never begun, and is behind by {lag} events"
            ));
        }
        let runs_here = self.status.state == ProjectorState::Running;
        let lag_ms = self.lag_ms.filter(|ms| !runs_here && *ms >= UNATTENDED_MS)?;
        let seconds = lag_ms / 1000;
        Some(format!(
            "nobody seems to run the {name} projector: it is behind by {lag} events, {seconds} s"
        ))
    }

    fn told(&self) -> Value {
        json!({
            "name": self.name,
            "checkpoint": self.checkpoint.seq(),
            "lag": self.lag,
            "lagMs": self.lag_ms,
            "state": self.status.state,
            "counts": self.status.counts,
        })
    }
}

/// What an answer is, unless it takes too long.
async fn in_time<T>(answer: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(PATIENCE, answer).await.ok()
}

fn log(info: &Result<LogInfo, String>) -> Value {
    match info {
        Ok(info) => json!({ "identity": info.identity, "first": info.first, "last": info.last }),
        Err(why) => json!({ "notAvailable": why }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commands::ports::LogIdentity;

    fn log(first: Seq, last: Seq) -> LogInfo {
        LogInfo {
            identity: LogIdentity("one".to_owned()),
            first,
            last,
        }
    }

    #[test]
    fn one_that_has_never_begun_is_behind_by_all_that_there_is_and_never_by_zero() {
        assert_eq!(Reached::Never.lag(&log(1, 90)), Some(90));
        assert_eq!(Reached::Never.lag(&log(41, 90)), Some(50));
        assert_eq!(
            Reached::Never.lag(&log(1, 0)),
            None,
            "there is nothing to be behind of"
        );
        assert_eq!(Reached::Never.lag(&log(91, 90)), None);
    }

    #[test]
    fn what_a_store_does_not_say_is_not_known() {
        assert_eq!(Reached::NotKnown.lag(&log(1, 90)), None);
        assert_eq!(Reached::At(90).lag(&log(1, 90)), Some(0));
        assert_eq!(Reached::At(80).lag(&log(1, 90)), Some(10));
    }

    fn reading(log: Result<LogInfo, String>, projectors: Vec<Projected>) -> Reading {
        Reading {
            log,
            projectors,
            dead_letters: Some(0),
            audited: Audited::default(),
        }
    }

    fn projected(state: ProjectorState, checkpoint: Reached, lag_ms: i64) -> Projected {
        Projected {
            name: "history",
            status: ProjectorStatus {
                state,
                ..ProjectorStatus::default()
            },
            checkpoint,
            lag: checkpoint.lag(&log(1, 90)),
            lag_ms: Some(lag_ms),
        }
    }

    fn troubles_of(state: ProjectorState, checkpoint: Reached, lag_ms: i64) -> Vec<String> {
        let projectors = vec![projected(state, checkpoint, lag_ms)];
        reading(Ok(log(1, 90)), projectors).troubles()
    }

    #[test]
    fn a_log_that_is_away_is_a_trouble() {
        let troubles = reading(Err("no answer".to_owned()), Vec::new()).troubles();
        assert_eq!(troubles, ["the log is not available: no answer"]);
        assert_eq!(reading(Ok(log(1, 90)), Vec::new()).troubles(), [""; 0]);
    }

    #[test]
    fn a_projector_that_waits_is_a_trouble() {
        let waiting = ProjectorState::Waiting("it is away".to_owned());
        assert_eq!(
            troubles_of(waiting, Reached::At(90), 0),
            ["the history projector waits: it is away"]
        );
        assert_eq!(troubles_of(ProjectorState::Running, Reached::At(90), 0), [""; 0]);
    }

    #[test]
    fn a_projector_that_nobody_runs_is_a_trouble() {
        for state in [ProjectorState::HeldElsewhere, ProjectorState::Starting] {
            assert_eq!(troubles_of(state.clone(), Reached::At(80), 29_999), [""; 0]);
            assert_eq!(
                troubles_of(state, Reached::At(80), 30_000),
                ["nobody seems to run the history projector: it is behind by 10 events, 30 s"]
            );
        }
        assert_eq!(
            troubles_of(ProjectorState::Running, Reached::At(80), 90_000),
            [""; 0],
            "it is at it"
        );
    }
}
