//! Copies of what the log did not take, or may have lost, in the pending store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use commands::live::Limits;
use commands::ports::{Link, PendingGame, PendingStore, Unavailable};
use contract::{EventId, GameKey, WriterId};
use testkit::gated_log::Gate;
use tokio::sync::watch;
use turnstream_commands as commands;

use crate::ears::PATIENCE;
use crate::service::{Service, key};

/// A store that does what it is asked, but loses its first answers to `append`, is away for the first calls of `append`
/// and of `trim`, and is connected as the test says.
pub struct Troubles {
    pub lost_answers: AtomicU32,
    pub refused_appends: AtomicU32,
    pub refused_trims: AtomicU32,
    pub link: watch::Sender<Link>,
}

impl Default for Troubles {
    fn default() -> Self {
        Self {
            lost_answers: AtomicU32::new(0),
            refused_appends: AtomicU32::new(0),
            refused_trims: AtomicU32::new(0),
            link: watch::Sender::new(Link::Up(1)),
        }
    }
}

struct Troubled {
    store: Arc<dyn PendingStore>,
    troubles: Arc<Troubles>,
}

/// Takes one, if there is one left.
fn take(left: &AtomicU32) -> bool {
    let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    taken.is_ok()
}

fn away() -> Unavailable {
    Unavailable::new("pending store", "the test says so")
}

pub async fn service_with(troubles: &Arc<Troubles>) -> Service {
    let troubles = troubles.clone();
    let before = |store| -> Arc<dyn PendingStore> { Arc::new(Troubled { store, troubles }) };
    Service::with_pending(Limits::default(), before).await
}

#[async_trait]
impl PendingStore for Troubled {
    async fn append(&self, game: &PendingGame) -> Result<(), Unavailable> {
        if take(&self.troubles.refused_appends) {
            return Err(away());
        }
        self.store.append(game).await?;
        if take(&self.troubles.lost_answers) {
            return Err(away());
        }
        Ok(())
    }

    async fn trim(&self, key: GameKey, writer: WriterId, place: EventId) -> Result<(), Unavailable> {
        if take(&self.troubles.refused_trims) {
            return Err(away());
        }
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

    fn link(&self) -> watch::Receiver<Link> {
        self.troubles.link.subscribe()
    }
}

async fn until_looked(service: &Service, looks: u32) {
    let looked = service.log.until_calls(|calls| calls.lasts > looks);
    tokio::time::timeout(PATIENCE, looked)
        .await
        .expect("the log is asked for the game's end");
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
    let troubles = Arc::new(Troubles {
        lost_answers: AtomicU32::new(1),
        ..Troubles::default()
    });
    let service = service_with(&troubles).await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    service.log.set(Gate::Hold);
    let played = service.play(game, &first.user, "m1", 0).await.unwrap();
    assert!(!played.durable);
    service.until_pending(game, |pending| pending.is_some()).await;
    // Before the copy is tried again.
    service.log.set(Gate::Open);
    service.until_pending(game, |pending| pending.is_none()).await;
}

#[tokio::test]
async fn a_copy_is_dropped_though_the_log_goes_again_before_it_is_and_nothing_is_kept_any_more() {
    let troubles = Arc::new(Troubles {
        refused_trims: AtomicU32::new(1),
        ..Troubles::default()
    });
    let service = service_with(&troubles).await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    assert!(service.play(game, &first.user, "m1", 0).await.unwrap().durable);
    service.log.set(Gate::Down);
    service.until_pending(game, |pending| pending.is_some()).await;
    service.pass(4_000).await;
    service.log.set(Gate::Open);
    let asked = async {
        while troubles.refused_trims.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asked)
        .await
        .expect("the store is asked to drop the copy");
    service.log.set(Gate::Down);
    service.until_pending(game, |pending| pending.is_none()).await;
}

#[tokio::test]
async fn however_often_the_log_goes_before_it_is_back_what_it_may_have_lost_is_looked_for() {
    let service = Service::start().await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    assert!(service.play(game, &first.user, "m1", 0).await.unwrap().durable);
    service.log.set(Gate::Down);
    service.until_pending(game, |pending| pending.is_some()).await;
    service.pass(4_000).await;
    // An attempt to connect that came to nothing.
    service.log.set(Gate::Down);
    service.settle().await;
    let looks = service.log.calls().lasts;
    service.log.set(Gate::Open);
    until_looked(&service, looks).await;
    service.until_pending(game, |pending| pending.is_none()).await;
}

#[tokio::test]
async fn what_waits_is_copied_again_to_a_store_that_comes_back_empty() {
    let troubles = Arc::new(Troubles::default());
    let service = service_with(&troubles).await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    assert!(service.play(game, &first.user, "m1", 0).await.unwrap().durable);
    service.log.set(Gate::Down);
    service.until_pending(game, |pending| pending.is_some()).await;
    let copied = service.pending(game).await;
    let store = service.embedded.pending();
    store
        .quarantine(key(game), service.writer, &[], "it is emptied")
        .await
        .unwrap();
    assert_eq!(service.pending(game).await, None);
    troubles.link.send_replace(Link::Down);
    troubles.link.send_replace(Link::Up(2));
    service
        .until_pending(game, |pending| pending == copied.as_ref())
        .await;
}

#[tokio::test]
async fn what_comes_next_is_copied_to_a_store_that_came_back_older() {
    let troubles = Arc::new(Troubles::default());
    let service = service_with(&troubles).await;
    let (game, first, second) = service.pair("ann", "bob").await;
    service.log.set(Gate::Down);
    service.play(game, &first.user, "m1", 5).await.unwrap();
    service.until_pending(game, |pending| pending.is_some()).await;
    let older = service.pending(game).await.expect("it was there");
    service.log.set(Gate::Open);
    service.until_pending(game, |pending| pending.is_none()).await;
    // It lost the trim, and knows nothing of what the log took since.
    let store = service.embedded.pending();
    store.append(&older).await.unwrap();
    troubles.link.send_replace(Link::Down);
    troubles.link.send_replace(Link::Up(2));
    service.settle().await;
    let version = service.play(game, &second.user, "m2", 8).await.unwrap().version;
    service.until_durable(game, version).await;
    service.pass(4_000).await;
    service.log.set(Gate::Down);
    let newest = service.play(game, &first.user, "m3", 0).await.unwrap().version;
    service
        .until_pending(game, |pending| {
            let last = pending.and_then(|list| list.items.last());
            last.is_some_and(|item| item.place.version == newest)
        })
        .await;
}
