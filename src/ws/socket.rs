//! The life of one socket: its loops side by side, until one of them ends.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use futures::future::FusedFuture;
use futures::stream::SplitStream;
use futures::{FutureExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::session::{Opening, Session};
use super::{reader, writer};
use crate::app::App;
use crate::limits::Permit;
use crate::outbox::Outbox;

/// How long commands that were read are still executed after their socket closed.
const FINISH: Duration = Duration::from_secs(5);
/// How long a closed socket is still read, so that its peer gets to read the close frame before the connection ends.
const LINGER: Duration = Duration::from_secs(2);

/// Runs a socket to its end.
pub(super) async fn run(app: Arc<App>, socket: WebSocket, opening: Opening, _place: Permit) {
    app.metrics.sockets.up();
    let (mut sink, mut stream) = socket.split();
    let config = app.limits.config();
    let outbox = Outbox::new(config.send_queue);
    let (frames, queue) = mpsc::channel(config.frames_burst.get() as usize);
    let reader_id = writer::Reader::default();
    let session = Session::new(app.clone(), outbox.clone(), reader_id.clone());
    let mut session = std::pin::pin!(session.run(opening, queue).fuse());
    let mut frames = Some(frames);
    let ended_here = {
        let read = reader::read(&app, &mut stream, &outbox, &mut frames);
        let write = writer::write(&app, &mut sink, &outbox, &reader_id);
        let (mut read, mut write) = (std::pin::pin!(read), std::pin::pin!(write));
        loop {
            tokio::select! {
                () = &mut read => break false,
                () = &mut write => break true,
                () = &mut session, if !session.is_terminated() => {}
            }
        }
    };
    drop(frames);
    if ended_here {
        drain(&mut stream).await;
    } else if !session.is_terminated() && timeout(FINISH, session).await.is_err() {
        tracing::debug!("a closed socket's commands are left to themselves");
    }
    app.metrics.sockets.down();
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
