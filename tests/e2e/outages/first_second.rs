//! The service is killed within the first second after its start, again and again: before, while and after games are
//! restored and projectors begin.

use super::{Dice, Duration, World, all_play, few_tables};

const KILLS: usize = 6;

const FIRST_SECOND: Duration = Duration::from_secs(1);

async fn a_service_that_is_killed_in_its_first_second_again_and_again_loses_nothing(world: World) {
    let mut dice = Dice::thrown("first seconds");
    let service = world.start().await;
    let mut hall = few_tables(&service, 5).await;
    hall.tables[0].finish().await;
    all_play(&mut hall, 2).await;
    service.kill().await;
    for _ in 0..KILLS {
        service.restart_unready().await;
        tokio::time::sleep(dice.moment(FIRST_SECOND)).await;
        service.kill().await;
    }
    service.restart().await;
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    hall.finish().await;
    hall.check(&world, &service).await;
}

on_every_backend!(a_service_that_is_killed_in_its_first_second_again_and_again_loses_nothing);
