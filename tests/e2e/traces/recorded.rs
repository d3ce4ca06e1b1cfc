//! Spans of a command's way reach the collector, and a collector that is away costs nothing else.

use std::time::Duration;

use contract::Envelope;
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::collector::{Collector, Recorded};
use super::{JOIN, MOVE, played, trace_of};
use crate::harness::World;
use crate::kill::{Table, short_vectors};

on_every_backend!(
    the_spans_of_a_command_reach_the_collector_in_the_trace_of_its_events,
    a_collector_that_never_answers_costs_no_move_and_no_shutdown,
);

/// The spans of a trace.
fn of_trace(spans: &[Recorded], trace: &str) -> Vec<Recorded> {
    let of_it = spans.iter().filter(|span| span.trace == trace);
    of_it.cloned().collect()
}

/// The one span of this name.
fn named<'a>(spans: &'a [Recorded], name: &str) -> &'a Recorded {
    let found: Vec<&Recorded> = spans.iter().filter(|span| span.name == name).collect();
    let [span] = found[..] else {
        panic!("one {name} in {spans:#?}")
    };
    span
}

/// The way of one command: each span below the one before, the first below `parent`. The event is of the first.
fn is_a_way(spans: &[Recorded], edge: &str, parent: &str, event: &Envelope) {
    let way = [edge, "command", "publish", "acknowledgement"].map(|name| named(spans, name));
    assert_eq!(spans.len(), way.len(), "{spans:#?}");
    let mut above = parent;
    for span in way {
        assert_eq!(span.parent, above, "{} in {spans:#?}", span.name);
        assert_eq!(span.service, "turnstream");
        above = &span.id;
    }
    assert!(
        way[2].took >= way[3].took,
        "an event is acknowledged within its way: {spans:#?}"
    );
    let trace = trace_of(event).expect("it says which");
    assert_eq!(&trace[3..35], way[0].trace);
    assert_eq!(&trace[36..52], way[0].id);
    assert_eq!(&trace[53..], "01");
}

async fn the_spans_of_a_command_reach_the_collector_in_the_trace_of_its_events(world: World) {
    let collector = Collector::start().await;
    let endpoint = format!("--otlp-endpoint={}", collector.url);
    let events = played(&world, &[&endpoint]).await;
    let spans = collector.spans();
    let joined = of_trace(&spans, &JOIN[3..35]);
    is_a_way(&joined, "request", &JOIN[36..52], &events[0]);

    assert_eq!(of_trace(&spans, &MOVE[3..35]), [], "its client records nothing");
    let trace = trace_of(&events[1]).expect("it is traced all the same");
    assert_eq!((&trace[3..35], &trace[53..]), (&MOVE[3..35], "00"));

    let own = trace_of(&events[2]).expect("it has one of its own");
    is_a_way(&of_trace(&spans, &own[3..35]), "request", "", &events[2]);
}

async fn a_collector_that_never_answers_costs_no_move_and_no_shutdown(world: World) {
    // It takes connections, and nothing more.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!(
        "--otlp-endpoint=http://{}",
        silent.local_addr().expect("it is bound")
    );
    let service = world.start_with(&[&endpoint]).await;
    let mut table = Table::sit(&service.url(), 0, short_vectors(1).remove(0)).await;
    table.take_sockets().await;
    table.finish().await;
    table.check_record().await;
    assert!(table.promises.iter().all(|promise| promise.durable));
    let began = Instant::now();
    service.terminate().await;
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let log = service.log();
    assert_eq!(log.matches("spans are lost").count(), 1, "once: {log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn none_of_the_traces_that_begin_here_is_recorded_if_none_shall_be() {
    let world = World::embedded().await;
    let collector = Collector::start().await;
    let endpoint = format!("--otlp-endpoint={}", collector.url);
    let events = played(&world, &[&endpoint, "--trace-ratio=0"]).await;
    let spans = collector.spans();
    assert_eq!(
        of_trace(&spans, &JOIN[3..35]).len(),
        4,
        "its client records it: {spans:#?}"
    );
    assert_eq!(spans.len(), 4, "{spans:#?}");
    assert_eq!(trace_of(&events[2]), None);
}
