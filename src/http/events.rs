//! Server-sent events of one game: the frames that a socket would get, for clients without sockets.
//!
//! Each event's `data` is a frame and its id the position a client holds after it, so that `Last-Event-ID` resumes.
//! After the game's end the id is `end`: whoever comes back with that is told with 204 not to.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use commands::games::Encoded;
use contract::frames::{CloseCode, ServerFrame};
use contract::problem::ProblemType;
use contract::view::GameView;
use contract::{GameId, Position, UserId};
use futures::stream;
use schemars::json_schema;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::extract::{ClientAddress, GamePath, MaybeUser, Params};
use super::route::{Answer, Caller, Operation, Parameter, Route};
use crate::app::App;
use crate::connection::{Connection, Encoder, resync};
use crate::limits::Permit;
use crate::outbox::{Ending, Next, Outbox};
use crate::problem::Failure;

/// The id of what comes last.
const END: &str = "end";

/// What comes last that a client holds: a position, or [`END`].
const HELD: &str = "^((0|[1-9][0-9]{0,18})-[0-9a-f]{16}|end)$";

const SINCE: Parameter = Parameter {
    name: "since",
    help: "The position held, in place of the header `Last-Event-ID`.",
    schema: |_| json_schema!({"type": "string", "pattern": HELD}),
};

pub(super) fn routes() -> Vec<Route> {
    let events = Operation::get::<ServerFrame>(
        "/games/{id}/events",
        "watchGame",
        "A game's frames as server-sent events, whole or from `Last-Event-ID` on. 204 when the id is `end`.",
    );
    vec![
        Operation {
            caller: Caller::Optional,
            query: &[SINCE],
            success: (200, Answer::Other("text/event-stream")),
            problems: &[
                ProblemType::NotFound,
                ProblemType::BadRequest,
                ProblemType::TooManySockets,
                ProblemType::Unavailable,
            ],
            ..events
        }
        .handled_by(get(events_of)),
    ]
}

async fn events_of(
    State(app): State<Arc<App>>,
    MaybeUser(user): MaybeUser,
    ClientAddress(address): ClientAddress,
    GamePath(game): GamePath,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let held = headers
        .get("last-event-id")
        .map(|id| id.to_str().unwrap_or_default())
        .or(params.get("since"));
    if held == Some(END) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let since: Option<Position> = held
        .filter(|held| !held.is_empty())
        .map(str::parse)
        .transpose()
        .map_err(|_| Failure::bad_request("that is not a position"))?;
    let place = app.limits.connection_from(address)?;
    let users_place = user
        .as_ref()
        .map(|user| app.limits.connection_of(&user.player.user_id))
        .transpose()?;
    let outbox = Outbox::of_stream(app.limits.config().send_queue);
    let encoder = Encoder::of(user.as_ref());
    let player = user.map(|user| user.player);
    let connection = Connection::open(app.clone(), player, users_place, outbox.clone());
    let first = connection.watch(game, since).await?;
    let (events, body) = mpsc::channel(1);
    let stream = Stream {
        app: app.clone(),
        outbox,
        encoder,
        connection,
        events,
        _place: place,
    };
    app.tasks.spawn(stream.run(game, first));
    let body = stream::unfold(body, async |mut body| {
        body.recv().await.map(|event| (Ok::<_, Infallible>(event), body))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    Ok((headers, Body::from_stream(body)).into_response())
}

/// An open event stream. It has a task of its own, since nobody asks a stalled reader's body for more.
struct Stream {
    app: Arc<App>,
    outbox: Arc<Outbox>,
    encoder: Encoder,
    connection: Connection,
    events: mpsc::Sender<Bytes>,
    _place: Permit,
}

impl Stream {
    async fn run(self, game: GameId, first: Option<ServerFrame>) {
        self.app.metrics.streams.inc();
        self.pump(game, first).await;
        self.app.metrics.streams.dec();
    }

    /// `None` when the reader is gone or too slow.
    async fn pump(&self, game: GameId, first: Option<ServerFrame>) -> Option<()> {
        self.send("retry: 1000\n\n".into()).await?;
        if let Some(frame) = first {
            // The game is not held here: a client comes back for what happens next, unless it is over.
            return self.send_frame(game, &Encoded::new(frame)).await;
        }
        let mut keep_alive = interval(self.app.limits.config().ping_every_ms);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut closing = false;
        loop {
            tokio::select! {
                next = self.outbox.next() => match next {
                    Next::Frame(frame, since) => {
                        self.send_frame(game, &frame).await?;
                        self.app.metrics.handed_over(since);
                        if is_last(&frame.frame) {
                            return Some(());
                        }
                    }
                    Next::Resync(_) => {
                        let frame = resync(&self.app, self.viewer(), &self.outbox, game).await;
                        self.send_frame(game, &Encoded::new(frame)).await?;
                    }
                    Next::Close(ending) => return self.send(close_event(ending)).await,
                },
                _ = keep_alive.tick() => self.send(": keep-alive\n\n".into()).await?,
                () = self.app.closing.cancelled(), if !closing => {
                    closing = true;
                    self.outbox.close(CloseCode::Reconnect);
                }
                () = self.events.closed() => return None,
            }
        }
    }

    fn viewer(&self) -> Option<&UserId> {
        self.connection.user().map(|user| &user.user_id)
    }

    async fn send_frame(&self, game: GameId, frame: &Encoded) -> Option<()> {
        self.app.metrics.frames_out.inc();
        self.send(event(game, frame, &self.encoder)).await
    }

    async fn send(&self, event: Bytes) -> Option<()> {
        let stall: Duration = self.app.limits.config().write_stall_ms;
        if let Ok(sent) = timeout(stall, self.events.send(event)).await {
            return sent.ok();
        }
        self.app.metrics.slow_closed.inc();
        None
    }
}

/// Whether nothing comes after a frame.
fn is_last(frame: &ServerFrame) -> bool {
    match frame {
        ServerFrame::OnGameEnded(_) => true,
        ServerFrame::Resync(resync) => matches!(resync.game, Some(GameView::Finished { .. })),
        _ => false,
    }
}

/// The position that a client holds after a frame.
fn position_after(game: GameId, frame: &Encoded) -> Option<Position> {
    let whole = match &frame.frame {
        ServerFrame::OnGameStart(live) => Some(live.position),
        ServerFrame::Resync(resync) => match &resync.game {
            Some(GameView::Live(live)) => Some(live.position),
            _ => None,
        },
        _ => None,
    };
    whole.or(frame
        .at
        .filter(|(of, _)| *of == game)
        .map(|(_, position)| position))
}

fn event(game: GameId, frame: &Encoded, encoder: &Encoder) -> Bytes {
    let id = if is_last(&frame.frame) {
        format!("id: {END}\n")
    } else {
        position_after(game, frame)
            .map(|position| format!("id: {position}\n"))
            .unwrap_or_default()
    };
    format!("{id}data: {}\n\n", encoder.text(frame)).into()
}

/// In place of a close frame, which event streams do not have.
fn close_event(ending: Ending) -> Bytes {
    format!(
        "event: close\ndata: {{\"code\":{},\"reason\":\"{}\"}}\n\n",
        ending.code, ending.reason
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::WriterId;
    use contract::frames::server::{Durable, Resync};
    use uuid::Uuid;

    #[test]
    fn an_event_carries_its_frame_and_the_position_after_it() {
        let game = GameId(Uuid::from_u128(1));
        let frame = ServerFrame::OnDurable(Durable {
            game_id: game,
            durable_version: 3,
        });
        let at = Encoded::at(
            frame.clone(),
            game,
            Position {
                version: 3,
                writer: WriterId(1),
            },
        );
        let text = format!("data: {}\n\n", frame.to_text());
        assert_eq!(
            event(game, &at, &Encoder::default()),
            format!("id: 3-0000000000000001\n{text}")
        );
        assert_eq!(event(game, &Encoded::new(frame), &Encoder::default()), text);
    }

    #[test]
    fn a_resync_without_a_game_is_not_the_end() {
        let game = GameId(Uuid::from_u128(1));
        let frame = ServerFrame::Resync(Box::new(Resync {
            game_id: game,
            durable_version: 0,
            game: None,
        }));
        assert!(!is_last(&frame));
        assert_eq!(position_after(game, &Encoded::new(frame)), None);
    }

    #[test]
    fn a_close_is_told_as_an_event() {
        let text = close_event(CloseCode::Reconnect.into());
        assert_eq!(
            text,
            "event: close\ndata: {\"code\":4000,\"reason\":\"reconnect\"}\n\n"
        );
    }
}
