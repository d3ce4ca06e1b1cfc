//! As much of the protocol's frames as a player needs. They are read and written here apart from the server's own types, so
//! that the cost of both sides stays apart too.

use rules::mancala::{Board, Move};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Any frame.
#[derive(Deserialize)]
pub struct Frame<'a> {
    /// What it is.
    pub channel: &'a str,
    /// What is in it.
    #[serde(borrow)]
    pub payload: Option<&'a RawValue>,
}

/// `on_game_update`.
#[derive(Deserialize)]
pub struct Update<'a> {
    /// What a client that has this holds.
    pub position: &'a str,
    /// What changed.
    pub change: Change,
}

/// A change of a game.
#[derive(Deserialize)]
pub struct Change {
    /// A move, if it is one.
    #[serde(rename = "move")]
    pub mv: Option<Played>,
}

/// A move.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Played {
    /// The board after it.
    pub board_snapshot: Board,
}

/// `on_game_start`.
#[derive(Deserialize)]
pub struct Begun<'a> {
    /// The game.
    pub id: &'a str,
    /// What a client that has this holds.
    pub position: &'a str,
    /// Who begins.
    #[serde(borrow)]
    pub player1: Somebody<'a>,
}

/// A player.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Somebody<'a> {
    /// Their public id.
    pub user_id: &'a str,
}

/// `on_move_accepted`.
#[derive(Deserialize)]
pub struct Accepted {
    /// Whether the log has it.
    pub durable: bool,
}

/// A frame to the server.
#[derive(Serialize)]
#[serde(tag = "channel", content = "payload", rename_all = "snake_case")]
pub enum ToServer<'a> {
    /// Say who this is.
    Authenticate {
        /// A bearer token.
        token: &'a str,
    },
    /// Enter the queue.
    NewGame {
        /// Which game.
        kind: &'a str,
    },
    /// Move.
    #[serde(rename_all = "camelCase")]
    GameMove {
        /// The game.
        game_id: &'a str,
        /// This command.
        id: &'a str,
        /// What the player saw.
        position: &'a str,
        /// The pit.
        #[serde(rename = "move")]
        mv: Move,
    },
    /// Get a game's frames.
    #[serde(rename_all = "camelCase")]
    WatchGame {
        /// The game.
        game_id: &'a str,
        /// What the client has; empty for the whole game.
        #[serde(skip_serializing_if = "str::is_empty")]
        since: &'a str,
    },
}
