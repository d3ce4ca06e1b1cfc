//! Who comes back with the position they hold gets exactly what they missed.

use serde_json::Value;

use super::{begun, is_the_whole_game, played};
use crate::harness::player::play_vector;
use crate::harness::vectors::Vector;
use crate::harness::{Events, Player, Seen, Socket, World, vectors};

on_every_backend!(
    a_socket_resumes_where_it_was,
    an_event_stream_resumes_where_it_was,
    who_missed_the_end_gets_the_whole_game,
    a_foreign_position_gets_the_whole_game,
    what_memory_has_forgotten_comes_from_the_log,
);

/// So many moves come before the interruption, and so many in it.
const BEFORE: usize = 5;
const MEANWHILE: usize = 9;

async fn a_socket_resumes_where_it_was(world: World) {
    let service = world.start().await;
    let vector = vectors::game(3);
    let (invite, [ann, ben]) = begun(&service.url()).await;
    let game = invite.game.as_str();
    let mut watcher = Socket::open(service.url(), None).await;
    watcher.watch(game, None).await;
    watcher.next("on_game_start").await;
    play(&vector, game, [&ann, &ben], 0..BEFORE).await;
    let held = until_version(&mut watcher, game, BEFORE as u64 + 1).await;
    watcher.close().await;
    play(&vector, game, [&ann, &ben], BEFORE..BEFORE + MEANWHILE).await;

    let mut watcher = Socket::open(service.url(), None).await;
    watcher.watch(game, Some(&held.position)).await;
    let frames = watcher
        .until("all that was missed", |frames| {
            let frames = of_the_game(frames, game);
            (frames.len() == MEANWHILE).then_some(frames)
        })
        .await;
    let resumed = Seen::after(Some(&held), game, &frames);
    assert_eq!(resumed.version as usize, 1 + BEFORE + MEANWHILE);
    play(
        &vector,
        game,
        [&ann, &ben],
        BEFORE + MEANWHILE..vector.moves.len(),
    )
    .await;
    watcher
        .until("the end", |frames| {
            frames
                .iter()
                .find(|frame| frame["channel"] == "on_game_ended")
                .cloned()
        })
        .await;
    let whole = Seen::after(Some(&held), game, &of_the_game(&watcher.everything(), game));
    is_the_whole_game(&whole, &vector, [&ann, &ben]);
}

async fn an_event_stream_resumes_where_it_was(world: World) {
    let service = world.start().await;
    // Long enough that what is missed is no longer all in memory.
    let vector = vectors::game(10);
    assert!(vector.moves.len() - BEFORE > 64 + 1);
    let (invite, [ann, ben]) = begun(&service.url()).await;
    let game = invite.game.as_str();
    let mut stream = Events::open(service.url(), game, None, None).await;
    play(&vector, game, [&ann, &ben], 0..BEFORE).await;
    let last_id = stream.until_version(BEFORE as u64 + 1).await;
    let held = stream.seen(game);
    assert_eq!(last_id, held.position);
    drop(stream);
    play(&vector, game, [&ann, &ben], BEFORE..vector.moves.len() - 1).await;

    let mut stream = Events::open(service.url(), game, Some(&last_id), None).await;
    play(
        &vector,
        game,
        [&ann, &ben],
        vector.moves.len() - 1..vector.moves.len(),
    )
    .await;
    assert_eq!(stream.drain().await, "end");
    let whole = Seen::after(Some(&held), game, stream.everything());
    is_the_whole_game(&whole, &vector, [&ann, &ben]);
    let told_to_stop = Events::try_open(&service.url(), game, Some("end"), None).await;
    assert_eq!(told_to_stop.err(), Some(204));
}

async fn who_missed_the_end_gets_the_whole_game(world: World) {
    let service = world.start().await;
    let vector = vectors::game(5);
    let (game, [ann, ben]) = played(&service.url(), &vector).await;
    let mut watcher = Socket::open(service.url(), None).await;
    watcher.watch(&game, Some("3-0123456789abcdef")).await;
    let resync = watcher.next("resync").await;
    assert_eq!(resync["game"]["status"], "finished");
    super::is_the_record(&resync["game"]["record"], &vector, [&ann, &ben]);
    let mut stream = Events::open(service.url(), &game, None, None).await;
    assert_eq!(stream.drain().await, "end");
    let frame = &stream.everything()[0];
    assert_eq!(frame["channel"], "resync");
    super::is_the_record(&frame["payload"]["game"]["record"], &vector, [&ann, &ben]);
}

async fn a_foreign_position_gets_the_whole_game(world: World) {
    let service = world.start().await;
    let (invite, [ann, ben]) = begun(&service.url()).await;
    let game = invite.game.as_str();
    play(&vectors::game(6), game, [&ann, &ben], 0..BEFORE).await;
    for foreign in ["3-0123456789abcdef", "999-0123456789abcdef"] {
        let mut watcher = Socket::open(service.url(), None).await;
        watcher.watch(game, Some(foreign)).await;
        let resync = watcher.next("resync").await;
        assert_eq!(resync["game"]["version"], BEFORE + 1);
        assert_eq!(resync["game"]["history"].as_array().map(Vec::len), Some(BEFORE));
    }
}

async fn what_memory_has_forgotten_comes_from_the_log(world: World) {
    let service = world.start().await;
    let vector = vectors::game(9);
    let (invite, [ann, ben]) = begun(&service.url()).await;
    let game = invite.game.as_str();
    let mut watcher = Socket::open(service.url(), None).await;
    watcher.watch(game, None).await;
    watcher.next("on_game_start").await;
    play(&vector, game, [&ann, &ben], 0..BEFORE).await;
    let held = until_version(&mut watcher, game, BEFORE as u64 + 1).await;
    play(&vector, game, [&ann, &ben], BEFORE..BEFORE + MEANWHILE).await;
    service.terminate().await;
    assert_eq!(watcher.closed().await, 4000);
    service.restart().await;

    let mut stream = Events::open(service.url(), game, Some(&held.position), None).await;
    let resumed = (1 + BEFORE + MEANWHILE + 1) as u64;
    stream.until_version(resumed).await;
    let seen = Seen::after(Some(&held), game, stream.everything());
    assert_eq!(seen.wholes, 1, "nothing but what was missed");
    assert_eq!(seen.moves.len(), BEFORE + MEANWHILE);
    seen.agrees_with(&vector, [&ann.user_id, &ben.user_id]);
    let last = stream.everything().last().expect("it came");
    assert_eq!(last["payload"]["change"]["type"], "resumed");

    // The game goes on where it was.
    let moved = &vector.moves[BEFORE + MEANWHILE];
    let mover = [&ann, &ben][moved.seat - 1];
    mover
        .play(game, "on", &seen.position, moved.index)
        .await
        .expect("a resumed game goes on");
    stream.until_version(resumed + 1).await;
}

async fn play(vector: &Vector, game: &str, players: [&Player; 2], moves: std::ops::Range<usize>) {
    let part = Vector {
        moves: vector.moves[moves.clone()].to_vec(),
        result: vector.result.clone(),
    };
    play_vector(
        players,
        game,
        &part,
        part.moves.len(),
        &format!("from{}-", moves.start),
    )
    .await;
}

async fn until_version(socket: &mut Socket, game: &str, version: u64) -> Seen {
    socket
        .until(&format!("version {version}"), |frames| {
            let seen = Seen::of(game, frames);
            (seen.version == version).then_some(seen)
        })
        .await
}

/// The frames that carry a game from version to version, or replace what is held of it.
fn of_the_game(frames: &[Value], game: &str) -> Vec<Value> {
    let channels = ["on_game_start", "resync", "on_game_update", "on_game_ended"];
    let frames = frames.iter().filter(|frame| {
        let payload = &frame["payload"];
        (payload["gameId"] == game || payload["id"] == game)
            && channels.iter().any(|channel| frame["channel"] == *channel)
    });
    frames.cloned().collect()
}
