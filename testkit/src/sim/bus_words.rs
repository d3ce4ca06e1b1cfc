//! What processes say to each other over the bus, and the dead letters.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use commands::ports::{Heartbeat, Heartbeats, Unavailable};
use contract::Seq;
use projections::ports::{DeadLetter, DeadLetters, SpectatorCounts, Watched};
use tokio::sync::mpsc;

use super::bus::{Line, lock};

/// How much waits for who listens; what comes then is lost, as on a bus that nobody empties.
const WAITING: usize = 64;

/// Who listens at the end of a line.
pub(super) struct Ears<T>(Mutex<Vec<mpsc::Sender<T>>>);

impl<T> Default for Ears<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Ears<T> {
    fn listen(&self) -> mpsc::Receiver<T> {
        let (ear, heard) = mpsc::channel(WAITING);
        lock(&self.0).push(ear);
        heard
    }

    fn hear(&self, word: &T) {
        // Whoever does not listen any more needs no ear; one that is full misses it.
        lock(&self.0).retain(|ear| {
            !matches!(
                ear.try_send(word.clone()),
                Err(mpsc::error::TrySendError::Closed(_))
            )
        });
    }
}

impl Line {
    fn say<T: Clone>(&self, word: &T, ears: impl Fn(&Self) -> &Ears<T>) {
        for line in lock(&self.bus.lines).iter().filter(|line| line.is_up()) {
            ears(line).hear(word);
        }
    }
}

#[async_trait]
impl Heartbeats for Line {
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), Unavailable> {
        self.go("beat", 0).await?;
        self.say(heartbeat, |line| &line.heartbeats);
        Ok(())
    }

    async fn listen(&self) -> Result<mpsc::Receiver<Heartbeat>, Unavailable> {
        self.go("listen", 0).await?;
        Ok(self.heartbeats.listen())
    }
}

#[async_trait]
impl SpectatorCounts for Line {
    async fn tell(&self, count: Watched) -> Result<(), Unavailable> {
        self.go("tell", 0).await?;
        self.say(&count, |line| &line.counts);
        Ok(())
    }

    async fn listen(&self) -> Result<mpsc::Receiver<Watched>, Unavailable> {
        self.go("listen to counts", 0).await?;
        Ok(self.counts.listen())
    }
}

#[async_trait]
impl DeadLetters for Line {
    async fn put(&self, letter: &DeadLetter) -> Result<(), Unavailable> {
        let (kept, letter) = (Arc::clone(&self.bus.dead_letters), letter.clone());
        self.ask("put", letter.seq.into(), async move { kept.put(&letter).await })
            .await
    }

    async fn count(&self) -> Result<u64, Unavailable> {
        let kept = Arc::clone(&self.bus.dead_letters);
        self.ask("count", 0, async move { kept.count().await }).await
    }

    async fn list(&self, max: usize) -> Result<Vec<DeadLetter>, Unavailable> {
        let kept = Arc::clone(&self.bus.dead_letters);
        self.ask("list", 0, async move { kept.list(max).await }).await
    }
    async fn find(&self, projector: &str, seq: Seq) -> Result<Option<DeadLetter>, Unavailable> {
        let (kept, projector) = (Arc::clone(&self.bus.dead_letters), projector.to_owned());
        let finding = async move { kept.find(&projector, seq).await };
        self.ask("find", seq.into(), finding).await
    }

    async fn remove(&self, projector: &str, seq: Seq) -> Result<bool, Unavailable> {
        let (kept, projector) = (Arc::clone(&self.bus.dead_letters), projector.to_owned());
        let removing = async move { kept.remove(&projector, seq).await };
        self.ask("remove", seq.into(), removing).await
    }
}
