//! What is known from beat to beat.

use std::sync::atomic::Ordering;

use commands::election::Election;
use commands::games::{Games, Role};
use commands::live::LiveGames;
use commands::ports::{Heartbeat, Link, LogIdentity, Monotonic};
use tokio::sync::{mpsc, watch};

use super::neighbours::Neighbours;
use super::{Due, Ownership};

/// How often what waits is looked at although nothing points to it, in milliseconds.
const LOOK_AT_WAITING_EVERY_MS: i64 = 10_000;

/// What one process knows of the others, and of itself.
pub(super) struct Watch {
    pub(super) election: Election,
    /// Which log this is, once it has answered.
    pub(super) identity: Option<LogIdentity>,
    /// Since when this process runs.
    pub(super) since: i64,
    /// When it looked around last.
    pub(super) looked_at: Monotonic,
    /// Whether nothing is sent to the log until it is clear that nobody took over.
    pub(super) held_back: bool,
    /// Whether there are games that nobody holds: the log was away at the last restore, or a process that is gone took
    /// them.
    pub(super) restore_is_due: bool,
    /// Whether events may wait in the pending store that no restore has looked at.
    waiting_is_due: bool,
    /// When a restore looked there last.
    looked_at_waiting: Monotonic,
    /// The processes of this machine.
    pub(super) neighbours: Neighbours,
    /// A service of another log on the same live store.
    pub(super) stranger: Option<Stranger>,
    link: watch::Receiver<Link>,
    known_link: Link,
    pending: watch::Receiver<Link>,
    known_pending: Link,
    heard: Option<mpsc::Receiver<Heartbeat>>,
    lost_games: u64,
    strays: u64,
}

/// A service of another log.
pub(super) struct Stranger {
    pub(super) who: Heartbeat,
    /// Since when it is seen without a break.
    pub(super) since: Monotonic,
}

impl Watch {
    pub(super) fn begin(ownership: &Ownership) -> Self {
        let now = ownership.clock.monotonic();
        let mut link = ownership.restore.log.link();
        let known_link = *link.borrow_and_update();
        let mut pending = ownership.restore.pending.link();
        let known_pending = *pending.borrow_and_update();
        Self {
            election: Election::new(ownership.games().writer(), now),
            identity: None,
            since: ownership.clock.now().0,
            looked_at: now,
            held_back: false,
            restore_is_due: false,
            waiting_is_due: false,
            looked_at_waiting: now,
            neighbours: Neighbours::of_this_machine(),
            stranger: None,
            link,
            known_link,
            pending,
            known_pending,
            heard: None,
            lost_games: 0,
            strays: 0,
        }
    }

    /// Whether the log could be reached when this was looked at last.
    pub(super) fn link_is_up(&self) -> bool {
        self.known_link.is_up()
    }

    /// Whether the connection to the log came, went, or is another one.
    pub(super) fn link_changed(&mut self) -> bool {
        let link = *self.link.borrow_and_update();
        let changed = link != self.known_link;
        if changed {
            self.known_link = link;
            // The stream may have been made anew meanwhile.
            self.identity = None;
        }
        changed
    }

    /// What a restore left for later.
    pub(super) fn left(&mut self, due: Due, now: Monotonic) {
        self.looked_at_waiting = now;
        self.restore_is_due = due.all;
        self.waiting_is_due = due.waiting;
    }

    /// A pending store that is connected anew may have more than it had.
    pub(super) fn notice_pending(&mut self) {
        let link = *self.pending.borrow_and_update();
        if link != std::mem::replace(&mut self.known_pending, link) {
            self.waiting_is_due |= link.is_up();
        }
    }

    /// Whether what waits is to be looked at, and can be. It is from time to time although nothing points to it: a process
    /// that stood still may copy what it has after its games were restored elsewhere, and die before it sets that aside.
    pub(super) fn can_look_at_waiting(&self, now: Monotonic) -> bool {
        let is_due = self.waiting_is_due || now.since(self.looked_at_waiting) >= LOOK_AT_WAITING_EVERY_MS;
        is_due && self.known_pending.is_up() && self.link_is_up()
    }

    /// Whether another process took games that this one, being active, held. If it is gone by now they are nobody's.
    pub(super) fn notice_lost_games(&mut self, games: &LiveGames) -> bool {
        let lost = games.counters().taken_over.load(Ordering::Relaxed);
        let more = lost != std::mem::replace(&mut self.lost_games, lost) && games.role() == Role::Active;
        self.restore_is_due |= more;
        more
    }

    /// Whether the log has games of others that are not held here. Those of a process that is gone (what it sent last may
    /// land after its death) are nobody's; those of one that is active are its own.
    pub(super) fn notice_strays(&mut self, games: &LiveGames) {
        let strays = games.counters().begun_elsewhere.load(Ordering::Relaxed);
        let more = strays != std::mem::replace(&mut self.strays, strays);
        self.restore_is_due |= more && games.role() == Role::Active;
    }

    /// Takes in what the others said, and which log this is.
    pub(super) async fn hear(&mut self, ownership: &Ownership, now: Monotonic) {
        if self.identity.is_none() && self.link_is_up() {
            let info = ownership.restore.log.info().await;
            self.identity = info.ok().map(|info| info.identity);
        }
        if self.heard.is_none() {
            match ownership.heartbeats.listen().await {
                Ok(heard) => self.heard = Some(heard),
                Err(error) => tracing::warn!("other processes cannot be heard yet: {error}"),
            }
        }
        while let Some(heartbeat) = self.next_heartbeat() {
            self.neighbours.meet(&heartbeat);
            self.election.heard(&heartbeat, now);
        }
    }

    /// Looks among the keys for a service of another log. As long as this one's is not known, nobody is strange.
    pub(super) fn meet_stranger(&mut self, keys: &[Heartbeat], now: Monotonic) {
        let Some(own) = &self.identity else { return };
        let is_strange = |key: &&Heartbeat| !key.log.0.is_empty() && key.log != *own;
        let since = self.stranger.take().map_or(now, |met| met.since);
        self.stranger = keys.iter().find(is_strange).map(|key| Stranger {
            who: key.clone(),
            since,
        });
    }

    fn next_heartbeat(&mut self) -> Option<Heartbeat> {
        match self.heard.as_mut()?.try_recv() {
            Ok(heartbeat) => Some(heartbeat),
            Err(mpsc::error::TryRecvError::Empty) => None,
            Err(mpsc::error::TryRecvError::Disconnected) => {
                self.heard = None;
                None
            }
        }
    }
}
