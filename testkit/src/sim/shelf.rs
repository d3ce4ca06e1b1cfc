//! A store, and the way of each process to it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use commands::ports::{Link, PendingStore, ServiceKeys, Unavailable};
use contract::GameId;
use projections::ports::{Cache, HistoryStore, LiveStore};
use tokio::sync::watch;

use super::bus::lock;
use super::{Chance, Life, Outside, Time};

/// The deadline of every call to the live store.
const DEADLINE: Duration = Duration::from_millis(100);

/// The longest that a call takes on its way, in milliseconds.
const TRAVEL_MS: u64 = 2;

/// How a store can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// It answers.
    #[default]
    Open,
    /// It is not there: calls fail at once.
    Gone,
    /// It does nothing, and calls end at their deadline.
    Hung,
    /// It does what it is asked, and the answers are lost.
    Mute,
}

/// The ports that one store serves.
#[derive(Clone)]
pub struct ShelfPorts {
    /// Live snapshots.
    pub live: Arc<dyn LiveStore>,
    /// What waits for the log.
    pub pending: Arc<dyn PendingStore>,
    /// Cached lists.
    pub cache: Arc<dyn Cache>,
    /// The services' keys.
    pub keys: Arc<dyn ServiceKeys>,
    /// Finished games.
    pub history: Arc<dyn HistoryStore>,
}

struct State {
    ports: ShelfPorts,
    access: Access,
    /// Games that it refuses as data, for ever.
    refused: HashSet<GameId>,
}

/// A store as one process sees it; whatever is done to it, all processes see. Its ports are the traits it implements.
#[derive(Clone)]
pub struct Shelf {
    what: &'static str,
    seen_by: usize,
    outside: Arc<Outside>,
    time: Arc<Time>,
    chance: Chance,
    life: Life,
    state: Arc<Mutex<State>>,
    link: watch::Sender<Link>,
    connections: Arc<AtomicU64>,
}

impl Shelf {
    /// A store, called `what`, as somebody sees it who always lives.
    pub fn new(
        what: &'static str,
        outside: Arc<Outside>,
        time: Arc<Time>,
        chance: Chance,
        ports: ShelfPorts,
    ) -> Self {
        let state = State {
            ports,
            access: Access::Open,
            refused: HashSet::new(),
        };
        Self {
            what,
            seen_by: usize::MAX,
            outside,
            time,
            chance,
            life: Life::default(),
            state: Arc::new(Mutex::new(state)),
            link: watch::Sender::new(Link::Up(1)),
            connections: Arc::default(),
        }
    }

    /// The same, as the process of that number and life sees it.
    #[must_use]
    pub fn seen_by(&self, number: usize, life: Life) -> Self {
        Self {
            seen_by: number,
            life,
            ..self.clone()
        }
    }

    /// Changes how it can be reached. One that does not answer counts as down.
    pub fn set(&self, access: Access) {
        lock(&self.state).access = access;
        if access == Access::Open {
            self.link.send_if_modified(|link| {
                let was_down = !link.is_up();
                if was_down {
                    *link = self.another_connection();
                }
                was_down
            });
        } else {
            self.link.send_replace(Link::Down);
        }
    }

    /// Everybody has to connect anew.
    pub fn reconnect(&self) {
        if self.access() == Access::Open {
            self.link.send_replace(self.another_connection());
        }
    }

    fn another_connection(&self) -> Link {
        Link::Up(self.connections.fetch_add(1, Ordering::Relaxed) + 2)
    }

    pub(super) fn link_to(&self) -> watch::Receiver<Link> {
        self.link.subscribe()
    }

    /// How it can be reached.
    pub fn access(&self) -> Access {
        lock(&self.state).access
    }

    /// Serves other ports from now on: an empty store, or the same one at an earlier time.
    pub fn serve(&self, ports: ShelfPorts) {
        lock(&self.state).ports = ports;
    }

    /// Refuses this game as data from now on, for ever.
    pub fn refuse(&self, game: GameId) {
        lock(&self.state).refused.insert(game);
    }

    pub(super) fn refuses(&self, game: GameId) -> bool {
        lock(&self.state).refused.contains(&game)
    }

    /// Its ports, past all faults.
    pub fn ports(&self) -> ShelfPorts {
        lock(&self.state).ports.clone()
    }

    fn fails(&self, why: &str) -> Unavailable {
        Unavailable::new(self.what, why)
    }

    async fn travel(&self, call: &'static str) {
        let ms = self.chance.below((self.what, self.seen_by, call), TRAVEL_MS + 1);
        if ms > 0 {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
    }

    /// Makes a call, called `call`, with the way there and back.
    pub(super) async fn reach<T: Send + 'static, E: From<Unavailable> + Send + 'static>(
        &self,
        call: &'static str,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E> {
        self.way_to(call, || self.outside.call(work)).await
    }

    /// The same to what the adapter keeps in memory alone.
    pub(super) async fn reach_memory<T>(
        &self,
        call: &'static str,
        work: impl Future<Output = Result<T, Unavailable>>,
    ) -> Result<T, Unavailable> {
        self.way_to(call, || self.outside.at_once(work)).await
    }

    async fn way_to<T, E: From<Unavailable>>(
        &self,
        call: &'static str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.life.pass().await;
        self.travel(call).await;
        let access = self.access();
        let outcome = match access {
            Access::Open | Access::Mute => {
                self.time.show();
                Some(work())
            }
            Access::Gone => return Err(self.fails("it is not connected").into()),
            Access::Hung => None,
        };
        if let Some(outcome) = outcome
            && access == Access::Open
        {
            self.travel(call).await;
            self.life.pass().await;
            return outcome;
        }
        tokio::time::sleep(DEADLINE).await;
        self.life.pass().await;
        Err(self.fails("no answer in time").into())
    }
}
