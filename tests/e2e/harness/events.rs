//! A client over server-sent events. It reads all the time.

use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::player::Player;
use super::{PATIENCE, Seen, http};

/// An open event stream of one game.
pub struct Events {
    coming: mpsc::UnboundedReceiver<(String, Value)>,
    /// All frames that `next` has given out.
    frames: Vec<Value>,
    _reading: JoinSet<()>,
}

impl Events {
    /// Opens the events of a game, from a position on.
    pub async fn open(
        url: impl AsRef<str>,
        game: &str,
        since: Option<&str>,
        player: Option<&Player>,
    ) -> Self {
        Self::try_open(url.as_ref(), game, since, player)
            .await
            .unwrap_or_else(|status| panic!("the events of {game} were refused with {status}"))
    }

    /// The same; or the HTTP status, 0 when there was no answer.
    pub async fn try_open(
        url: &str,
        game: &str,
        since: Option<&str>,
        player: Option<&Player>,
    ) -> Result<Self, u16> {
        let mut request = http().get(format!("{url}/games/{game}/events"));
        if let Some(since) = since {
            request = request.header("last-event-id", since);
        }
        if let Some(player) = player {
            request = request.bearer_auth(&player.token);
        }
        let answer = request.send().await.map_err(|_| 0_u16)?;
        if answer.status() != 200 {
            return Err(answer.status().as_u16());
        }
        let (tell, coming) = mpsc::unbounded_channel();
        let mut reading = JoinSet::new();
        reading.spawn(async move {
            let mut body = answer.bytes_stream();
            let mut unread = Vec::new();
            while let Some(Ok(bytes)) = body.next().await {
                unread.extend_from_slice(&bytes);
                while let Some(end) = unread.windows(2).position(|two| two == b"\n\n") {
                    let block: Vec<u8> = unread.drain(..end + 2).collect();
                    let block = String::from_utf8(block).expect("events are UTF-8");
                    if let Some(event) = event(&block) {
                        let _ = tell.send(event);
                    }
                }
            }
        });
        Ok(Self {
            coming,
            frames: Vec::new(),
            _reading: reading,
        })
    }

    /// The next event: its id, empty when it has none, and its frame. A close is told as a frame of channel `close`.
    pub async fn next(&mut self) -> (String, Value) {
        let next = self.try_next().await;
        next.unwrap_or_else(|| panic!("the stream ended after {:#?}", self.frames))
    }

    /// The same, `None` at the end of the stream.
    pub async fn try_next(&mut self) -> Option<(String, Value)> {
        let next = timeout(PATIENCE, self.coming.recv()).await;
        let next = next.unwrap_or_else(|_| panic!("no further event after {:#?}", self.frames));
        self.frames.extend(next.iter().map(|(_, frame)| frame.clone()));
        next
    }

    /// Reads to the end of the stream: the id of the last event.
    pub async fn drain(&mut self) -> String {
        let mut last = String::new();
        while let Some((id, _)) = self.try_next().await {
            last = if id.is_empty() { last } else { id };
        }
        last
    }

    /// Reads until a frame of this game has at least this version; the position held then.
    pub async fn until_version(&mut self, version: u64) -> String {
        loop {
            let (id, frame) = self.next().await;
            if frame["payload"]["version"].as_u64() >= Some(version) {
                return id;
            }
        }
    }

    /// All frames that were read.
    pub fn everything(&self) -> &[Value] {
        &self.frames
    }

    /// A game as the frames that were read tell it.
    pub fn seen(&self, game: &str) -> Seen {
        Seen::of(game, &self.frames)
    }
}

/// The event of a block of lines, if it is one.
fn event(block: &str) -> Option<(String, Value)> {
    let field = |name: &str| {
        let mut lines = block.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    let data: Value = serde_json::from_str(field("data")?).expect("data is JSON");
    let frame = match field("event") {
        None => data,
        Some(name) => json!({ "channel": name, "payload": data }),
    };
    Some((field("id").unwrap_or_default().to_owned(), frame))
}
