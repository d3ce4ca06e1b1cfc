//! Postgres refuses a row, for ever.

use super::{World, converged, few_tables};
use crate::harness::eventually;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_postgres_refuses_for_ever_is_a_dead_letter_and_holds_up_no_other() {
    let world = World::servers().await;
    let service = world.start().await;
    let mut hall = few_tables(&service, 4).await;
    world.refuse_rows_of(hall.tables[1].user_ids()[0]).await;
    hall.finish().await;
    converged(&service).await;
    let status = eventually("it is counted", async || {
        let status = service.status().await;
        (status["deadLetters"] == 1).then_some(status)
    })
    .await;
    assert_eq!(status["pendingPublishes"], 0, "{status}");
    for (number, table) in hall.tables.iter().enumerate() {
        assert_eq!(world.row(&table.game).await.is_some(), number != 1, "{number}");
        // One without a row is read from the log.
        table.check_record().await;
    }

    // The letter is written once, however often the service reads on from before it.
    world.forget_history_checkpoint().await;
    service.restart().await;
    converged(&service).await;
    assert_eq!(service.status().await["deadLetters"], 1);
    assert_eq!(world.rows().await, 3);
    hall.tables[1].check_record().await;
}
