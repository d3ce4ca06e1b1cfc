//! Games go to another process, and come back.

use commands::games::{Games, Role, Sought, Watching};
use commands::live::Adopted;
use commands::ports::EventLog;
use commands::publish::queue::Acked;
use contract::GameId;
use contract::frames::{CloseCode, ServerFrame};
use contract::view::{GameView, LiveGame};
use turnstream_commands as commands;

use crate::ears::Ear;
use crate::service::{Person, Service, key};

/// The game as the log has it is held again.
async fn comes_back(service: &Service, game: GameId) {
    let last = service.embedded.log().last(key(game)).await.unwrap();
    let state = service.folded(game).await;
    let place = state.last_event;
    let adopted = service.games.adopt(Adopted {
        game: state,
        acked: last.map(|last| Acked { place, seq: last.seq }),
        waiting: Vec::new(),
        last: None,
    });
    assert!(adopted, "it is not held");
}

/// The whole game in place of what an ear missed.
async fn given_whole(person: &Person) -> Box<LiveGame> {
    let whole = |frame: &ServerFrame| match frame {
        ServerFrame::Resync(resync) => resync.game.clone(),
        _ => None,
    };
    match person.ear.until(whole).await {
        GameView::Live(live) => live,
        finished @ GameView::Finished { .. } => panic!("{finished:?}"),
    }
}

#[tokio::test]
async fn whoever_asked_for_a_game_that_was_not_here_yet_gets_it_when_it_comes() {
    let service = Service::start().await;
    let (game, ann, ben) = service.pair("ann", "ben").await;
    service.play(game, &ann.user, "m1", 3).await.unwrap();
    service.games.set_role(Role::Standby);
    service.games.let_all_go().await;
    for person in [&ann, &ben] {
        service.games.disconnect(person.connection);
    }
    let (fan, ann) = (service.connect("fan"), service.connect("ann"));
    let watching = service.games.watch(fan.connection, game, None).await.unwrap();
    assert_eq!(watching, Watching::NotHere);
    comes_back(&service, game).await;
    service.games.set_role(Role::Active);
    for person in [&fan, &ann] {
        assert_eq!(given_whole(person).await.version, 2);
    }
    let live = service.live(game);
    assert_eq!(live.summary.spectator_count, 1);
    let connections = live.connections.expect("it is held here");
    assert!(connections.player1.connected && !connections.player2.connected);
    service.play(game, &ann.user, "m2", 2).await.unwrap();
    for person in [&fan, &ann] {
        person.ear.until_version(game, 3).await;
    }
}

#[tokio::test]
async fn whoever_does_not_want_it_any_more_does_not_get_it() {
    let service = Service::start().await;
    let (game, _, _) = service.pair("ann", "ben").await;
    service.games.set_role(Role::Standby);
    service.games.let_all_go().await;
    let (bored, gone) = (service.connect("bored"), service.connect("gone"));
    for person in [&bored, &gone] {
        service.games.watch(person.connection, game, None).await.unwrap();
    }
    service.games.unwatch(bored.connection, game);
    service.games.disconnect(gone.connection);
    comes_back(&service, game).await;
    assert!(bored.ear.frames().is_empty() && gone.ear.frames().is_empty());
    assert_eq!(service.live(game).summary.spectator_count, 0);
}

#[tokio::test]
async fn who_lets_all_games_go_sends_everybody_away_and_forgets_who_waited() {
    let service = Service::start().await;
    let (game, ann, _) = service.pair("ann", "ben").await;
    let (seeker, watcher) = (service.connect("seeker"), Ear::socket());
    service.games.connect(None, watcher.clone());
    assert_eq!(service.seek(&seeker.user).await.unwrap(), Sought::Waiting);
    service.games.set_role(Role::Standby);
    service.games.let_all_go().await;
    assert!(service.games.live(game, None).is_none());
    for ear in [&ann.ear, &seeker.ear, &watcher] {
        ear.until_closed(CloseCode::Reconnect).await;
    }
    service.games.set_role(Role::Active);
    let other = service.connect("other");
    assert_eq!(service.seek(&other.user).await.unwrap(), Sought::Waiting);
}
