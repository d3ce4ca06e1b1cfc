//! Who begins games and takes them over: a cursor on `started`, `resumed` and `anchored` that is opened again after every
//! outage.

use std::sync::Arc;
use std::time::Duration;

use commands::ports::{LogEntry, LogInfo, Unavailable};
use projections::ports::LogCursor;
use tokio::sync::mpsc;

use crate::cursor::Cursor;
use crate::log;
use crate::shared::Shared;
use crate::subjects;

const NAMES: [&str; 3] = ["started", "resumed", "anchored"];
const AT_ONCE: usize = 256;
const WAIT_MS: u64 = 60_000;
/// Between two attempts while the link is up.
const PAUSE: Duration = Duration::from_millis(100);

/// Every takeover above the log's end of now. An error if there is no log to ask now.
pub async fn watch(shared: &Arc<Shared>) -> Result<mpsc::Receiver<LogEntry>, Unavailable> {
    let place = log::info(shared).await?;
    let (sender, takeovers) = mpsc::channel(AT_ONCE);
    shared.tasks.spawn(keep_following(shared.clone(), place, sender));
    Ok(takeovers)
}

/// `place.last` is the newest message known not to be missing from what was told.
async fn keep_following(shared: Arc<Shared>, mut place: LogInfo, takeovers: mpsc::Sender<LogEntry>) {
    let mut link = shared.link.watch();
    let following = async {
        loop {
            if link.wait_for(|link| link.is_up()).await.is_err() {
                return;
            }
            let error = match follow(&shared, &mut place, &takeovers).await {
                Ok(()) => return,
                Err(error) => error,
            };
            tracing::debug!(%error, after = place.last, "following takeovers again");
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = following => {}
        () = shared.closed.cancelled() => {}
        () = takeovers.closed() => {}
    }
}

/// Returns `Ok` when nobody listens any more.
async fn follow(
    shared: &Arc<Shared>,
    place: &mut LogInfo,
    takeovers: &mpsc::Sender<LogEntry>,
) -> Result<(), Unavailable> {
    let now = log::info(shared).await?;
    if now.identity != place.identity || now.last < place.last {
        // Another log, or one that lost its tail: where they part is not known, and twice is better than never.
        tracing::warn!(was = ?*place, ?now, "the log was replaced or lost its tail: all takeovers are told again");
        *place = LogInfo { last: 0, ..now };
    }
    let filters = NAMES.map(subjects::all_named).to_vec();
    let mut cursor = Cursor::open(shared, place.last, filters).await?;
    loop {
        for entry in cursor.next(AT_ONCE, WAIT_MS).await? {
            let seq = entry.seq;
            if takeovers.send(entry).await.is_err() {
                return Ok(());
            }
            place.last = seq;
        }
    }
}
