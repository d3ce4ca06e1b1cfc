//! What a socket was told of its one game: each version once, in order, up to the end and nothing after it.

use std::sync::{Arc, Mutex, PoisonError};

use commands::games::{Listener, Push};
use contract::Version;
use contract::frames::ServerFrame;
use turnstream_commands as commands;

/// Remembers how far it is, and no frame.
#[derive(Default)]
pub(super) struct Witness {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    version: Option<Version>,
    ended: bool,
    wrong: Option<String>,
}

impl Witness {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The version that ended the game, if it was told of it.
    pub(super) fn saw_the_end_at(&self) -> Option<Version> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.version.filter(|_| told.ended)
    }

    /// Panics if it was told something that it should not have been.
    pub(super) fn must_be_content(&self) {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(told.wrong, None);
    }
}

impl Told {
    fn step(&mut self, version: Version, ends: bool) {
        if self.ended || self.version.is_none_or(|seen| seen + 1 != version) {
            self.wrong = Some(format!("{version} came after {self:?}"));
        }
        self.version = Some(version);
        self.ended = ends;
    }
}

impl Listener for Witness {
    fn push(&self, push: Push) {
        let Push::Frame(frame) = push else { return };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match &frame.frame {
            ServerFrame::OnGameStart(live) => told.version = Some(live.version),
            ServerFrame::OnGameUpdate(update) => told.step(update.at.version, false),
            ServerFrame::OnGameEnded(ended) => told.step(ended.at.version, true),
            _ => {}
        }
    }
}
