//! What waits to be sent to one socket or event stream. It is bounded, and filling it never blocks a game. A frame with a
//! whole game takes the room of as many frames as the game has moves.
//!
//! When it is full, what a game pushes further is dropped and the game marked: once the reader has caught up it gets
//! one `resync` of that game in place of what it missed. The list of live games is only ever kept in its latest form.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use commands::games::{Encoded, Listener, Push};
use contract::frames::{CloseCode, ServerFrame};
use contract::view::{GameView, LiveGame};
use contract::{GameId, Version};
use tokio::sync::Notify;
use tokio::time::Instant;

/// How many answers to its own frames a reader may leave unread, above the bound: they cannot be dropped, and nobody
/// who reads has so many.
const UNREAD_ANSWERS: usize = 64;

/// Why a connection is closed, as its close frame says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// The close code.
    pub code: u16,
    /// The reason.
    pub reason: &'static str,
}

impl Ending {
    /// A frame was too large.
    pub const TOO_BIG: Self = Self {
        code: 1009,
        reason: "too big",
    };
    /// A text frame was not UTF-8.
    pub const NOT_TEXT: Self = Self {
        code: 1007,
        reason: "not text",
    };
    /// What came was no WebSocket frame.
    pub const NO_PROTOCOL: Self = Self {
        code: 1002,
        reason: "protocol error",
    };
}

impl From<CloseCode> for Ending {
    fn from(code: CloseCode) -> Self {
        Self {
            code: code.code(),
            reason: code.reason(),
        }
    }
}

/// What is to be sent next.
#[derive(Debug, Clone)]
pub enum Next {
    /// A frame, and since when it waits if that matters to anybody.
    Frame(Arc<Encoded>, Option<Instant>),
    /// The whole state of a game, in place of frames that were dropped.
    Resync(GameId),
    /// Nothing any more.
    Close(Ending),
}

#[derive(Debug, Default)]
struct Waiting {
    queue: VecDeque<(Arc<Encoded>, Instant)>,
    /// The room that the queue takes.
    taken: usize,
    lagged: BTreeSet<GameId>,
    live_games: Option<Arc<Encoded>>,
    /// Versions that a resync already had.
    floors: HashMap<GameId, Version>,
    ending: Option<Ending>,
}

/// The queue.
#[derive(Debug)]
pub struct Outbox {
    most: usize,
    holds_seat: bool,
    waiting: Mutex<Waiting>,
    wake: Notify,
}

impl Outbox {
    /// A socket's, with room for `most` frames.
    pub fn new(most: usize) -> Arc<Self> {
        Self::of(most, true)
    }

    /// An event stream's, which takes no player's seat.
    pub fn of_stream(most: usize) -> Arc<Self> {
        Self::of(most, false)
    }

    fn of(most: usize, holds_seat: bool) -> Arc<Self> {
        Arc::new(Self {
            most,
            holds_seat,
            waiting: Mutex::default(),
            wake: Notify::new(),
        })
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a frame of the connection itself.
    pub fn answer(&self, frame: ServerFrame) {
        self.waiting().add_answer(Encoded::new(frame), self.most);
        self.wake.notify_one();
    }

    /// Closes the connection once everything that waits is sent. The first reason stays.
    pub fn close(&self, ending: impl Into<Ending>) {
        self.waiting().ending.get_or_insert(ending.into());
        self.wake.notify_one();
    }

    /// A resync with `version` is being sent: frames up to it are not needed any more.
    pub fn resynced(&self, game: GameId, version: Version) {
        self.waiting().floors.insert(game, version);
    }

    /// The connection does not watch a game any more.
    pub fn forget(&self, game: GameId) {
        let mut waiting = self.waiting();
        waiting.lagged.remove(&game);
        waiting.floors.remove(&game);
    }

    /// What is to be sent next, if anything is.
    pub fn try_next(&self) -> Option<Next> {
        self.waiting().take()
    }

    /// What is to be sent next. Only one task may wait here. Cancelling it loses nothing.
    pub async fn next(&self) -> Next {
        loop {
            if let Some(next) = self.try_next() {
                return next;
            }
            self.wake.notified().await;
        }
    }
}

impl Listener for Outbox {
    fn push(&self, push: Push) {
        match push {
            Push::Frame(frame) => self.waiting().add(frame, self.most),
            Push::Close(code) => {
                self.waiting().ending.get_or_insert(code.into());
            }
        }
        self.wake.notify_one();
    }

    fn holds_seat(&self) -> bool {
        self.holds_seat
    }
}

impl Waiting {
    fn add(&mut self, frame: Arc<Encoded>, most: usize) {
        if self.ending.is_some() {
            return;
        }
        if matches!(frame.frame, ServerFrame::OnLiveGames(_)) {
            self.live_games = Some(frame);
            return;
        }
        let Some(game) = game_of(&frame.frame) else {
            return self.add_answer(frame, most);
        };
        if self.lagged.contains(&game) {
            return;
        }
        if !self.put(frame, most) {
            self.lagged.insert(game);
        }
    }

    fn add_answer(&mut self, frame: Arc<Encoded>, most: usize) {
        if self.ending.is_some() {
            return;
        }
        if !self.put(frame, most + UNREAD_ANSWERS) {
            self.ending = Some(CloseCode::Slow.into());
        }
    }

    /// Whether there was room. An empty queue has room for any frame.
    fn put(&mut self, frame: Arc<Encoded>, most: usize) -> bool {
        let room = room_of(&frame.frame);
        let fits = self.queue.is_empty() || self.taken + room <= most;
        if fits {
            self.taken += room;
            self.queue.push_back((frame, Instant::now()));
        }
        fits
    }

    fn take(&mut self) -> Option<Next> {
        while let Some((frame, since)) = self.queue.pop_front() {
            self.taken -= room_of(&frame.frame);
            if !self.is_repetition(&frame) {
                return Some(Next::Frame(frame, Some(since)));
            }
        }
        if let Some(ending) = self.ending {
            return Some(Next::Close(ending));
        }
        // Unmarked before its state is read: a later frame is queued again, and the state is no older than that.
        if let Some(game) = self.lagged.pop_first() {
            return Some(Next::Resync(game));
        }
        // Only the last of a burst is sent, whenever there is room: how long it waited says nothing.
        self.live_games.take().map(|frame| Next::Frame(frame, None))
    }

    fn is_repetition(&mut self, frame: &Encoded) -> bool {
        let Some(game) = game_of(&frame.frame) else {
            return false;
        };
        if matches!(frame.frame, ServerFrame::Resync(_) | ServerFrame::OnGameStart(_)) {
            self.floors.remove(&game);
            return false;
        }
        let floor = self.floors.get(&game).copied().unwrap_or(0);
        frame.at.is_some_and(|(_, position)| position.version <= floor)
    }
}

/// The room that a frame takes: one for itself, one for each move in it.
fn room_of(frame: &ServerFrame) -> usize {
    let whole = |game: &LiveGame| game.history.len();
    1 + match frame {
        ServerFrame::OnGameStart(game) => whole(game),
        ServerFrame::OnMoveRejected(rejected) => rejected.game.as_deref().map_or(0, whole),
        ServerFrame::Resync(resync) => match &resync.game {
            Some(GameView::Live(game)) => whole(game),
            Some(GameView::Finished { record, .. }) => record.moves.len(),
            None => 0,
        },
        _ => 0,
    }
}

/// The game that a frame is about, if it is pushed by one.
pub fn game_of(frame: &ServerFrame) -> Option<GameId> {
    match frame {
        ServerFrame::OnGameStart(game) => Some(game.summary.id),
        ServerFrame::OnGameUpdate(update) => Some(update.at.game_id),
        ServerFrame::OnGameEnded(ended) => Some(ended.at.game_id),
        ServerFrame::OnDurable(durable) => Some(durable.game_id),
        ServerFrame::OnUserConnectionChange(change) => Some(change.game_id),
        ServerFrame::OnSpectators(count) => Some(count.game_id),
        ServerFrame::Resync(resync) => Some(resync.game_id),
        ServerFrame::OnWelcome(_)
        | ServerFrame::OnWaiting(_)
        | ServerFrame::OnMoveAccepted(_)
        | ServerFrame::OnMoveRejected(_)
        | ServerFrame::OnLiveGames(_)
        | ServerFrame::OnNewGameRejected(_)
        | ServerFrame::OnError(_)
        | ServerFrame::Pong => None,
    }
}

#[cfg(test)]
mod tests;
