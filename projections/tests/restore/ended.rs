//! Games that ended before their process died.

use std::time::Duration;

use commands::games::Games;
use contract::player::BySeat;
use contract::{EndReason, Event, FinishedGame, GameId, Kind, WriterId};
use testkit::fixtures::{Game, guest};

use super::process::Process;
use super::stores::{PATIENCE, Stores};

const DEAD: WriterId = WriterId(0xdead);

#[tokio::test]
async fn a_game_that_ended_in_the_tail_is_known_though_its_snapshot_is_live() {
    let stores = Stores::open().await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    stores.append(&[started, game.play()]).await;
    stores.project().await;
    stores.append(&[game.end(EndReason::Left)]).await;
    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!((report.restored, report.ended), (0, 0), "{report:?}");
    let id = game.state().id;
    let record = process.games.just_finished(id).expect("it is held");
    assert_eq!(record.end_reason, EndReason::Left);
    assert_eq!(stores.logged_names(id).await, ["started", "moved", "ended"]);
}

/// How long nobody served the games, in milliseconds.
const AWAY_MS: u64 = 3_600_000;

/// The record of the game's `ended`, as soon as the log has it.
async fn record(stores: &Stores, game: GameId) -> FinishedGame {
    let ended = async {
        loop {
            if let Some(Event::Ended(ended)) = stores.logged(game).await.pop().map(|last| last.event) {
                return *ended.record;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("it has ended")
}

#[tokio::test]
async fn a_game_whose_last_move_was_played_ended_with_it_however_long_nobody_served_it() {
    let stores = Stores::open().await;
    let (mut game, started) = Game::start(Kind::Mancala, DEAD);
    let mut events = vec![started];
    while game.state().to_move().is_some() {
        events.push(game.play());
    }
    stores.append(&events).await;
    stores.project().await;
    stores.clock.advance(AWAY_MS);
    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!((report.restored, report.ended), (0, 1), "{report:?}");
    let record = record(&stores, game.state().id).await;
    assert_eq!(record.end_reason, EndReason::Completed);
    assert_eq!(Some(record.ended_at), events.last().map(|event| event.time));
}

#[tokio::test]
async fn of_two_live_games_of_a_player_the_older_ended_when_it_was_last_played() {
    let stores = Stores::open().await;
    let shared = guest("Ayşe");
    let mut games = Vec::new();
    for other in ["Bora", "Cem"] {
        let players = BySeat {
            player1: shared.clone(),
            player2: guest(other),
        };
        let (mut game, started) = Game::start_between(Kind::Mancala, DEAD, players);
        let moved = game.play();
        games.push((game.state().id, moved.time));
        stores.append(&[started, moved]).await;
    }
    games.sort();
    stores.project().await;
    stores.clock.advance(AWAY_MS);
    let process = Process::start(&stores, stores.gated());
    let report = stores.restore(&process.games, stores.all.log(), DEAD).await;
    assert_eq!((report.restored, report.ended), (1, 1), "{report:?}");
    let [(older, played_at), (newer, _)] = games[..] else {
        panic!("there are two");
    };
    let record = record(&stores, older).await;
    assert_eq!((record.end_reason, record.result), (EndReason::Inactive, None));
    assert_eq!(record.ended_at, played_at);
    assert!(process.games.live(newer, None).is_some());
}
