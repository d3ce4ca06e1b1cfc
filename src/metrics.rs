//! What is counted and timed, for Prometheus.
//!
//! **Belongs here:** what happens often, and what the edge sees, counted as it happens; how all is written out. **Does
//! not:** what others know anyway (games, projectors, stores): that is read when somebody asks ([`figures`]).
//!
//! A process has one [`Metrics`] and hands it on: nothing is global, so that two services in one test share nothing. No
//! label has a value that comes from outside.
//!
//! **To add** a metric: a field here and its line in [`Metrics::new`], or a line where figures are read; and its row in
//! `docs/OPERATING.md`.

use std::time::Duration;

use commands::ports::{Answered, Meter, Published};
use contract::Kind;
use projections::restore::Report;
use prometheus_client::encoding::prometheus_text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry};
use tokio::time::Instant;

pub mod figures;
mod histogram;
mod measured;

pub use figures::{Figures, Label, Value};

use histogram::Histogram;
use measured::Measured;

/// The content type of what is written out.
pub const CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

/// From a tenth of a millisecond to the time after which a reader is closed that takes nothing.
const FRAMES: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.1, 0.5, 2.5, 15.0,
];

/// From an empty log to one that has to be read for minutes.
const RESTORES: [f64; 9] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0];

type Counters<const N: usize> = Family<[Label; N], Counter>;

/// What is counted and timed as it happens.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    http: Counters<1>,
    /// Connections closed at once because there were too many.
    pub refused_connections: Counter,
    /// Credentials that were not valid.
    pub failed_logins: Counter,
    /// Open connections, those of sockets and event streams included.
    pub connections: Gauge,
    /// Open sockets.
    pub sockets: Gauge,
    /// Open event streams.
    pub streams: Gauge,
    /// Frames from sockets.
    pub frames_in: Counter,
    /// Frames to sockets and event streams.
    pub frames_out: Counter,
    /// Frames that could not be read.
    pub bad_frames: Counter,
    /// Frames that were too many.
    pub limited_frames: Counter,
    /// Resyncs in place of frames that a slow reader missed.
    pub resyncs: Counter,
    /// Connections closed because nothing was read.
    pub slow_closed: Counter,
    fan_out: Histogram,
    measured: Measured,
    restores: Counters<1>,
    restore_time: Histogram,
    restored: Counters<1>,
}

/// Registers what it makes.
struct Making(Registry);

impl Making {
    fn made<M: Metric + Clone>(&mut self, name: &'static str, help: &'static str, metric: M) -> M {
        self.0.register(name, help, metric.clone());
        metric
    }

    fn zero<M: Metric + Clone + Default>(&mut self, name: &'static str, help: &'static str) -> M {
        self.made(name, help, M::default())
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Everything at 0.
    pub fn new() -> Self {
        let mut m = Making(Registry::default());
        let metrics = Self {
            http: m.zero("turnstream_http_requests", "HTTP requests by status"),
            refused_connections: m.zero(
                "turnstream_connections_refused",
                "Connections closed at once because there were too many",
            ),
            failed_logins: m.zero("turnstream_failed_logins", "Credentials that were not valid"),
            connections: m.zero(
                "turnstream_connections",
                "Open connections, those of sockets and event streams included",
            ),
            sockets: m.zero("turnstream_sockets", "Open sockets"),
            streams: m.zero("turnstream_event_streams", "Open event streams"),
            frames_in: m.zero("turnstream_frames_received", "Frames from sockets"),
            frames_out: m.zero("turnstream_frames_sent", "Frames to sockets and event streams"),
            bad_frames: m.zero("turnstream_frames_unreadable", "Frames that could not be read"),
            limited_frames: m.zero("turnstream_frames_limited", "Frames that were too many"),
            resyncs: m.zero(
                "turnstream_slow_readers_resynced",
                "Resyncs in place of frames that a slow reader missed",
            ),
            slow_closed: m.zero(
                "turnstream_slow_readers_closed",
                "Connections closed because nothing was read",
            ),
            fan_out: m.made(
                "turnstream_fan_out_seconds",
                "From a frame's being given to a reader's queue to its being handed to the system",
                Histogram::new(&FRAMES),
            ),
            measured: Measured::new(&mut m),
            restores: m.zero("turnstream_restores", "Restores by how they ended"),
            restore_time: m.made(
                "turnstream_restore_seconds",
                "How long restores took that were completed",
                Histogram::new(&RESTORES),
            ),
            restored: m.zero(
                "turnstream_restored_games",
                "Games that restores came upon, by what became of them",
            ),
            registry: m.0,
        };
        metrics.begin_at_zero();
        metrics
    }

    /// What has not happened yet is 0, so that its first time is seen as a change.
    fn begin_at_zero(&self) {
        for status in ["2xx", "4xx", "5xx", "other"] {
            drop(self.http.get_or_create(&[("status", status)]));
        }
        for outcome in ["completed", "failed"] {
            drop(self.restores.get_or_create(&[("outcome", outcome)]));
        }
        for (result, _) in results(&Report::default()) {
            drop(self.restored.get_or_create(&[("result", result)]));
        }
    }

    /// All of it and `figures`, as text.
    pub fn render(&self, figures: Figures) -> String {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry).expect("writing to a string does not fail");
        text + &figures.render()
    }

    /// Counts an answer.
    pub fn answered(&self, status: u16) {
        let status = match status / 100 {
            2 => "2xx",
            4 => "4xx",
            5 => "5xx",
            _ => "other",
        };
        self.http.get_or_create(&[("status", status)]).inc();
    }

    /// A frame was handed to the system that waited in its reader's queue `since` then.
    pub fn handed_over(&self, since: Option<Instant>) {
        if let Some(since) = since {
            self.fan_out.observe(since.elapsed());
        }
    }

    /// A restore is done.
    pub fn restored(&self, report: &Report) {
        self.restores.get_or_create(&[("outcome", "completed")]).inc();
        let took = Duration::from_millis(report.took_ms.max(0) as u64);
        self.restore_time.observe(took);
        for (result, games) in results(report) {
            self.restored
                .get_or_create(&[("result", result)])
                .inc_by(games as u64);
        }
    }

    /// A restore could not be done, and will be tried again.
    pub fn not_restored(&self) {
        self.restores.get_or_create(&[("outcome", "failed")]).inc();
    }
}

/// What became of how many games.
fn results(report: &Report) -> [(&'static str, usize); 7] {
    [
        ("restored", report.restored),
        ("refolded", report.refolded),
        ("reanchored", report.reanchored),
        ("ended", report.ended),
        ("parked", report.parked),
        ("quarantined", report.quarantined),
        ("elsewhere", report.elsewhere),
    ]
}

impl Meter for Metrics {
    fn answered(&self, command: &'static str, kind: Option<Kind>, answer: Answered, took: Duration) {
        self.measured.answered(command, kind, answer, took);
    }

    fn published(&self, answer: Published, took: Duration) {
        self.measured.published(answer, took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_is_described_once_and_begins_at_zero() {
        let metrics = Metrics::new();
        metrics.answered(204);
        metrics.sockets.inc();
        let text = metrics.render(Figures::default());
        for name in ["turnstream_http_requests_total", "turnstream_commands_total"] {
            assert_eq!(text.matches(&format!("# TYPE {name} counter\n")).count(), 1);
        }
        assert!(text.contains("turnstream_http_requests_total{status=\"2xx\"} 1\n"));
        assert!(text.contains("turnstream_http_requests_total{status=\"5xx\"} 0\n"));
        assert!(text.contains("\nturnstream_sockets 1\n"));
        assert!(text.contains(
            "turnstream_commands_total{command=\"move\",kind=\"mancala\",outcome=\"undurable\"} 0\n"
        ));
    }
}
