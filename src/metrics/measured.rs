//! What happens on the way of every move. Each counter is found by its place, not by its labels: to hash those takes ten times as
//! long as to count.

use std::time::Duration;

use commands::ports::meter::COMMANDS;
use commands::ports::{Answered, Published};
use contract::Kind;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::histogram::Histogram;
use super::{Counters, Label, Making};

/// From a quarter of a millisecond to the time after which the outcome of a command is unknown.
const ANSWERS: [f64; 13] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
];

/// What stands for the kind of a game that is not known here. It comes after the others.
const UNKNOWN_KIND: &str = "unknown";

type Histograms = Family<[Label; 1], Histogram, fn() -> Histogram>;

/// Counters and histograms, in the order of [`COMMANDS`], kinds and answers.
#[derive(Debug)]
pub(super) struct Measured {
    commands: Vec<Counter>,
    command_time: Vec<Histogram>,
    publish_time: Vec<Histogram>,
}

/// Every kind, and what is none.
fn kinds() -> impl Iterator<Item = &'static str> {
    Kind::ALL.iter().map(|kind| kind.as_str()).chain([UNKNOWN_KIND])
}

fn times() -> Histogram {
    Histogram::new(&ANSWERS)
}

impl Measured {
    /// Everything at 0, so that its first time is seen as a change.
    pub(super) fn new(m: &mut Making) -> Self {
        let commands: Counters<3> = m.zero(
            "turnstream_commands",
            "Players' commands by command, kind of game and what they were answered",
        );
        let command_time: Histograms = m.made(
            "turnstream_command_seconds",
            "From a command's being taken up to its answer, the wait for the log included",
            Family::new_with_constructor(times),
        );
        let publish_time: Histograms = m.made(
            "turnstream_publish_seconds",
            "From an event's being sent to the log to what the log said",
            Family::new_with_constructor(times),
        );
        let asked = COMMANDS.iter().flat_map(|command| {
            kinds().flat_map(move |kind| {
                Answered::ALL
                    .map(|answer| [("command", *command), ("kind", kind), ("outcome", answer.name())])
            })
        });
        Self {
            commands: asked
                .map(|labels| commands.get_or_create_owned(&labels))
                .collect(),
            command_time: kinds()
                .map(|kind| command_time.get_or_create_owned(&[("kind", kind)]))
                .collect(),
            publish_time: Published::ALL
                .map(|answer| publish_time.get_or_create_owned(&[("answer", answer.name())]))
                .into(),
        }
    }

    /// A command has its answer.
    pub(super) fn answered(
        &self,
        command: &'static str,
        kind: Option<Kind>,
        answer: Answered,
        took: Duration,
    ) {
        let kind = place(Kind::ALL, |known| Some(*known) == kind);
        let command = place(&COMMANDS, |known| *known == command);
        let answer = place(&Answered::ALL, |known| *known == answer);
        let kinds = self.command_time.len();
        // One that has no place is a command that was forgotten in the list, and is counted nowhere.
        if let Some(counter) = self
            .commands
            .get((command * kinds + kind) * Answered::ALL.len() + answer)
        {
            counter.inc();
        }
        self.command_time[kind].observe(took);
    }

    /// The log said something.
    pub(super) fn published(&self, answer: Published, took: Duration) {
        let answer = place(&Published::ALL, |known| *known == answer);
        self.publish_time[answer].observe(took);
    }
}

/// The place of the first that `is` it; behind the last if none is.
fn place<T>(all: &[T], is: impl Fn(&T) -> bool) -> usize {
    all.iter().position(is).unwrap_or(all.len())
}

#[cfg(test)]
mod tests {
    use super::super::{Figures, Metrics};
    use super::*;
    use commands::ports::Meter;

    /// Each of a command's counters is its own, and no other one moves.
    #[test]
    fn every_command_kind_and_answer_has_its_own_counter() {
        let metrics = Metrics::new();
        let meter: &dyn Meter = &metrics;
        let all_kinds = || Kind::ALL.iter().copied().map(Some).chain([None]);
        let mut times = 0;
        for command in COMMANDS {
            for kind in all_kinds() {
                for answer in Answered::ALL {
                    times += 1;
                    for _ in 0..times {
                        meter.answered(command, kind, answer, Duration::ZERO);
                    }
                }
            }
        }
        let text = metrics.render(Figures::default());
        let mut times = 0;
        for command in COMMANDS {
            for kind in all_kinds() {
                for answer in Answered::ALL {
                    times += 1;
                    let kind = kind.map_or("unknown", Kind::as_str);
                    let outcome = answer.name();
                    let line = format!(
                        "turnstream_commands_total{{command=\"{command}\",kind=\"{kind}\",outcome=\"{outcome}\"}} {times}"
                    );
                    assert!(text.lines().any(|found| found == line), "no {line}\n{text}");
                }
            }
        }
    }

    #[test]
    fn times_are_kept_by_kind_and_by_answer() {
        let metrics = Metrics::new();
        let meter: &dyn Meter = &metrics;
        let took = Duration::from_millis(3);
        meter.answered("move", Some(Kind::Mancala), Answered::Accepted, took);
        meter.answered("leave", None, Answered::Rejected, took);
        meter.published(Published::Refused, took);
        let text = metrics.render(Figures::default());
        for line in [
            "turnstream_command_seconds_bucket{kind=\"mancala\",le=\"0.0025\"} 0",
            "turnstream_command_seconds_bucket{kind=\"mancala\",le=\"0.005\"} 1",
            "turnstream_command_seconds_count{kind=\"unknown\"} 1",
            "turnstream_publish_seconds_count{answer=\"refused\"} 1",
            "turnstream_publish_seconds_count{answer=\"acknowledged\"} 0",
        ] {
            assert!(text.lines().any(|found| found == line), "no {line}\n{text}");
        }
    }

    #[test]
    fn every_command_of_a_player_is_in_the_list() {
        use commands::games::PlayerCommand;
        use contract::ClientId;
        let id: ClientId = "m1".parse().expect("it is short");
        let commands = [
            PlayerCommand::Leave { id: id.clone() },
            PlayerCommand::OfferDraw {
                id: id.clone(),
                offer: true,
            },
            PlayerCommand::AnswerDraw {
                id: id.clone(),
                accept: true,
            },
            PlayerCommand::Seed {
                id: id.clone(),
                seed: String::new(),
            },
            PlayerCommand::Move {
                id,
                position: contract::Position {
                    version: 1,
                    writer: contract::WriterId(1),
                },
                mv: rules::mancala::Move(0).into(),
                offer_draw: false,
            },
        ];
        for command in commands {
            assert!(COMMANDS.contains(&command.name()), "{}", command.name());
        }
    }
}
