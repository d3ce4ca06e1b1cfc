//! What was moved aside for an operator to look at.

use bytes::Bytes;
use commands::ports::Unavailable;
use contract::{GameId, Millis};

use crate::Valkey;
use crate::calls::unavailable;

/// How many entries are kept for each game; the oldest go first.
pub(crate) const KEPT: usize = 1000;

/// One thing that was moved aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// When, by the server's clock.
    pub at: Millis,
    /// What it is: a snapshot or a pending event, with its version or id.
    pub what: String,
    /// Why.
    pub reason: String,
    /// The snapshot or document as it was.
    pub bytes: Bytes,
}

impl Valkey {
    /// The games of which something is in quarantine.
    pub async fn quarantined_games(&self) -> Result<Vec<GameId>, Unavailable> {
        let ids: Vec<String> = self
            .command(redis::cmd("SMEMBERS").arg(self.keys.quarantine()))
            .await?;
        ids.iter().map(|id| id.parse().map_err(unavailable)).collect()
    }

    /// What is in quarantine of a game, oldest first.
    pub async fn quarantined(&self, id: GameId) -> Result<Vec<Quarantined>, Unavailable> {
        /// Each value behind its name; names are in the order in which the scripts write them.
        type Fields = (String, String, String, String, String, Bytes);
        let key = self.keys.quarantine_of(id);
        let entries: Vec<(String, Fields)> = self
            .command(redis::cmd("XRANGE").arg(key).arg("-").arg("+"))
            .await?;
        entries
            .into_iter()
            .map(|(id, (_, what, _, reason, _, bytes))| {
                Ok(Quarantined {
                    at: time_of(&id)?,
                    what,
                    reason,
                    bytes,
                })
            })
            .collect()
    }
}

/// A stream's ids begin with the time, in milliseconds.
fn time_of(entry: &str) -> Result<Millis, Unavailable> {
    let time = entry.split('-').next().and_then(|time| time.parse().ok());
    time.map(Millis)
        .ok_or_else(|| unavailable(format_args!("not the id of a stream's entry: {entry}")))
}
