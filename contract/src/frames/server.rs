//! What the server sends.

use rules::{Board, Chance, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fairness::Reveal;
use crate::ids::{GameId, Millis, Position, UserId, Version};
use crate::json;
use crate::player::{BySeat, Spectators};
use crate::problem::ProblemType;
use crate::record::EndReason;
use crate::terms::Clocks;
use crate::view::{
    ConnectionView, FinishedGameSummary, GameView, InlineChoices, LiveGame, LiveGameSummary, MoveRecord,
    present,
};

/// Most frames are no longer than that; what is longer grows.
const USUAL_BYTES: usize = 768;

/// `on_welcome`: the socket is open, and authenticated if `userId` is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// The own public id; absent for an anonymous socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// The own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The game the user is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_game_id: Option<GameId>,
    /// A guest's token, renewed: keep it in place of the one that was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What the client must know of the server.
    pub settings: Settings,
}

/// Limits that a client must keep to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// How long a player to move may be offline before they lose, in milliseconds.
    pub turn_timeout_ms: i64,
    /// The largest frame, in bytes.
    pub max_frame_bytes: u32,
    /// Frames a second that are always allowed.
    pub frames_per_second: u32,
    /// How many at once.
    pub frames_burst: u32,
    /// A socket that sends nothing for this long is closed, in milliseconds; a pong counts.
    pub idle_close_ms: i64,
}

/// What a frame about a game begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct At {
    /// The game.
    pub game_id: GameId,
    /// The version after this frame.
    pub version: Version,
    /// What a client that has this frame holds.
    pub position: Position,
    /// The last version that the log has.
    pub durable_version: Version,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Change {
    /// The game began. A client that asked for a live game got it whole instead.
    Started {
        /// When.
        at: Millis,
    },
    /// A player moved.
    Moved {
        /// The move, the board after it and what it did.
        #[serde(rename = "move")]
        mv: Box<MoveRecord>,
        /// There was no choice: the service made the move.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        forced: bool,
        /// Whose offer of a draw waits for the other's answer now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draw_offered_by: Option<UserId>,
        /// What the next player may choose from; absent when the dice come first.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "present"
        )]
        legal_moves: Option<InlineChoices>,
        /// Whose turn it is now; absent when the game is over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn_player_id: Option<UserId>,
        /// The clocks, if it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clocks: Option<Clocks>,
    },
    /// Dice were thrown.
    Rolled {
        /// Whose turn begins with them.
        player_id: UserId,
        /// Which throw of the game, from 0.
        index: u64,
        /// The dice, in the order in which they were thrown.
        dice: Chance,
        /// The board with them.
        board: Board,
        /// What the player may choose from; absent when there is no choice.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "present"
        )]
        legal_moves: Option<InlineChoices>,
        /// The clocks, if it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clocks: Option<Clocks>,
    },
    /// A player added a seed for the dice.
    Seeded {
        /// Who.
        player_id: UserId,
        /// What.
        seed: String,
    },
    /// The reader will offer a draw with their next complete turn, or not any more. Others get `hidden` in its place.
    DrawArmed {
        /// Whether they will.
        armed: bool,
    },
    /// A player answered the offer of a draw.
    DrawAnswered {
        /// Who.
        player_id: UserId,
        /// Whether they accepted.
        accepted: bool,
        /// The clocks, if it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clocks: Option<Clocks>,
    },
    /// Something that is not for the reader's eyes; only the version is new.
    Hidden,
    /// The service came back, or stood still while a clock ran. Both players count as offline from now until they connect;
    /// of those who are connected a connection change says so at once.
    Resumed {
        /// When.
        at: Millis,
        /// Milliseconds given back to the clocks.
        downtime_ms: i64,
        /// The clocks, if it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clocks: Option<Clocks>,
    },
}

/// `on_game_update`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameUpdate {
    /// Which game and version.
    #[serde(flatten)]
    pub at: At,
    /// What changed.
    pub change: Change,
}

/// `on_game_ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameEnded {
    /// Which game and version.
    #[serde(flatten)]
    pub at: At,
    /// Who won; `null` when nobody did and it was no draw either.
    pub result: Option<Outcome>,
    /// Why.
    pub end_reason: EndReason,
    /// Who left, when the reason is `left`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_user_id: Option<UserId>,
    /// The final board.
    pub board: Board,
    /// What its throws can be checked with; absent in games without chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Reveal>,
    /// The game as lists show it.
    pub game: FinishedGameSummary,
}

/// `on_durable`: the log has caught up with what was answered `durable: false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Durable {
    /// The game.
    pub game_id: GameId,
    /// The last version that the log has.
    pub durable_version: Version,
}

/// `on_move_accepted`, for every command with an id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandAccepted {
    /// The game.
    pub game_id: GameId,
    /// The client's own id.
    pub id: String,
    /// The version it made.
    pub version: Version,
    /// What a client that has seen that version holds.
    pub position: Position,
    /// Whether the log has it.
    pub durable: bool,
    /// The last version that the log has.
    pub durable_version: Version,
}

/// `on_move_rejected`, for every command with an id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandRejected {
    /// The game.
    pub game_id: GameId,
    /// The client's own id.
    pub id: String,
    /// Why.
    #[serde(rename = "type")]
    pub problem: ProblemType,
    /// Why, for a person.
    pub detail: String,
    /// The current state, when the position was stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Box<LiveGame>>,
}

/// `on_user_connection_change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionChange {
    /// The game.
    pub game_id: GameId,
    /// The last version that the log has.
    pub durable_version: Version,
    /// Whether the players are there.
    pub connections: BySeat<ConnectionView>,
}

/// `on_spectators`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpectatorCount {
    /// The game.
    pub game_id: GameId,
    /// The last version that the log has.
    pub durable_version: Version,
    /// How many watch now.
    pub now: u32,
    /// Peak and total.
    #[serde(flatten)]
    pub figures: Spectators,
}

/// `on_live_games`: the five most watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveGames {
    /// By spectators, then by latest move.
    pub games: Vec<LiveGameSummary>,
}

/// `on_new_game_rejected`: the user is in a game already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewGameRejected {
    /// That game.
    pub game_id: GameId,
}

/// `resync`: the whole state, in place of what cannot be sent step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resync {
    /// The game.
    pub game_id: GameId,
    /// The last version that the log has.
    pub durable_version: Version,
    /// The game, live or finished; absent when it is not to be had right now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameView>,
}

/// `on_error`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorFrame {
    /// The problem, as in a problem document.
    #[serde(rename = "type")]
    pub problem: ProblemType,
    /// What is wrong, for a person.
    pub detail: String,
    /// The client's own id, if the frame had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The game, if the frame named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_id: Option<GameId>,
}

/// `on_waiting`: the user is in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// Which game.
    pub kind: rules::Kind,
    /// How long a player may think.
    pub time_control: crate::terms::TimeControl,
}

/// A frame from the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "channel", content = "payload", rename_all = "snake_case")]
pub enum ServerFrame {
    /// The socket is open.
    OnWelcome(Welcome),
    /// In the queue.
    OnWaiting(Waiting),
    /// A game began, or a watched game, whole.
    OnGameStart(Box<LiveGame>),
    /// A game changed.
    OnGameUpdate(GameUpdate),
    /// A game ended.
    OnGameEnded(Box<GameEnded>),
    /// The log has caught up.
    OnDurable(Durable),
    /// A command was accepted.
    OnMoveAccepted(CommandAccepted),
    /// A command was rejected.
    OnMoveRejected(CommandRejected),
    /// A player came or went.
    OnUserConnectionChange(ConnectionChange),
    /// A spectator came or went.
    OnSpectators(SpectatorCount),
    /// The most watched live games.
    OnLiveGames(LiveGames),
    /// In a game already.
    OnNewGameRejected(NewGameRejected),
    /// Start over from this.
    Resync(Box<Resync>),
    /// The frame before was wrong.
    OnError(ErrorFrame),
    /// The answer to `ping`.
    Pong,
}

impl ServerFrame {
    /// The frame's text.
    pub fn to_text(&self) -> String {
        let json = json::to_vec(self, USUAL_BYTES).expect("a frame has string keys and finite numbers only");
        String::from_utf8(json).expect("JSON is UTF-8")
    }
}
