//! NATS is killed and started again while many games are played.

use std::time::Duration;

use tokio::sync::watch;

use super::{Dice, Hall, World};

const GAMES: usize = 60;
const KILLS: usize = 4;

/// How long it is away, at most.
const AWAY: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_is_killed_again_and_again_has_no_hole_no_repeat_and_no_disorder() {
    let mut dice = Dice::thrown("kills of the log");
    let world = World::servers().await;
    let service = world.start().await;
    let nats = world.nats.as_ref().expect("a world of servers");
    let mut hall = Hall::open(&service.url(), GAMES).await;
    let moves: usize = hall.tables.iter().map(|table| table.vector.moves.len()).sum();
    let answered = watch::Sender::new(0);
    let mut count = answered.subscribe();
    let kills = async {
        for kill in 0..KILLS {
            let stretch = moves / (KILLS + 1);
            let answers = kill * stretch + dice.below(stretch as u64) as usize;
            count
                .wait_for(|count| *count >= answers)
                .await
                .expect("the sender lives");
            nats.kill().await.expect("it runs");
            tokio::time::sleep(dice.moment(AWAY)).await;
            nats.restart().await.expect("it starts");
        }
    };
    tokio::join!(hall.play(|table| table.vector.moves.len(), &answered), kills);
    hall.finish().await;
    let log = hall.check(&world, &service).await;
    for (id, game) in &log.games {
        assert!(
            !game.names().contains(&"anchored"),
            "{id} lost nothing: {:?}",
            game.names()
        );
    }
}
