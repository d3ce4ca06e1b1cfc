//! Games from the queue.

use commands::games::{CommandError, Games, Rejection, Sought};
use contract::frames::ServerFrame;
use turnstream_commands as commands;

use crate::service::Service;

#[tokio::test]
async fn two_who_seek_are_paired_and_both_get_the_game() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    for person in [&ann, &ben] {
        let started = person
            .ear
            .until(|frame| match frame {
                ServerFrame::OnGameStart(live) => Some(live.clone()),
                _ => None,
            })
            .await;
        assert_eq!(started.summary.id, game);
        assert_eq!(started.summary.player1.user_id, ann.user.user_id);
    }
    assert_eq!(service.logged_names(game).await, ["started"]);
}

#[tokio::test]
async fn nobody_plays_themselves() {
    let service = Service::start().await;
    let ann = service.connect("ann");
    assert_eq!(service.seek(&ann.user).await.unwrap(), Sought::Waiting);
    assert_eq!(service.seek(&ann.user).await.unwrap(), Sought::Waiting);
    let ben = service.connect("ben");
    assert!(matches!(
        service.seek(&ben.user).await.unwrap(),
        Sought::Paired(_)
    ));
}

#[tokio::test]
async fn whoever_is_in_a_game_gets_no_other() {
    let service = Service::start().await;
    let (game, ann, _ben) = service.pair("ann", "ben").await;
    assert!(matches!(
        service.seek(&ann.user).await,
        Err(CommandError::Rejected { reason: Rejection::ActiveGame(active), .. }) if active == game
    ));
    service.leave(game, &ann.user).await.unwrap();
    assert_eq!(service.seek(&ann.user).await.unwrap(), Sought::Waiting);
}

#[tokio::test]
async fn a_seek_ends_when_it_is_cancelled_and_thirty_seconds_after_its_socket() {
    let service = Service::start().await;
    let (ann, ben, cid) = (
        service.connect("ann"),
        service.connect("ben"),
        service.connect("cid"),
    );
    service.seek(&ann.user).await.unwrap();
    service.games.cancel_seek(&ann.user.user_id);
    assert_eq!(service.seek(&ben.user).await.unwrap(), Sought::Waiting);
    service.games.disconnect(ben.connection);
    service.pass(30_000).await;
    assert_eq!(service.seek(&cid.user).await.unwrap(), Sought::Waiting);
    service.games.disconnect(cid.connection);
    service.pass(29_500).await;
    assert!(matches!(
        service.seek(&ann.user).await.unwrap(),
        Sought::Paired(_)
    ));
}

#[tokio::test]
async fn a_seek_whose_socket_closed_while_it_was_asked_for_lapses_too() {
    let service = Service::start().await;
    let (gone, ann) = (service.connect("gone"), service.connect("ann"));
    service.games.disconnect(gone.connection);
    assert_eq!(service.seek(&gone.user).await.unwrap(), Sought::Waiting);
    service.pass(30_000).await;
    assert_eq!(service.seek(&ann.user).await.unwrap(), Sought::Waiting);
}
