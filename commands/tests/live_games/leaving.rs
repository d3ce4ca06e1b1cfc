//! A process that stops in good order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use commands::live::{LeftBehind, Limits};
use commands::ports::Link;
use testkit::gated_log::Gate;
use turnstream_commands as commands;

use crate::copies::{Troubles, service_with};
use crate::ears::PATIENCE;
use crate::service::Service;

/// Long enough for a store in memory, and no longer, since the log is waited for in vain.
const SHORT: Duration = Duration::from_secs(2);

/// More often than this nothing is copied anew in that time, at four times a second.
const WHILE_THE_LOG_IS_WAITED_FOR: u32 = 9;

#[tokio::test]
async fn a_service_that_ends_in_good_order_drops_the_copies_of_what_the_log_has() {
    let troubles = Arc::new(Troubles {
        refused_trims: AtomicU32::new(1),
        ..Troubles::default()
    });
    let service = service_with(&troubles).await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    service.log.set(Gate::Down);
    service.play(game, &first.user, "m1", 0).await.unwrap();
    service.until_pending(game, |pending| pending.is_some()).await;
    service.log.set(Gate::Open);
    service.until_durable(game, 2).await;
    let left = service.games.shutdown(PATIENCE).await;
    assert_eq!((left.waiting, left.copied), (0, true));
    assert_eq!(service.pending(game).await, None);
}

#[tokio::test]
async fn what_the_log_did_not_take_goes_to_a_pending_store_that_comes_back_in_time() {
    let troubles = Arc::new(Troubles {
        refused_appends: AtomicU32::new(u32::MAX),
        ..Troubles::default()
    });
    let service = service_with(&troubles).await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    service.until_durable(game, 1).await;
    service.log.set(Gate::Down);
    service.play(game, &first.user, "m1", 0).await.unwrap();
    troubles.link.send_replace(Link::Down);
    let coming_back = async {
        while troubles.refused_appends.load(Ordering::Relaxed) > u32::MAX - WHILE_THE_LOG_IS_WAITED_FOR {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        troubles.refused_appends.store(0, Ordering::Relaxed);
    };
    let (left, ()) = tokio::join!(service.games.shutdown(SHORT), coming_back);
    let kept = LeftBehind {
        waiting: 1,
        copied: true,
    };
    assert_eq!(left, kept);
    let pending = service.pending(game).await.expect("it is there");
    let versions: Vec<_> = pending.items.iter().map(|item| item.place.version).collect();
    assert_eq!(versions, [1, 2]);
}

#[tokio::test]
async fn what_neither_the_log_nor_the_pending_store_took_is_not_said_to_be_there() {
    let troubles = Arc::new(Troubles {
        refused_appends: AtomicU32::new(u32::MAX),
        ..Troubles::default()
    });
    let service = service_with(&troubles).await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    service.until_durable(game, 1).await;
    service.log.set(Gate::Down);
    service.play(game, &first.user, "m1", 0).await.unwrap();
    troubles.link.send_replace(Link::Down);
    let left = service.games.shutdown(SHORT).await;
    let lost = LeftBehind {
        waiting: 1,
        copied: false,
    };
    assert_eq!(left, lost);
    assert_eq!(service.pending(game).await, None);
    assert!(troubles.refused_appends.load(Ordering::Relaxed) < u32::MAX);
}

#[tokio::test]
async fn what_had_no_time_to_be_copied_is_copied_at_the_end() {
    // So patient that nobody copies anything meanwhile.
    let patient = Limits {
        ack_wait_ms: 60_000,
        ..Limits::default()
    };
    let service = Service::with(patient).await;
    let (game, first, _second) = service.pair("ann", "bob").await;
    service.until_durable(game, 1).await;
    service.log.set(Gate::Hold);
    let playing = service.play(game, &first.user, "m1", 0);
    let leaving = async {
        service.log.until_calls(|calls| calls.appends == 2).await;
        service.games.shutdown(SHORT).await
    };
    let left = tokio::select! {
        left = leaving => left,
        _ = playing => panic!("the log does not answer"),
    };
    assert_eq!((left.waiting, left.copied), (1, true));
    assert!(service.pending(game).await.is_some());
}
