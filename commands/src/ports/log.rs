//! The event log, as the publisher and the restore see it.

use async_trait::async_trait;
use bytes::Bytes;
use contract::{GameId, GameKey, Seq};
use tokio::sync::{mpsc, watch};

use super::Unavailable;

/// Which log this is: it changes when the stream is made anew. Stores and checkpoints are marked with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct LogIdentity(pub String);

/// The log as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogInfo {
    /// Which log this is.
    pub identity: LogIdentity,
    /// The sequence of its oldest message; `last + 1` when it is empty.
    pub first: Seq,
    /// The sequence of its newest message; 0 when nothing was ever written.
    pub last: Seq,
}

/// Whether the log can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Connected; the number grows with each connection.
    Up(u64),
    /// Not connected.
    Down,
}

impl Link {
    /// Whether it is [`Link::Up`].
    pub fn is_up(self) -> bool {
        matches!(self, Self::Up(_))
    }
}

/// A message to append. Its bytes are made once and never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The game.
    pub key: GameKey,
    /// The event's name: the last token of its subject.
    pub name: &'static str,
    /// The `CloudEvents` document.
    pub bytes: Bytes,
}

/// A message as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// Its place in the log.
    pub seq: Seq,
    /// The game, from the subject.
    pub key: GameKey,
    /// The event's name, from the subject.
    pub name: String,
    /// The `CloudEvents` document.
    pub bytes: Bytes,
}

/// An append that is not known to have succeeded.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// It can never succeed as it is (too large, no permission, no such stream): the game's queue halts, others go on.
    #[error("the log refuses this message for good: {0}")]
    Permanent(String),
    /// The log answered that the game's newest message has not the expected sequence. That says nothing by itself: it may
    /// be this very message that is there. Look before believing.
    #[error("the game does not end where this message belongs: {0}")]
    Refused(String),
    /// Anything else, above all no answer: it may or may not be in the log. Look before believing.
    #[error("it is not known whether the log took this message: {0}")]
    Unknown(String),
}

/// The log.
///
/// Messages of one game are ordered; `append` writes only if the sequence of the newest message *of that game, whatever
/// the event's name,* equals `expected`.
#[async_trait]
pub trait EventLog: Send + Sync + 'static {
    /// Identity and ends. Bounded by one second.
    async fn info(&self) -> Result<LogInfo, Unavailable>;

    /// Appends one message if the game's newest message has sequence `expected` (0: the game has none) and returns its
    /// sequence. Bounded by one second; a message whose outcome is unknown may still land later.
    async fn append(&self, message: &Outgoing, expected: Seq) -> Result<Seq, AppendError>;

    /// The game's newest message, read from where writes are decided (a replica may lag).
    async fn last(&self, key: GameKey) -> Result<Option<LogEntry>, Unavailable>;

    /// The newest message of each game, in the order of `keys`.
    async fn last_of_each(&self, keys: &[GameKey]) -> Result<Vec<Option<LogEntry>>, Unavailable> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.push(self.last(*key).await?);
        }
        Ok(found)
    }

    /// All messages of one game with a sequence above `after`, oldest first.
    async fn read_game(&self, key: GameKey, after: Seq) -> Result<Vec<LogEntry>, Unavailable>;

    /// The newest `ended` message of a game whose kind is not known.
    async fn find_ended(&self, id: GameId) -> Result<Option<LogEntry>, Unavailable>;

    /// The games that have a message and no `ended` one.
    async fn unfinished(&self) -> Result<Vec<GameKey>, Unavailable>;

    /// Whether it can be reached, now and from now on.
    fn link(&self) -> watch::Receiver<Link>;

    /// Every `started`, `resumed` and `anchored` message of any game, by whichever process, from now on: the first that a
    /// process writes of a game is one of these. The adapter keeps it going over outages; a message may come twice.
    async fn takeovers(&self) -> Result<mpsc::Receiver<LogEntry>, Unavailable>;
}
