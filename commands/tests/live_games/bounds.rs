//! What bounds the games that one process holds, and the time that a log remembers them.

use std::sync::atomic::Ordering;

use commands::games::{CommandError, Games, NotNow};
use commands::live::Limits;
use contract::{Durability, Event};
use turnstream_commands as commands;

use crate::service::{Service, client, invitation, user};

#[tokio::test]
async fn past_the_bound_new_games_are_refused_and_those_that_are_held_go_on() {
    let service = Service::with(Limits {
        max_live_games: 1,
        ..Limits::default()
    })
    .await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    let invitation = invitation(&user("host"), Durability::BestEffort);
    let refused = service
        .games
        .join(invitation.clone(), &user("guest"), Some(client("join")))
        .await;
    let Err(CommandError::Unavailable {
        reason: NotNow::Full,
        retry_after_ms: 1..,
        outcome_unknown: false,
    }) = refused
    else {
        panic!("there is no room, and not {refused:?}");
    };
    assert!(service.games.live(invitation.game, None).is_none());
    assert_eq!(service.games.active_game(&user("guest").user_id), None);
    assert!(service.play(game, &ann.user, "m1", 3).await.unwrap().durable);
}

#[tokio::test]
async fn a_game_is_in_a_forgetful_log_whole_again_before_its_beginning_is_forgotten() {
    const EVERY_MS: i64 = 60_000;
    const TICK_MS: u64 = 10_000;
    let service = Service::with(Limits {
        anchor_every_ms: Some(EVERY_MS),
        ..Limits::default()
    })
    .await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    assert!(service.play(game, &ann.user, "m1", 3).await.unwrap().durable);
    let anchors = async || {
        let logged = service.logged(game).await;
        let whole = logged.into_iter().filter_map(|event| match event.event {
            Event::Anchored(anchored) => Some((anchored.game.version, anchored.game.moves.len())),
            _ => None,
        });
        whole.collect::<Vec<_>>()
    };
    service.pass(EVERY_MS as u64 - TICK_MS).await;
    assert_eq!(anchors().await, [], "it is not time yet");
    service.pass(3 * TICK_MS).await;
    service.until_logged(game, 3).await;
    assert_eq!(anchors().await, [(2, 1)]);
    let counted = &service.games.counters().anchored;
    while counted.load(Ordering::Relaxed) == 0 {
        service.settle().await;
    }
    assert_eq!(counted.load(Ordering::Relaxed), 1);
    service.pass(EVERY_MS as u64 + TICK_MS).await;
    service.until_logged(game, 4).await;
    assert_eq!(anchors().await.len(), 2, "and again, for as long as it goes on");
    let ended = service.live(game).position;
    assert_eq!(ended.version, 2, "an `anchored` makes no version");
}
