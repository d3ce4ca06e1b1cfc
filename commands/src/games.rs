//! The one door through which the edge reaches games. Nothing outside this crate holds a map of games, so that a game
//! may one day live in another process.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use bytes::Bytes;
use contract::frames::{CloseCode, ServerFrame};
use contract::problem::ProblemType;
use contract::view::{FinishedGameSummary, LiveGame, LiveGameSummary};
use contract::{
    ClientId, Durability, GameId, Kind, Millis, Move, PlayerSummary, Position, Seat, TimeControl, UserId,
    Version,
};
use rules::DrawRefusal;

use crate::ports::Moment;
use crate::view::Unlisted;

/// What a player asks of a game they play in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerCommand {
    /// Play a move, decided when the player saw `position`.
    Move {
        /// The client's own id.
        id: ClientId,
        /// What the player saw.
        position: Position,
        /// The move.
        mv: Move,
        /// Whether a draw is offered with it.
        offer_draw: bool,
    },
    /// Leave the game, which loses it.
    Leave {
        /// The client's own id.
        id: ClientId,
    },
    /// Offer a draw with the next move.
    OfferDraw {
        /// The client's own id.
        id: ClientId,
        /// `false` to withdraw what is not made yet.
        offer: bool,
    },
    /// Answer a draw offer.
    AnswerDraw {
        /// The client's own id.
        id: ClientId,
        /// Whether it is accepted.
        accept: bool,
    },
    /// Give a seed for the dice.
    Seed {
        /// The client's own id.
        id: ClientId,
        /// The seed.
        seed: String,
    },
}

impl PlayerCommand {
    /// The client's own id.
    pub fn id(&self) -> &ClientId {
        match self {
            Self::Move { id, .. }
            | Self::Leave { id }
            | Self::OfferDraw { id, .. }
            | Self::AnswerDraw { id, .. }
            | Self::Seed { id, .. } => id,
        }
    }

    /// What it is, in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Move { .. } => "move",
            Self::Leave { .. } => "leave",
            Self::OfferDraw { .. } => "offer-draw",
            Self::AnswerDraw { .. } => "answer-draw",
            Self::Seed { .. } => "seed",
        }
    }
}

/// The terms of a game that somebody was invited to. The edge has checked the link's signature and expiry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The game's id, made with the link.
    pub game: GameId,
    /// Which game.
    pub kind: Kind,
    /// How long a player may think.
    pub time_control: TimeControl,
    /// When moves are shown.
    pub durability: Durability,
    /// Who invites.
    pub host: PlayerSummary,
    /// Where they sit.
    pub host_seat: Seat,
    /// Which key the link was signed with.
    pub key_id: String,
}

/// A command was accepted (or had been, and this is the same answer).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The game.
    pub game: GameId,
    /// The version that the command made.
    pub version: Version,
    /// What a client that has seen that version holds.
    pub position: Position,
    /// Whether the log has that version.
    pub durable: bool,
    /// The last version that the log has.
    pub durable_version: Version,
}

/// Why a player's command is refused: their mistake, or the game's state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// No such game, here or anywhere known.
    #[error("there is no such game")]
    NoSuchGame,
    /// The user has no seat in it.
    #[error("you do not play in this game")]
    NotYourGame,
    /// The other player is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// Something happened since the position the move was decided on.
    #[error("the game has moved on since that position")]
    Stale,
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// A player's time was up when the command came.
    #[error("the time was up; the game is over")]
    TimeIsUp,
    /// No player's time is up. Nobody asks for that from outside.
    #[error("the time is not up")]
    TimeIsLeft,
    /// The rules refuse the move.
    #[error("{0}")]
    Illegal(rules::IllegalMove),
    /// The user is in a game already.
    #[error("you have a game in progress")]
    ActiveGame(GameId),
    /// The host of an invitation is in another game.
    #[error("the host is in another game by now")]
    HostBusy,
    /// Somebody used the link before.
    #[error("somebody else took the seat")]
    SeatTaken,
    /// The host opened their own link.
    #[error("you cannot join your own invitation")]
    OwnInvitation,
    /// A draw cannot be offered or answered like that.
    #[error("{0}")]
    Draw(DrawRefusal),
    /// The kind has no dice.
    #[error("this game has no dice")]
    NoSeeds,
    /// The seed is too short or too long, or has control characters.
    #[error("seed must be 16..256 characters, without control characters")]
    BadSeed,
    /// The connection watches as many games as it may.
    #[error("this connection watches too many games; unwatch one first")]
    TooManyWatched,
}

impl Rejection {
    /// Its type on the wire.
    pub fn problem(&self) -> ProblemType {
        match self {
            Self::NoSuchGame => ProblemType::NotFound,
            Self::NotYourGame => ProblemType::NotYourGame,
            Self::NotYourTurn => ProblemType::NotYourTurn,
            Self::Stale => ProblemType::StalePosition,
            Self::GameOver | Self::TimeIsUp => ProblemType::GameOver,
            Self::TimeIsLeft => ProblemType::Conflict,
            Self::Illegal(_) => ProblemType::IllegalMove,
            Self::ActiveGame(_) => ProblemType::ActiveGame,
            Self::HostBusy => ProblemType::HostBusy,
            Self::SeatTaken => ProblemType::SeatTaken,
            Self::OwnInvitation => ProblemType::OwnInvitation,
            Self::Draw(refusal) => match refusal {
                DrawRefusal::NoDrawOffers => ProblemType::NoDrawOffers,
                DrawRefusal::GameOver => ProblemType::GameOver,
                DrawRefusal::NotYourTurn => ProblemType::NotYourTurn,
                _ => ProblemType::DrawRefused,
            },
            Self::BadSeed => ProblemType::BadRequest,
            Self::NoSeeds => ProblemType::NoSeeds,
            Self::TooManyWatched => ProblemType::RateLimited,
        }
    }
}

/// Why the process cannot take the command now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotNow {
    /// This process is a standby.
    Standby,
    /// It is starting, and games are not restored yet.
    Restoring,
    /// It is going away.
    Leaving,
    /// The log cannot be reached, and the game waits for it (`required` durability).
    LogAway,
    /// There is no room for further games.
    Full,
    /// Something failed inside; only this command is affected.
    Internal,
}

/// Why a command has no acceptance.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommandError {
    /// The player's doing.
    #[error("{reason}")]
    Rejected {
        /// Why.
        reason: Rejection,
        /// The current state, when the position was stale.
        game: Option<Box<LiveGame>>,
    },
    /// Another process holds the game.
    #[error("another process holds this game")]
    Elsewhere,
    /// Not now. With `outcome_unknown` the command may have been accepted: send it again with the same id.
    #[error("not available right now ({reason:?})")]
    Unavailable {
        /// Why.
        reason: NotNow,
        /// When to try again.
        retry_after_ms: u64,
        /// Whether it may have been accepted all the same.
        outcome_unknown: bool,
    },
}

impl From<Rejection> for CommandError {
    fn from(reason: Rejection) -> Self {
        Self::Rejected { reason, game: None }
    }
}

impl CommandError {
    /// Not now, and certainly not done.
    pub fn not_now(reason: NotNow) -> Self {
        Self::Unavailable {
            reason,
            retry_after_ms: 1000,
            outcome_unknown: false,
        }
    }
}

/// A frame, encoded once however many get it.
#[derive(Debug)]
pub struct Encoded {
    /// The frame itself, for those who need another encoding.
    pub frame: ServerFrame,
    /// Which game and position it belongs to, if any; the id of a server-sent event.
    pub at: Option<(GameId, Position)>,
    text: OnceLock<Bytes>,
}

impl Encoded {
    /// A frame that belongs to no position.
    pub fn new(frame: ServerFrame) -> Arc<Self> {
        Arc::new(Self {
            frame,
            at: None,
            text: OnceLock::new(),
        })
    }

    /// A frame after which a client holds `position`.
    pub fn at(frame: ServerFrame, game: GameId, position: Position) -> Arc<Self> {
        Arc::new(Self {
            frame,
            at: Some((game, position)),
            text: OnceLock::new(),
        })
    }

    /// The JSON text, made at the first call.
    pub fn text(&self) -> &Bytes {
        self.text.get_or_init(|| self.frame.to_text().into())
    }
}

/// What is pushed to a connection.
#[derive(Debug, Clone)]
pub enum Push {
    /// A frame.
    Frame(Arc<Encoded>),
    /// Close it.
    Close(CloseCode),
}

/// A connection's receiving end. `push` never blocks and never fails: a full queue is the connection's own affair (it
/// asks for the state again when it has room).
pub trait Listener: Send + Sync {
    /// Takes a push.
    fn push(&self, push: Push);

    /// Whether it is a socket, which a newer one of the same seat replaces. Event streams stay beside each other.
    fn holds_seat(&self) -> bool {
        true
    }
}

/// One connection: a socket or an event stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// What became of asking for a game in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// Waiting for another player.
    Waiting,
    /// Paired; both players got `on_game_start`.
    Paired(GameId),
}

/// What became of watching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// The frames (missed ones, or the whole game) have been pushed, and further ones follow.
    Here,
    /// The game is not held by this process: read it instead.
    NotHere,
}

/// What this process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Games are being restored; the text says what is waited for.
    Starting(String),
    /// It holds games.
    Active,
    /// Another process holds games.
    Standby,
    /// It is going away.
    Leaving,
}

/// The door.
#[async_trait]
pub trait Games: Send + Sync + 'static {
    /// What this process is.
    fn role(&self) -> Role;

    /// The time that answers are given at.
    fn now(&self) -> Millis;

    /// A connection opens. With a user, they are there from now on.
    fn connect(&self, user: Option<&PlayerSummary>, listener: Arc<dyn Listener>) -> ConnectionId;

    /// It is closed; it watches nothing any more.
    fn disconnect(&self, connection: ConnectionId);

    /// A player's command. Cancelling the call does not cancel the command.
    async fn command(
        &self,
        game: GameId,
        user: &PlayerSummary,
        command: PlayerCommand,
    ) -> Result<Accepted, CommandError>;

    /// The same for a command that was received before: it had to wait for the one before it on the same connection, and
    /// that is not its player's time.
    async fn command_received(
        &self,
        game: GameId,
        user: &PlayerSummary,
        command: PlayerCommand,
        _received: Moment,
    ) -> Result<Accepted, CommandError> {
        self.command(game, user, command).await
    }

    /// Somebody follows an invitation: the game starts.
    async fn join(
        &self,
        invitation: Invitation,
        joiner: &PlayerSummary,
        id: Option<ClientId>,
    ) -> Result<Accepted, CommandError>;

    /// A user of a connection wants a game. They wait as long as a connection of theirs is open, and 30 s more.
    async fn seek(
        &self,
        user: &PlayerSummary,
        kind: Kind,
        time_control: TimeControl,
    ) -> Result<Sought, CommandError>;

    /// They do not want it any more.
    fn cancel_seek(&self, user: &UserId);

    /// The connection gets the game's frames from now on: first what it missed since `since` (nothing, if nothing), or
    /// the whole game (`on_game_start` without `since`, `resync` when `since` is not on the game's chain). A player's
    /// connection takes the seat from their older one, which is closed.
    async fn watch(
        &self,
        connection: ConnectionId,
        game: GameId,
        since: Option<Position>,
    ) -> Result<Watching, CommandError>;

    /// It gets them no longer.
    fn unwatch(&self, connection: ConnectionId, game: GameId);

    /// A game held here, as `viewer` may see it; ended ones for a while, as `None`.
    fn live(&self, game: GameId, viewer: Option<&UserId>) -> Option<LiveGame>;

    /// The record of a game that ended here and is not yet known to be in the history store.
    fn just_finished(&self, game: GameId) -> Option<contract::FinishedGame>;

    /// The games of `of`, or all, that ended here and are not yet known to be in the history store, newest end first.
    fn just_finished_games(&self, of: Option<&UserId>) -> Vec<FinishedGameSummary>;

    /// The legal moves of a live game held here.
    fn legal_moves(&self, game: GameId) -> Option<Unlisted>;

    /// The live game that a user is in.
    fn active_game(&self, user: &UserId) -> Option<LiveGameSummary>;
}
