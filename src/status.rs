//! What operators see of the process, as one JSON object.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use commands::games::{Games, Role};
use commands::live::LiveGames;
use commands::ports::EventLog;
use projections::catch_up::status::Progress;
use projections::ports::DeadLetters;
use projections::restore::Report;
use serde_json::{Value, json};

use crate::app::Served;
use crate::ports::Status;

/// Where the figures come from.
pub struct ServiceStatus {
    /// The games.
    pub games: LiveGames,
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Dead letters.
    pub dead_letters: Arc<dyn DeadLetters>,
    /// The projectors that run here.
    pub projectors: Vec<Arc<Progress>>,
    /// The last restore.
    pub last_restore: Arc<Mutex<Option<Report>>>,
    /// Which adapter serves which port.
    pub served: Vec<Served>,
}

#[async_trait]
impl Status for ServiceStatus {
    async fn status(&self) -> Value {
        let (live, waiting) = self.games.load();
        let adapters: serde_json::Map<String, Value> = self
            .served
            .iter()
            .map(|served| (served.port.to_owned(), json!(served.adapter)))
            .collect();
        let log = match self.log.info().await {
            Ok(info) => json!({ "identity": info.identity, "first": info.first, "last": info.last }),
            Err(error) => json!({ "notAvailable": error.to_string() }),
        };
        let projectors: Vec<Value> = self
            .projectors
            .iter()
            .map(|progress| projector(progress))
            .collect();
        json!({
            "writer": self.games.writer(),
            "role": role(&self.games.role()),
            "adapters": adapters,
            "log": log,
            "liveGames": live,
            "pendingPublishes": waiting,
            "seeks": self.games.seeks(),
            "projectors": projectors,
            "deadLetters": self.dead_letters.count().await.ok(),
            "lastRestore": *self.last_restore.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }
}

fn role(role: &Role) -> Value {
    match role {
        Role::Starting(why) => json!({ "starting": why }),
        Role::Active => json!("active"),
        Role::Standby => json!("standby"),
        Role::Leaving => json!("leaving"),
    }
}

fn projector(progress: &Progress) -> Value {
    let status = progress.status();
    json!({
        "name": progress.name(),
        "checkpoint": status.checkpoint,
        "lag": status.lag(),
        "state": status.state,
        "counts": status.counts,
    })
}
