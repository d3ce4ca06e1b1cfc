//! What the edge counts, in Prometheus' text format.
//!
//! Plain counters: a metric is a line here and a call where it happens.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

macro_rules! metrics {
    ($($field:ident: $type:ident, $kind:literal, $name:literal, $labels:literal, $help:literal;)+) => {
        /// The edge's counters.
        #[derive(Debug, Default)]
        pub struct Metrics { $(
            #[doc = $help]
            pub $field: $type,
        )+ }

        impl Metrics {
            /// All of them, as text.
            pub fn render(&self) -> String {
                let mut text = String::new();
                let mut last = "";
                $(
                    if last != $name {
                        line(&mut text, format_args!("# HELP {} {}", $name, $help));
                        line(&mut text, format_args!("# TYPE {} {}", $name, $kind));
                        last = $name;
                    }
                    line(&mut text, format_args!("{}{} {}", $name, $labels, self.$field.get()));
                )+
                let _ = last;
                text
            }
        }
    };
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect("writing to a string does not fail");
}

/// A figure that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A figure that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// One more.
    pub fn up(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One less.
    pub fn down(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many now.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

metrics! {
    http_ok: Counter, "counter", "turnstream_http_requests_total", "{status=\"2xx\"}", "HTTP requests by status.";
    http_client: Counter, "counter", "turnstream_http_requests_total", "{status=\"4xx\"}", "HTTP requests by status.";
    http_server: Counter, "counter", "turnstream_http_requests_total", "{status=\"5xx\"}", "HTTP requests by status.";
    http_other: Counter, "counter", "turnstream_http_requests_total", "{status=\"other\"}", "HTTP requests by status.";
    refused_connections: Counter, "counter", "turnstream_connections_refused_total", "", "Connections closed at once because there were too many.";
    failed_logins: Counter, "counter", "turnstream_failed_logins_total", "", "Credentials that were not valid.";
    connections: Gauge, "gauge", "turnstream_connections", "", "Open connections, those of sockets and event streams included.";
    sockets: Gauge, "gauge", "turnstream_sockets", "", "Open sockets.";
    streams: Gauge, "gauge", "turnstream_event_streams", "", "Open event streams.";
    frames_in: Counter, "counter", "turnstream_frames_received_total", "", "Frames from sockets.";
    frames_out: Counter, "counter", "turnstream_frames_sent_total", "", "Frames to sockets and event streams.";
    bad_frames: Counter, "counter", "turnstream_frames_unreadable_total", "", "Frames that could not be read.";
    limited_frames: Counter, "counter", "turnstream_frames_limited_total", "", "Frames that were too many.";
    resyncs: Counter, "counter", "turnstream_slow_readers_resynced_total", "", "Resyncs in place of frames that a slow reader missed.";
    slow_closed: Counter, "counter", "turnstream_slow_readers_closed_total", "", "Connections closed because nothing was read.";
    commands_accepted: Counter, "counter", "turnstream_commands_total", "{outcome=\"accepted\"}", "Commands by outcome.";
    commands_rejected: Counter, "counter", "turnstream_commands_total", "{outcome=\"rejected\"}", "Commands by outcome.";
    commands_elsewhere: Counter, "counter", "turnstream_commands_total", "{outcome=\"elsewhere\"}", "Commands by outcome.";
    commands_unavailable: Counter, "counter", "turnstream_commands_total", "{outcome=\"unavailable\"}", "Commands by outcome.";
}

impl Metrics {
    /// Counts an answer.
    pub fn answered(&self, status: u16) {
        match status / 100 {
            2 => &self.http_ok,
            4 => &self.http_client,
            5 => &self.http_server,
            _ => &self.http_other,
        }
        .add();
    }

    /// Counts a command's outcome.
    pub fn commanded<T>(&self, outcome: &Result<T, commands::games::CommandError>) {
        use commands::games::CommandError as E;
        match outcome {
            Ok(_) => &self.commands_accepted,
            Err(E::Rejected { .. }) => &self.commands_rejected,
            Err(E::Elsewhere) => &self.commands_elsewhere,
            Err(E::Unavailable { .. }) => &self.commands_unavailable,
        }
        .add();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_is_described_once() {
        let metrics = Metrics::default();
        metrics.answered(204);
        metrics.sockets.up();
        let text = metrics.render();
        assert_eq!(
            text.matches("# TYPE turnstream_http_requests_total counter")
                .count(),
            1
        );
        assert!(text.contains("turnstream_http_requests_total{status=\"2xx\"} 1\n"));
        assert!(text.contains("\nturnstream_sockets 1\n"));
    }
}
