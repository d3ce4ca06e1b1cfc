//! How it goes with more and more games: live ones, and finished ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;
use loadgen::report::Report;
use serde_json::Value;
use tokio::time::Instant;

use crate::results::{Grown, Results};
use crate::scenario::seconds;
use crate::subject::{Running, Subject};
use crate::tables::count;
use crate::{Options, load, restore};

/// Who is looked at: everything that grows is in one process and one file.
const SUBJECT: Subject = Subject::File;
/// Live games beside the finished ones.
const BESIDE: u64 = 1_000;
/// Who look at their own games.
const USERS: usize = 200;

/// Both curves.
pub async fn measure(options: &Options, results: &mut Results) -> anyhow::Result<()> {
    results.growth.clear();
    let live: &[u64] = if options.smoke {
        &[10, 100]
    } else {
        &[100, 1_000, 5_000, 9_000]
    };
    for games in live {
        results.growth.push(with_live(*games, options).await?);
        results.write(&options.results)?;
    }
    let finished: &[u64] = if options.smoke {
        &[0, 1_000]
    } else {
        &[0, 10_000, 100_000, 1_000_000]
    };
    for games in finished {
        results.growth.push(with_finished(*games, options).await?);
        results.write(&options.results)?;
    }
    Ok(())
}

async fn run(running: &Running, games: u64, mode: &str, options: &Options) -> anyhow::Result<Report> {
    let arguments = [
        format!("--games={games}"),
        format!("--seconds={}", seconds(options)),
        mode.to_owned(),
    ];
    let report = load::run(SUBJECT, running, 1, &arguments).await?;
    ensure!(
        report.errors == 0,
        "{mode} with {games} games: {:?}",
        report.first_error
    );
    Ok(report)
}

fn p99(report: &Report) -> u64 {
    report.round_trip.map_or(0, |trip| trip.p99_us)
}

/// All of them played at once: a fresh process for each figure, so that none has the memory of another.
async fn with_live(games: u64, options: &Options) -> anyhow::Result<Grown> {
    let fast = run(&SUBJECT.start(&options.peers).await?, games, "saturate", options).await?;
    let paced = run(&SUBJECT.start(&options.peers).await?, games, "paced", options).await?;
    let idle = run(&SUBJECT.start(&options.peers).await?, games, "idle", options).await?;
    let running = SUBJECT.start(&options.peers).await?;
    restore::leave(SUBJECT, &running, games).await?;
    let restored = restore::again(SUBJECT, &running, games, true).await?;
    let grown = Grown {
        axis: "live".to_owned(),
        games,
        rate: fast.rate(),
        paced_p99_us: p99(&paced),
        memory_kib: idle.kib_per_game(),
        restore_ms: restored.took_ms,
        ..Grown::default()
    };
    println!("{grown:?}");
    Ok(grown)
}

/// 64 games played, and 1,000 that are live, beside so many finished ones.
async fn with_finished(games: u64, options: &Options) -> anyhow::Result<Grown> {
    let seed = seeded(games, options).await?;
    let start = async || SUBJECT.start_on(&options.peers, Some(seed.clone())).await;
    let fast = run(&start().await?, 64, "saturate", options).await?;
    let running = start().await?;
    // Before any game is live: else those would be the popular ones.
    let (popular_us, recent_us) = lists(&running).await?;
    let paced = run(&running, BESIDE, "paced", options).await?;
    let restored = restore::again(SUBJECT, &running, BESIDE, true).await?;
    let grown = Grown {
        axis: "finished".to_owned(),
        games,
        rate: fast.rate(),
        paced_p99_us: p99(&paced),
        memory_kib: count(paced.rss_after),
        restore_ms: restored.took_ms,
        popular_us,
        recent_us,
    };
    println!("{grown:?}");
    Ok(grown)
}

/// A data directory with so many finished games, made from one that was played.
async fn seeded(games: u64, options: &Options) -> anyhow::Result<PathBuf> {
    let directory = options.peers.with_file_name("seeds").join(games.to_string());
    if directory.exists() {
        return Ok(directory);
    }
    let running = SUBJECT.start(&options.peers).await?;
    run(&running, 2, "saturate", options).await?;
    restore::settled(&running).await?;
    running.end(false).await?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("seed.py");
    let made = Command::new("python3")
        .arg(script)
        .arg(running.store())
        .arg(&directory)
        .arg(games.to_string())
        .status()?;
    ensure!(made.success(), "the finished games could not be made");
    Ok(directory)
}

/// How long a list takes that nobody has asked for before: of popular games, and of one user's own (the median of many
/// users).
async fn lists(running: &Running) -> anyhow::Result<(u64, u64)> {
    let base = format!("http://{}", running.address());
    let http = reqwest::Client::new();
    let mut tokens = Vec::with_capacity(USERS);
    for _ in 0..USERS {
        let guest = http.post(format!("{base}/guests")).json(&serde_json::json!({}));
        let guest: Value = guest.send().await?.json().await?;
        tokens.push(guest["token"].as_str().unwrap_or_default().to_owned());
    }
    let popular = took(http.get(format!("{base}/games/popular?limit=20"))).await?;
    let mut recent = Vec::with_capacity(USERS);
    for token in tokens {
        recent.push(took(http.get(format!("{base}/games/me?limit=20")).bearer_auth(token)).await?);
    }
    recent.sort_unstable();
    Ok((popular, recent[USERS / 2]))
}

async fn took(request: reqwest::RequestBuilder) -> anyhow::Result<u64> {
    let began = Instant::now();
    request.send().await?.error_for_status()?.bytes().await?;
    Ok(began.elapsed().as_micros() as u64)
}
