//! A person forgotten.

use serde_json::json;

use super::tables;
use crate::harness::World;
use crate::harness::operator::{operate, well};
use crate::kill::converged;

fn contains(bytes: &[u8], wanted: &str) -> bool {
    bytes
        .windows(wanted.len())
        .any(|window| window == wanted.as_bytes())
}

/// In rows, log and lists, and in the files that the log is kept in.
async fn a_person_is_forgotten_and_their_opponent_keeps_the_game(world: World) {
    let service = world.start().await;
    let mut hall = tables(&service, 2, 1).await;
    // For a minute after their end games are still read from memory.
    service.kill().await;
    service.restart().await;
    hall.come_back(&service.url()).await;
    converged(&service).await;
    let [ada, ben] = hall.tables[0].players.clone();
    let playing = hall.tables[2].players[0].clone();
    let said = operate(&service, &["erase", &ada.user_id]).await;
    assert_eq!(said.code, 2, "it asks for --yes: {said:?}");
    let said = operate(&service, &["erase", &playing.user_id, "--yes"]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.complaint.contains("under way"), "{said:?}");
    let would = well(&service, &["erase", &ada.user_id, "--dry-run"]).await;
    assert_eq!((&would["games"], &would["dryRun"]), (&json!(1), &json!(true)));
    assert!(contains(&world.files(), &ada.user_id));

    let erased = well(&service, &["erase", &ada.user_id, "--yes"]).await;
    assert_eq!(erased["games"], 1, "{erased}");
    converged(&service).await;
    let game = ben.game(&hall.tables[0].game).await;
    let nobody = &game["record"]["player1"];
    assert!(
        nobody["userId"]
            .as_str()
            .is_some_and(|id| id.starts_with("erased:")),
        "{game}"
    );
    assert!(nobody.get("name").is_none(), "{nobody}");
    let (_, list) = ben.get("/games/me?limit=20").await;
    assert_eq!(list["games"][0]["player1"], *nobody, "{list}");
    let (_, list) = ada.get("/games/me?limit=20").await;
    assert_eq!(list["games"], json!([]));
    assert_eq!(well(&service, &["verify"]).await["different"], 0);
    let rebuilt = well(&service, &["rebuild", "all"]).await;
    assert_eq!(rebuilt["history"]["same"], 2, "{rebuilt}");

    service.kill().await;
    service.restart().await;
    // The one who was forgotten plays no more.
    hall.tables.remove(0);
    hall.come_back(&service.url()).await;
    hall.finish().await;
    hall.check(&world, &service).await;
    let files = world.files();
    assert!(contains(&files, &ben.user_id), "the files are the ones");
    assert!(!contains(&files, &ada.user_id), "the files have no trace");
}

on_every_backend!(a_person_is_forgotten_and_their_opponent_keeps_the_game);
