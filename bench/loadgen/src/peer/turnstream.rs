//! turnstream, by its own protocol: guests who let themselves be paired.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::{Peer, Player, Seen};
use crate::lobby::Lobby;
use crate::measure::Count;
use crate::socket::{Number, Socket};

mod frames;
mod guest;

pub use guest::Guest;

/// turnstream.
pub struct Turnstream {
    at: SocketAddr,
    http: reqwest::Client,
    lobby: Lobby<Guest>,
    answers: Arc<Answers>,
}

/// What moves were answered.
#[derive(Debug, Default)]
pub struct Answers {
    durable: Count,
    not_durable: Count,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewGuest {
    user_id: String,
    token: String,
}

impl Turnstream {
    /// The service that listens there.
    pub fn new(at: SocketAddr) -> Self {
        Self {
            at,
            http: reqwest::Client::new(),
            lobby: Lobby::default(),
            answers: Arc::default(),
        }
    }

    async fn guest(&self, number: u64, deaf: bool) -> anyhow::Result<Guest> {
        let answer = self.http.post(format!("http://{}/guests", self.at));
        let answer = answer
            .json(&serde_json::json!({}))
            .send()
            .await?
            .error_for_status()?;
        let NewGuest { user_id, token } = answer.json().await?;
        let socket = self.socket(number, deaf).await?;
        Guest::introduced(socket, user_id, token, self.answers.clone()).await
    }

    async fn socket(&self, number: u64, deaf: bool) -> anyhow::Result<Socket> {
        let (path, protocol, number) = ("/ws", Some("turnstream.v1"), Number(number));
        if deaf {
            Socket::open_deaf(self.at, path, protocol, number).await
        } else {
            Socket::open(self.at, path, protocol, number).await
        }
    }

    async fn seek(&self, mut guest: Guest) -> anyhow::Result<()> {
        guest.seek().await?;
        let first = guest.begun().await?;
        self.lobby.bring(guest.game().to_owned(), guest, first);
        Ok(())
    }

    /// Opens a new socket for a player who lost theirs and gets what happened since.
    ///
    /// # Errors
    /// The socket does not open, or the game is gone.
    pub async fn come_back(&self, guest: Guest, number: u64) -> anyhow::Result<Guest> {
        let (user_id, token, game, position) = guest.lost();
        let socket = self.socket(number, false).await?;
        let mut guest = Guest::introduced(socket, user_id, token, self.answers.clone()).await?;
        guest.catch_up(game, position).await?;
        Ok(guest)
    }
}

impl Peer for Turnstream {
    type Player = Guest;

    async fn open(&self, number: u64) -> anyhow::Result<[Guest; 2]> {
        let guests = tokio::try_join!(self.guest(2 * number, false), self.guest(2 * number + 1, false));
        let (first, second) = guests.context("a guest does not get in")?;
        self.again([first, second]).await
    }

    async fn again(&self, [first, second]: [Guest; 2]) -> anyhow::Result<[Guest; 2]> {
        tokio::try_join!(self.seek(first), self.seek(second))?;
        self.lobby.take().await
    }

    async fn watch(&self, player: &Guest, number: u64, deaf: bool) -> anyhow::Result<Guest> {
        let mut guest = self.guest(number, deaf).await?;
        guest.watch(player.game()).await?;
        if !guest.has_position() {
            bail!("nothing to watch");
        }
        Ok(guest)
    }

    fn acknowledged(&self) -> (u64, u64) {
        (self.answers.not_durable.get(), self.answers.durable.get())
    }
}

impl Player for Guest {
    async fn play(&mut self, mv: rules::mancala::Move) -> anyhow::Result<()> {
        self.send_move(mv).await
    }

    async fn seen(&mut self) -> anyhow::Result<Seen> {
        self.next_board().await.map(Seen::Board)
    }
}
