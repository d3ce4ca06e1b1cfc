//! Embedded, where what was written can be changed.

use serde_json::json;

use super::file::{File, last, of};
use super::{Games, leaves_alone_what_is_newer};
use crate::harness::operator::{operate, well};
use crate::harness::{World, eventually};
use crate::kill::converged;

/// What the newer release wrote is unreadable, or readable again.
async fn make_newer(file: &File, games: &Games, newer: bool) {
    let replace = async |table: &str, rows: &str, plain: &str, other: &str| {
        let (from, to) = if newer { (plain, other) } else { (other, plain) };
        file.replace(table, rows, from, to).await;
    };
    let snapshot = of(&games.snapshot.game);
    replace("live_snapshots", &snapshot, r#""schema":1,"#, r#""schema":2,"#).await;
    let moved = last(&games.moved.game, "moved").replace("max(seq)", "max(seq) - 1");
    replace("log", &moved, "game.moved.v1", "game.moved.v2").await;
    let ended = last(&games.ended.game, "ended");
    replace("log", &ended, "game.ended.v1", "game.ended.v2").await;
    let (from, to) = if newer {
        ("moved", "castled")
    } else {
        ("castled", "moved")
    };
    let named = last(&games.named.game, from);
    replace("log", &named, "game.moved.v1", "game.castled.v1").await;
    file.change(format!("UPDATE log SET name = '{to}' WHERE {named}"))
        .await;
    // What was remembered of them is as unreadable as they.
    for (table, plain, other) in [
        (&games.moved, "game.moved.v1", "game.moved.v2"),
        (&games.named, "game.moved.v1", "game.castled.v1"),
        (&games.ended, "game.ended.v1", "game.ended.v2"),
    ] {
        replace("dead_letters", &of(&table.game), plain, other).await;
    }
}

/// A game of a kind that only the newer release plays.
async fn add_unknown_kind(file: &File) {
    let message = r#"{"id":"x","type":"turnstream.game.started.v1","gamekind":"go","data":{}}"#;
    for table in [
        format!("INSERT INTO log (kind, game, name, bytes) VALUES ('go', randomblob(16), 'started', CAST('{message}' AS BLOB))"),
        "INSERT INTO live_snapshots (generation, game, kind, version, status, bytes)
         SELECT current, randomblob(16), 'go', 1, 'live', x'7b7d' FROM live_generation".to_owned(),
        "INSERT INTO pending_games (game, kind, writer, base) VALUES (randomblob(16), 'go', '0000000000000001', NULL)".to_owned(),
    ] {
        file.change(table).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_rolled_back_ends_nothing_and_the_newer_one_goes_on_with_everything() {
    let world = World::embedded().await;
    let service = world.start().await;
    service.terminate().await;
    let file = File::of(&world);
    add_unknown_kind(&file).await;
    service.restart().await;
    let mut games = Games::begin(&service).await;
    converged(&service).await;
    service.terminate().await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let copy = directory.path().join("copy.sqlite");
    file.copy_to(&copy);

    // The newer release plays on.
    service.restart().await;
    games.moved.play_to(5).await;
    games.named.play_to(4).await;
    games.ended.finish().await;
    converged(&service).await;
    service.terminate().await;

    // The release before comes upon that, and upon stores that were made before it.
    file.set_stores_back(&copy).await;
    make_newer(&file, &games, true).await;
    let mut before = Vec::new();
    for table in games.parked() {
        before.push(file.messages(&table.game).await);
    }
    for start in 0..3 {
        leaves_alone_what_is_newer(&service, &mut games).await;
        // What was passed over is told to operators; nothing differs in what can be read.
        let letters = operate(&service, &["dead-letters", "list"]).await.json();
        let reasons: Vec<&str> = letters
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|letter| letter["reason"].as_str())
            .collect();
        assert!(
            !reasons.is_empty() && reasons.iter().all(|reason| reason.starts_with("newer code")),
            "{reasons:?}"
        );
        let verified = well(&service, &["verify"]).await;
        assert_eq!(
            (&verified["different"], &verified["parked"]),
            (&json!(0), &json!(3)),
            "{verified}"
        );
        if start == 1 {
            service.kill().await;
        } else {
            service.terminate().await;
        }
    }
    for (table, before) in games.parked().into_iter().zip(before) {
        assert_eq!(
            file.messages(&table.game).await,
            before,
            "nothing was added to {}",
            table.game
        );
    }

    // The newer release is back.
    make_newer(&file, &games, false).await;
    service.restart().await;
    let status = service.status().await;
    assert_eq!(status["lastRestore"]["parked"], 0, "{status}");
    eventually("the end that was passed over has its row", async || {
        world.row(&games.ended.game).await
    })
    .await;
    games.ended.check_record().await;
    for table in [
        &mut games.plain,
        &mut games.snapshot,
        &mut games.moved,
        &mut games.named,
    ] {
        table.come_back().await;
        table.finish().await;
        table.check_record().await;
    }
    converged(&service).await;
    let verified = well(&service, &["verify"]).await;
    assert_eq!(
        (&verified["different"], &verified["games"]),
        (&json!(0), &json!(5)),
        "{verified}"
    );
    eventually("nothing is left for an operator", async || {
        (service.status().await["deadLetters"] == 0).then_some(())
    })
    .await;
    assert_eq!(
        world
            .live_key(&games.ended.game)
            .await
            .as_deref()
            .unwrap_or("tombstone"),
        "tombstone"
    );
    assert_eq!(world.rows().await, 5);
}
