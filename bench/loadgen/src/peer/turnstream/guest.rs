//! A guest with a socket.

use std::sync::Arc;

use anyhow::{Context, bail};
use rules::mancala::{Board, Move};
use serde_json::value::RawValue;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::Answers;
use super::frames::{Accepted, Begun, Frame, ToServer, Update};
use crate::socket::{PATIENCE, Socket};

/// A guest.
pub struct Guest {
    socket: Socket,
    user_id: String,
    token: String,
    game: String,
    position: String,
    commands: u64,
    answers: Arc<Answers>,
}

/// What a frame told.
enum Told {
    Welcome,
    /// A game began, or is shown whole; whether it is theirs to begin.
    Whole(bool),
    Board(Board),
    /// That they are in a game already: the answer to a request that stands behind others.
    Answered,
    Nothing,
}

impl Guest {
    /// Says who this is; returns when it was welcomed.
    pub(super) async fn introduced(
        socket: Socket,
        user_id: String,
        token: String,
        answers: Arc<Answers>,
    ) -> anyhow::Result<Self> {
        let mut guest = Self {
            socket,
            user_id,
            token,
            game: String::new(),
            position: String::new(),
            commands: 0,
            answers,
        };
        let text = serde_json::to_string(&ToServer::Authenticate { token: &guest.token })?;
        guest.socket.send(Message::text(text)).await?;
        guest
            .wait(|told| matches!(told, Told::Welcome).then_some(()))
            .await?;
        Ok(guest)
    }

    /// The game that they play or watch.
    pub fn game(&self) -> &str {
        &self.game
    }

    pub(super) fn has_position(&self) -> bool {
        !self.position.is_empty()
    }

    /// Who they were when they lost their socket, and what they held.
    pub(super) fn lost(self) -> (String, String, String, String) {
        (self.user_id, self.token, self.game, self.position)
    }

    pub(super) async fn seek(&mut self) -> anyhow::Result<()> {
        self.send(&ToServer::NewGame { kind: "mancala" }).await
    }

    /// Waits until a game begins. Whether they begin.
    pub(super) async fn begun(&mut self) -> anyhow::Result<bool> {
        self.wait(|told| match told {
            Told::Whole(first) => Some(first),
            _ => None,
        })
        .await
    }

    pub(super) async fn watch(&mut self, game: &str) -> anyhow::Result<()> {
        self.send(&ToServer::WatchGame {
            game_id: game,
            since: "",
        })
        .await?;
        self.begun().await?;
        Ok(())
    }

    /// Gets what happened in a game since a position: nothing, when nothing did.
    pub(super) async fn catch_up(&mut self, game: String, position: String) -> anyhow::Result<()> {
        (self.game, self.position) = (game, position);
        let watch = ToServer::WatchGame {
            game_id: &self.game,
            since: &self.position,
        };
        let text = serde_json::to_string(&watch)?;
        self.socket.send(Message::text(text)).await?;
        // Frames are executed in order, so an answer to what comes behind it means that nothing was missed. Pings would be
        // answered at once.
        self.send(&ToServer::NewGame { kind: "mancala" }).await?;
        self.wait(|told| matches!(told, Told::Answered).then_some(()))
            .await
    }

    pub(super) async fn send_move(&mut self, mv: Move) -> anyhow::Result<()> {
        self.commands += 1;
        let id = self.commands.to_string();
        let frame = ToServer::GameMove {
            game_id: &self.game,
            id: &id,
            position: &self.position,
            mv,
        };
        let text = serde_json::to_string(&frame)?;
        self.socket.send(Message::text(text)).await
    }

    /// The board after the next move that is shown.
    pub(super) async fn next_board(&mut self) -> anyhow::Result<Board> {
        loop {
            let text = self.socket.text().await?;
            if let Told::Board(board) = self.hear(&text)? {
                return Ok(board);
            }
        }
    }

    async fn send(&mut self, frame: &ToServer<'_>) -> anyhow::Result<()> {
        self.socket
            .send(Message::text(serde_json::to_string(frame)?))
            .await
    }

    async fn wait<T>(&mut self, mut wanted: impl FnMut(Told) -> Option<T>) -> anyhow::Result<T> {
        timeout(PATIENCE, async {
            loop {
                let text = self.socket.text().await?;
                if let Some(found) = wanted(self.hear(&text)?) {
                    return Ok(found);
                }
            }
        })
        .await
        .context("an answer did not come in time")?
    }

    fn hear(&mut self, text: &Utf8Bytes) -> anyhow::Result<Told> {
        let frame: Frame = serde_json::from_str(text).with_context(|| text.to_string())?;
        let payload = frame.payload.map_or("null", RawValue::get);
        Ok(match frame.channel {
            "on_game_update" => {
                let update: Update = serde_json::from_str(payload)?;
                update.position.clone_into(&mut self.position);
                match update.change.mv {
                    Some(played) => Told::Board(played.board_snapshot),
                    None => Told::Nothing,
                }
            }
            "on_move_accepted" => {
                let accepted: Accepted = serde_json::from_str(payload)?;
                let count = if accepted.durable {
                    &self.answers.durable
                } else {
                    &self.answers.not_durable
                };
                count.up();
                Told::Nothing
            }
            "on_game_start" => {
                let begun: Begun = serde_json::from_str(payload)?;
                begun.id.clone_into(&mut self.game);
                begun.position.clone_into(&mut self.position);
                Told::Whole(begun.player1.user_id == self.user_id)
            }
            "on_welcome" => Told::Welcome,
            "on_new_game_rejected" => Told::Answered,
            "on_waiting" | "on_game_ended" | "on_user_connection_change" | "on_spectators" | "on_durable" => {
                Told::Nothing
            }
            _ => bail!("unexpected: {text}"),
        })
    }
}
