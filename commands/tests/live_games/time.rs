//! What happens with time: absent players, and a service that stood still.

use commands::games::Games;
use contract::frames::ServerFrame;
use contract::{EndReason, Outcome};
use turnstream_commands as commands;

use crate::ears::Ear;
use crate::service::Service;

/// How long a player may be away, and how often the watcher looks.
const AWAY_MS: u64 = 300_000;
const TICK_MS: u64 = 10_000;

async fn ended(ear: &Ear) -> (Option<Outcome>, EndReason) {
    ear.until(|frame| match frame {
        ServerFrame::OnGameEnded(ended) => Some((ended.result, ended.end_reason)),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_mover_who_is_away_for_five_minutes_loses() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.games.disconnect(ann.connection);
    let there = service.live(game).connections.expect("it is held here");
    assert_eq!(there.player1.forfeit_at, Some(service.now().plus(AWAY_MS as i64)));
    service.pass(AWAY_MS - TICK_MS).await;
    assert!(service.games.live(game, None).is_some());
    service.pass(2 * TICK_MS).await;
    assert_eq!(
        ended(&ben.ear).await,
        (Some(Outcome::Player2), EndReason::Timeout)
    );
    assert_eq!(service.games.active_game(&ben.user.user_id), None);
}

#[tokio::test]
async fn who_comes_back_in_time_loses_nothing() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.games.disconnect(ann.connection);
    service.pass(AWAY_MS - TICK_MS).await;
    let _back = service.connect("ann");
    service.pass(2 * AWAY_MS).await;
    assert!(service.games.live(game, None).is_some());
    let seen = |frame: &ServerFrame| match frame {
        ServerFrame::OnUserConnectionChange(change) if change.connections.player1.connected => Some(()),
        _ => None,
    };
    ben.ear.until(seen).await;
}

#[tokio::test]
async fn the_opponent_of_a_mover_who_is_there_is_never_timed_out() {
    let service = Service::start().await;
    let (game, _ann, ben) = service.pair("ann", "ben").await;
    service.games.disconnect(ben.connection);
    service.pass(2 * AWAY_MS).await;
    assert!(service.games.live(game, None).is_some());
}

#[tokio::test]
async fn with_both_away_nobody_wins_five_minutes_after_the_later_one_left() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    let ear = Ear::socket();
    let spectator = service.games.connect(None, ear.clone());
    service.games.watch(spectator, game, None).await.unwrap();
    service.games.disconnect(ben.connection);
    service.pass(AWAY_MS / 2).await;
    service.games.disconnect(ann.connection);
    service.pass(AWAY_MS - TICK_MS).await;
    assert!(service.games.live(game, None).is_some());
    service.pass(2 * TICK_MS).await;
    assert_eq!(ended(&ear).await, (None, EndReason::Inactive));
}

#[tokio::test]
async fn a_command_without_a_connection_begins_the_time_away_anew() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.games.disconnect(ann.connection);
    service.pass(AWAY_MS - TICK_MS).await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    service.pass(AWAY_MS - TICK_MS).await;
    assert!(service.games.live(game, None).is_some());
}

#[tokio::test]
async fn nobody_pays_for_a_service_that_stood_still() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.games.disconnect(ann.connection);
    service.pass(AWAY_MS / 2).await;
    let before = service.live(game).connections.expect("it is held here").player1;
    service.clock.advance(2 * AWAY_MS);
    service.settle().await;
    // The tick that was late counts as the one that was due.
    service.pass(AWAY_MS / 2 - 2 * TICK_MS).await;
    let after = service.live(game).connections.expect("it is held here").player1;
    let shifted = after
        .forfeit_at
        .zip(before.forfeit_at)
        .map(|(after, before)| after.since(before));
    assert!(
        shifted.is_some_and(|ms| ms > (2 * AWAY_MS - TICK_MS) as i64 - 1),
        "{shifted:?}"
    );
    service.pass(3 * TICK_MS).await;
    assert_eq!(ended(&ben.ear).await.1, EndReason::Timeout);
}

#[tokio::test]
async fn a_standby_ends_no_game() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.games.disconnect(ann.connection);
    service.games.set_role(commands::games::Role::Standby);
    service.pass(2 * AWAY_MS).await;
    assert!(service.games.live(game, None).is_some());
}

#[tokio::test]
async fn an_ended_game_is_forgotten_when_history_has_it_and_a_minute_has_passed() {
    use commands::observer::RecordKeeper;

    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    service.leave(game, &ann.user).await.unwrap();
    service.pass(2 * 60_000).await;
    assert!(
        service.games.just_finished(game).is_some(),
        "history does not have it"
    );
    service.games.recorded_through(u64::MAX);
    assert!(service.games.just_finished(game).is_none());
}

#[tokio::test]
async fn an_ended_game_is_there_for_a_minute_though_history_has_it() {
    use commands::observer::RecordKeeper;

    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    assert!(service.leave(game, &ann.user).await.unwrap().durable);
    service.games.recorded_through(u64::MAX);
    service.pass(60_000 - TICK_MS).await;
    assert!(
        service.games.just_finished(game).is_some(),
        "its players may come back"
    );
    service.pass(2 * TICK_MS).await;
    assert!(service.games.just_finished(game).is_none());
}
