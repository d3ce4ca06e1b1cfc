//! What an older release had to pass over, taken up by whoever can read it.

use contract::{EndReason, Envelope, GameId, Seq, WriterId};
use projections::ports::{DeadLetter, DeadLetters, HistoryStore, LiveRepair, LiveStore, SnapshotStatus};
use testkit::fixtures::{Game, outgoing};

use crate::world::World;

const ONE: WriterId = WriterId(0x1111);
const TWO: WriterId = WriterId(0x2222);

/// As an older release leaves one behind.
async fn passed_over(world: &World, projector: &str, seq: Seq, event: &Envelope) {
    let letter = DeadLetter {
        projector: projector.to_owned(),
        game: event.id.game,
        seq,
        reason: "newer code wrote it: turnstream.game.moved.v2".to_owned(),
        bytes: event.to_bytes(),
    };
    world.stores.dead_letters().put(&letter).await.unwrap();
}

async fn letters(world: &World) -> Vec<Seq> {
    let letters = world.stores.dead_letters().list(100).await.unwrap();
    letters.iter().map(|letter| letter.seq).collect()
}

/// The live store has nothing of the game, although its checkpoint is behind the game's last event.
async fn forget(world: &World, game: GameId) {
    let live = world.stores.live();
    let generation = live.generation().await.unwrap();
    let there = live.get(game).await.unwrap();
    assert!(live.mend(generation, game, there.as_ref(), None).await.unwrap());
}

#[tokio::test]
async fn a_live_game_and_one_that_has_ended_are_as_the_log_has_them_and_their_letters_are_gone() {
    let mut world = World::open().await;
    let (mut live, mut over) = (world.game(2).await, world.game(2).await);
    let projector = world.following(ONE).await;
    projector.stop().await;
    // Both go on, and end, while an older release projects.
    let (moved, ended) = (live.play(), over.end(EndReason::Left));
    let moved_at = world.append(&moved).await;
    let ended_at = world.append(&ended).await;
    let projector = world.following(ONE).await;
    projector.stop().await;
    for game in [&live, &over] {
        forget(&world, game.state().id).await;
    }
    passed_over(&world, "live", moved_at, &moved).await;
    passed_over(&world, "live", ended_at, &ended).await;

    let projector = world.following(TWO).await;
    projector.until(|status| status.counts.refolded == 2).await;
    let of = async |game: &Game| world.snapshot(game).await.expect("it is there again");
    assert_eq!(
        (of(&live).await.version, of(&live).await.status),
        (live.state().version, SnapshotStatus::Live)
    );
    assert_eq!(of(&over).await.status, SnapshotStatus::Tombstone);
    assert_eq!(letters(&world).await, [] as [Seq; 0]);
}

#[tokio::test]
async fn a_finished_game_gets_its_row_and_its_letter_is_gone() {
    let mut world = World::open().await;
    let mut game = world.game(1).await;
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    history.stop().await;
    let ended = game.end(EndReason::Left);
    // It is not in the log as it can be read: only the letter has it so.
    let message = outgoing(&ended);
    let unreadable = String::from_utf8(message.bytes.to_vec())
        .unwrap()
        .replace("ended.v1", "ended.v2");
    let seq = world
        .append_message(&commands::ports::Outgoing {
            bytes: unreadable.into(),
            ..message
        })
        .await;
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let letter = world.stores.dead_letters().find("history", seq).await.unwrap();
    let letter = letter.expect("what cannot be read is remembered");
    assert!(
        letter.reason.starts_with("newer code wrote it: "),
        "{}",
        letter.reason
    );
    history.stop().await;
    // The same release starts again: nothing has changed.
    let history = world.history(ONE, world.stores.history(), None);
    world.until_caught_up(&history).await;
    assert_eq!(letters(&world).await, [seq]);
    history.stop().await;

    world.stores.dead_letters().remove("history", seq).await.unwrap();
    passed_over(&world, "history", seq, &ended).await;
    let history = world.history(TWO, world.stores.history(), None);
    world.until_caught_up(&history).await;
    let row = world.stores.history().game(game.state().id).await.unwrap();
    assert_eq!(row.expect("it has its row").moves, game.state().moves);
    assert_eq!(letters(&world).await, [] as [Seq; 0]);
}

#[tokio::test]
async fn of_a_game_that_cannot_be_read_the_first_event_is_remembered() {
    let mut world = World::open().await;
    let projector = world.following(ONE).await;
    let mut game = world.game(1).await;
    world.until_caught_up(&projector).await;
    let moved = outgoing(&game.play());
    let newer = String::from_utf8(moved.bytes.to_vec())
        .unwrap()
        .replace("moved.v1", "moved.v7");
    let first = world
        .append_message(&commands::ports::Outgoing {
            bytes: newer.into(),
            ..moved
        })
        .await;
    for _ in 0..3 {
        let next = game.play();
        world.append(&next).await;
    }
    world.until_caught_up(&projector).await;
    assert_eq!(letters(&world).await, [first]);
}
