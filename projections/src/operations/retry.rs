//! Dead letters tried again: after the store, the schema or the code was changed so that it may work now.

use commands::ports::Unavailable;
use contract::{Envelope, Event};
use serde::{Deserialize, Serialize};

use super::mend::{Mended, mend};
use super::{OperationParts, find};
use crate::ports::{CacheKey, DeadLetter, HistoryError};

/// What became of a letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "outcome", content = "why")]
pub enum Retried {
    /// It is where it belongs, and no dead letter any more.
    Done,
    /// It was there already, and is no dead letter any more.
    WasThere,
    /// It is refused still, and stays.
    StillRefused(String),
}

/// Does what the projector could not do, and forgets the letter if that works.
///
/// # Errors
/// A store is away; the letter stays.
pub async fn retry(parts: &OperationParts, letter: &DeadLetter) -> Result<Retried, Unavailable> {
    let retried = match letter.projector.as_str() {
        crate::history::NAME => write_row(parts, letter).await?,
        crate::live::NAME => refold(parts, letter).await?,
        other => Retried::StillRefused(format!("no projector is called {other}")),
    };
    if !matches!(retried, Retried::StillRefused(_)) {
        parts.dead_letters.remove(&letter.projector, letter.seq).await?;
    }
    Ok(retried)
}

async fn write_row(parts: &OperationParts, letter: &DeadLetter) -> Result<Retried, Unavailable> {
    let record = match Envelope::from_bytes(&letter.bytes) {
        Ok(Envelope {
            event: Event::Ended(ended),
            ..
        }) if ended.record.id == letter.game => ended.record,
        Ok(other) => {
            let why = format!("it is a {} of {}", other.event.name(), other.id.game);
            return Ok(Retried::StillRefused(why));
        }
        Err(error) => return Ok(Retried::StillRefused(error.to_string())),
    };
    if !parts.history.existing(&[letter.game]).await?.is_empty() {
        return Ok(Retried::WasThere);
    }
    match parts.history.replace(&record).await {
        Ok(()) => {
            let keys = CacheKey::of_players(&record.players);
            if let Err(error) = parts.cache.delete(&keys).await {
                tracing::debug!(%error, "cached lists stay until they lapse");
            }
            Ok(Retried::Done)
        }
        Err(HistoryError::Data(why)) => Ok(Retried::StillRefused(why)),
        Err(HistoryError::Unavailable(error)) => Err(error),
    }
}

async fn refold(parts: &OperationParts, letter: &DeadLetter) -> Result<Retried, Unavailable> {
    if let Err(error) = Envelope::from_bytes(&letter.bytes) {
        return Ok(Retried::StillRefused(error.to_string()));
    }
    let log = parts.log.as_ref();
    let Some((key, _)) = find(log, letter.game).await? else {
        return Ok(Retried::StillRefused(
            "the log has nothing of the game".to_owned(),
        ));
    };
    Ok(
        match mend(log, parts.live.as_ref(), parts.history.as_ref(), key).await? {
            Mended::Written | Mended::Deleted => Retried::Done,
            Mended::Same | Mended::Ahead => Retried::WasThere,
            Mended::Newer => Retried::StillRefused("newer code wrote the game".to_owned()),
            Mended::NotFoldable(why) => Retried::StillRefused(why),
        },
    )
}
