//! The log at the end of a process's line.

use std::sync::Arc;

use async_trait::async_trait;
use commands::ports::{AppendError, EventLog, Link, LogEntry, LogInfo, Outgoing, Unavailable};
use contract::{GameId, GameKey, Seq};
use tokio::sync::{mpsc, watch};

use super::bus::{DEADLINE, Fate, Line};

/// How many takeovers wait for who watches them.
const TAKEOVERS_WAITING: usize = 256;

/// One in so many takeovers is told twice.
const TOLD_TWICE: u64 = 8;

fn unknown(why: impl std::fmt::Display) -> AppendError {
    AppendError::Unknown(why.to_string())
}

impl Line {
    async fn no_answer(&self) -> AppendError {
        tokio::time::sleep(DEADLINE).await;
        self.life.pass().await;
        unknown("no answer within a second")
    }

    async fn die(&self) -> AppendError {
        self.life.kill();
        std::future::pending().await
    }

    async fn tell_takeovers(self: Arc<Self>, mut told: usize, found: mpsc::Sender<LogEntry>) {
        let mut all = self.bus.takeovers.subscribe();
        let mut link = self.link.subscribe();
        loop {
            if all.wait_for(|all| all.len() > told).await.is_err() {
                return;
            }
            if link.wait_for(|link| link.is_up()).await.is_err() {
                return;
            }
            self.bus.travel((self.number, "takeover", told as u128)).await;
            self.life.pass().await;
            let entry = all.borrow()[told].clone();
            told += 1;
            let times = if self.bus.chance.below((self.number, told), TOLD_TWICE) == 0 {
                2
            } else {
                1
            };
            for _ in 0..times {
                if found.send(entry.clone()).await.is_err() {
                    return;
                }
            }
        }
    }
}

struct LineLog(Arc<Line>);

impl Line {
    /// Its log.
    pub fn log(self: &Arc<Self>) -> Arc<dyn EventLog> {
        Arc::new(LineLog(Arc::clone(self)))
    }
}

#[async_trait]
impl EventLog for LineLog {
    async fn info(&self) -> Result<LogInfo, Unavailable> {
        self.0.go("info", 0).await?;
        let info = self.0.bus.info();
        self.0.come("info", 0).await?;
        info
    }

    async fn append(&self, message: &Outgoing, expected: Seq) -> Result<Seq, AppendError> {
        let line = &self.0;
        let bus = &line.bus;
        let of = message.key.id.0.as_u128();
        line.go("append", of).await.map_err(unknown)?;
        match line.fate() {
            Fate::Answered => {
                let answer = bus.append(message.clone(), expected);
                line.come("append", of).await.map_err(unknown)?;
                answer
            }
            Fate::Lost => Err(line.no_answer().await),
            Fate::AnswerLost => {
                let answer = bus.append(message.clone(), expected);
                let no_answer = line.no_answer().await;
                answer.and(Err(no_answer))
            }
            Fate::Late(ms) => {
                bus.append_later(message.clone(), expected, ms);
                Err(line.no_answer().await)
            }
            Fate::DiesBefore => Err(line.die().await),
            Fate::DiesAfter => {
                let answer = bus.append(message.clone(), expected);
                let died = line.die().await;
                answer.and(Err(died))
            }
            Fate::DiesAndLate(ms) => {
                bus.append_later(message.clone(), expected, ms);
                Err(line.die().await)
            }
        }
    }

    async fn last(&self, key: GameKey) -> Result<Option<LogEntry>, Unavailable> {
        let log = self.0.bus.log();
        let of = key.id.0.as_u128();
        self.0.ask("last", of, async move { log.last(key).await }).await
    }

    async fn last_of_each(&self, keys: &[GameKey]) -> Result<Vec<Option<LogEntry>>, Unavailable> {
        let (log, keys) = (self.0.bus.log(), keys.to_vec());
        self.0
            .ask("last_of_each", 0, async move { log.last_of_each(&keys).await })
            .await
    }

    async fn read_game(&self, key: GameKey, after: Seq) -> Result<Vec<LogEntry>, Unavailable> {
        let log = self.0.bus.log();
        let of = key.id.0.as_u128();
        let reading = async move { log.read_game(key, after).await };
        self.0.ask("read_game", of, reading).await
    }

    async fn find_ended(&self, id: GameId) -> Result<Option<LogEntry>, Unavailable> {
        let log = self.0.bus.log();
        let of = id.0.as_u128();
        self.0
            .ask("find_ended", of, async move { log.find_ended(id).await })
            .await
    }

    async fn unfinished(&self) -> Result<Vec<GameKey>, Unavailable> {
        let log = self.0.bus.log();
        self.0
            .ask("unfinished", 0, async move { log.unfinished().await })
            .await
    }

    fn link(&self) -> watch::Receiver<Link> {
        self.0.link.subscribe()
    }

    async fn takeovers(&self) -> Result<mpsc::Receiver<LogEntry>, Unavailable> {
        self.0.go("takeovers", 0).await?;
        let (found, takeovers) = mpsc::channel(TAKEOVERS_WAITING);
        let told = self.0.bus.takeovers.borrow().len();
        self.0
            .bus
            .tasks
            .spawn(Arc::clone(&self.0).tell_takeovers(told, found));
        Ok(takeovers)
    }
}
