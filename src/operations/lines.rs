//! A long work as lines of JSON: how far it is, now and then, and at last what came of it.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use projections::operations::{Amount, Stopped, Work};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often a line says how far it is. It also finds out whether somebody still listens.
const EVERY: Duration = Duration::from_millis(200);

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Line {
    /// How far it is.
    #[serde(rename_all = "camelCase")]
    Progress {
        /// What it is doing.
        phase: String,
        /// How much of it is done.
        done: u64,
        /// How much there is, where that is known.
        total: Option<u64>,
    },
    /// It is done, and this came of it.
    Done(Value),
    /// It ended before it was done.
    Stopped(Stopped),
}

impl From<Amount> for Line {
    fn from(Amount { phase, done, total }: Amount) -> Self {
        Self::Progress {
            phase: phase.to_owned(),
            done,
            total,
        }
    }
}

/// Does a work in a task of its own, and answers with its lines. Nobody listening is the same as being told to stop.
pub(super) fn answer<F, T>(
    tasks: &TaskTracker,
    closing: &CancellationToken,
    work: impl FnOnce(Work) -> F,
) -> Response
where
    F: Future<Output = Result<T, Stopped>> + Send + 'static,
    T: Serialize + Send + 'static,
{
    let cancel = closing.child_token();
    let work_of = Work::new(cancel.clone());
    let mut amounts = work_of.subscribe();
    let working = work(work_of);
    let (lines, mut received) = mpsc::channel::<Bytes>(1);
    tasks.spawn(async move {
        let mut working = std::pin::pin!(working);
        let mut every = tokio::time::interval(EVERY);
        let last = loop {
            tokio::select! {
                done = &mut working => break done,
                () = lines.closed() => {
                    cancel.cancel();
                    break working.await;
                }
                _ = every.tick() => {
                    let amount = *amounts.borrow_and_update();
                    // A slow listener misses some; the work waits for nobody.
                    let _ = lines.try_send(line(&amount.into()));
                }
            }
        };
        let last = match last {
            Ok(done) => Line::Done(serde_json::to_value(done).unwrap_or_default()),
            Err(stopped) => Line::Stopped(stopped),
        };
        // If nobody listens, nobody needs to know.
        let _ = lines.send(line(&last)).await;
    });
    let body = futures::stream::poll_fn(move |context| {
        received
            .poll_recv(context)
            .map(|line| line.map(Ok::<_, Infallible>))
    });
    (
        [(header::CONTENT_TYPE, "application/x-ndjson")],
        Body::from_stream(body),
    )
        .into_response()
}

fn line(line: &Line) -> Bytes {
    let mut text = serde_json::to_string(line).expect("a line has string keys and finite numbers only");
    text.push('\n');
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn lines(bytes: &[u8]) -> Vec<Line> {
        bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).expect("each line is one"))
            .collect()
    }

    #[tokio::test]
    async fn the_last_line_is_what_came_of_it() {
        let (tasks, closing) = (TaskTracker::new(), CancellationToken::new());
        let done = answer(&tasks, &closing, |_work| async { Ok(7) });
        let body = to_bytes(done.into_body(), usize::MAX).await.expect("it ends");
        assert_eq!(lines(&body).last(), Some(&Line::Done(7.into())));
        let busy = || Stopped::Busy("another one".to_owned());
        let stopped = answer(&tasks, &closing, |_work| async move { Err::<(), _>(busy()) });
        let body = to_bytes(stopped.into_body(), usize::MAX).await.expect("it ends");
        assert_eq!(lines(&body).last(), Some(&Line::Stopped(busy())));
    }

    /// A work that goes on until it is told to stop, and says when it has.
    async fn until_told(cancel: CancellationToken, ended: Arc<AtomicBool>) -> Result<(), Stopped> {
        cancel.cancelled().await;
        ended.store(true, Ordering::SeqCst);
        Err(Stopped::Cancelled)
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_stops_the_work() {
        let (tasks, closing) = (TaskTracker::new(), CancellationToken::new());
        let ended = Arc::new(AtomicBool::new(false));
        let told = ended.clone();
        let response = answer(&tasks, &closing, |work| async move {
            until_told(work.cancelled(), told).await
        });
        drop(response);
        tasks.close();
        tokio::time::timeout(Duration::from_secs(20), tasks.wait())
            .await
            .expect("the work ends");
        assert!(ended.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_process_that_ends_stops_the_work_and_waits_for_it() {
        let (tasks, closing) = (TaskTracker::new(), CancellationToken::new());
        let ended = Arc::new(AtomicBool::new(false));
        let told = ended.clone();
        let response = answer(&tasks, &closing, |work| async move {
            until_told(work.cancelled(), told).await
        });
        closing.cancel();
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("it ends");
        assert_eq!(lines(&body).last(), Some(&Line::Stopped(Stopped::Cancelled)));
        assert!(ended.load(Ordering::SeqCst));
    }
}
