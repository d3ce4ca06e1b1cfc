//! Sends what waits. It is the only one who writes to a socket, and the one who closes it.

use std::sync::{Arc, OnceLock};

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use commands::games::Encoded;
use contract::frames::CloseCode;
use futures::SinkExt;
use futures::stream::SplitSink;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

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

/// So many frames are sent together at most.
const AT_ONCE: usize = 16;

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
    let mut sender = Sender {
        app,
        sink,
        outbox,
        reader,
        waited: Vec::new(),
    };
    loop {
        let sent = tokio::select! {
            next = outbox.next() => sender.send_all(next).await,
            _ = ping.tick() => sender.send(Message::Ping(axum::body::Bytes::new())).await,
            () = app.closing.cancelled(), if !closing => {
                closing = true;
                outbox.close(CloseCode::Reconnect);
                Ok(())
            }
        };
        if let Err(written) = sent {
            return written;
        }
    }
}

struct Sender<'a> {
    app: &'a App,
    sink: &'a mut SplitSink<WebSocket, Message>,
    outbox: &'a Outbox,
    reader: &'a Reader,
    /// Since when the frames had waited that are in the buffer.
    waited: Vec<Option<Instant>>,
}

impl Sender<'_> {
    /// Sends what is next, and together with it what waits behind it: each send is a call into the system, which costs more
    /// than a frame.
    async fn send_all(&mut self, first: Next) -> Result<(), Written> {
        let mut next = Some(first);
        while let Some(waiting) = next {
            let message = self.message(waiting).await?;
            in_time(self.app, self.sink.feed(message)).await?;
            let is_enough = self.waited.len() >= AT_ONCE;
            next = if is_enough { None } else { self.outbox.try_next() };
        }
        in_time(self.app, self.sink.flush()).await?;
        for since in self.waited.drain(..) {
            self.app.metrics.handed_over(since);
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), Written> {
        in_time(self.app, self.sink.send(message)).await
    }

    /// What is to be written; a close frame is sent at once, and ends it.
    async fn message(&mut self, next: Next) -> Result<Message, Written> {
        match next {
            Next::Frame(frame, since) => {
                self.waited.push(since);
                Ok(text(self.app, self.reader, &frame))
            }
            Next::Resync(game) => {
                let viewer = self.reader.0.get().map(|principal| &principal.player.user_id);
                let frame = Box::pin(resync(self.app, viewer, self.outbox, game)).await;
                self.waited.push(None);
                Ok(text(self.app, self.reader, &Encoded::new(frame)))
            }
            Next::Close(ending) => {
                self.send(close_message(ending)).await?;
                Err(Written::Closed)
            }
        }
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

/// Writes, if the peer takes it in time.
async fn in_time(app: &App, writing: impl Future<Output = Result<(), axum::Error>>) -> Result<(), Written> {
    let stall = app.limits.config().write_stall_ms;
    match timeout(stall, writing).await {
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
