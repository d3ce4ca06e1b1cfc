//! Colyseus, by its own protocol: a room is asked for over HTTP and joined over a socket, which gets the room's state and
//! then a patch after each move.

use std::net::SocketAddr;

use anyhow::{Context, bail, ensure};
use rules::mancala::Move;
use serde::Deserialize;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::{Peer, Player, Seen};
use crate::socket::{Number, PATIENCE, Socket};

mod state;

use state::TableState;

const JOIN_ROOM: u8 = 10;
const ROOM_DATA: u8 = 13;
const ROOM_STATE: u8 = 14;
const ROOM_STATE_PATCH: u8 = 15;
/// In front of a string of so many bytes.
const STRING: u8 = 0xa0;

/// Colyseus.
pub struct Colyseus {
    at: SocketAddr,
    http: reqwest::Client,
}

/// A client in a room.
pub struct Client {
    socket: Socket,
    table: TableState,
}

#[derive(Deserialize)]
struct Seat {
    #[serde(rename = "sessionId")]
    session: String,
    #[serde(rename = "roomId")]
    room: String,
    #[serde(rename = "processId")]
    process: String,
}

impl Colyseus {
    /// The server that listens there.
    pub fn new(at: SocketAddr) -> Self {
        Self {
            at,
            http: reqwest::Client::new(),
        }
    }

    async fn reserve(&self, way: &str, room: &str) -> anyhow::Result<Seat> {
        let url = format!("http://{}/matchmake/{way}/{room}", self.at);
        let answer = self.http.post(url).json(&serde_json::json!({})).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    async fn join(&self, seat: Seat, number: u64) -> anyhow::Result<Client> {
        let Seat {
            session,
            room,
            process,
        } = seat;
        let path = format!("/{process}/{room}?sessionId={session}");
        let socket = Socket::open(self.at, &path, None, Number(number)).await?;
        let mut client = Client {
            socket,
            table: TableState::default(),
        };
        timeout(PATIENCE, client.joined())
            .await
            .context("a room does not let in")??;
        Ok(client)
    }
}

impl Client {
    async fn joined(&mut self) -> anyhow::Result<()> {
        let handshake = self.bytes().await?;
        ensure!(
            handshake.first() == Some(&JOIN_ROOM),
            "expected a handshake: {handshake:?}"
        );
        self.socket.send(Message::binary(vec![JOIN_ROOM])).await?;
        let state = self.bytes().await?;
        ensure!(
            state.first() == Some(&ROOM_STATE),
            "expected the state: {state:?}"
        );
        self.table.apply(&state[1..])
    }

    async fn bytes(&mut self) -> anyhow::Result<Vec<u8>> {
        match self.socket.next().await? {
            Message::Binary(bytes) => Ok(bytes.into()),
            other => bail!("expected bytes, not {other:?}"),
        }
    }

    async fn say(&mut self, word: &str, number: Option<u8>) -> anyhow::Result<()> {
        let mut message = vec![ROOM_DATA, STRING | word.len() as u8];
        message.extend(word.as_bytes());
        message.extend(number);
        self.socket.send(Message::binary(message)).await
    }

    async fn patched(&mut self) -> anyhow::Result<()> {
        let message = self.bytes().await?;
        match message.split_first() {
            Some((&ROOM_STATE_PATCH, patch)) => self.table.apply(patch),
            _ => bail!("expected a patch: {message:?}"),
        }
    }

    async fn starts(&mut self) -> anyhow::Result<()> {
        self.patched().await?;
        ensure!(self.table.ply == 0, "no new game: {:?}", self.table);
        Ok(())
    }
}

impl Peer for Colyseus {
    type Player = Client;

    async fn open(&self, number: u64) -> anyhow::Result<[Client; 2]> {
        let seat = self.reserve("create", "mangala").await?;
        let room = seat.room.clone();
        let first = self.join(seat, 2 * number).await?;
        let second = self.reserve("joinById", &room).await?;
        Ok([first, self.join(second, 2 * number + 1).await?])
    }

    async fn again(&self, [mut first, mut second]: [Client; 2]) -> anyhow::Result<[Client; 2]> {
        first.say("again", None).await?;
        first.starts().await?;
        second.starts().await?;
        Ok([first, second])
    }

    async fn watch(&self, _: &Client, _: u64, _: bool) -> anyhow::Result<Client> {
        bail!("its table has two seats")
    }
}

impl Player for Client {
    async fn play(&mut self, mv: Move) -> anyhow::Result<()> {
        // A small number is its own MessagePack.
        self.say("move", Some(mv.0)).await
    }

    async fn seen(&mut self) -> anyhow::Result<Seen> {
        self.patched().await?;
        Ok(Seen::Board(self.table.board))
    }
}
