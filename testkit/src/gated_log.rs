//! A log whose answers a test decides on: it hands everything on to a real one, or holds it back.
//!
//! For what no server can be brought to do at a given moment: to lose an answer, to fall silent, to refuse for good.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{AppendError, EventLog, Link, LogEntry, LogInfo, Outgoing, Unavailable};
use contract::{GameId, GameKey, Seq};
use tokio::sync::{mpsc, watch};

/// What becomes of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// They are handed on.
    Open,
    /// Appends wait until the gate changes; reads are handed on.
    Hold,
    /// Reads of a game's newest message wait until the gate changes; appends are handed on.
    HoldLooks,
    /// Appends are refused for good; reads are handed on.
    Refuse,
    /// Appends fail inside, as by a mistake in the program; reads are handed on.
    Panic,
    /// Appends are refused for now, as by a full store; reads are handed on.
    Full,
    /// Appends are handed on, and their answers are lost; reads are handed on.
    LoseAnswers,
    /// Connected, but nothing is handed on and nothing is answered: every call ends after the deadline.
    Silent,
    /// Not connected: every call fails at once.
    Down,
}

/// How many calls there were so far, answered or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// Of `append`.
    pub appends: u32,
    /// Of `last`.
    pub lasts: u32,
    /// Of `info`, which is what a silent log is probed with.
    pub infos: u32,
    /// Of `link`.
    pub links: u32,
}

/// The log.
pub struct GatedLog {
    log: RwLock<Arc<dyn EventLog>>,
    deadline: Duration,
    gate: watch::Sender<Gate>,
    link: watch::Sender<Link>,
    calls: watch::Sender<Calls>,
}

impl GatedLog {
    /// An open gate before `log`. While it is [`Gate::Silent`] a call ends after `deadline`.
    pub fn new(log: Arc<dyn EventLog>, deadline: Duration) -> Arc<Self> {
        Arc::new(Self {
            log: RwLock::new(log),
            deadline,
            gate: watch::Sender::new(Gate::Open),
            link: watch::Sender::new(Link::Up(1)),
            calls: watch::Sender::default(),
        })
    }

    /// Changes the gate, for calls that wait at it too. Leaving [`Gate::Down`] is a new connection.
    pub fn set(&self, gate: Gate) {
        let before = self.gate.send_replace(gate);
        if gate == Gate::Down {
            self.link.send_replace(Link::Down);
        } else if before == Gate::Down {
            let connections = u64::from(self.calls.borrow().links) + 2;
            self.link.send_replace(Link::Up(connections));
        }
    }

    /// Puts another log behind the gate, as if what there was had been replaced by an older copy.
    pub fn replace(&self, log: Arc<dyn EventLog>) {
        *self.log.write().unwrap_or_else(PoisonError::into_inner) = log;
    }

    fn log(&self) -> Arc<dyn EventLog> {
        self.log.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many calls there were.
    pub fn calls(&self) -> Calls {
        *self.calls.borrow()
    }

    /// Returns as soon as the calls are as `wanted`.
    pub async fn until_calls(&self, wanted: impl FnMut(&Calls) -> bool) -> Calls {
        let mut calls = self.calls.subscribe();
        *calls
            .wait_for(wanted)
            .await
            .expect("the sender lives as long as the log")
    }

    /// The gate, once it holds nothing back any more.
    async fn passed(&self) -> Gate {
        let mut gate = self.gate.subscribe();
        *gate
            .wait_for(|gate| *gate != Gate::Hold)
            .await
            .expect("the sender lives as long as the log")
    }

    /// Whether a read is answered, and if not, why.
    async fn readable(&self) -> Result<(), Unavailable> {
        let gate = *self.gate.borrow();
        match gate {
            Gate::Down => Err(Unavailable::new("log", "it is not connected")),
            Gate::Silent => {
                tokio::time::sleep(self.deadline).await;
                Err(Unavailable::new("log", "it does not answer"))
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl EventLog for GatedLog {
    async fn info(&self) -> Result<LogInfo, Unavailable> {
        self.calls.send_modify(|calls| calls.infos += 1);
        self.readable().await?;
        self.log().info().await
    }

    async fn append(&self, message: &Outgoing, expected: Seq) -> Result<Seq, AppendError> {
        self.calls.send_modify(|calls| calls.appends += 1);
        let unknown = |why: &str| AppendError::Unknown(why.to_owned());
        match self.passed().await {
            Gate::Refuse => Err(AppendError::Permanent("the test says so".to_owned())),
            Gate::Panic => panic!("the test says so"),
            Gate::Full => Err(unknown("the store is full")),
            Gate::LoseAnswers => {
                let answer = self.log().append(message, expected).await;
                answer.and(Err(unknown("the answer was lost")))
            }
            Gate::Silent => {
                tokio::time::sleep(self.deadline).await;
                Err(unknown("it does not answer"))
            }
            Gate::Down => Err(unknown("it is not connected")),
            Gate::Open | Gate::Hold | Gate::HoldLooks => self.log().append(message, expected).await,
        }
    }

    async fn last(&self, key: GameKey) -> Result<Option<LogEntry>, Unavailable> {
        self.calls.send_modify(|calls| calls.lasts += 1);
        let mut gate = self.gate.subscribe();
        gate.wait_for(|gate| *gate != Gate::HoldLooks)
            .await
            .expect("the sender lives as long as the log");
        self.readable().await?;
        self.log().last(key).await
    }

    async fn read_game(&self, key: GameKey, after: Seq) -> Result<Vec<LogEntry>, Unavailable> {
        self.readable().await?;
        self.log().read_game(key, after).await
    }

    async fn find_ended(&self, id: GameId) -> Result<Option<LogEntry>, Unavailable> {
        self.readable().await?;
        self.log().find_ended(id).await
    }

    async fn unfinished(&self) -> Result<Vec<GameKey>, Unavailable> {
        self.readable().await?;
        self.log().unfinished().await
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.calls.send_modify(|calls| calls.links += 1);
        self.link.subscribe()
    }

    async fn takeovers(&self) -> Result<mpsc::Receiver<LogEntry>, Unavailable> {
        self.log().takeovers().await
    }
}
