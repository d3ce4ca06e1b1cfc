//! What a socket's frames do, one after the other.

use std::net::IpAddr;
use std::sync::Arc;

use commands::games::{Accepted, CommandError, Encoded, Listener, PlayerCommand, Push, Rejection, Sought};
use commands::ports::Moment;
use contract::frames::client::{Authenticate, NewGame, WatchGame};
use contract::frames::server::{
    CommandAccepted, CommandRejected, NewGameRejected, Settings, Waiting, Welcome,
};
use contract::frames::{ClientFrame, CloseCode, ServerFrame};
use contract::{GameId, PlayerSummary, TimeControl};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::reader::{Traced, error_frame};
use super::writer::Reader;
use super::{refusal, users_place};
use crate::app::App;
use crate::auth::{AuthError, Principal};
use crate::connection::Connection;
use crate::limits::Permit;
use crate::outbox::Outbox;
use crate::problem::Failure;
use crate::trace;

/// Who opens a socket, as far as its URL says.
#[derive(Debug)]
pub(super) enum Opening {
    /// A user, with their place among their connections.
    Known(Principal, Permit),
    /// The first frame from this address will say.
    Undecided(IpAddr),
    /// Somebody with a credential that is not valid.
    Refused(AuthError),
}

/// A socket's frames, executed.
pub(super) struct Session {
    app: Arc<App>,
    outbox: Arc<Outbox>,
    reader: Reader,
}

impl Session {
    pub(super) fn new(app: Arc<App>, outbox: Arc<Outbox>, reader: Reader) -> Self {
        Self { app, outbox, reader }
    }

    /// Executes frames until there are no more, or the socket is refused.
    pub(super) async fn run(self, opening: Opening, mut frames: mpsc::Receiver<Box<Traced>>) {
        let (connection, first) = match opening {
            Opening::Known(principal, place) => (self.welcome(Some(principal), Some(place)), None),
            Opening::Refused(error) => return self.refuse(error),
            Opening::Undecided(address) => match self.introduced(address, &mut frames).await {
                Some(introduced) => introduced,
                None => return,
            },
        };
        if let Some(frame) = first {
            self.execute_traced(&connection, frame).await;
        }
        while let Some(frame) = frames.recv().await {
            self.execute_traced(&connection, *frame).await;
        }
    }

    /// Waits for the first frame. Whoever does not say who they are is nobody known; the frame they sent is given back.
    async fn introduced(
        &self,
        address: IpAddr,
        frames: &mut mpsc::Receiver<Box<Traced>>,
    ) -> Option<(Connection, Option<Traced>)> {
        match timeout(self.app.limits.config().authenticate_ms, frames.recv()).await {
            Err(_) => Some((self.welcome(None, None), None)),
            Ok(None) => None,
            // What is done once, or seldom, has room of its own only while it is done: every open socket keeps the room of the
            // largest of its states.
            Ok(Some(frame)) => Box::pin(self.first(address, *frame)).await,
        }
    }

    /// What the first frame says of its sender.
    async fn first(&self, address: IpAddr, frame: Traced) -> Option<(Connection, Option<Traced>)> {
        match frame {
            (ClientFrame::Authenticate(Authenticate { token }), ..) => {
                let looking = self.app.auth.ticket_or_bearer(&token);
                match self.app.admit(address, looking).await {
                    Ok(principal) => self.let_in(principal).map(|connection| (connection, None)),
                    Err(error) => {
                        self.refuse(error);
                        None
                    }
                }
            }
            other => Some((self.welcome(None, None), Some(other))),
        }
    }

    fn let_in(&self, principal: Principal) -> Option<Connection> {
        match users_place(&self.app, &principal) {
            Ok(place) => Some(self.welcome(Some(principal), Some(place))),
            Err(failure) => {
                self.outbox.answer(error_frame(&failure, None, None));
                self.outbox.close(CloseCode::Rate);
                None
            }
        }
    }

    fn refuse(&self, error: AuthError) {
        let code = match error {
            AuthError::Missing | AuthError::Invalid => CloseCode::Unauthenticated,
            AuthError::Unavailable => CloseCode::Reconnect,
            AuthError::TooOften { .. } => CloseCode::Rate,
        };
        self.outbox.answer(error_frame(&refusal(error), None, None));
        self.outbox.close(code);
    }

    fn welcome(&self, principal: Option<Principal>, place: Option<Permit>) -> Connection {
        if let Some(principal) = &principal {
            self.reader.is(principal);
        }
        let renewed = principal.as_ref().and_then(|principal| principal.renewed.clone());
        let player = principal.map(|principal| principal.player);
        let welcome = welcome_frame(&self.app, player.as_ref(), renewed);
        self.outbox.answer(ServerFrame::OnWelcome(welcome));
        Connection::open(self.app.clone(), player, place, self.outbox.clone())
    }

    async fn execute_traced(&self, connection: &Connection, (frame, carried, received): Traced) {
        let span = trace::frame(frame.channel());
        let carried = carried.map(|carried| *carried);
        let work = self.execute(connection, frame, received);
        trace::within(span, carried, self.app.edge.trace_commands, work).await;
    }

    async fn execute(&self, connection: &Connection, frame: ClientFrame, received: Moment) {
        match frame {
            ClientFrame::Authenticate(_) => {
                let failure = Failure::bad_request("`authenticate` is the first frame of a socket, or none");
                self.fail(&failure, None, None);
            }
            ClientFrame::NewGame(new) => Box::pin(self.seek(connection, new)).await,
            ClientFrame::CancelNewGame => {
                if let Some(user) = self.user(connection, None, None) {
                    self.app.games.cancel_seek(&user.user_id);
                }
            }
            ClientFrame::WatchGame(WatchGame { game_id, since }) => {
                match Box::pin(connection.watch(game_id, since)).await {
                    Ok(None) => {}
                    // Dropped and made up for like what a game pushes: it may be large.
                    Ok(Some(frame)) => self.outbox.push(Push::Frame(Encoded::new(frame))),
                    Err(failure) => self.fail(&failure, None, Some(game_id)),
                }
            }
            ClientFrame::UnwatchGame(unwatch) => connection.unwatch(unwatch.game_id),
            ClientFrame::SubscribeLiveGames => connection.subscribe(),
            ClientFrame::UnsubscribeLiveGames => connection.unsubscribe(),
            // The reader has answered it.
            ClientFrame::Ping => {}
            ClientFrame::GameMove(m) => {
                let command = PlayerCommand::Move {
                    id: m.id,
                    position: m.position,
                    mv: m.mv,
                    offer_draw: m.offer_draw,
                };
                self.command(connection, m.game_id, command, received).await;
            }
            ClientFrame::LeaveGame(leave) => {
                self.command(
                    connection,
                    leave.game_id,
                    PlayerCommand::Leave { id: leave.id },
                    received,
                )
                .await;
            }
            ClientFrame::OfferDraw(offer) => {
                let command = PlayerCommand::OfferDraw {
                    id: offer.id,
                    offer: offer.offer,
                };
                self.command(connection, offer.game_id, command, received).await;
            }
            ClientFrame::AnswerDraw(answer) => {
                let command = PlayerCommand::AnswerDraw {
                    id: answer.id,
                    accept: answer.accept,
                };
                self.command(connection, answer.game_id, command, received).await;
            }
            ClientFrame::ClientSeed(seed) => {
                let command = PlayerCommand::Seed {
                    id: seed.id,
                    seed: seed.seed,
                };
                self.command(connection, seed.game_id, command, received).await;
            }
        }
    }

    fn fail(&self, failure: &Failure, id: Option<String>, game: Option<GameId>) {
        self.outbox.answer(error_frame(failure, id, game));
    }

    /// The socket's user; nobody is told that they must be somebody.
    fn user<'a>(
        &self,
        connection: &'a Connection,
        id: Option<String>,
        game: Option<GameId>,
    ) -> Option<&'a PlayerSummary> {
        let user = connection.user();
        if user.is_none() {
            self.fail(&AuthError::Missing.into(), id, game);
        }
        user
    }

    async fn seek(&self, connection: &Connection, new: NewGame) {
        let Some(user) = self.user(connection, None, None) else {
            return;
        };
        let time_control = new.time_control.unwrap_or_else(|| TimeControl::usual(new.kind));
        match self.app.games.seek(user, new.kind, time_control).await {
            Ok(Sought::Waiting) => {
                let waiting = Waiting {
                    kind: new.kind,
                    time_control,
                };
                self.outbox.answer(ServerFrame::OnWaiting(waiting));
            }
            // Both players get `on_game_start`.
            Ok(Sought::Paired(_)) => {}
            Err(CommandError::Rejected {
                reason: Rejection::ActiveGame(game_id),
                ..
            }) => {
                self.outbox
                    .answer(ServerFrame::OnNewGameRejected(NewGameRejected { game_id }));
            }
            Err(error) => self.fail(&error.into(), None, None),
        }
    }

    async fn command(&self, connection: &Connection, game: GameId, command: PlayerCommand, received: Moment) {
        let id = command.id().to_string();
        let Some(user) = self.user(connection, Some(id.clone()), Some(game)) else {
            return;
        };
        let games = &self.app.games;
        let outcome = games.command_received(game, user, command, received).await;
        self.outbox.answer(command_answer(game, id, outcome));
    }
}

/// What a command is answered. `on_move_rejected` is final; what may yet come out otherwise is an `on_error`.
fn command_answer(game_id: GameId, id: String, outcome: Result<Accepted, CommandError>) -> ServerFrame {
    match outcome {
        Ok(accepted) => ServerFrame::OnMoveAccepted(CommandAccepted {
            game_id,
            id,
            version: accepted.version,
            position: accepted.position,
            durable: accepted.durable,
            durable_version: accepted.durable_version,
        }),
        Err(CommandError::Rejected { reason, game }) => ServerFrame::OnMoveRejected(CommandRejected {
            game_id,
            id,
            problem: reason.problem(),
            detail: reason.to_string(),
            game,
        }),
        Err(error @ (CommandError::Elsewhere | CommandError::Unavailable { .. })) => {
            error_frame(&error.into(), Some(id), Some(game_id))
        }
    }
}

fn welcome_frame(app: &App, player: Option<&PlayerSummary>, token: Option<String>) -> Welcome {
    let limits = app.limits.config();
    let active = player.and_then(|player| {
        let id = &player.user_id;
        app.games.active_game(id).or_else(|| app.live_list.active(id))
    });
    Welcome {
        user_id: player.map(|player| player.user_id.clone()),
        name: player.and_then(|player| player.name.clone()),
        active_game_id: active.map(|game| game.id),
        token,
        settings: Settings {
            turn_timeout_ms: commands::view::TURN_TIMEOUT_MS,
            max_frame_bytes: limits.max_body_bytes as u32,
            frames_per_second: limits.frames_per_second.get(),
            frames_burst: limits.frames_burst.get(),
            idle_close_ms: limits.idle_close_ms.as_millis() as i64,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commands::games::NotNow;
    use contract::problem::ProblemType;
    use uuid::Uuid;

    #[test]
    fn only_what_is_final_is_a_rejection() {
        let game = GameId(Uuid::from_u128(1));
        let answer = |error| command_answer(game, "m1".into(), Err(error));
        assert!(matches!(
            answer(Rejection::NotYourTurn.into()),
            ServerFrame::OnMoveRejected(_)
        ));
        assert!(matches!(answer(CommandError::Elsewhere), ServerFrame::OnError(_)));
        let unknown = CommandError::Unavailable {
            reason: NotNow::LogAway,
            retry_after_ms: 1,
            outcome_unknown: true,
        };
        let ServerFrame::OnError(error) = answer(unknown) else {
            panic!("the outcome is unknown")
        };
        assert_eq!((error.id.as_deref(), error.game_id), (Some("m1"), Some(game)));
        assert_eq!(error.problem, ProblemType::Unavailable);
    }
}
