//! Copies of what the log did not take, or may have lost, in the pending store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use commands::live::Limits;
use commands::ports::{PendingGame, PendingStore, Unavailable};
use contract::{EventId, GameKey, WriterId};
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::service::Service;

/// A store that does what it is asked, and whose first answers are lost.
struct Mute {
    store: Arc<dyn PendingStore>,
    answers_to_lose: AtomicU32,
}

#[async_trait]
impl PendingStore for Mute {
    async fn append(&self, game: &PendingGame) -> Result<(), Unavailable> {
        self.store.append(game).await?;
        let left = self
            .answers_to_lose
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        match left {
            Ok(_) => Err(Unavailable::new("pending store", "the answer was lost")),
            Err(_) => Ok(()),
        }
    }

    async fn trim(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), Unavailable> {
        self.store.trim(key, writer, place).await
    }

    async fn load(&self) -> Result<Vec<PendingGame>, Unavailable> {
        self.store.load().await
    }

    async fn quarantine(
        &self,
        key: GameKey,
        writer: WriterId,
        keep_out: &[EventId],
        reason: &str,
    ) -> Result<(), Unavailable> {
        self.store.quarantine(key, writer, keep_out, reason).await
    }
}

#[tokio::test]
async fn a_copy_of_what_the_log_still_has_is_dropped_when_the_log_is_back() {
    let service = Service::start().await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    let played = service.play(game, &first.user, "m1", 0).await.unwrap();
    assert!(played.durable);
    service.log.set(Gate::Down);
    service
        .until_pending(game, |pending| pending.is_some_and(|list| list.items.len() == 2))
        .await;
    service.log.set(Gate::Open);
    service.until_pending(game, |pending| pending.is_none()).await;
}

#[tokio::test]
async fn a_copy_that_was_made_without_an_answer_is_dropped_too() {
    let service = Service::with_pending(Limits::default(), |store| {
        let answers_to_lose = AtomicU32::new(1);
        Arc::new(Mute {
            store,
            answers_to_lose,
        })
    })
    .await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    service.log.set(Gate::Hold);
    let played = service.play(game, &first.user, "m1", 0).await.unwrap();
    assert!(!played.durable);
    service.until_pending(game, |pending| pending.is_some()).await;
    // Before the copy is tried again.
    service.log.set(Gate::Open);
    service.until_pending(game, |pending| pending.is_none()).await;
}
