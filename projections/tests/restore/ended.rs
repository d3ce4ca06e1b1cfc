//! Games that ended before their process died.

use commands::games::Games;
use contract::{EndReason, Kind, WriterId};
use testkit::fixtures::Game;

use super::process::Process;
use super::stores::Stores;

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
