//! What a connection was given.

use std::sync::Arc;
use std::time::Duration;

use commands::games::{Encoded, Listener, Push};
use contract::frames::{CloseCode, ServerFrame};
use contract::{GameId, Position, Version};
use tokio::sync::watch;
use turnstream_commands as commands;

/// How long a test waits for what must come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A listener that remembers everything.
pub struct Ear {
    pushed: watch::Sender<Vec<Push>>,
    holds_seat: bool,
}

impl Listener for Ear {
    fn push(&self, push: Push) {
        self.pushed.send_modify(|pushed| pushed.push(push));
    }

    fn holds_seat(&self) -> bool {
        self.holds_seat
    }
}

impl Ear {
    /// A socket's.
    pub fn socket() -> Arc<Self> {
        Arc::new(Self {
            pushed: watch::Sender::default(),
            holds_seat: true,
        })
    }

    /// An event stream's.
    pub fn stream() -> Arc<Self> {
        Arc::new(Self {
            pushed: watch::Sender::default(),
            holds_seat: false,
        })
    }

    /// All frames so far.
    pub fn frames(&self) -> Vec<Arc<Encoded>> {
        let pushed = self.pushed.borrow();
        let frame = |push: &Push| match push {
            Push::Frame(frame) => Some(frame.clone()),
            Push::Close(_) => None,
        };
        pushed.iter().filter_map(frame).collect()
    }

    /// All close codes so far.
    pub fn closed(&self) -> Vec<CloseCode> {
        let pushed = self.pushed.borrow();
        let code = |push: &Push| match push {
            Push::Close(code) => Some(*code),
            Push::Frame(_) => None,
        };
        pushed.iter().filter_map(code).collect()
    }

    /// Forgets what came so far.
    pub fn clear(&self) {
        self.pushed.send_replace(Vec::new());
    }

    /// The game's versions that came step by step, in their order.
    pub fn versions(&self, game: GameId) -> Vec<Version> {
        let frames = self.frames();
        let step = |frame: &Arc<Encoded>| match &frame.frame {
            ServerFrame::OnGameUpdate(_) | ServerFrame::OnGameEnded(_) => frame.at,
            _ => None,
        };
        let of_game = |at: (GameId, Position)| (at.0 == game).then_some(at.1.version);
        frames.iter().filter_map(step).filter_map(of_game).collect()
    }

    /// Waits for a frame, and returns it.
    pub async fn until<T>(&self, wanted: impl Fn(&ServerFrame) -> Option<T>) -> T {
        let mut pushed = self.pushed.subscribe();
        let found = |pushed: &Vec<Push>| {
            pushed.iter().find_map(|push| match push {
                Push::Frame(frame) => wanted(&frame.frame),
                Push::Close(_) => None,
            })
        };
        let all = tokio::time::timeout(PATIENCE, pushed.wait_for(|pushed| found(pushed).is_some()))
            .await
            .unwrap_or_else(|_| panic!("it did not come; there are {:?}", self.pushed.borrow()))
            .expect("the sender lives as long as the ear");
        found(&all).expect("it was there just now")
    }

    /// Waits until it is closed with `code`.
    pub async fn until_closed(&self, code: CloseCode) {
        let mut pushed = self.pushed.subscribe();
        let closed = |push: &Push| matches!(push, Push::Close(found) if *found == code);
        tokio::time::timeout(PATIENCE, pushed.wait_for(|pushed| pushed.iter().any(closed)))
            .await
            .unwrap_or_else(|_| panic!("not closed; there are {:?}", self.pushed.borrow()))
            .expect("the sender lives as long as the ear");
    }

    /// Waits until the game's `version` came step by step.
    pub async fn until_version(&self, game: GameId, version: Version) {
        let at = |frame: &ServerFrame| match frame {
            ServerFrame::OnGameUpdate(update) => Some(update.at),
            ServerFrame::OnGameEnded(ended) => Some(ended.at),
            _ => None,
        };
        self.until(|frame| at(frame).filter(|at| at.game_id == game && at.version == version))
            .await;
    }
}
