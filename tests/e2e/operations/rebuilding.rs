//! Projections made anew while people play.

use serde_json::json;

use super::tables;
use crate::harness::operator::{Running, operate, well};
use crate::harness::{Socket, World, eventually};
use crate::kill::converged;

/// Everything is made anew in the middle of games; clients notice nothing, and nothing is left behind.
async fn a_rebuild_of_everything_disturbs_nobody_and_leaves_nothing_behind(world: World) {
    let service = world.start().await;
    let mut hall = tables(&service, 2, 3).await;
    let readers = world.readers().await;
    world.change_rows("UPDATE games SET peak_spectators = 1000").await;
    world.spoil_snapshot(&hall.tables[3].game).await;
    let mut spectator = Socket::open(service.url(), None).await;
    spectator.watch(&hall.tables[4].game, None).await;
    spectator.next("on_spectators").await;
    spectator.ping().await;
    let seen = spectator.everything().len();

    let dry = well(&service, &["rebuild", "all", "--dry-run"]).await;
    assert_eq!(dry["live"]["games"], 3, "{dry}");
    assert_eq!(dry["history"]["replaced"], 2, "{dry}");
    assert_eq!(
        operate(&service, &["verify"]).await.code,
        1,
        "nothing was changed"
    );

    let rebuilt = well(&service, &["rebuild", "all"]).await;
    assert_eq!(
        (&rebuilt["live"]["games"], &rebuilt["live"]["generation"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(
        (&rebuilt["history"]["games"], &rebuilt["history"]["replaced"]),
        (&json!(2), &json!(2))
    );
    assert_eq!(well(&service, &["verify"]).await["different"], 0);
    spectator.ping().await;
    let since: Vec<_> = spectator.everything().split_off(seen);
    assert!(since.iter().all(|frame| frame["channel"] == "pong"), "{since:?}");
    assert!(!world.has_shadow().await);
    eventually("no reader is left behind", async || {
        (world.readers().await <= readers).then_some(())
    })
    .await;

    hall.tables[2].play_to(5).await;
    converged(&service).await;
    service.kill().await;
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    hall.finish().await;
    hall.check(&world, &service).await;
}

/// One game, or a part, is put right in place.
async fn one_game_is_rebuilt_alone(world: World) {
    let service = world.start().await;
    let mut hall = tables(&service, 2, 2).await;
    world.change_rows("UPDATE games SET peak_spectators = 1000").await;
    world.spoil_snapshot(&hall.tables[2].game).await;
    let live = format!("--game={}", hall.tables[2].game);
    let rebuilt = well(&service, &["rebuild", "live", &live]).await;
    assert_eq!(rebuilt["live"]["changed"], 1, "{rebuilt}");
    assert!(rebuilt.get("history").is_none());
    let over = format!("--game={}", hall.tables[0].game);
    let rebuilt = well(&service, &["rebuild", "history", &over]).await;
    assert_eq!(rebuilt["history"]["replaced"], 1, "{rebuilt}");
    let found = operate(&service, &["verify"]).await.json();
    assert_eq!(found["different"], 1, "the other row is as it was: {found}");
    let rebuilt = well(
        &service,
        &["rebuild", "history", "--from-time=2001-01-01T00:00:00Z"],
    )
    .await;
    assert_eq!(
        (&rebuilt["history"]["same"], &rebuilt["history"]["replaced"]),
        (&json!(1), &json!(1))
    );
    let unknown = "--game=0194f000-0000-7000-8000-000000000001";
    let said = operate(&service, &["rebuild", "live", unknown]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.complaint.contains("nothing of game"), "{said:?}");
    hall.finish().await;
    hall.check(&world, &service).await;
}

/// A history that was thrown away is there again.
async fn rows_that_were_deleted_come_back_from_the_log(world: World) {
    let service = world.start().await;
    let mut hall = tables(&service, 3, 1).await;
    world.change_rows("DELETE FROM games").await;
    assert_eq!(world.rows().await, 0);
    let rebuilt = well(&service, &["rebuild", "history"]).await;
    assert_eq!(rebuilt["history"]["added"], 3, "{rebuilt}");
    assert_eq!(world.rows().await, 3);
    hall.finish().await;
    hall.check(&world, &service).await;
}

on_every_backend!(
    a_rebuild_of_everything_disturbs_nobody_and_leaves_nothing_behind,
    one_game_is_rebuilt_alone,
    rows_that_were_deleted_come_back_from_the_log,
);

/// While the first one cannot go on, a second one is refused; Ctrl-C stops the first, and then there is room.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_rebuild_is_refused_and_an_interrupted_one_leaves_room() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = tables(&service, 1, 1).await;
    // The merge waits for whoever has the rows.
    let holder = world.hold_rows().await;
    let first = Running::start(&service.admin_url(), &["rebuild", "history"]);
    eventually("the first one is at it", async || {
        world.has_shadow().await.then_some(())
    })
    .await;
    let said = operate(&service, &["rebuild", "history"]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.complaint.contains("another rebuild"), "{said:?}");
    first.interrupt().await;
    drop(holder);
    eventually("the first one has left", async || {
        (!world.has_shadow().await).then_some(())
    })
    .await;
    let rebuilt = eventually("there is room", async || {
        let said = operate(&service, &["rebuild", "history"]).await;
        (said.code == 0).then(|| said.json())
    })
    .await;
    assert_eq!(rebuilt["history"]["same"], 1, "{rebuilt}");

    let holder = world.hold_rows().await;
    let killed = Running::start(&service.admin_url(), &["rebuild", "history"]);
    eventually("it is at it", async || world.has_shadow().await.then_some(())).await;
    service.kill().await;
    let said = killed.end().await;
    assert_eq!(said.code, 2, "{said:?}");
    drop(holder);
    service.restart().await;
    let rebuilt = eventually("the next one cleans up", async || {
        let said = operate(&service, &["rebuild", "history"]).await;
        (said.code == 0).then(|| said.json())
    })
    .await;
    assert_eq!(rebuilt["history"]["same"], 1, "{rebuilt}");
    assert!(!world.has_shadow().await);
    hall.come_back(&service.url()).await;
    hall.finish().await;
    hall.check(&world, &service).await;
}
