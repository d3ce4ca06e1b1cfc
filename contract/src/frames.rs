//! The WebSocket protocol `turnstream.v1`: JSON frames `{"channel": …, "payload": …}`, one enum per direction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod client;
pub mod server;

pub use client::{ClientFrame, FrameError};
pub use server::ServerFrame;

/// The subprotocol's name.
pub const SUBPROTOCOL: &str = "turnstream.v1";

/// Why the server closes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CloseCode {
    /// The service goes away or lost the game: connect again, with the position held.
    Reconnect = 4000,
    /// A newer socket of the same seat took over.
    Replaced = 4001,
    /// The reader is too slow.
    Slow = 4002,
    /// The credential is missing, expired or forged.
    Unauthenticated = 4003,
    /// Too many frames.
    Rate = 4004,
}

impl CloseCode {
    /// The number in the close frame.
    pub fn code(self) -> u16 {
        self as u16
    }

    /// The reason in the close frame.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Reconnect => "reconnect",
            Self::Replaced => "replaced",
            Self::Slow => "slow",
            Self::Unauthenticated => "unauthenticated",
            Self::Rate => "rate",
        }
    }
}
