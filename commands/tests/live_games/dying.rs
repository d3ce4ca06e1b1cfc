//! A background task that dies ends all of them, and it is known which it was.

use std::sync::Arc;

use async_trait::async_trait;
use commands::live::{Limits, LiveGames, Parts};
use commands::ports::{Clock, Monotonic};
use contract::Millis;
use embedded::{Embedded, EmbeddedConfig};
use testkit::clock::FakeClock;
use testkit::fixtures::{game_id, writer};
use testkit::seeds::KnownSeeds;
use turnstream_commands as commands;

use crate::ears::PATIENCE;

/// A clock that fails whoever sleeps by it for a second.
struct Broken(Arc<FakeClock>);

#[async_trait]
impl Clock for Broken {
    fn now(&self) -> Millis {
        self.0.now()
    }

    fn monotonic(&self) -> Monotonic {
        self.0.monotonic()
    }

    async fn sleep(&self, ms: u64) {
        assert_ne!(ms, 1_000, "the test says so");
        self.0.sleep(ms).await;
    }
}

#[tokio::test]
async fn the_task_that_died_is_named_and_the_others_end_with_it() {
    let clock = FakeClock::at(Millis(1_790_000_000_000));
    let embedded = Embedded::open(EmbeddedConfig::default(), clock.clone())
        .await
        .expect("memory can be used");
    let games = LiveGames::new(Parts {
        writer: writer(),
        clock: Arc::new(Broken(clock.clone())),
        log: embedded.log(),
        pending: embedded.pending(),
        seeds: Arc::new(KnownSeeds),
        committed: Arc::default(),
        observers: Vec::new(),
        limits: Limits::default(),
        new_game_id: Box::new(game_id),
    });
    let died = tokio::time::timeout(PATIENCE, games.run()).await;
    assert_eq!(
        died.expect("it is noticed at once"),
        Err("the telling of spectator counts")
    );
    while clock.sleepers() > 0 {
        tokio::task::yield_now().await;
    }
}
