//! What operators see of the process, as one JSON object.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use commands::games::{Games, Role};
use commands::live::{LiveGames, Load};
use commands::ports::ServiceKeys;
use contract::WriterId;
use projections::preview::Preview;
use projections::restore::Report;
use serde_json::{Value, json};

mod figures;
mod reading;

pub use reading::ReadSide;

use crate::metrics::Figures;
use crate::ports::Status;

/// Longer than this, in milliseconds, the log does not let an event wait that it can take.
const WAITING_MS: i64 = 30_000;

/// Where the figures come from.
pub struct ServiceStatus {
    /// The games.
    pub games: LiveGames,
    /// Live games wherever they are held.
    pub preview: Arc<Preview>,
    /// Which services there are.
    pub keys: Arc<dyn ServiceKeys>,
    /// The last restore.
    pub last_restore: Arc<Mutex<Option<Report>>>,
    /// Log, projectors, dead letters.
    pub reading: ReadSide,
}

#[async_trait]
impl Status for ServiceStatus {
    async fn status(&self) -> Value {
        let (mut status, mut troubles) = self.reading.status().await;
        let role = self.games.role();
        if let Role::Starting(why) = &role {
            troubles.push(format!("the service is starting: {why}"));
        }
        let load = self.games.load();
        troubles.extend(waiting_long(&load));
        let last_restore = self
            .last_restore
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let services = self.keys.alive().await.ok();
        status.extend([
            ("writer".to_owned(), json!(self.games.writer())),
            ("role".to_owned(), role_of(&role)),
            ("liveGames".to_owned(), json!(load.live_games())),
            ("pendingPublishes".to_owned(), json!(load.waiting_events)),
            ("seeks".to_owned(), json!(load.seeks)),
            ("owners".to_owned(), owners(&self.preview.owners())),
            ("services".to_owned(), json!(services)),
            ("lastRestore".to_owned(), json!(last_restore)),
            ("troubles".to_owned(), json!(troubles)),
        ]);
        Value::Object(status)
    }

    async fn figures(&self) -> Figures {
        let mut figures = self.reading.figures().await;
        figures::of_games(&self.games, &mut figures);
        figures
    }
}

/// The status of a process that only projects.
pub struct ProjectStatus {
    /// By whose right it writes.
    pub writer: WriterId,
    /// Log, projectors, dead letters.
    pub reading: ReadSide,
}

#[async_trait]
impl Status for ProjectStatus {
    async fn status(&self) -> Value {
        let (mut status, troubles) = self.reading.status().await;
        status.extend([
            ("writer".to_owned(), json!(self.writer)),
            ("role".to_owned(), json!("project")),
            ("troubles".to_owned(), json!(troubles)),
        ]);
        Value::Object(status)
    }

    async fn figures(&self) -> Figures {
        self.reading.figures().await
    }
}

/// The log has taken nothing of a game for long.
fn waiting_long(load: &Load) -> Option<String> {
    (load.unmoved_ms >= WAITING_MS).then(|| {
        format!(
            "{} events wait for the log, which has taken none of a game's for {} s",
            load.waiting_events,
            load.unmoved_ms / 1000
        )
    })
}

fn role_of(role: &Role) -> Value {
    match role {
        Role::Starting(why) => json!({ "starting": why }),
        Role::Active => json!("active"),
        Role::Standby => json!("standby"),
        Role::Leaving => json!("leaving"),
    }
}

fn owners(owners: &BTreeMap<WriterId, usize>) -> Value {
    owners
        .iter()
        .map(|(writer, games)| json!({ "writer": writer, "games": games }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_wait_for_long_are_a_trouble() {
        let load = |unmoved_ms| Load {
            waiting_events: 7,
            unmoved_ms,
            ..Load::default()
        };
        assert_eq!(waiting_long(&load(29_999)), None);
        let trouble = waiting_long(&load(95_400)).expect("it is one");
        assert!(trouble.starts_with("7 events wait for the log"), "{trouble}");
        assert!(trouble.ends_with("95 s"), "{trouble}");
    }
}
