//! boardgame.io, by its own protocol: events of socket.io in the namespace of the game. A match begins when its players ask
//! for its state.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use rules::mancala::{Board, Move};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::{Peer, Player, Seen};
use crate::socket::{Number, PATIENCE, Socket};

const PATH: &str = "/socket.io/?EIO=4&transport=websocket";
/// What engine.io and socket.io put in front: a packet's two types and its namespace.
const CONNECT: &str = "40/mangala,";
const EVENT: &str = "42/mangala,";
const OPEN: &str = "0{";
const PING: &str = "2";
const PONG: &str = "3";

/// boardgame.io.
pub struct BoardgameIo {
    at: SocketAddr,
    matches: AtomicU64,
}

/// A client of a match.
pub struct Client {
    socket: Socket,
    seat: usize,
    of: String,
    state_id: u64,
}

#[derive(Deserialize)]
struct State {
    #[serde(rename = "G")]
    game: Game,
    #[serde(rename = "_stateID")]
    state_id: u64,
}

#[derive(Deserialize)]
struct Game {
    board: Board,
}

/// What a `sync` brings.
#[derive(Deserialize)]
struct Synced {
    state: State,
}

impl BoardgameIo {
    /// The server that listens there.
    pub fn new(at: SocketAddr) -> Self {
        Self {
            at,
            // Matches of an earlier run are still there.
            matches: AtomicU64::new(fastrand::u64(..1 << 40)),
        }
    }

    async fn connect(&self, seat: usize, number: u64) -> anyhow::Result<Client> {
        let socket = Socket::open(self.at, PATH, None, Number(number)).await?;
        let mut client = Client {
            socket,
            seat,
            of: String::new(),
            state_id: 0,
        };
        timeout(PATIENCE, client.connected())
            .await
            .context("a client does not get in")??;
        Ok(client)
    }
}

impl Client {
    async fn connected(&mut self) -> anyhow::Result<()> {
        loop {
            let text = self.socket.text().await?;
            if text.starts_with(OPEN) {
                self.socket.send(Message::text(CONNECT)).await?;
            } else if text.starts_with(CONNECT) {
                return Ok(());
            } else {
                bail!("unexpected: {text}");
            }
        }
    }

    async fn emit(&mut self, event: &serde_json::Value) -> anyhow::Result<()> {
        self.socket.send(Message::text(format!("{EVENT}{event}"))).await
    }

    async fn sync(&mut self, of: &str) -> anyhow::Result<()> {
        of.clone_into(&mut self.of);
        let player = self.seat.to_string();
        self.emit(&json!(["sync", of, player, null, 2])).await?;
        let Synced { state } = timeout(PATIENCE, self.event("sync"))
            .await
            .context("no state")??;
        self.state_id = state.state_id;
        Ok(())
    }

    /// The argument behind the match of the next event of this name, if it is of this match.
    async fn event<T: for<'a> Deserialize<'a>>(&mut self, name: &str) -> anyhow::Result<T> {
        loop {
            let text = self.socket.text().await?;
            if text == PING {
                self.socket.send(Message::text(PONG)).await?;
                continue;
            }
            let event = text.strip_prefix(EVENT).with_context(|| text.to_string())?;
            let parts: Vec<&RawValue> = serde_json::from_str(event)?;
            let [is, of, what, ..] = parts[..] else {
                bail!("unexpected: {text}");
            };
            if is.get().trim_matches('"') == name && of.get().trim_matches('"') == self.of {
                return Ok(serde_json::from_str(what.get())?);
            }
        }
    }
}

impl Peer for BoardgameIo {
    type Player = Client;

    async fn open(&self, number: u64) -> anyhow::Result<[Client; 2]> {
        let first = self.connect(0, 2 * number).await?;
        let second = self.connect(1, 2 * number + 1).await?;
        self.again([first, second]).await
    }

    async fn again(&self, [mut first, mut second]: [Client; 2]) -> anyhow::Result<[Client; 2]> {
        let of = format!("m{}", self.matches.fetch_add(1, Ordering::Relaxed));
        first.sync(&of).await?;
        second.sync(&of).await?;
        Ok([first, second])
    }

    async fn watch(&self, _: &Client, _: u64, _: bool) -> anyhow::Result<Client> {
        bail!("not compared")
    }
}

impl Player for Client {
    async fn play(&mut self, mv: Move) -> anyhow::Result<()> {
        let player = self.seat.to_string();
        let action = json!({
            "type": "MAKE_MOVE",
            "payload": { "type": "sow", "args": [mv], "playerID": player, "credentials": null },
        });
        self.emit(&json!(["update", action, self.state_id, self.of, player]))
            .await
    }

    async fn seen(&mut self) -> anyhow::Result<Seen> {
        let state: State = self.event("update").await?;
        self.state_id = state.state_id;
        Ok(Seen::Board(state.game.board))
    }
}
