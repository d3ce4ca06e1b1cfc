//! Dead letters tried again.

use bytes::Bytes;
use contract::WriterId;
use projections::operations::retry::{Retried, retry};
use projections::ports::{DeadLetter, DeadLetters, HistoryStore};
use testkit::fixtures::Game;

use super::world::World;

const TOKEN: WriterId = WriterId(0xb);

async fn letter(world: &World, game: &Game, projector: &str) -> DeadLetter {
    let messages = world.messages().await;
    let last = messages.last().expect("there are messages");
    let letter = DeadLetter {
        projector: projector.to_owned(),
        game: game.state().id,
        seq: last.seq,
        reason: "it was refused".to_owned(),
        bytes: last.bytes.clone(),
    };
    world.stores.dead_letters().put(&letter).await.unwrap();
    letter
}

#[tokio::test]
async fn a_row_that_can_be_written_now_is_written_and_the_letter_forgotten() {
    let mut world = World::open().await;
    let game = world.finished_game(3).await;
    let letter = letter(&world, &game, "history").await;
    let parts = world.parts(TOKEN);
    assert_eq!(retry(&parts, &letter).await.unwrap(), Retried::Done);
    let row = world.stores.history().game(game.state().id).await.unwrap();
    assert_eq!(row.unwrap().moves, game.state().moves);
    assert_eq!(world.stores.dead_letters().count().await.unwrap(), 0);
    assert_eq!(retry(&parts, &letter).await.unwrap(), Retried::WasThere);
}

#[tokio::test]
async fn a_game_that_folds_now_gets_its_snapshot() {
    let mut world = World::open().await;
    let game = world.game(3).await;
    let letter = letter(&world, &game, "live").await;
    let parts = world.parts(TOKEN);
    assert_eq!(retry(&parts, &letter).await.unwrap(), Retried::Done);
    assert_eq!(
        world.snapshot(&game).await.map(|stored| stored.version),
        Some(game.state().version)
    );
    assert_eq!(world.stores.dead_letters().count().await.unwrap(), 0);
}

#[tokio::test]
async fn what_is_refused_still_stays_a_dead_letter_with_the_reason() {
    let mut world = World::open().await;
    let game = world.finished_game(1).await;
    let good = letter(&world, &game, "history").await;
    let bad = DeadLetter {
        seq: 900,
        bytes: Bytes::from_static(b"no event"),
        ..good.clone()
    };
    let nobodys = DeadLetter {
        projector: "other".to_owned(),
        ..good.clone()
    };
    let parts = world.parts(TOKEN);
    for letter in [&bad, &nobodys] {
        world.stores.dead_letters().put(letter).await.unwrap();
        let retried = retry(&parts, letter).await.unwrap();
        assert!(matches!(retried, Retried::StillRefused(_)), "{retried:?}");
    }
    assert_eq!(world.stores.dead_letters().count().await.unwrap(), 3);
}
