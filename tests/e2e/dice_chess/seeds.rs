//! What players may give as their seeds.

use serde_json::json;

use super::table_of;
use super::verifying::verify;
use crate::harness::{World, eventually};
use crate::kill::converged;

/// Texts that somebody has trouble with somewhere.
const STRANGE: [&str; 2] = [
    "'; DROP TABLE games; -- \\u0000 \\\"{}[]%s $1 ?1",
    "שָׁלוֹם 🎲🎲🎲 \u{202e}\u{2028}\u{fffd}\u{ffff}\u{10ffff} e\u{301}\u{301}",
];

async fn a_game_has_its_row_whatever_its_players_gave_as_seeds(world: World) {
    let service = world.start().await;
    let table = table_of(&service.url()).await;
    let path = format!("/games/{}/seed", table.game);
    // Not every store can keep these.
    for (n, control) in ["\0", "\n", "\u{7}", "\u{7f}"].into_iter().enumerate() {
        let body = json!({ "id": format!("bad{n}"), "seed": format!("a long enough text{control}") });
        let refused = table.players[0].post(&path, &body).await;
        assert_eq!(refused.expect_err("it is refused").kind, "bad-request");
    }
    for (seat, seed) in STRANGE.into_iter().enumerate() {
        table
            .post(seat, "seed", json!({ "id": "seed", "seed": seed }))
            .await;
    }
    table.play("t0").await.expect("it goes on");
    table.post(0, "leave", json!({ "id": "leave" })).await;
    eventually("the row", async || world.row(&table.game).await).await;
    converged(&service).await;
    // Read from the row, after a start.
    service.kill().await;
    service.restart().await;
    let record = &table.seen().await["record"];
    assert_eq!(
        record["fairness"]["clientSeeds"],
        json!({ "player1": STRANGE[0], "player2": STRANGE[1] })
    );
    let (is_true, said) = verify(&table.game, &service.url(), &[]).await;
    assert!(is_true, "{said}");
}

on_every_backend!(a_game_has_its_row_whatever_its_players_gave_as_seeds);
