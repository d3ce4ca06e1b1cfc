//! What operators do, by the commands that they type, while the service runs and people play.

use serde_json::{Value, json};

use crate::harness::operator::{operate, well};
use crate::harness::{Service, World};
use crate::kill::{Hall, Table, converged, short_vectors};

mod dead_letters;
mod drills;
mod erasing;
mod piped;
mod projecting;
mod rebuilding;

/// A few tables, some over and some under way.
async fn tables(service: &Service, over: usize, under_way: usize) -> Hall {
    let url = service.url();
    let mut hall = Hall {
        tables: Vec::new(),
        watchers: Vec::new(),
    };
    for (number, vector) in short_vectors(over + under_way).into_iter().enumerate() {
        let mut table = Table::sit(&url, number, vector).await;
        if number < over {
            table.finish().await;
        } else {
            table.play_to(3).await;
        }
        hall.tables.push(table);
    }
    converged(service).await;
    hall
}

/// The status says how everything is, for a script and by its exit code.
async fn the_status_tells_everything_and_ends_well(world: World) {
    let service = world.start().await;
    tables(&service, 1, 2).await;
    let status = well(&service, &["status"]).await;
    assert_eq!(
        (&status["role"], &status["liveGames"]),
        (&json!("active"), &json!(2))
    );
    assert_eq!(status["deadLetters"], 0, "{status}");
    assert_eq!(status["owners"][0]["writer"], status["writer"], "{status}");
    assert_eq!(status["owners"][0]["games"], 2, "{status}");
    assert!(status["lastRestore"]["tookMs"].is_number(), "{status}");
    let log = if world.is_embedded() {
        "embedded (SQLite)"
    } else {
        "NATS JetStream"
    };
    assert_eq!(status["adapters"]["event log"], log);
    for projector in status["projectors"].as_array().expect("a list") {
        assert_eq!(
            (&projector["lag"], &projector["lagMs"]),
            (&json!(0), &json!(0)),
            "{projector}"
        );
    }
    assert_eq!(status["troubles"], json!([]));
    service.terminate().await;
}

/// Where nobody answers nothing is known, and nothing is said to be 0.
async fn a_status_that_is_not_reachable_is_no_zero(world: World) {
    let service = world.start().await;
    service.kill().await;
    let said = operate(&service, &["status"]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert_eq!(said.json()["reachable"], false);
    assert!(
        said.json()["why"]
            .as_str()
            .is_some_and(|why| why.contains("not reachable"))
    );
    assert!(said.json().get("liveGames").is_none(), "{said:?}");
    for command in [
        vec!["rebuild", "all"],
        vec!["verify"],
        vec!["dead-letters", "list"],
        vec!["erase", "guest:1", "--dry-run"],
    ] {
        let said = operate(&service, &command).await;
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{command:?}: {said:?}");
        assert!(said.complaint.contains("not reachable"), "{said:?}");
    }
}

/// Everything that was changed behind the service's back is found, named, and put right, game by game.
async fn what_differs_from_the_log_is_found_and_put_right(world: World) {
    let service = world.start().await;
    let mut hall = tables(&service, 2, 2).await;
    let verified = well(&service, &["verify"]).await;
    assert_eq!(
        (&verified["games"], &verified["live"]),
        (&json!(4), &json!(2)),
        "{verified}"
    );
    let row = world.row(&hall.tables[0].game).await;

    world
        .change_rows("UPDATE games SET move_count = 1, end_reason = 'timeout', result = NULL")
        .await;
    world.spoil_snapshot(&hall.tables[2].game).await;
    let said = operate(&service, &["verify"]).await;
    assert_eq!(said.code, 1, "{said:?}");
    let found = said.json();
    assert_eq!(
        (&found["different"], &found["repaired"]),
        (&json!(3), &json!(0)),
        "{found}"
    );
    let differs = |game: &str, place: &str| {
        let all = found["differences"].as_array().expect("a list");
        all.iter().any(|one| one["game"] == game && one["place"] == place)
    };
    assert!(differs(&hall.tables[0].game, "history") && differs(&hall.tables[1].game, "history"));
    assert!(differs(&hall.tables[2].game, "live"), "{found}");

    let game = format!("--game={}", hall.tables[1].game);
    let repaired = well(&service, &["verify", &game, "--repair"]).await;
    assert_eq!(
        (&repaired["different"], &repaired["repaired"]),
        (&json!(1), &json!(1))
    );
    let repaired = well(&service, &["verify", "--repair"]).await;
    assert_eq!(
        (&repaired["different"], &repaired["repaired"]),
        (&json!(2), &json!(2)),
        "{repaired}"
    );
    assert_eq!(well(&service, &["verify"]).await["different"], 0);
    let mut put_right = world.row(&hall.tables[0].game).await;
    // All but which transaction wrote it.
    let mut row = row;
    for row in [&mut row, &mut put_right] {
        row.as_mut().expect("there is a row")["written"] = Value::Null;
    }
    assert_eq!(put_right, row);
    hall.finish().await;
    hall.check(&world, &service).await;
}

on_every_backend!(
    the_status_tells_everything_and_ends_well,
    a_status_that_is_not_reachable_is_no_zero,
    what_differs_from_the_log_is_found_and_put_right,
);
