//! Takes frames from a socket. It waits for nothing but the next one, so that pings are answered whatever is going on.

use axum::Error;
use axum::extract::ws::{Message, WebSocket};
use commands::ports::Moment;
use contract::frames::server::ErrorFrame;
use contract::frames::{ClientFrame, CloseCode, FrameError, ServerFrame};
use contract::problem::ProblemType;
use contract::{GameId, TraceParent};
use futures::StreamExt;
use futures::stream::SplitStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{self, error::ProtocolError};

use crate::app::App;
use crate::limits::rate::{SocketRate, Verdict};
use crate::outbox::{Ending, Outbox};
use crate::problem::Failure;

/// A frame that was read, with the trace that it says it belongs to (few do), and when it was. One that waits is boxed: a
/// queue has room for 32, and nearly every socket has none.
pub(super) type Traced = (ClientFrame, Option<Box<TraceParent>>, Moment);

/// Reads until the peer closes, or says nothing for too long. A socket that is closed from here is read no further, but
/// then the writer ends it.
pub(super) async fn read(
    app: &App,
    stream: &mut SplitStream<WebSocket>,
    outbox: &Outbox,
    frames: &mut Option<mpsc::Sender<Box<Traced>>>,
) {
    let rate = SocketRate::new(app.limits.config());
    let idle = app.limits.config().idle_close_ms;
    loop {
        let message = match timeout(idle, stream.next()).await {
            Err(_) => return close(outbox, CloseCode::Reconnect).await,
            Ok(None) => return,
            Ok(Some(Err(error))) => {
                tracing::debug!(%error, "a socket cannot be read any further");
                match ending_of(&error) {
                    Some(ending) => return close(outbox, ending).await,
                    None => return,
                }
            }
            Ok(Some(Ok(message))) => message,
        };
        app.metrics.frames_in.inc();
        let frame = match message {
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => None,
            Message::Text(text) => Some(parse(&text, app.clock.moment())),
            Message::Binary(_) => Some(Err(FrameError::Malformed("frames are text".to_owned()))),
        };
        let free = matches!(frame, None | Some(Ok((ClientFrame::Ping, ..))));
        match if free { rate.free_frame() } else { rate.frame() } {
            Verdict::Take => take(app, outbox, frames.as_ref(), frame),
            Verdict::Refuse => refuse(app, outbox, frame.as_ref()),
            Verdict::Close => return close(outbox, CloseCode::Rate).await,
        }
    }
}

fn parse(text: &str, received: Moment) -> Result<Traced, FrameError> {
    ClientFrame::parse_traced(text).map(|(frame, trace)| (frame, trace.map(Box::new), received))
}

fn take(
    app: &App,
    outbox: &Outbox,
    frames: Option<&mpsc::Sender<Box<Traced>>>,
    frame: Option<Result<Traced, FrameError>>,
) {
    match frame {
        None => {}
        Some(Ok((ClientFrame::Ping, ..))) => outbox.answer(ServerFrame::Pong),
        Some(Ok(frame)) => match frames.map(|frames| frames.try_send(Box::new(frame))) {
            Some(Err(mpsc::error::TrySendError::Full(frame))) => refuse(app, outbox, Some(&Ok(*frame))),
            // The session has ended, so the socket is being closed.
            None | Some(Ok(()) | Err(mpsc::error::TrySendError::Closed(_))) => {}
        },
        Some(Err(error)) => {
            app.metrics.bad_frames.inc();
            let id = unreadable_id(&error);
            outbox.answer(error_frame(&error.into(), id, None));
        }
    }
}

fn refuse(app: &App, outbox: &Outbox, frame: Option<&Result<Traced, FrameError>>) {
    app.metrics.limited_frames.inc();
    let (id, game) = match frame {
        Some(Ok((frame, ..))) => command_id(frame).unzip(),
        Some(Err(error)) => (unreadable_id(error), None),
        None => return,
    };
    let failure =
        Failure::new(ProblemType::RateLimited).with_detail("too many frames; this one was not looked at");
    outbox.answer(error_frame(&failure, id, game));
}

/// Waits for the writer to end the socket.
async fn close(outbox: &Outbox, ending: impl Into<Ending>) {
    outbox.close(ending);
    std::future::pending::<()>().await;
}

/// `on_error`.
pub(super) fn error_frame(failure: &Failure, id: Option<String>, game_id: Option<GameId>) -> ServerFrame {
    ServerFrame::OnError(ErrorFrame {
        problem: failure.problem.problem,
        detail: failure.detail(),
        id,
        game_id,
    })
}

fn unreadable_id(error: &FrameError) -> Option<String> {
    match error {
        FrameError::BadPayload { id, .. } => id.clone(),
        FrameError::Malformed(_) | FrameError::UnknownChannel(_) => None,
    }
}

/// The id and the game of a command.
fn command_id(frame: &ClientFrame) -> Option<(String, GameId)> {
    let (id, game) = match frame {
        ClientFrame::GameMove(command) => (&command.id, command.game_id),
        ClientFrame::LeaveGame(command) => (&command.id, command.game_id),
        ClientFrame::OfferDraw(command) => (&command.id, command.game_id),
        ClientFrame::AnswerDraw(command) => (&command.id, command.game_id),
        ClientFrame::ClientSeed(command) => (&command.id, command.game_id),
        _ => return None,
    };
    Some((id.to_string(), game))
}

/// What a peer that broke the protocol is told; nothing when the connection itself is broken.
fn ending_of(error: &Error) -> Option<Ending> {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        match cause.downcast_ref() {
            Some(tungstenite::Error::Capacity(_)) => return Some(Ending::TOO_BIG),
            Some(tungstenite::Error::Utf8(_)) => return Some(Ending::NOT_TEXT),
            Some(tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => return None,
            Some(tungstenite::Error::Protocol(_)) => return Some(Ending::NO_PROTOCOL),
            _ => source = cause.source(),
        }
    }
    None
}
