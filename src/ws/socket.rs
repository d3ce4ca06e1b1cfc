//! The life of one socket: its loops side by side, until one of them ends.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use futures::future::FusedFuture;
use futures::stream::{SplitSink, SplitStream};
use futures::{FutureExt, SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::timeout;

use contract::frames::CloseCode;

use super::session::{Opening, Session};
use super::writer::{Written, close_message};
use super::{reader, writer};
use crate::app::App;
use crate::limits::Permit;
use crate::outbox::Outbox;

/// How long commands that were read are still executed after their socket closed.
const FINISH: Duration = Duration::from_secs(5);
/// How long a closed socket is still read, so that its peer gets to read the close frame before the connection ends.
const LINGER: Duration = Duration::from_secs(2);
/// How long a stalled reader may take to come back and read why its socket ended. Nothing else is kept for it.
const SLOW_LINGER: Duration = Duration::from_secs(5);

/// Runs a socket to its end.
pub(super) async fn run(app: Arc<App>, socket: WebSocket, opening: Opening, _place: Permit) {
    app.metrics.sockets.inc();
    let (mut sink, mut stream) = socket.split();
    let config = app.limits.config();
    let outbox = Outbox::new(config.send_queue);
    let (frames, queue) = mpsc::channel(config.frames_burst.get() as usize);
    let reader_id = writer::Reader::default();
    let session = Session::new(app.clone(), outbox.clone(), reader_id.clone());
    let mut session = Box::pin(session.run(opening, queue).fuse());
    let mut frames = Some(frames);
    let written = {
        let read = reader::read(&app, &mut stream, &outbox, &mut frames);
        let write = writer::write(&app, &mut sink, &outbox, &reader_id);
        let (mut read, mut write) = (std::pin::pin!(read), std::pin::pin!(write));
        loop {
            tokio::select! {
                () = &mut read => break None,
                written = &mut write => break Some(written),
                () = &mut session, if !session.is_terminated() => {}
            }
        }
    };
    drop(frames);
    match written {
        None => finish(session).await,
        Some(written) => {
            // Its user is gone from now on, and its games forget it.
            drop((session, outbox));
            match written {
                Written::Closed => drain(&mut stream).await,
                Written::Slow => tell_slow(&mut sink, &mut stream).await,
                Written::Broken => {}
            }
        }
    }
    app.metrics.sockets.dec();
}

/// Executes what was read before the peer closed.
async fn finish(session: impl FusedFuture<Output = ()>) {
    if !session.is_terminated() && timeout(FINISH, session).await.is_err() {
        tracing::debug!("a closed socket's commands are left to themselves");
    }
}

/// A reader that comes back in time gets to read why its socket ended.
async fn tell_slow(sink: &mut SplitSink<WebSocket, Message>, stream: &mut SplitStream<WebSocket>) {
    let slow = sink.send(close_message(CloseCode::Slow.into()));
    if let Ok(Ok(())) = timeout(SLOW_LINGER, slow).await {
        drain(stream).await;
    }
}

/// Reads what still comes, and throws it away.
async fn drain(stream: &mut SplitStream<WebSocket>) {
    let rest = async {
        while let Some(Ok(message)) = stream.next().await {
            if matches!(message, Message::Close(_)) {
                return;
            }
        }
    };
    // A peer that neither answers nor stops is left.
    let _ = timeout(LINGER, rest).await;
}
