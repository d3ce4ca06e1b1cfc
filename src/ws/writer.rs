//! Sends what waits. It is the only one who writes to a socket, and the one who closes it.

use std::sync::{Arc, OnceLock};

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use commands::games::Encoded;
use contract::frames::CloseCode;
use futures::SinkExt;
use futures::stream::SplitSink;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::app::App;
use crate::auth::Principal;
use crate::connection::{Encoder, resync};
use crate::outbox::{Ending, Next, Outbox};

/// Who reads the socket, once that is known: before it nothing is sent that depends on it.
#[derive(Clone, Default)]
pub(super) struct Reader(Arc<OnceLock<Principal>>);

impl Reader {
    /// It is `principal`'s socket.
    pub(super) fn is(&self, principal: &Principal) {
        self.0.get_or_init(|| principal.clone());
    }
}

/// How writing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// With a close frame.
    Closed,
    /// The connection is broken.
    Broken,
    /// The peer took nothing for too long.
    Slow,
}

/// Sends until the socket is closed, from here or because its peer is gone or stalled.
pub(super) async fn write(
    app: &App,
    sink: &mut SplitSink<WebSocket, Message>,
    outbox: &Outbox,
    reader: &Reader,
) -> Written {
    let mut ping = interval(app.limits.config().ping_every_ms);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ping.reset();
    let mut closing = false;
    loop {
        let mut waiting = None;
        let message = tokio::select! {
            next = outbox.next() => match next {
                Next::Frame(frame, since) => {
                    waiting = since;
                    text(app, reader, &frame)
                }
                Next::Resync(game) => {
                    let viewer = reader.0.get().map(|principal| &principal.player.user_id);
                    let frame = resync(app, viewer, outbox, game).await;
                    text(app, reader, &Encoded::new(frame))
                }
                Next::Close(ending) => {
                    return match send(app, sink, close_message(ending)).await {
                        Ok(()) => Written::Closed,
                        Err(written) => written,
                    };
                }
            },
            _ = ping.tick() => Message::Ping(axum::body::Bytes::new()),
            () = app.closing.cancelled(), if !closing => {
                closing = true;
                outbox.close(CloseCode::Reconnect);
                continue;
            }
        };
        if let Err(written) = send(app, sink, message).await {
            return written;
        }
        app.metrics.handed_over(waiting);
    }
}

fn text(app: &App, reader: &Reader, frame: &Encoded) -> Message {
    app.metrics.frames_out.inc();
    Message::Text(Encoder::of(reader.0.get()).text(frame))
}

pub(super) fn close_message(ending: Ending) -> Message {
    Message::Close(Some(CloseFrame {
        code: ending.code,
        reason: ending.reason.into(),
    }))
}

/// Sends a message, if the peer takes it in time.
async fn send(app: &App, sink: &mut SplitSink<WebSocket, Message>, message: Message) -> Result<(), Written> {
    let stall = app.limits.config().write_stall_ms;
    match timeout(stall, sink.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            tracing::debug!(%error, "a socket broke");
            Err(Written::Broken)
        }
        Err(_) => {
            app.metrics.slow_closed.inc();
            Err(Written::Slow)
        }
    }
}
