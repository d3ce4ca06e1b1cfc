//! `bench/RESULTS.md`, made from the figures.

use std::fmt::Write;

use loadgen::report::Report;

use crate::results::{Grown, Results};
use crate::subject::Subject;

/// A column: its head, and its cell.
type Column = (&'static str, fn(&Results, &str, &str) -> Option<String>);

const FLOOR: &str = "floor";

/// All tables.
pub fn markdown(results: &Results) -> String {
    let mut text = String::from(HEAD);
    machine(&mut text, results);
    let loads: [(&str, &str, &[Column]); 7] = [
        (
            "saturate",
            SATURATE,
            &[MOVES, CPU, CPU_TO_FLOOR, BEHIND, P50, P99, ERRORS],
        ),
        ("paced", PACED, &[P50, P99, P999, P99_TO_FLOOR, CPU, ERRORS]),
        ("idle", IDLE, &[MEMORY, MEMORY_TO_FLOOR, IDLE_CPU, ERRORS]),
        ("fan-out: nobody watches", ALONE, &[P50, P99, ERRORS]),
        (
            "fan-out",
            FAN_OUT,
            &[PER_FRAME, PER_FRAME_TO_FLOOR, P50, P99, ERRORS],
        ),
        ("fan-out: 100 never read", DEAF, &[PER_FRAME, P50, P99, ERRORS]),
        ("storm", STORM, &[ALL_BACK, RETURN_P50, RETURN_P99, ERRORS]),
    ];
    for (load, about, columns) in loads {
        if results.loads.contains_key(load) {
            table(&mut text, results, load, about, columns);
        }
    }
    ratios(&mut text, results);
    restores(&mut text, results);
    growth(&mut text, results);
    text
}

const HEAD: &str = "# Speed: turnstream beside its peers

Made by `bench/run`; the figures behind it are in `results.json`. Do not edit.

Each figure is the median of the rounds. The servers take turns, each round starts every server anew with empty stores, and
a round in which other processes of the machine took more than a tenth of a processor is repeated. The server that is
measured has one processor, the load generator the other; NATS, Valkey and Postgres share the load generator's. A round
trip lasts from the send of a move until *both* players have it, and each board that a player is shown is checked against
the rules. turnstream has durability on: every event is acknowledged by the log, and all projectors run. The peers keep
nothing but memory; the floor is a relay without rules or memory (`bench/peers/floor`).

What to bear in mind: a disk of this machine answers an fsync much sooner than those of most clouds. Neither the file
(`synchronous=NORMAL`) nor NATS (`sync_interval: 1s`) waits for one before it acknowledges. Postgres, which is off the way of a
move, is the tests' own, on a memory disk and without fsync.

";
const SATURATE: &str = "## 64 games as fast as they go";
const PACED: &str = "## 1,000 games, a move a second each";
const IDLE: &str = "## 5,000 games in which nobody moves

Memory is what the process grew by from its start to 5,000 begun games with two sockets each.";
const ALONE: &str = "## One game, five moves a second, nobody watches";
const FAN_OUT: &str = "## One game, five moves a second, 5,000 spectators";
const DEAF: &str = "## The same, and 100 more who never read";
const STORM: &str = "## 5,000 games whose 10,000 players all lose their sockets and come back at once";

const MOVES: Column = ("moves/s", |r, load, who| {
    r.median(load, who, Report::rate).map(|v| format!("{v:.0}"))
});
const CPU: Column = ("server CPU s per 1,000 moves", |r, load, who| {
    r.median(load, who, Report::cpu_per_1000)
        .map(|v| format!("{v:.4}"))
});
const CPU_TO_FLOOR: Column = ("× floor", |r, load, who| {
    to_floor(r, load, who, Report::cpu_per_1000)
});
const BEHIND: Column = ("servers behind it", |r, load, who| {
    let first = r.loads.get(load)?.get(who)?.first()?;
    let each = first.behind_cpu.keys().map(|name| {
        let cpu = r.median(load, who, |report| {
            report.behind_cpu[name] * 1000.0 / count(report.moves)
        });
        format!("{name} {:.4}", cpu.unwrap_or_default())
    });
    Some(each.collect::<Vec<_>>().join(", "))
});
const P50: Column = ("p50 ms", |r, load, who| {
    millis(r, load, who, |report| report.round_trip.map(|t| t.p50_us))
});
const P99: Column = ("p99 ms", |r, load, who| {
    millis(r, load, who, |report| report.round_trip.map(|t| t.p99_us))
});
const P999: Column = ("p99.9 ms", |r, load, who| {
    millis(r, load, who, |report| report.round_trip.map(|t| t.p999_us))
});
const P99_TO_FLOOR: Column = ("p99 × floor", |r, load, who| to_floor(r, load, who, p99_us));
const MEMORY: Column = ("KiB per game", |r, load, who| {
    r.median(load, who, Report::kib_per_game)
        .map(|v| format!("{v:.1}"))
});
const MEMORY_TO_FLOOR: Column = ("× floor", |r, load, who| {
    to_floor(r, load, who, Report::kib_per_game)
});
const IDLE_CPU: Column = ("per cent of a processor", |r, load, who| {
    r.median(load, who, |report| 100.0 * report.server_cpu / report.seconds)
        .map(|v| format!("{v:.1}"))
});
const PER_FRAME: Column = ("server CPU µs per frame", |r, load, who| {
    r.median(load, who, per_frame).map(|v| format!("{v:.2}"))
});
const PER_FRAME_TO_FLOOR: Column = ("× floor", |r, load, who| to_floor(r, load, who, per_frame));
const ALL_BACK: Column = ("all back after s", |r, load, who| {
    r.median(load, who, |report| report.seconds)
        .map(|v| format!("{v:.2}"))
});
const RETURN_P50: Column = ("p50 ms", |r, load, who| {
    millis(r, load, who, |report| report.returns.map(|t| t.p50_us))
});
const RETURN_P99: Column = ("p99 ms", |r, load, who| {
    millis(r, load, who, |report| report.returns.map(|t| t.p99_us))
});
const ERRORS: Column = ("errors", |r, load, who| {
    let rounds = r.loads.get(load)?.get(who)?;
    Some(rounds.iter().map(|report| report.errors).sum::<u64>().to_string())
});

/// A count, to reckon with.
#[expect(clippy::cast_precision_loss, reason = "counts of a run are far below 2^52")]
pub fn count(n: u64) -> f64 {
    n as f64
}

fn p99_us(report: &Report) -> f64 {
    report.round_trip.map_or(f64::NAN, |trip| count(trip.p99_us))
}

fn per_frame(report: &Report) -> f64 {
    report.server_cpu * 1e6 / count(report.delivered)
}

fn millis(results: &Results, load: &str, who: &str, figure: fn(&Report) -> Option<u64>) -> Option<String> {
    let figure = results.median(load, who, |report| figure(report).map_or(f64::NAN, count));
    figure.map(|us| format!("{:.2}", us / 1000.0))
}

fn to_floor(results: &Results, load: &str, who: &str, figure: fn(&Report) -> f64) -> Option<String> {
    let ratio = results.median(load, who, figure)? / results.median(load, FLOOR, figure)?;
    Some(format!("{ratio:.2}"))
}

fn machine(text: &mut String, results: &Results) {
    text.push_str("| machine and versions | |\n| --- | --- |\n");
    for (name, what) in &results.machine {
        line(text, &[name.clone(), what.clone()]);
    }
}

fn line(text: &mut String, cells: &[String]) {
    writeln!(text, "| {} |", cells.join(" | ")).expect("a string takes everything");
}

fn head(text: &mut String, heads: &[&str]) {
    line(
        text,
        &heads.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>(),
    );
    line(text, &vec!["---".to_owned(); heads.len()]);
}

fn table(text: &mut String, results: &Results, load: &str, about: &str, columns: &[Column]) {
    write!(text, "\n{about}\n\n").expect("a string takes everything");
    let heads: Vec<&str> = [""]
        .into_iter()
        .chain(columns.iter().map(|(head, _)| *head))
        .collect();
    head(text, &heads);
    for subject in Subject::ALL {
        let who = subject.name();
        if !results.loads[load].contains_key(who) {
            continue;
        }
        let cells = columns
            .iter()
            .map(|(_, cell)| cell(results, load, who).unwrap_or_default());
        line(
            text,
            &[who.to_owned()].into_iter().chain(cells).collect::<Vec<_>>(),
        );
    }
    if let Some(rounds) = results.disturbed.get(load) {
        writeln!(
            text,
            "\nDisturbed by other processes, however often they were tried: {rounds} rounds."
        )
        .expect("a string takes everything");
    }
}

/// What is aimed at, and where it is.
fn ratios(text: &mut String, results: &Results) {
    let rate = |who| results.median("saturate", who, Report::rate);
    let cpu = |who| results.median("saturate", who, Report::cpu_per_1000);
    let p99 = |who| results.median("paced", who, p99_us);
    let over = |above: Option<f64>, below: Option<f64>| Some(above? / below?);
    let (file, servers) = (Subject::File.name(), Subject::Servers.name());
    let (colyseus, boardgame) = (Subject::Colyseus.name(), Subject::BoardgameIo.name());
    let idle = |figure: fn(&Report) -> f64| results.median("idle", file, figure);
    let frames = |who| results.median("fan-out", who, per_frame);
    let aims = [
        (
            "saturated, file: moves/s to Colyseus",
            "≥ 3",
            over(rate(file), rate(colyseus)),
        ),
        (
            "saturated, file: moves/s to boardgame.io",
            "≥ 10",
            over(rate(file), rate(boardgame)),
        ),
        (
            "saturated, servers: moves/s to Colyseus",
            "≥ 1.5",
            over(rate(servers), rate(colyseus)),
        ),
        (
            "saturated, file: CPU per move to the floor",
            "≤ 2",
            over(cpu(file), cpu(FLOOR)),
        ),
        (
            "saturated, servers: CPU per move to the floor",
            "≤ 2",
            over(cpu(servers), cpu(FLOOR)),
        ),
        (
            "paced, file: p99 to the floor",
            "≤ 2",
            over(p99(file), p99(FLOOR)),
        ),
        (
            "paced, servers: p99 to the floor",
            "≤ 2",
            over(p99(servers), p99(FLOOR)),
        ),
        (
            "paced, file: p99 to Colyseus",
            "≤ 0.1",
            over(p99(file), p99(colyseus)),
        ),
        (
            "paced, file: p99 to boardgame.io",
            "≤ 0.1",
            over(p99(file), p99(boardgame)),
        ),
        ("idle, file: KiB per game", "≤ 24", idle(Report::kib_per_game)),
        (
            "idle, file: per cent of a processor",
            "< 1",
            idle(|report| 100.0 * report.server_cpu / report.seconds),
        ),
        (
            "fan-out, file: CPU per frame to the floor",
            "≤ 1.3",
            over(frames(file), frames(FLOOR)),
        ),
        (
            "fan-out, servers: CPU per frame to the floor",
            "≤ 1.3",
            over(frames(servers), frames(FLOOR)),
        ),
    ];
    text.push_str("\n## Aims\n\n");
    head(text, &["", "aim", "measured"]);
    for (what, aim, measured) in aims {
        if let Some(measured) = measured {
            line(text, &[what.to_owned(), aim.to_owned(), format!("{measured:.2}")]);
        }
    }
}

fn restores(text: &mut String, results: &Results) {
    if results.restores.is_empty() {
        return;
    }
    text.push_str("\n## From start to ready\n\nThe games have no sockets. With servers, a killed process is only known to be gone after three seconds of silence.\n\n");
    head(text, &["", "live games", "ended by", "s", "restored"]);
    for restored in &results.restores {
        let seconds = count(restored.took_ms) / 1000.0;
        let how = if restored.killed { "SIGKILL" } else { "SIGTERM" };
        let cells = [
            restored.subject.clone(),
            restored.games.to_string(),
            how.to_owned(),
            format!("{seconds:.2}"),
            restored.found.to_string(),
        ];
        line(text, &cells);
    }
}

fn growth(text: &mut String, results: &Results) {
    let of = |axis: &str| {
        results
            .growth
            .iter()
            .filter(|grown| grown.axis == axis)
            .collect::<Vec<&Grown>>()
    };
    let seconds = |ms: u64| format!("{:.2}", count(ms) / 1000.0);
    let millis = |us: u64| format!("{:.2}", count(us) / 1000.0);
    if results.growth.is_empty() {
        return;
    }
    text.push_str("\n## Growth\n\nturnstream with its file.\n\n![growth](growth.svg)\n\n");
    head(
        text,
        &[
            "live games",
            "moves/s, all at once",
            "p99 ms, paced",
            "KiB per game",
            "s from SIGKILL to ready",
        ],
    );
    for grown in of("live") {
        let cells = [
            grown.games.to_string(),
            format!("{:.0}", grown.rate),
            millis(grown.paced_p99_us),
            format!("{:.1}", grown.memory_kib),
            seconds(grown.restore_ms),
        ];
        line(text, &cells);
    }
    text.push('\n');
    head(
        text,
        &[
            "finished games",
            "moves/s of 64",
            "p99 ms, 1,000 paced",
            "MiB in all",
            "s from SIGKILL to ready",
            "popular games ms",
            "own games ms",
        ],
    );
    for grown in of("finished") {
        let cells = [
            grown.games.to_string(),
            format!("{:.0}", grown.rate),
            millis(grown.paced_p99_us),
            format!("{:.0}", grown.memory_kib / 1024.0),
            seconds(grown.restore_ms),
            millis(grown.popular_us),
            millis(grown.recent_us),
        ];
        line(text, &cells);
    }
}
