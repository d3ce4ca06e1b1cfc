//! [`LiveGames`] as the edge sees it, and its background tasks.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use async_trait::async_trait;
use contract::view::{FinishedGameSummary, LiveGame, LiveGameSummary};
use contract::{
    ClientId, FinishedGame, GameId, Kind, Millis, PlayerSummary, Position, Seq, TimeControl, UserId,
};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::LiveGames;
use super::deciding::unknown;
use crate::games::{
    Accepted, CommandError, ConnectionId, Games, Invitation, Listener, NotNow, PlayerCommand, Role, Sought,
    Watching,
};
use crate::observer::RecordKeeper;
use crate::ports::{Answered, Moment};
use crate::trace;
use crate::view::{Unlisted, live_game, live_summary};

impl LiveGames {
    /// Runs what runs beside commands, until [`LiveGames::shutdown`]. A task that dies ends all with an error.
    ///
    /// # Errors
    /// The name of the task that died.
    pub async fn run(&self) -> Result<(), &'static str> {
        let shared = &self.shared;
        let tracker = &shared.tracker;
        let mut tasks = FuturesUnordered::new();
        let mut aborts = Vec::new();
        let mut begin = |name: &'static str, task: JoinHandle<()>| {
            aborts.push(task.abort_handle());
            tasks.push(task.map(move |ended| (name, ended)));
        };
        begin(
            "the watch on the log's connection",
            tracker.spawn(shared.clone().follow_link()),
        );
        begin(
            "the looking over of games",
            tracker.spawn(shared.clone().keep_looking_over()),
        );
        begin(
            "the watch for takeovers",
            tracker.spawn(shared.clone().follow_takeovers()),
        );
        begin(
            "the copying of waiting events",
            tracker.spawn(shared.clone().keep_copies()),
        );
        begin(
            "the watch on the pending store's connection",
            tracker.spawn(shared.clone().follow_pending()),
        );
        begin("the watcher", tracker.spawn(shared.clone().watch_absence()));
        begin(
            "the telling of spectator counts",
            tracker.spawn(shared.clone().tell_spectators()),
        );
        begin("the keeping of time", tracker.spawn(shared.clone().keep_time()));
        let died = tokio::select! {
            biased;
            () = shared.stop.cancelled() => Ok(()),
            Some((name, ended)) = tasks.next() => {
                if let Err(error) = ended {
                    tracing::error!("{name} failed inside: {error}");
                }
                Err(name)
            }
        };
        for abort in aborts {
            abort.abort();
        }
        died
    }

    /// Runs what changes more than one game's state in a task of its own, so that a caller that goes away cannot cancel it half
    /// way. It stays in its trace.
    async fn in_own_task<T: Answer>(
        &self,
        command: &'static str,
        span: Span,
        work: impl Future<Output = Worked<T>> + Send + 'static,
    ) -> Result<T, CommandError> {
        let began = Instant::now();
        let done = self.shared.tracker.spawn(in_span(span, work)).await;
        self.measured(command, began, done.map_err(|panicked| panicked.to_string()))
    }

    /// Runs a command on one game where it was given: from its decision to its commit nothing in it waits, so that a caller who
    /// goes away takes away no more than the answer.
    async fn in_place<T: Answer>(
        &self,
        command: &'static str,
        span: Span,
        work: impl Future<Output = Worked<T>> + Send,
    ) -> Result<T, CommandError> {
        let began = Instant::now();
        let work = AssertUnwindSafe(in_span(span, work)).catch_unwind();
        let done = self.shared.tracker.track_future(work).await;
        self.measured(command, began, done.map_err(|_| "it panicked".to_owned()))
    }

    /// Measures what is answered, with the kind of game that the work turned out to be about.
    fn measured<T: Answer>(
        &self,
        command: &'static str,
        began: Instant,
        done: Result<Worked<T>, String>,
    ) -> Result<T, CommandError> {
        let (kind, answered, done) = match done {
            Ok((kind, Ok(answer))) => (kind, answer.answered(), Ok(answer)),
            Ok((kind, Err(error))) => (kind, Answered::from(&error), Err(error)),
            Err(panicked) => {
                tracing::error!("a command failed inside: {panicked}");
                (None, Answered::Failed, Err(unknown(NotNow::Internal)))
            }
        };
        let meter = &self.shared.meter;
        meter.answered(command, kind, answered, began.elapsed());
        done
    }
}

/// Does `work` in a span of its own, in its caller's trace.
fn in_span<T>(span: Span, work: impl Future<Output = T> + Send) -> impl Future<Output = T> + Send {
    let trace = trace::current();
    if let Some(trace) = trace {
        span.record("trace", tracing::field::display(trace));
    }
    trace::within(trace, work).instrument(span)
}

/// What a command came to, with the kind of game that it was about.
type Worked<T> = (Option<Kind>, Result<T, CommandError>);

/// What a command that is done answers.
trait Answer: Send + 'static {
    /// Whether the log has it.
    fn answered(&self) -> Answered;
}

impl Answer for Accepted {
    fn answered(&self) -> Answered {
        if self.durable {
            Answered::Accepted
        } else {
            Answered::Undurable
        }
    }
}

impl Answer for Sought {
    fn answered(&self) -> Answered {
        Answered::Accepted
    }
}

#[async_trait]
impl Games for LiveGames {
    fn role(&self) -> Role {
        self.shared.role()
    }

    fn now(&self) -> Millis {
        self.shared.clock.now()
    }

    fn connect(&self, user: Option<&PlayerSummary>, listener: Arc<dyn Listener>) -> ConnectionId {
        self.shared.connect(user, listener)
    }

    fn disconnect(&self, connection: ConnectionId) {
        self.shared.disconnect(connection);
    }

    async fn command(
        &self,
        game: GameId,
        user: &PlayerSummary,
        command: PlayerCommand,
    ) -> Result<Accepted, CommandError> {
        let received = self.shared.clock.moment();
        self.command_received(game, user, command, received).await
    }

    async fn command_received(
        &self,
        game: GameId,
        user: &PlayerSummary,
        command: PlayerCommand,
        received: Moment,
    ) -> Result<Accepted, CommandError> {
        let name = command.name();
        let span = tracing::info_span!("command", what = name, game.id = %game, trace = Empty);
        let work = self
            .shared
            .clone()
            .player_command(game, user.clone(), command, received);
        self.in_place(name, span, work).await
    }

    async fn join(
        &self,
        invitation: Invitation,
        joiner: &PlayerSummary,
        id: Option<ClientId>,
    ) -> Result<Accepted, CommandError> {
        let span = tracing::info_span!("command", what = "join", game.id = %invitation.game, trace = Empty);
        let kind = invitation.kind;
        let work = self.shared.clone().join(invitation, joiner.clone(), id);
        let work = async move { (Some(kind), work.await) };
        self.in_own_task("join", span, work).await
    }

    async fn seek(
        &self,
        user: &PlayerSummary,
        kind: Kind,
        time_control: TimeControl,
    ) -> Result<Sought, CommandError> {
        let span = tracing::info_span!("command", what = "seek", trace = Empty);
        let work = self.shared.clone().seek(user.clone(), kind, time_control);
        let work = async move { (Some(kind), work.await) };
        self.in_own_task("seek", span, work).await
    }

    fn cancel_seek(&self, user: &UserId) {
        self.shared.people().matchmaking.cancel(user);
    }

    async fn watch(
        &self,
        connection: ConnectionId,
        game: GameId,
        since: Option<Position>,
    ) -> Result<Watching, CommandError> {
        self.shared.watch(connection, game, since).await
    }

    fn unwatch(&self, connection: ConnectionId, game: GameId) {
        self.shared.unwatch(connection, game);
    }

    fn live(&self, game: GameId, viewer: Option<&UserId>) -> Option<LiveGame> {
        let room = self.shared.room(game)?;
        let inner = room.inner();
        let shown = inner.shown.clone().filter(|game| game.is_live())?;
        live_game(&shown, self.shared.context_of(&inner, &shown), viewer)
            .inspect_err(|error| tracing::error!(game.id = %game, "{game} cannot be replayed: {error}"))
            .ok()
    }

    fn just_finished(&self, game: GameId) -> Option<FinishedGame> {
        let room = self.shared.room(game)?;
        let inner = room.inner();
        let shown = inner.shown.as_ref()?;
        let ending = shown.ending.as_ref()?;
        Some(shown.finished(ending, shown.spectators))
    }

    fn just_finished_games(&self, of: Option<&UserId>) -> Vec<FinishedGameSummary> {
        self.shared.just_finished(of)
    }

    fn legal_moves(&self, game: GameId) -> Option<Unlisted> {
        let shown = self.shared.room(game)?.shown()?;
        shown.is_live().then(|| Unlisted::of(&shown))
    }

    fn active_game(&self, user: &UserId) -> Option<LiveGameSummary> {
        let game = self.shared.people().presence.game_of(user)?;
        let room = self.shared.room(game)?;
        let inner = room.inner();
        inner
            .shown
            .as_ref()
            .filter(|game| game.is_live())
            .map(|game| live_summary(game, inner.audience.now()))
    }
}

impl RecordKeeper for LiveGames {
    fn recorded_through(&self, seq: Seq) {
        self.shared.recorded(seq);
    }
}
