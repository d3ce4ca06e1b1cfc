//! The relay without rules: it says to both what one of them said.

use std::net::SocketAddr;

use anyhow::Context;
use rules::mancala::Move;
use serde::{Deserialize, Serialize};
use tokio_tungstenite::tungstenite::Message;

use super::{Peer, Player, Seen};
use crate::socket::{Number, Socket};

/// The relay.
pub struct Floor {
    at: SocketAddr,
    /// Games of an earlier run may still be there.
    first_game: u64,
}

/// One who says and hears.
pub struct Speaker {
    socket: Socket,
    game: u64,
    said: u64,
}

/// As long as a move to turnstream, which has ids where this has zeros.
#[derive(Serialize, Deserialize)]
struct Said {
    channel: String,
    payload: Payload,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    game_id: String,
    id: String,
    position: String,
    #[serde(rename = "move")]
    mv: Move,
}

impl Floor {
    /// The relay that listens there.
    pub fn new(at: SocketAddr) -> Self {
        Self {
            at,
            first_game: fastrand::u64(..1 << 40),
        }
    }

    async fn join(&self, game: u64, number: u64, deaf: bool) -> anyhow::Result<Speaker> {
        let path = format!("/ws?game={game}");
        let number = Number(number);
        let socket = if deaf {
            Socket::open_deaf(self.at, &path, None, number).await?
        } else {
            Socket::open(self.at, &path, None, number).await?
        };
        Ok(Speaker {
            socket,
            game,
            said: 0,
        })
    }
}

impl Peer for Floor {
    type Player = Speaker;

    async fn open(&self, number: u64) -> anyhow::Result<[Speaker; 2]> {
        let game = self.first_game + number;
        let first = self.join(game, 2 * number, false).await?;
        let second = self.join(game, 2 * number + 1, false).await?;
        Ok([first, second])
    }

    async fn again(&self, players: [Speaker; 2]) -> anyhow::Result<[Speaker; 2]> {
        Ok(players)
    }

    async fn watch(&self, player: &Speaker, number: u64, deaf: bool) -> anyhow::Result<Speaker> {
        self.join(player.game, number, deaf).await
    }
}

impl Player for Speaker {
    async fn play(&mut self, mv: Move) -> anyhow::Result<()> {
        self.said += 1;
        let said = Said {
            channel: "game_move".to_owned(),
            payload: Payload {
                game_id: format!("00000000-0000-0000-0000-{:012}", self.game),
                id: format!("{}", self.said),
                position: format!("{}-0000000000000000", self.said),
                mv,
            },
        };
        self.socket
            .send(Message::text(serde_json::to_string(&said)?))
            .await
    }

    async fn seen(&mut self) -> anyhow::Result<Seen> {
        let text = self.socket.text().await?;
        let said: Said = serde_json::from_str(&text).context("what it said")?;
        Ok(Seen::Move(said.payload.mv))
    }
}
