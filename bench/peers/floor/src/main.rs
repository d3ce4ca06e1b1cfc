//! The floor: what it costs to bring a move from one player to both, and nothing else.
//!
//! `GET /ws?game=<number>` joins a game; whatever a socket sends goes to all sockets of its game as it is. There are no
//! rules, no names, no memory of what was said. Nobody who serves moves over sockets with the same library can be much
//! cheaper, so it is what a server with rules and a log is compared to.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt;
use futures::{FutureExt, SinkExt, StreamExt};
use serde::Deserialize;
use tokio::sync::mpsc;

/// As turnstream has it.
const BUFFER: usize = 4096;
/// How many frames may wait for one socket. Whoever is further behind misses some.
const WAITING: usize = 256;

type Ear = mpsc::Sender<Utf8Bytes>;

/// Who hears what is said in each game.
#[derive(Default)]
struct Games(Mutex<HashMap<u64, Vec<Ear>>>);

#[derive(Deserialize)]
struct Joining {
    game: u64,
}

impl Games {
    fn of(&self) -> MutexGuard<'_, HashMap<u64, Vec<Ear>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(&self, game: u64, ear: Ear) {
        self.of().entry(game).or_default().push(ear);
    }

    fn leave(&self, game: u64, ear: &Ear) {
        let mut games = self.of();
        if let Some(ears) = games.get_mut(&game) {
            ears.retain(|other| !other.same_channel(ear));
            if ears.is_empty() {
                games.remove(&game);
            }
        }
    }

    fn relay(&self, game: u64, said: &Utf8Bytes) {
        for ear in self.of().get(&game).into_iter().flatten() {
            // Its reader is slow or gone.
            let _ = ear.try_send(said.clone());
        }
    }
}

async fn open(
    State(games): State<Arc<Games>>,
    Query(Joining { game }): Query<Joining>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .on_upgrade(move |socket| async move {
            let (ear, heard) = mpsc::channel(WAITING);
            games.join(game, ear.clone());
            run(&games, game, socket, heard).await;
            games.leave(game, &ear);
        })
}

async fn run(games: &Games, game: u64, socket: WebSocket, mut heard: mpsc::Receiver<Utf8Bytes>) {
    let (mut sink, mut stream) = socket.split();
    let listen = async {
        while let Some(Ok(message)) = stream.next().await {
            if let Message::Text(said) = message {
                games.relay(game, &said);
            }
        }
    };
    let tell = async {
        while let Some(said) = heard.recv().await {
            if sink.send(Message::Text(said)).await.is_err() {
                return;
            }
        }
    };
    futures::future::select(listen.boxed(), tell.boxed()).await;
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let address: SocketAddr = std::env::args().nth(1).context("usage: floor ADDRESS")?.parse()?;
    let listener = tokio::net::TcpListener::bind(address).await?.tap_io(|stream| {
        // A small frame must not wait for the next one.
        let _ = stream.set_nodelay(true);
    });
    let app = Router::new()
        .route("/ws", get(open))
        .route("/healthz", get(|| async { "here" }))
        .with_state(Arc::<Games>::default());
    Ok(axum::serve(listener, app).await?)
}
