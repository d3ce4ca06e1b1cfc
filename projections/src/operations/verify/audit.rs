//! The same for ever: now and then one random game, as a figure to watch.

use commands::ports::Unavailable;
use contract::{GameId, Seq};
use serde::Serialize;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::super::{OperationParts, Stopped, Work};
use super::{Request, Verified, verify};
use crate::ports::LogFilter;

/// How often a game is looked at: a few reads each time.
const EVERY_MS: u64 = 10_000;

/// How long the log may take to give the message that was chosen.
const WAIT_MS: u64 = 1_000;

/// What the audit has found since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audited {
    /// Games that were compared.
    pub games: u64,
    /// Differences that were found, a game that is looked at again included.
    pub differences: u64,
    /// Times that it could not be done, as the log or a store was away.
    pub failed: u64,
    /// The game that differed last.
    pub last_different: Option<GameId>,
}

/// Compares random games.
pub struct Auditor {
    /// What it works with.
    pub parts: OperationParts,
    /// A number below the given one, by chance.
    pub below: Box<dyn Fn(u64) -> u64 + Send + Sync>,
    /// Where the figures go.
    pub audited: watch::Sender<Audited>,
}

impl Auditor {
    /// Looks at a game every ten seconds until cancelled. It repairs nothing: that is for an operator to decide.
    pub async fn run(self, cancel: CancellationToken) {
        let auditing = async {
            loop {
                self.parts.clock.sleep(EVERY_MS).await;
                self.audit().await;
            }
        };
        tokio::select! {
            () = cancel.cancelled() => {}
            () = auditing => {}
        }
    }

    /// One game.
    pub async fn audit(&self) {
        match self.try_one().await {
            Ok(None) => {}
            Ok(Some(verified)) => self.note(&verified),
            Err(error) => {
                // Each is counted; a line for the first of all is enough to know why.
                if self.audited.borrow().failed == 0 {
                    tracing::warn!(%error, "the audit waits");
                } else {
                    tracing::debug!(%error, "the audit waits");
                }
                self.audited.send_modify(|audited| audited.failed += 1);
            }
        }
    }

    async fn try_one(&self) -> Result<Option<Verified>, Stopped> {
        let Some(game) = self.choose().await? else {
            return Ok(None);
        };
        let request = Request {
            game: Some(game),
            repair: false,
        };
        let work = Work::new(CancellationToken::new());
        verify(&self.parts, &request, &work).await.map(Some)
    }

    /// A game by one of its messages, so that longer games are looked at more often.
    async fn choose(&self) -> Result<Option<GameId>, Unavailable> {
        let log = self.parts.log.info().await?;
        let messages: Seq = (log.last + 1).saturating_sub(log.first.max(1));
        if messages == 0 {
            return Ok(None);
        }
        let seq = log.first.max(1) + (self.below)(messages);
        let mut cursor = self.parts.reader.open(seq - 1, LogFilter::All).await?;
        let chosen = cursor.next(1, WAIT_MS).await?.pop();
        Ok(chosen.map(|entry| entry.key.id))
    }

    fn note(&self, verified: &Verified) {
        for difference in &verified.differences {
            tracing::error!(game = %difference.game, place = ?difference.place, what = difference.what, "the audit found a difference");
        }
        self.audited.send_modify(|audited| {
            audited.games += 1;
            audited.differences += verified.different;
            if let Some(difference) = verified.differences.last() {
                audited.last_different = Some(difference.game);
            }
        });
    }
}
