//! Each figure exists, is documented, and moves when the thing happens that it is of.

use std::collections::{BTreeMap, BTreeSet};

use crate::harness::figures::{Figures, until};
use crate::harness::{Player, Service, Socket, World};
use crate::kill::{Table, short_vectors};
use serde_json::json;

mod documented;
mod outages;
mod owners;

on_every_backend!(
    a_game_moves_the_figures_of_commands_log_readers_and_projectors,
    what_waits_and_who_is_there_goes_up_and_down,
);

/// The labels that are looked for.
type Labels<'a> = &'a [(&'a str, &'a str)];

/// By how much a figure that counts has grown.
fn grown(before: &Figures, after: &Figures, name: &str, labels: Labels<'_>) -> u64 {
    after.get(name, labels) - before.count_if(name, labels).unwrap_or(0)
}

/// Whether a figure that measures has grown.
fn has_grown(before: &Figures, after: &Figures, name: &str, labels: Labels<'_>) -> bool {
    after.measure(name, labels) > before.of_labels(name, labels).unwrap_or(0.0)
}

/// Two guests play a whole game over sockets while somebody watches, and one of them tries what is not allowed.
async fn played(service: &Service) -> Table {
    let vector = short_vectors(1).remove(0);
    let mut table = Table::sit(&service.url(), 0, vector).await;
    table.take_sockets().await;
    let mut fan = Socket::open(service.url(), None).await;
    fan.watch(&table.game, None).await;
    fan.next("on_game_start").await;
    let stranger = Player::guest(service.url(), "Eve").await;
    stranger
        .play(&table.game, "no", &table.position, 0)
        .await
        .expect_err("it is not her game");
    table.finish().await;
    fan.whole_game(&table.game).await;
    fan.send(json!({ "channel": "no_such_channel" })).await;
    fan.next("on_error").await;
    fan.close().await;
    table
}

async fn a_game_moves_the_figures_of_commands_log_readers_and_projectors(world: World) {
    let service = world.start().await;
    let before = Figures::of(&service).await;
    assert_eq!(
        before.get("turnstream_restores_total", &[("outcome", "completed")]),
        1
    );
    assert_eq!(before.get("turnstream_restore_seconds_count", &[]), 1);
    assert_eq!(before.get("turnstream_role", &[("role", "active")]), 1);
    let table = played(&service).await;
    let moves = table.vector.moves.len() as u64;
    let events = moves + 2;
    let after = until(&service, "both projectors have come to the end", |figures| {
        let lag =
            |projector| figures.count_if("turnstream_projector_lag_events", &[("projector", projector)]);
        figures.get("turnstream_log_last_sequence", &[]) >= events
            && lag("live") == Some(0)
            && lag("history") == Some(0)
    })
    .await;
    let mancala = ("kind", "mancala");
    let exactly: [(&str, Labels<'_>, u64); 11] = [
        (
            "turnstream_commands_total",
            &[("command", "move"), mancala, ("outcome", "accepted")],
            moves,
        ),
        (
            "turnstream_commands_total",
            &[("command", "move"), mancala, ("outcome", "rejected")],
            1,
        ),
        (
            "turnstream_commands_total",
            &[("command", "join"), mancala, ("outcome", "accepted")],
            1,
        ),
        ("turnstream_command_seconds_count", &[mancala], moves + 2),
        (
            "turnstream_publish_seconds_count",
            &[("answer", "acknowledged")],
            events,
        ),
        ("turnstream_log_last_sequence", &[], events),
        (
            "turnstream_projector_events_total",
            &[("projector", "live"), ("effect", "applied")],
            events,
        ),
        (
            "turnstream_projector_events_total",
            &[("projector", "history"), ("effect", "applied")],
            1,
        ),
        ("turnstream_ended_games", &[], 1),
        ("turnstream_http_requests_total", &[("status", "4xx")], 1),
        ("turnstream_frames_unreadable_total", &[], 1),
    ];
    for (name, labels, by) in exactly {
        assert_eq!(grown(&before, &after, name, labels), by, "{name} {labels:?}");
    }
    for (name, labels) in [
        ("turnstream_fan_out_seconds_count", &[][..]),
        ("turnstream_frames_received_total", &[]),
        ("turnstream_frames_sent_total", &[]),
        ("turnstream_http_requests_total", &[("status", "2xx")]),
        ("turnstream_pool_waits_total", &[]),
        ("turnstream_pool_wait_seconds_total", &[]),
    ] {
        assert!(has_grown(&before, &after, name, labels), "{name} {labels:?}");
    }
    // Each frame waited for a moment, which is not nothing, and for no more than a second.
    let (sum, count) = (
        after.measure("turnstream_fan_out_seconds_sum", &[]),
        after.measure("turnstream_fan_out_seconds_count", &[]),
    );
    assert!(sum > 0.0 && sum < count, "{sum} in {count}");
    if !world.is_embedded() {
        for store in ["valkey", "postgres"] {
            let labels = [("store", store), ("outcome", "answered")];
            assert!(grown(&before, &after, "turnstream_store_calls_total", &labels) > 0);
            let labels = [("store", store)];
            assert!(has_grown(
                &before,
                &after,
                "turnstream_store_call_seconds_total",
                &labels
            ));
        }
    }
}

async fn what_waits_and_who_is_there_goes_up_and_down(world: World) {
    let service = world.start().await;
    let vectors = short_vectors(2);
    let mut table = Table::sit(&service.url(), 0, vectors[0].clone()).await;
    table.take_sockets().await;
    let eve = Player::guest(service.url(), "Eve").await;
    let mut seeking = Socket::open(service.url(), Some(&eve)).await;
    seeking
        .send(json!({ "channel": "new_game", "payload": { "kind": "mancala" } }))
        .await;
    seeking.next("on_waiting").await;
    let up = Figures::of(&service).await;
    assert_eq!(up.get("turnstream_live_games", &[("kind", "mancala")]), 1);
    assert_eq!(up.get("turnstream_live_games", &[("kind", "dicechess")]), 0);
    assert_eq!(up.get("turnstream_seeks", &[]), 1);
    assert_eq!(up.get("turnstream_sockets", &[]), 3);
    assert!(up.get("turnstream_connections", &[]) >= 3);
    seeking.send(json!({ "channel": "cancel_new_game" })).await;
    seeking.executed().await;
    seeking.close().await;
    table.finish().await;
    drop(table);
    until(&service, "nobody is there any more", |figures| {
        figures.get("turnstream_sockets", &[]) == 0
            && figures.get("turnstream_seeks", &[]) == 0
            && figures.get("turnstream_live_games", &[]) == 0
            && figures.get("turnstream_publish_queue_events", &[]) == 0
    })
    .await;
}
