//! A row that the history refuses, and what becomes of it.

use serde_json::json;

use super::tables;
use crate::harness::World;
use crate::harness::operator::{operate, well};
use crate::kill::converged;

/// It blocks nobody, is kept with its reason, and is written once the reason is gone.
async fn a_row_that_is_refused_is_a_dead_letter_until_it_can_be_written(world: World) {
    let service = world.start().await;
    let mut hall = tables(&service, 1, 3).await;
    world.refuse_rows(true).await;
    hall.tables[1].finish().await;
    hall.tables[2].finish().await;
    converged(&service).await;
    let said = operate(&service, &["dead-letters", "list"]).await;
    assert_eq!(said.code, 1, "{said:?}");
    let letters = said.json();
    let letters = letters.as_array().expect("a list");
    let games: Vec<_> = letters.iter().map(|letter| letter["game"].clone()).collect();
    assert_eq!(games, [json!(hall.tables[1].game), json!(hall.tables[2].game)]);
    assert!(
        letters[0]["reason"]
            .as_str()
            .is_some_and(|why| why.contains("refused")),
        "{letters:?}"
    );
    let status = operate(&service, &["status"]).await;
    assert_eq!((status.code, &status.json()["deadLetters"]), (1, &json!(2)));
    let found = operate(&service, &["verify"]).await.json();
    assert_eq!(found["different"], 2, "{found}");

    let seq = letters[0]["seq"].to_string();
    let shown = well(&service, &["dead-letters", "show", "history", &seq]).await;
    assert_eq!(shown["event"]["subject"], hall.tables[1].game.as_str(), "{shown}");
    let said = operate(&service, &["dead-letters", "retry", "history", &seq]).await;
    assert_eq!(
        (said.code, &said.json()["outcome"]),
        (1, &json!("stillRefused")),
        "{said:?}"
    );
    world.refuse_rows(false).await;
    let retried = well(&service, &["dead-letters", "retry", "history", &seq]).await;
    assert_eq!(retried["outcome"], "done");
    hall.tables[1].check_record().await;

    let other = letters[1]["seq"].to_string();
    well(&service, &["dead-letters", "drop", "history", &other]).await;
    assert_eq!(well(&service, &["dead-letters", "list"]).await, json!([]));
    let said = operate(&service, &["dead-letters", "show", "history", &other]).await;
    assert_eq!(said.code, 2, "{said:?}");
    let rebuilt = well(&service, &["rebuild", "history"]).await;
    assert_eq!(
        rebuilt["history"]["added"], 1,
        "its event is in the log: {rebuilt}"
    );
    hall.finish().await;
    hall.check(&world, &service).await;
}

on_every_backend!(a_row_that_is_refused_is_a_dead_letter_until_it_can_be_written);
