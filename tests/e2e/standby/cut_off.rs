//! The first service loses its way to the servers, while the second one keeps its own.

use std::time::Duration;

use testkit::proxy::Proxy;
use tokio::time::{Instant, sleep};

use super::{finish, is_standby, move_to, start_standby, tables, takeovers, until_standby};
use crate::harness::log_check::Stores;
use crate::harness::{Service, Ways, World, eventually};

/// Longer than a process may be silent before it is taken for dead.
const SILENCE: Duration = Duration::from_secs(5);

/// As long as it takes a standby to take over, it does not.
async fn stays_standby(standby: &Service) {
    let until = Instant::now() + SILENCE;
    while Instant::now() < until {
        assert!(is_standby(&standby.url()).await, "the first one is alive");
        sleep(Duration::from_millis(100)).await;
    }
}

async fn one_that_loses_only_the_log_keeps_its_games_and_writes_them_later(world: World) {
    let ways = Ways::of(&world).await;
    let first = ways.start(&world).await;
    let mut tables = tables(&first, 4).await;
    let standby = start_standby(&world, &[]).await;
    ways.nats.iter().for_each(Proxy::cut);
    for table in &mut tables {
        let promise = table.play_next().await.expect("play goes on");
        assert!(!promise.durable, "{promise:?}");
    }
    stays_standby(&standby).await;
    ways.nats.iter().for_each(Proxy::restore);
    let drained = async || (first.status().await["pendingPublishes"] == 0).then_some(());
    eventually("the log has what waited", drained).await;
    stays_standby(&standby).await;
    first.ready().await;
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), 0, "nobody took anything over");
}

async fn cut_off_from_everything(world: World, cut: impl Fn(&Proxy)) {
    let ways = Ways::of(&world).await;
    let first = ways.start(&world).await;
    let mut tables = tables(&first, 4).await;
    tables[0].take_sockets().await;
    let standby = start_standby(&world, &[]).await;
    ways.all().for_each(&cut);
    // Both decide on the next version: the first one's players are told that nothing is durable.
    for table in &mut tables {
        let promise = table.play_next().await.expect("play goes on");
        assert!(!promise.durable, "{promise:?}");
    }
    standby.ready().await;
    let mut elsewhere = tables.split_off(1);
    move_to(&mut elsewhere, &standby).await;
    for table in &mut elsewhere {
        let there = table.played();
        table.play_to(there + 1).await;
    }
    ways.all().for_each(Proxy::restore);
    assert_eq!(tables[0].close_codes().await, [4000; 2]);
    until_standby(&first).await;
    assert_eq!(first.status().await["liveGames"], 0);
    standby.ready().await;
    move_to(&mut tables, &standby).await;
    tables.append(&mut elsewhere);
    let log = finish(&world, &mut tables).await;
    assert_eq!(takeovers(&log), 4, "each game was taken over once");
    let stores = Stores::of(&world).await;
    let nothing_waits = async || {
        let waiting = stores.pending.load().await.ok()?;
        waiting.is_empty().then_some(())
    };
    eventually("what did not fit is set aside", nothing_waits).await;
    stores.close().await;
}

async fn one_whose_connections_end_is_fenced_when_it_is_back(world: World) {
    cut_off_from_everything(world, Proxy::cut).await;
}

async fn one_whose_network_goes_silent_is_fenced_when_it_is_back(world: World) {
    cut_off_from_everything(world, Proxy::stop).await;
}

on_one_node_and_on_three!(
    one_that_loses_only_the_log_keeps_its_games_and_writes_them_later,
    one_whose_connections_end_is_fenced_when_it_is_back,
    one_whose_network_goes_silent_is_fenced_when_it_is_back,
);
