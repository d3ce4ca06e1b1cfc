//! The time of day is set, or goes on while the machine sleeps: nobody was away for longer because of that.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use commands::games::Games;
use commands::live::Limits;
use commands::ports::{Clock, Monotonic};
use contract::frames::ServerFrame;
use contract::{EndReason, GameId, Millis, TimeControl};
use turnstream_commands as commands;

use crate::dice::{pair, pair_with_dice};
use crate::service::{Person, Service};

/// How long a player of dice chess may be away, and the mover of a game of mancala without a clock.
const DICE_CHESS_MS: u64 = 30_000;
const MANCALA_MS: u64 = 300_000;

/// How often the watcher looks, in milliseconds.
const TICK_MS: u64 = 10_000;

/// A clock whose time of day is set.
struct SetClock {
    clock: Arc<dyn Clock>,
    set_ms: AtomicI64,
}

#[async_trait]
impl Clock for SetClock {
    fn now(&self) -> Millis {
        self.clock.now().plus(self.set_ms.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Monotonic {
        self.clock.monotonic()
    }

    async fn sleep(&self, ms: u64) {
        self.clock.sleep(ms).await;
    }
}

async fn service() -> (Service, Arc<SetClock>) {
    let mut set = None;
    let clock = |clock| {
        let clock = Arc::new(SetClock {
            clock,
            set_ms: AtomicI64::new(0),
        });
        set = Some(clock.clone());
        clock as Arc<dyn Clock>
    };
    let service = Service::with_ports(Limits::default(), |pending| pending, clock).await;
    (service, set.expect("the service has taken it"))
}

/// One who is away loses when they were away for long enough, and not before, though the time of day is set meanwhile.
async fn loses_in_time(
    (service, clock): (Service, Arc<SetClock>),
    (game, gone, stays): (GameId, Person, Person),
    (away_ms, late_ms): (u64, u64),
    set_ms: i64,
) -> EndReason {
    service.games.disconnect(gone.connection);
    service.pass(away_ms / 2).await;
    clock.set_ms.store(set_ms, Ordering::Relaxed);
    service.pass(away_ms / 2 - 2_000).await;
    let there = service.live(game).connections.expect("it is held here");
    let forfeit_at = there.player1.forfeit_at.or(there.player2.forfeit_at);
    let left_ms = forfeit_at.expect("somebody is away").since(clock.now());
    assert!((0..4_000).contains(&left_ms), "{left_ms} ms are left");
    service.pass(2_000 + late_ms).await;
    let ended = |frame: &ServerFrame| match frame {
        ServerFrame::OnGameEnded(ended) => Some(ended.end_reason),
        _ => None,
    };
    stays.ear.until(ended).await
}

#[tokio::test]
async fn no_player_of_dice_chess_loses_by_a_time_of_day_that_is_set() {
    for set_ms in [3_600_000, -3_600_000] {
        let (service, clock) = service().await;
        let players = pair_with_dice(&service).await;
        let reason = loses_in_time((service, clock), players, (DICE_CHESS_MS, 1_000), set_ms).await;
        assert_eq!(reason, EndReason::Left);
    }
}

#[tokio::test]
async fn no_player_of_mancala_loses_by_a_time_of_day_that_is_set() {
    for set_ms in [3_600_000, -3_600_000] {
        let (service, clock) = service().await;
        let players = service.pair("ann", "ben").await;
        let reason = loses_in_time((service, clock), players, (MANCALA_MS, 2 * TICK_MS), set_ms).await;
        assert_eq!(reason, EndReason::Timeout);
    }
}

/// The fourth pit gives its player another turn, which begins in the same millisecond of the day as the one before.
#[tokio::test]
async fn a_turn_is_charged_once_though_the_time_of_day_is_set_back() {
    let (service, clock) = service().await;
    let control = TimeControl::PerMove { seconds: 10 };
    let (game, ann, _ben) = service.pair_with("ann", "ben", control).await;
    clock.set_ms.store(-3_600_000, Ordering::Relaxed);
    service.pass(7_000).await;
    service
        .play(game, &ann.user, "m1", 3)
        .await
        .expect("it is in time");
    service.pass(7_000).await;
    service
        .play(game, &ann.user, "m2", 0)
        .await
        .expect("it is in time");
    let thought: Vec<_> = service
        .folded(game)
        .await
        .moves
        .iter()
        .map(|mv| mv.think_ms)
        .collect();
    assert_eq!(thought, [Some(7_000), Some(7_000)]);
}

#[tokio::test]
async fn the_first_throw_waits_for_seeds_no_longer_though_the_time_of_day_is_set_back() {
    let (service, clock) = service().await;
    let (game, ..) = pair(&service).await;
    service.pass(2_000).await;
    clock.set_ms.store(-3_600_000, Ordering::Relaxed);
    service.pass(6_000).await;
    assert!(service.live(game).dice.is_some());
}
