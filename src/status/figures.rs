//! The same for Prometheus.

use std::sync::atomic::Ordering;
use std::time::Duration;

use commands::games::{Games, Role};
use commands::live::LiveGames;
use projections::catch_up::status::{Counts, ProjectorState};

use super::reading::{Projected, ReadSide, Reading};
use crate::metrics::Figures;

const ROLES: [&str; 4] = ["starting", "active", "standby", "leaving"];
const STATES: [&str; 5] = ["starting", "running", "held-elsewhere", "waiting", "stopped"];

type Count = fn(&Counts) -> u64;

/// What came of an event, and how many it came of.
const EFFECTS: [(&str, Count); 4] = [
    ("applied", |counts| counts.applied),
    ("repeated", |counts| counts.repeated),
    ("skipped", |counts| counts.skipped),
    ("dead-letter", |counts| counts.dead_letters),
];

/// What a projector met that should be rare.
const INCIDENTS: [(&str, &str, Count); 9] = [
    (
        "turnstream_projector_holes",
        "Events that came without the one before them",
        |counts| counts.holes,
    ),
    (
        "turnstream_projector_anchors",
        "Events that carry the whole state in place of others",
        |counts| counts.anchored,
    ),
    (
        "turnstream_projector_refolds",
        "Games that were made anew from their own events",
        |counts| counts.refolded,
    ),
    (
        "turnstream_projector_other_chains",
        "Snapshots on another chain than the log's, set aside",
        |counts| counts.other_chains,
    ),
    (
        "turnstream_projector_ahead",
        "Snapshots ahead of the log, left for their owner",
        |counts| counts.ahead,
    ),
    (
        "turnstream_projector_broken",
        "Games whose own events do not fold",
        |counts| counts.broken,
    ),
    (
        "turnstream_projector_parked",
        "Games that newer code wrote, left untouched",
        |counts| counts.parked,
    ),
    (
        "turnstream_projector_doubts",
        "Checkpoints that were missing or not the log's",
        |counts| counts.empty + counts.doubts,
    ),
    (
        "turnstream_projector_reader_reopened",
        "Readers that fell silent and were opened anew",
        |counts| counts.reopened,
    ),
];

impl ReadSide {
    /// Of the log, the projectors, the audit and the adapters.
    pub(super) async fn figures(&self) -> Figures {
        let reading = self.read().await;
        let mut figures = Figures::default();
        figures.gauges(
            "turnstream_build_info",
            "The release that runs",
            [([("version", env!("CARGO_PKG_VERSION"))], 1_u64)],
        );
        of_log(&reading, &mut figures);
        for projector in &reading.projectors {
            of_projector(projector, &mut figures);
        }
        of_audit(&reading, &mut figures);
        self.adapters.add_to(&mut figures);
        figures
    }
}

fn of_log(reading: &Reading, figures: &mut Figures) {
    let log = reading.log.as_ref().ok();
    figures.gauge(
        "turnstream_log_last_sequence",
        "Sequence of the log's last message",
        log.map(|log| log.last),
    );
    figures.gauge(
        "turnstream_log_first_sequence",
        "Sequence of the log's first message",
        log.map(|log| log.first),
    );
    figures.gauge(
        "turnstream_dead_letters",
        "Dead letters that wait for an operator",
        reading.dead_letters,
    );
}

fn of_projector(projector: &Projected, figures: &mut Figures) {
    let of = ("projector", projector.name);
    figures.gauges(
        "turnstream_projector_lag_events",
        "Messages of the log that a projector has not come to",
        projector.lag.map(|lag| ([of], lag)),
    );
    figures.gauges(
        "turnstream_projector_lag_seconds",
        "Age of the first event that a projector has not come to",
        projector
            .lag_ms
            .map(|ms| ([of], Duration::from_millis(ms as u64))),
    );
    let now = state(&projector.status.state);
    figures.gauges(
        "turnstream_projector_state",
        "What a projector is doing: 1 at its state",
        STATES.map(|state| ([of, ("state", state)], state == now)),
    );
    let counts = &projector.status.counts;
    figures.counters(
        "turnstream_projector_events",
        "Events by what came of them",
        EFFECTS.map(|(effect, count)| ([of, ("effect", effect)], count(counts))),
    );
    for (name, help, count) in INCIDENTS {
        figures.counters(name, help, [([of], count(counts))]);
    }
}

fn state(state: &ProjectorState) -> &'static str {
    match state {
        ProjectorState::Starting => "starting",
        ProjectorState::Running => "running",
        ProjectorState::HeldElsewhere => "held-elsewhere",
        ProjectorState::Waiting(_) => "waiting",
        ProjectorState::Stopped => "stopped",
    }
}

fn of_audit(reading: &Reading, figures: &mut Figures) {
    let audited = &reading.audited;
    for (name, help, count) in [
        (
            "turnstream_audit_games",
            "Random games that were compared with the log",
            audited.games,
        ),
        (
            "turnstream_audit_differences",
            "Differences that were found so",
            audited.differences,
        ),
        (
            "turnstream_audit_failures",
            "Comparisons that could not be made",
            audited.failed,
        ),
    ] {
        figures.counter(name, help, count);
    }
}

/// Of the games that are held here.
pub(super) fn of_games(games: &LiveGames, figures: &mut Figures) {
    let now = role(&games.role());
    figures.gauges(
        "turnstream_role",
        "What this process is: 1 at its role",
        ROLES.map(|role| ([("role", role)], role == now)),
    );
    let load = games.load();
    figures.gauges(
        "turnstream_live_games",
        "Live games that are held here, by kind",
        load.live
            .iter()
            .map(|(kind, games)| ([("kind", kind.as_str())], *games)),
    );
    for (name, help, value) in [
        (
            "turnstream_ended_games",
            "Games that ended and are still in memory",
            load.ended,
        ),
        ("turnstream_seeks", "Users that wait for an opponent", load.seeks),
        (
            "turnstream_publish_queue_events",
            "Events that wait for the log",
            load.waiting_events,
        ),
        (
            "turnstream_publish_queue_bytes",
            "Bytes that wait for the log",
            load.waiting_bytes,
        ),
        (
            "turnstream_publish_queue_games",
            "Games of which anything waits for the log",
            load.waiting_games,
        ),
        (
            "turnstream_copies_due",
            "Games whose copy of what waits is not up to date",
            load.copies_due,
        ),
    ] {
        figures.gauge(name, help, Some(value));
    }
    of_counters(games, figures);
}

fn of_counters(games: &LiveGames, figures: &mut Figures) {
    let counters = games.counters();
    for (name, help, counter) in [
        (
            "turnstream_fences",
            "Games that another process extended while they were held here",
            &counters.fenced,
        ),
        (
            "turnstream_games_taken_over",
            "Of those, games that the log had from this process before",
            &counters.taken_over,
        ),
        (
            "turnstream_games_begun_elsewhere",
            "Games of another process that came up in the log",
            &counters.begun_elsewhere,
        ),
        (
            "turnstream_games_handed_over",
            "Games let go for another process",
            &counters.handed_over,
        ),
        (
            "turnstream_claims",
            "Games that this process set out to take over",
            &counters.claimed,
        ),
        (
            "turnstream_claims_lost",
            "Of those, games that somebody else had extended first",
            &counters.claims_lost,
        ),
        (
            "turnstream_anchors",
            "Whole states that the log took in place of events",
            &counters.anchored,
        ),
        (
            "turnstream_log_tail_losses",
            "Times that the log had lost acknowledged events of a game",
            &counters.tail_lost,
        ),
        (
            "turnstream_publish_halts",
            "Games of which nothing is sent any more",
            &counters.halted,
        ),
    ] {
        figures.counter(name, help, counter.load(Ordering::Relaxed));
    }
}

fn role(role: &Role) -> &'static str {
    match role {
        Role::Starting(_) => "starting",
        Role::Active => "active",
        Role::Standby => "standby",
        Role::Leaving => "leaving",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use projections::catch_up::status::ProjectorStatus;

    use crate::status::reading::Reached;

    #[test]
    fn each_count_of_a_projector_is_the_figure_of_its_name() {
        let counts = Counts {
            applied: 1,
            repeated: 2,
            skipped: 3,
            holes: 4,
            anchored: 5,
            refolded: 6,
            other_chains: 7,
            ahead: 8,
            broken: 9,
            parked: 10,
            dead_letters: 11,
            empty: 100,
            doubts: 200,
            reopened: 12,
        };
        let projected = Projected {
            name: "live",
            status: ProjectorStatus {
                counts,
                ..ProjectorStatus::default()
            },
            checkpoint: Reached::At(90),
            lag: Some(0),
            lag_ms: Some(0),
        };
        let mut figures = Figures::default();
        of_projector(&projected, &mut figures);
        let text = figures.render();
        let line = |name: &str, value: u64| format!("turnstream_projector_{name} {value}");
        for expected in [
            line("events_total{projector=\"live\",effect=\"applied\"}", 1),
            line("events_total{projector=\"live\",effect=\"repeated\"}", 2),
            line("events_total{projector=\"live\",effect=\"skipped\"}", 3),
            line("events_total{projector=\"live\",effect=\"dead-letter\"}", 11),
            line("holes_total{projector=\"live\"}", 4),
            line("anchors_total{projector=\"live\"}", 5),
            line("refolds_total{projector=\"live\"}", 6),
            line("other_chains_total{projector=\"live\"}", 7),
            line("ahead_total{projector=\"live\"}", 8),
            line("broken_total{projector=\"live\"}", 9),
            line("parked_total{projector=\"live\"}", 10),
            line("doubts_total{projector=\"live\"}", 300),
            line("reader_reopened_total{projector=\"live\"}", 12),
        ] {
            assert!(
                text.lines().any(|found| found == expected),
                "no {expected} in\n{text}"
            );
        }
    }
}
