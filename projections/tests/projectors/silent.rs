//! A reader that falls silent without an error, as consumers do after a server's restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use async_trait::async_trait;
use commands::ports::{LogEntry, Unavailable};
use contract::{Seq, WriterId};
use projections::ports::{LogCursor, LogFilter, LogReader};

use super::world::World;

const ONE: WriterId = WriterId(0xa);

/// Its cursors are as they should be until they are silenced; those that are opened afterwards are not.
struct Silenced {
    reader: Arc<dyn LogReader>,
    times: Arc<AtomicUsize>,
}

struct Cursor {
    inner: Box<dyn LogCursor>,
    times: Arc<AtomicUsize>,
    opened_at: usize,
}

impl Silenced {
    fn over(reader: Arc<dyn LogReader>) -> Arc<Self> {
        Arc::new(Self {
            reader,
            times: Arc::default(),
        })
    }

    fn silence(&self) {
        self.times.fetch_add(1, SeqCst);
    }
}

#[async_trait]
impl LogReader for Silenced {
    async fn open(&self, after: Seq, filter: LogFilter) -> Result<Box<dyn LogCursor>, Unavailable> {
        Ok(Box::new(Cursor {
            inner: self.reader.open(after, filter).await?,
            times: self.times.clone(),
            opened_at: self.times.load(SeqCst),
        }))
    }
}

#[async_trait]
impl LogCursor for Cursor {
    async fn next(&mut self, max: usize, wait_ms: u64) -> Result<Vec<LogEntry>, Unavailable> {
        // Short waits: the clock that stalls are measured on is the test's.
        let entries = self.inner.next(max, wait_ms.min(2)).await?;
        if self.times.load(SeqCst) == self.opened_at {
            return Ok(entries);
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_reader_that_falls_silent_is_opened_anew_and_nothing_is_passed_over() {
    let mut world = World::open().await;
    let reader = Silenced::over(world.stores.reader());
    world.reader = reader.clone();
    let mut game = world.game(2).await;
    let projector = world.following(ONE).await;
    for silences in 1..=3 {
        reader.silence();
        world.play(&mut game, 2).await;
        let end = world.end().await;
        world
            .turn_until(async || projector.progress.status().checkpoint == Some(end))
            .await;
        let status = projector.progress.status();
        assert_eq!((status.counts.reopened, status.lag()), (silences, Some(0)));
    }
    let stored = world.snapshot(&game).await.map(|stored| stored.version);
    assert_eq!(stored, Some(game.state().version));
}
