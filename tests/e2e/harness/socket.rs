//! A client over WebSocket. It reads all the time, as a good client does.

use std::collections::HashMap;

use futures::stream::SplitSink;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::player::{Player, text};
use super::{PATIENCE, Seen};

/// What an end without a close frame counts as.
const ABNORMAL: u16 = 1006;

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// An open socket.
pub struct Socket {
    sink: SplitSink<Stream, Message>,
    heard: watch::Receiver<Heard>,
    /// For each channel, how many of all frames have been looked at.
    taken: HashMap<String, usize>,
    _reading: JoinSet<()>,
}

/// All that came.
#[derive(Debug, Clone, Default)]
struct Heard {
    frames: Vec<Value>,
    closed: Option<u16>,
}

impl Socket {
    /// Opens a socket and says who this is, or nothing; returns when it was welcomed.
    pub async fn open(url: impl AsRef<str>, player: Option<&Player>) -> Self {
        let mut socket = Self::open_raw(url.as_ref(), "")
            .await
            .unwrap_or_else(|status| panic!("the socket was refused with {status}"));
        match player {
            Some(player) => {
                let payload = json!({ "token": player.token });
                socket
                    .send(json!({ "channel": "authenticate", "payload": payload }))
                    .await;
            }
            // Any other first frame but a ping says that there is nobody to name; this one does nothing else.
            None => socket.send(json!({ "channel": "unsubscribe_live_games" })).await,
        }
        let welcome = socket.next("on_welcome").await;
        let named = player.map(|player| Value::String(player.user_id.clone()));
        assert_eq!(welcome.get("userId"), named.as_ref(), "{welcome}");
        socket
    }

    /// Opens a socket with this query in its URL and says nothing; or the HTTP status, 0 when there was no answer.
    pub async fn open_raw(url: &str, query: &str) -> Result<Self, u16> {
        let url = format!("{}/ws{query}", url.replacen("http", "ws", 1));
        let mut request = url.into_client_request().expect("a URL");
        let protocol = HeaderValue::from_static("turnstream.v1");
        request.headers_mut().insert("sec-websocket-protocol", protocol);
        let (stream, _) = connect_async(request).await.map_err(|error| match error {
            Error::Http(answer) => answer.status().as_u16(),
            _ => 0,
        })?;
        let (sink, mut stream) = stream.split();
        let (hear, heard) = watch::channel(Heard::default());
        let mut reading = JoinSet::new();
        reading.spawn(async move {
            let mut code = ABNORMAL;
            while let Some(Ok(message)) = stream.next().await {
                match message {
                    Message::Text(text) => {
                        let frame = serde_json::from_str(&text).expect("frames are JSON");
                        hear.send_modify(|heard| heard.frames.push(frame));
                    }
                    Message::Close(Some(close)) => code = close.code.into(),
                    _ => {}
                }
            }
            hear.send_modify(|heard| heard.closed = Some(code));
        });
        Ok(Self {
            sink,
            heard,
            taken: HashMap::new(),
            _reading: reading,
        })
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: Value) {
        if let Err(error) = self.try_send(frame.to_string()).await {
            panic!("the socket is closed, {error}: {:?}", self.heard.borrow().closed);
        }
    }

    /// Sends any text; an error when the socket is closed.
    pub async fn try_send(&mut self, text: String) -> Result<(), Error> {
        self.sink.send(Message::text(text)).await
    }

    /// The payload of the next frame of a channel. Frames of other channels stay where they are.
    pub async fn next(&mut self, channel: &str) -> Value {
        self.next_where(channel, |_| true).await
    }

    /// The next frame of a channel that `wanted` likes; those before it are skipped.
    pub async fn next_where(&mut self, channel: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let from = self.taken.get(channel).copied().unwrap_or(0);
        let find = |frames: &[Value]| {
            let found = frames.iter().enumerate().skip(from);
            let mut found = found.filter(|(_, frame)| frame["channel"] == channel);
            let (index, frame) = found.find(|(_, frame)| wanted(&frame["payload"]))?;
            Some((index, frame["payload"].clone()))
        };
        let (index, payload) = self.until(channel, find).await;
        self.taken.insert(channel.to_owned(), index + 1);
        payload
    }

    /// Waits until `find` finds something among all frames so far.
    pub async fn until<T>(&mut self, what: &str, find: impl Fn(&[Value]) -> Option<T>) -> T {
        self.until_closed(what, find).await.unwrap_or_else(|| {
            let heard = self.heard.borrow();
            panic!("no {what} in {heard:#?}")
        })
    }

    /// The same, `None` if the socket ends without it.
    async fn until_closed<T>(&mut self, what: &str, find: impl Fn(&[Value]) -> Option<T>) -> Option<T> {
        let mut found = None;
        let waited = self.heard.wait_for(|heard| {
            found = find(&heard.frames);
            found.is_some() || heard.closed.is_some()
        });
        let late = timeout(PATIENCE, waited).await.is_err();
        assert!(!late, "no {what} in {:#?}", self.heard.borrow());
        found
    }

    /// Asks for a game, from a position on.
    pub async fn watch(&mut self, game: &str, since: Option<&str>) {
        let mut payload = json!({ "gameId": game });
        if let Some(since) = since {
            payload["since"] = json!(since);
        }
        self.send(json!({ "channel": "watch_game", "payload": payload }))
            .await;
    }

    /// Plays a move: the payload of `on_move_accepted`, or else the whole frame.
    pub async fn play(&mut self, game: &str, id: &str, position: &str, mv: u8) -> Result<Value, Value> {
        let payload = json!({ "gameId": game, "id": id, "position": position, "move": mv });
        self.send(json!({ "channel": "game_move", "payload": payload }))
            .await;
        self.answer_to(id).await
    }

    /// The answer to a command: the payload of `on_move_accepted`, or else the whole frame.
    pub async fn answer_to(&mut self, id: &str) -> Result<Value, Value> {
        let answer = self.try_answer_to(id).await;
        answer.unwrap_or_else(|| panic!("no answer to {id} in {:#?}", self.heard.borrow()))
    }

    /// The same, `None` if the socket ends without one.
    pub async fn try_answer_to(&mut self, id: &str) -> Option<Result<Value, Value>> {
        let answers = ["on_move_accepted", "on_move_rejected", "on_error"];
        let find = |frames: &[Value]| {
            let mut frames = frames.iter().rev();
            let found = frames.find(|frame| {
                frame["payload"]["id"] == id && answers.iter().any(|channel| frame["channel"] == *channel)
            });
            found.cloned()
        };
        let frame = self.until_closed(&format!("answer to {id}"), find).await?;
        Some(if frame["channel"] == answers[0] {
            Ok(frame["payload"].clone())
        } else {
            Err(frame)
        })
    }

    /// All frames so far.
    pub fn everything(&self) -> Vec<Value> {
        self.heard.borrow().frames.clone()
    }

    /// A game as these frames tell it.
    pub fn seen(&self, game: &str) -> Seen {
        Seen::of(game, &self.heard.borrow().frames)
    }

    /// Waits for a game's end, then returns it as all frames tell it.
    pub async fn whole_game(&mut self, game: &str) -> Seen {
        self.until("end of the game", |frames| {
            let mut frames = frames.iter();
            frames
                .find(|frame| frame["channel"] == "on_game_ended" && frame["payload"]["gameId"] == game)
                .map(drop)
        })
        .await;
        self.seen(game)
    }

    /// Waits for the end of the socket; its close code, 1006 when there was none.
    pub async fn closed(&mut self) -> u16 {
        let waited = timeout(PATIENCE, self.heard.wait_for(|heard| heard.closed.is_some())).await;
        let heard = waited.expect("the socket is closed in time").expect("it is read");
        heard.closed.expect("that was waited for")
    }

    /// The close code, if it is closed.
    pub fn close_code(&self) -> Option<u16> {
        self.heard.borrow().closed
    }

    /// Returns when everything sent before has been executed, in order.
    pub async fn executed(&mut self) {
        // Only a first frame may say who this is; a ping would be answered before its turn.
        let again = json!({ "channel": "authenticate", "payload": { "token": "" } });
        self.send(again).await;
        self.next_where("on_error", |error| {
            error["detail"]
                .as_str()
                .is_some_and(|detail| detail.contains("authenticate"))
        })
        .await;
    }

    /// Asks whether the socket is alive.
    pub async fn ping(&mut self) {
        self.send(json!({ "channel": "ping" })).await;
        self.next("pong").await;
    }

    /// Closes it.
    pub async fn close(mut self) {
        // Whoever closed first, it is closed.
        let _ = self.sink.close().await;
        self.closed().await;
    }

    /// The game in which this socket's user was seated.
    pub async fn game_start(&mut self) -> Value {
        let game = self.next("on_game_start").await;
        assert_eq!(text(&game["status"]), "live");
        game
    }
}
