//! History is made anew, in place, from a log that does not reach back to the oldest rows.

use contract::WriterId;
use projections::ports::{Checkpoint, Written};

use super::{Stores, World, converged, few_tables};
use crate::harness::eventually;

/// Whoever sets the checkpoint back.
const OPERATOR: WriterId = WriterId(0x0b5e);

async fn rows_older_than_the_log_outlive_a_new_beginning_of_history(world: World) {
    let service = world.start().await;
    let mut old = few_tables(&service, 3).await;
    old.finish().await;
    converged(&service).await;
    let forgotten = service.status().await["log"]["last"]
        .as_u64()
        .expect("a sequence");
    let mut hall = few_tables(&service, 3).await;
    hall.tables[0].finish().await;
    converged(&service).await;
    let mut rows = Vec::new();
    for table in old.tables.iter().chain(&hall.tables[..1]) {
        let row = world.row(&table.game).await.expect("it has a row");
        rows.push((&table.game, row));
    }
    service.terminate().await;

    world.purge_log(forgotten).await;
    begin_again(&world).await;
    service.restart().await;
    converged(&service).await;
    assert_eq!(service.status().await["log"]["first"], forgotten + 1);
    for (game, row) in &rows {
        assert_eq!(
            world.row(game).await.as_ref(),
            Some(row),
            "it is the row that was written then"
        );
    }
    assert_eq!(world.rows().await, rows.len() as i64);
    for table in &old.tables {
        table.check_record().await;
    }
    let found = hall.come_back(&service.url()).await;
    assert_eq!(found.lost, 0, "{found:?}");
    hall.finish().await;
    hall.check(&world, &service).await;
}

on_every_backend!(rows_older_than_the_log_outlive_a_new_beginning_of_history);

/// Sets the checkpoint of history to the log's beginning.
async fn begin_again(world: &World) {
    let stores = Stores::of(world).await;
    let log = eventually("the log answers", async || stores.log.info().await.ok()).await;
    let beginning = Checkpoint {
        seq: 0,
        event_id: None,
        log: log.identity,
    };
    eventually("the token is free", async || {
        let free = stores.history.acquire(OPERATOR).await;
        free.ok().filter(|free| *free)
    })
    .await;
    let reset = stores.history.reset_checkpoint(OPERATOR, &beginning).await;
    assert_eq!(reset.expect("the store answers"), Written::Done);
    stores.history.release(OPERATOR).await.expect("the store answers");
    stores.close().await;
}
