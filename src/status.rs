//! What operators see of the process, as one JSON object.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use commands::games::{Games, Role};
use commands::live::LiveGames;
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
