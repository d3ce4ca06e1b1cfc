//! The program is killed, again and again, and nothing that was promised is lost.

use std::time::Duration;

use crate::harness::World;
use crate::harness::log_check::Stores;

mod dice;
mod hall;
mod seat;
mod table;
mod watcher;

pub use dice::Dice;
pub use hall::{Hall, caught_up, converged};
pub use table::{Table, short_vectors};

/// How many games are played.
const GAMES: usize = 200;

/// At most so long after a chosen answer, or a start, the program is killed.
const MOMENT: Duration = Duration::from_millis(50);
const FIRST_MOMENTS: Duration = Duration::from_millis(500);
const RESTORE: Duration = Duration::from_secs(4);

async fn two_hundred_games_outlive_kill_after_kill(world: World) {
    let mut dice = Dice::thrown("kills");
    let service = world.start().await;
    let url = service.url();
    let mut hall = Hall::open(&url, GAMES).await;
    let half: usize = hall.tables.iter().map(Table::half).sum();
    let mut extra_turns = 0;

    let answers = half / 4 + dice.below(half as u64 / 2) as usize;
    hall.play_until_killed(&service, Table::half, answers, dice.moment(MOMENT))
        .await;
    // Once within the first moments, once while games are restored, more or less.
    for moments in [FIRST_MOMENTS, RESTORE] {
        service.restart_unready().await;
        tokio::time::sleep(dice.moment(moments)).await;
        service.kill().await;
    }
    service.restart().await;
    let found = hall.come_back(&url).await;
    println!("after {answers} answers: {found:?}");
    extra_turns += found.extra_turns;

    let left: usize = hall
        .tables
        .iter()
        .map(|table| table.vector.moves.len() - table.played())
        .sum();
    let answers = left / 4 + dice.below(left as u64 / 2) as usize;
    hall.play_until_killed(
        &service,
        |table| table.vector.moves.len(),
        answers,
        dice.moment(MOMENT),
    )
    .await;
    service.restart().await;
    let found = hall.come_back(&url).await;
    println!("after {answers} answers more: {found:?}");
    extra_turns += found.extra_turns;
    assert!(extra_turns > 0, "a move was sent again that would be legal twice");

    hall.finish().await;
    hall.check(&world, &service).await;
}

async fn a_program_that_is_told_to_end_loses_nothing(world: World) {
    let mut dice = Dice::thrown("terminations");
    let service = world.start().await;
    let url = service.url();
    let mut hall = Hall::open(&url, 20).await;
    let answered = tokio::sync::watch::Sender::new(0);
    let mut count = answered.subscribe();
    let answers = 20 + dice.below(100) as usize;
    let terminate = async {
        count
            .wait_for(|count| *count >= answers)
            .await
            .expect("the sender lives");
        service.terminate().await;
    };
    tokio::join!(hall.play(|table| table.vector.moves.len(), &answered), terminate);
    for table in hall.tables.iter_mut().filter(|table| table.has_sockets()) {
        assert_eq!(table.close_codes().await, [4000, 4000], "come back later");
    }
    let stores = Stores::of(&world).await;
    let log = stores.checked_log().await;
    for table in &hall.tables {
        for promise in &table.promises {
            assert!(
                log.game(&table.game).has(&promise.position),
                "{promise:?} is in the log, durable or not"
            );
        }
    }
    stores.close().await;
    for watcher in &mut hall.watchers {
        watcher.was_cut_off().await;
    }
    service.restart().await;
    let found = hall.come_back(&url).await;
    assert_eq!(found.lost, 0, "nothing is lost in good order");
    hall.finish().await;
    hall.check(&world, &service).await;
}

on_every_backend!(
    two_hundred_games_outlive_kill_after_kill,
    a_program_that_is_told_to_end_loses_nothing,
);
