//! The way to a server is bad: it loses what is said in one direction or in both, or takes long. Nobody is told; the
//! connection seems to be there.

use std::time::Duration;

use testkit::proxy::{Lost, Proxy};

use super::{World, all_play, converged, few_tables, lists_are_answered};
use crate::harness::Ways;

/// Longer than Valkey's deadline, and, there and back, than a player waits for the log.
const SLOW: Duration = Duration::from_millis(150);

/// What is wrong, and how it begins.
type Fault = (&'static str, fn(&Proxy));

/// What may be wrong with it.
fn faults() -> [Fault; 4] {
    [
        ("answers are lost", |way| way.lose(Lost::Answers)),
        ("requests are lost", |way| way.lose(Lost::Requests)),
        ("it is half open", |way| way.lose(Lost::Everything)),
        ("it is slow", |way| way.delay(SLOW)),
    ]
}

async fn play_goes_on_over_a_bad_way(way_of: impl Fn(&Ways) -> &Proxy) {
    let world = World::servers().await;
    let ways = Ways::of(&world).await;
    let service = ways.start(&world).await;
    let mut hall = few_tables(&service, 3).await;
    for (fault, begin) in faults() {
        println!("{fault}");
        begin(way_of(&ways));
        all_play(&mut hall, 2).await;
        lists_are_answered(&hall.tables[0]).await;
        way_of(&ways).restore();
        converged(&service).await;
        assert_eq!(all_play(&mut hall, 1).await, (true, false), "after {fault}");
    }
    hall.finish().await;
    hall.check(&world, &service).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_way_to_nats_stops_no_game() {
    play_goes_on_over_a_bad_way(|ways| &ways.nats[0]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_way_to_valkey_stops_no_game() {
    play_goes_on_over_a_bad_way(|ways| &ways.valkey).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_way_to_postgres_stops_no_game() {
    play_goes_on_over_a_bad_way(|ways| &ways.postgres).await;
}
